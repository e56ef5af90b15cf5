import { quote } from "./value";
import { mended, whole } from "./host";
import { MAX_POINTERS, MAX_POINTER_RUNES, MAX_REASON_RUNES, MAX_TAGS, MAX_TAG_RUNES } from "./names";

/** How many bytes of pointers a verdict names as its causes: as many as leave room for everything else, however they are escaped. */
const MOST_AT = 32768;

/** Returns the first n code points. */
function cut(s: string, n: i32): string {
  let i = 0;
  for (; i < s.length && n > 0; n--) i += i + 1 < s.length && (s.charCodeAt(i) & 0xfc00) == 0xd800 && (s.charCodeAt(i + 1) & 0xfc00) == 0xdc00 ? 2 : 1;
  return s.substring(0, i);
}

/** One JSON object. */
class Writer {
  private out: string[] = [];

  raw(name: string, json: string): void {
    this.out.push(quote(mended(name)) + ":" + json);
  }
  str(name: string, s: string): void {
    if (s != "") this.raw(name, quote(mended(s)));
  }
  strs(name: string, list: string[]): void {
    if (list.length == 0) return;
    const items = new Array<string>();
    for (let i = 0; i < list.length; i++) items.push(quote(mended(list[i])));
    this.raw(name, "[" + items.join(",") + "]");
  }
  empty(): bool {
    return this.out.length == 0;
  }
  end(): string {
    return "{" + this.out.join(",") + "}";
  }
}

/**
 * What a plugin answers. Make one with abstain, ask or deny; the methods add to it and return it. Effects and codes must be in the manifest: what is not there
 * denies.
 */
export class Verdict {
  private reason: string = "";
  private pointers: string[] = [];
  private pointerBytes: i32 = 0;
  private redacted: string[] = [];
  private hidden: string[] = [];
  private callLabels: string[] = [];
  private sessionLabels: string[] = [];
  private calls: i64 = -1; // no budget
  private names: string[] = [];
  private notes: string[] = [];

  constructor(private outcome: string, private what: string) {}

  /** Gives a verdict that abstains, but redacts or hides, a code. */
  code(code: string): Verdict {
    this.what = code;
    return this;
  }
  /** Says why, to the operator; no model reads it. What is over 1,024 characters is cut off. */
  because(reason: string): Verdict {
    this.reason = cut(reason, MAX_REASON_RUNES);
    return this;
  }
  /**
   * Names what caused the verdict, by a pointer into the snapshot. What is over what the host takes is left out: up to 256, of up to 4,096 characters, and of
   * 32 KiB in all.
   */
  at(pointer: string): Verdict {
    const bytes = this.pointerBytes + String.UTF8.byteLength(pointer);
    if (this.pointers.length < MAX_POINTERS && cut(pointer, MAX_POINTER_RUNES).length == pointer.length && bytes <= MOST_AT) {
      this.pointers.push(pointer);
      this.pointerBytes = bytes;
    }
    return this;
  }
  /**
   * Labels the data of this call. The host writes the plugin's name and a colon before a label: up to 64 letters, digits, '.', '_' and '-'. Another, and more
   * than 32, deny.
   */
  labelCall(label: string): Verdict {
    this.callLabels.push(label);
    return this;
  }
  /** Labels the session, like labelCall. */
  labelSession(label: string): Verdict {
    this.sessionLabels.push(label);
    return this;
  }
  /** Puts a marker of the host in place of a value below /result. More than 256 deny, and so does a verdict of more than 256 KiB. */
  redact(pointer: string): Verdict {
    this.redacted.push(pointer);
    return this;
  }
  /** Leaves an item out of a list, by name, of resources by URI or its template. More than 1,024 deny, and so does a verdict of more than 256 KiB. */
  hide(name: string): Verdict {
    this.hidden.push(name);
    return this;
  }
  /** Leaves the session at most so many more calls of this tool. */
  budget(calls: i64): Verdict {
    this.calls = max<i64>(calls, 0);
    return this;
  }
  /** Notes something in the ledger. What is over 16 notes is left out, what is over 256 characters is cut off. */
  tag(name: string, text: string): Verdict {
    name = cut(name, MAX_TAG_RUNES);
    if (!whole(name)) name = mended(name); // two names that become one are one
    text = cut(text, MAX_TAG_RUNES);
    const i = this.names.indexOf(name);
    if (i >= 0) this.notes[i] = text;
    else if (this.names.length < MAX_TAGS) {
      this.names.push(name);
      this.notes.push(text);
    }
    return this;
  }
  /** The verdict as the host gets it, members sorted by name. */
  json(): string {
    const w = new Writer();
    w.strs("at", this.pointers);
    if (this.calls >= 0) w.raw("budget", '{"calls":' + this.calls.toString() + "}");
    w.str("code", this.what);
    w.strs("hide", this.hidden);
    const labels = new Writer();
    labels.strs("call", this.callLabels);
    labels.strs("session", this.sessionLabels);
    if (!labels.empty()) w.raw("labels", labels.end());
    w.str("outcome", this.outcome);
    w.str("reason", this.reason);
    w.strs("redact", this.redacted);
    const tags = new Writer();
    for (let i = 0; i < this.names.length; i++) tags.raw(this.names[i], quote(mended(this.notes[i])));
    if (!tags.empty()) w.raw("tags", tags.end());
    return w.end();
  }
}

/** Says nothing against it. */
export function abstain(): Verdict {
  return new Verdict("abstain", "");
}
/** Wants a person to decide; only in phase call. */
export function ask(code: string): Verdict {
  return new Verdict("ask", code);
}
/** Refuses. */
export function deny(code: string): Verdict {
  return new Verdict("deny", code);
}

/** What is wrong with settings. */
export class Wrong {
  constructor(private at: string, private text: string) {}

  json(): string {
    const w = new Writer();
    w.str("at", this.at);
    w.str("error", this.text);
    return w.end();
  }
}
