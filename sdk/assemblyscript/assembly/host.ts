// The three functions of the host, and text in and out of them.
import { ERROR } from "./names";

// @ts-ignore: decorator
@external("callgate_v0", "get")
declare function hostGet(path: usize, pathLen: u32, buf: usize, limit: u32): u64;

// @ts-ignore: decorator
@external("callgate_v0", "log")
declare function hostLog(level: u32, text: usize, len: u32): void;

// @ts-ignore: decorator
@external("callgate_v0", "log_enabled")
declare function hostLogEnabled(level: u32): u32;

/** What get answered: the kind, and the text of it. */
export class Got {
  constructor(public kind: i32, public text: string) {}
}

const scratch = memory.data(4096);

/** Asks the host for a value, twice if it is large. */
export function get(pointer: string): Got {
  const path = utf8(pointer);
  const r = hostGet(changetype<usize>(path), path.byteLength, scratch, 4096);
  const n = <u32>r;
  if (n <= 4096) return new Got(<i32>(r >> 32), String.UTF8.decodeUnsafe(scratch, n));
  const large = new ArrayBuffer(n);
  hostGet(changetype<usize>(path), path.byteLength, changetype<usize>(large), n);
  return new Got(<i32>(r >> 32), String.UTF8.decode(large));
}

/** Asks the host for the kind of a value alone. */
export function kindOf(pointer: string): i32 {
  const path = utf8(pointer);
  return <i32>(hostGet(changetype<usize>(path), path.byteLength, 0, 0) >> 32);
}

/** Text as UTF-8; each lone surrogate becomes U+FFFD. */
export function utf8(text: string): ArrayBuffer {
  return String.UTF8.encode(whole(text) ? text : mended(text));
}

/** Returns what charCodeAt does of an index that is known to be in the text. */
// @ts-ignore: decorator
@inline
export function unit(s: string, i: i32): i32 {
  return load<u16>(changetype<usize>(s) + (<usize>i << 1));
}

/** Says whether there is no lone surrogate in a text. */
export function whole(s: string): bool {
  const n = s.length;
  for (let i = 0; i < n; i++) {
    const c = unit(s, i);
    if ((c & 0xf800) != 0xd800) continue;
    if (c >= 0xdc00 || i + 1 == n || (unit(s, i + 1) & 0xfc00) != 0xdc00) return false;
    i++;
  }
  return true;
}

/** Puts U+FFFD in place of each lone surrogate. */
export function mended(s: string): string {
  const out = new ArrayBuffer(s.length << 1);
  for (let i = 0; i < s.length; i++) {
    let c = s.charCodeAt(i);
    if ((c & 0xf800) == 0xd800) {
      if (c < 0xdc00 && i + 1 < s.length && (s.charCodeAt(i + 1) & 0xfc00) == 0xdc00) {
        store<u16>(changetype<usize>(out) + (i << 1), <u16>c);
        c = s.charCodeAt(++i);
      } else {
        c = 0xfffd;
      }
    }
    store<u16>(changetype<usize>(out) + (i << 1), <u16>c);
  }
  return String.UTF16.decode(out);
}

/** Packs where a text lies, for the host to read. */
export function answer(text: string): u64 {
  const bytes = utf8(text);
  return (<u64>changetype<usize>(bytes) << 32) | <u64>bytes.byteLength;
}

/** Writes a line for the operator. The host keeps 64 KiB and 256 lines of an evaluation. */
export function log(level: u32, text: string): void {
  const bytes = utf8(text);
  hostLog(level, changetype<usize>(bytes), bytes.byteLength);
}

/** Says whether a level is kept, before a costly line is made. */
export function logEnabled(level: u32): bool {
  return hostLogEnabled(level) != 0;
}

let ended = false;

/**
 * What an assertion that fails, an index outside of an array or an exception comes to: a line in the log, and a trap, which denies. The compiler has to be told:
 * --use abort=PATH/assembly/host/abort.
 */
export function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  if (!ended) {
    ended = true; // memory may be what there is no more of
    log(ERROR, (message ? message : "abort") + ", " + (file ? file : "?") + ":" + line.toString() + ":" + column.toString());
  }
  unreachable();
}
