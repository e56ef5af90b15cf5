// JSON, where it stands. -1 stands for no end.
import { unit, whole } from "./host";

/** Returns where the white space at i ends. */
export function space(s: string, i: i32): i32 {
  while (i < s.length) {
    const c = s.charCodeAt(i);
    if (c != 0x20 && c != 0x0a && c != 0x09 && c != 0x0d) break;
    i++;
  }
  return i;
}

/** Returns the end of the string that starts at i. */
export function quoted(s: string, i: i32): i32 {
  const n = s.length;
  for (i++; i < n; i++) {
    const c = unit(s, i);
    if (c == 0x5c) i++;
    else if (c == 0x22) return i + 1;
  }
  return -1;
}

/** Returns the end of the value that starts at i. What is between is taken to be JSON. */
export function skip(s: string, i: i32): i32 {
  let depth = 0;
  for (i = space(s, i); i < s.length; ) {
    const c = s.charCodeAt(i);
    if (c == 0x22) {
      i = quoted(s, i);
      if (i < 0) return -1;
    } else if (c == 0x7b || c == 0x5b) {
      depth++;
      i++;
      continue;
    } else if (c == 0x7d || c == 0x5d) {
      if (--depth < 0) return -1;
      i++;
    } else if (between(c)) {
      i++;
      continue;
    } else {
      while (i < s.length) {
        const e = s.charCodeAt(i);
        if (between(e) || e == 0x5d || e == 0x7d || e == 0x22) break;
        i++;
      }
    }
    if (depth == 0) return i;
  }
  return -1;
}

function between(c: i32): bool {
  return c == 0x2c || c == 0x3a || c == 0x20 || c == 0x0a || c == 0x09 || c == 0x0d;
}

function hex4(s: string, i: i32): i32 {
  if (s.length - i < 4) return -1;
  let r = 0;
  for (let k = i; k < i + 4; k++) {
    const c = s.charCodeAt(k);
    const l = c | 0x20;
    if (c >= 0x30 && c <= 0x39) r = (r << 4) | (c - 0x30);
    else if (l >= 0x61 && l <= 0x66) r = (r << 4) | (l - 0x61 + 10);
    else return -1;
  }
  return r;
}

/** Returns the text of a string's lexeme, lone surrogates as they are. */
export function unquote(lexeme: string): string {
  if (lexeme.length < 2) return "";
  const end = lexeme.length - 1;
  let i = lexeme.indexOf("\\");
  if (i < 0) return lexeme.substring(1, end);
  const out = new ArrayBuffer(lexeme.length << 1);
  let n = 0;
  for (i = 1; i < end; i++) {
    let c = unit(lexeme, i);
    if (c == 0x5c && i + 1 < end) {
      c = unit(lexeme, ++i);
      if (c == 0x75) {
        c = hex4(lexeme, i + 1);
        if (c < 0) c = 0xd800;
        i += 4;
      } else {
        c = plain(c);
      }
    }
    store<u16>(changetype<usize>(out) + (n++ << 1), <u16>c);
  }
  return String.UTF16.decodeUnsafe(changetype<usize>(out), n << 1);
}

function plain(c: i32): i32 {
  switch (c) {
    case 0x62: return 8;
    case 0x66: return 12;
    case 0x6e: return 10;
    case 0x72: return 13;
    case 0x74: return 9;
  }
  return c;
}

function digits(s: string, i: i32): i32 {
  const first = i;
  while (i < s.length && s.charCodeAt(i) >= 0x30 && s.charCodeAt(i) <= 0x39) i++;
  return i == first ? -1 : i;
}

function number(s: string, i: i32): i32 {
  if (i < s.length && s.charCodeAt(i) == 0x2d) i++;
  const first = i;
  i = digits(s, i);
  if (i < 0 || (s.charCodeAt(first) == 0x30 && i > first + 1)) return -1;
  if (i < s.length && s.charCodeAt(i) == 0x2e) {
    i = digits(s, i + 1);
    if (i < 0) return -1;
  }
  if (i < s.length && (s.charCodeAt(i) | 0x20) == 0x65) {
    i++;
    if (i < s.length && (s.charCodeAt(i) == 0x2b || s.charCodeAt(i) == 0x2d)) i++;
    i = digits(s, i);
  }
  return i;
}

function starts(s: string, i: i32, word: string): bool {
  if (s.length - i < word.length) return false;
  for (let k = 0; k < word.length; k++) if (s.charCodeAt(i + k) != word.charCodeAt(k)) return false;
  return true;
}

/** Returns the end of the string, number or literal at i. */
function scalar(s: string, i: i32): i32 {
  if (i >= s.length) return -1;
  if (s.charCodeAt(i) != 0x22) {
    if (starts(s, i, "true") || starts(s, i, "null")) return i + 4;
    if (starts(s, i, "false")) return i + 5;
    return number(s, i);
  }
  const n = s.length;
  for (i++; i < n; i++) {
    const c = unit(s, i);
    if (c == 0x22) return i + 1;
    if (c < 0x20) return -1;
    if (c != 0x5c) continue;
    if (++i == s.length) return -1;
    const e = s.charCodeAt(i);
    if (e == 0x75 ? hex4(s, i + 1) < 0 : plain(e) == e && e != 0x22 && e != 0x5c && e != 0x2f) return -1;
  }
  return -1;
}

/** Says whether s is one JSON text (RFC 8259), however deep. */
export function valid(s: string): bool {
  if (!whole(s)) return false;
  const open = new Array<i32>(); // the brackets that are open
  let due = true; // a value, else what follows one
  let i = 0;
  while (true) {
    i = space(s, i);
    const top = open.length > 0 ? open[open.length - 1] : 0;
    if (!due) {
      if (top == 0) return i == s.length;
      if (i == s.length) return false;
      const c = s.charCodeAt(i++);
      if (c == 0x2c) due = true;
      else if (c == top + 2) open.pop(); // } is two above {, and ] above [
      else return false;
      continue;
    }
    if (top == 0x7b) {
      if (i >= s.length || s.charCodeAt(i) != 0x22) return false;
      i = scalar(s, i);
      if (i < 0) return false;
      i = space(s, i);
      if (i >= s.length || s.charCodeAt(i) != 0x3a) return false;
      i = space(s, i + 1);
    }
    const c = i < s.length ? s.charCodeAt(i) : 0;
    if (c == 0x7b || c == 0x5b) {
      open.push(c);
      i = space(s, i + 1);
      due = !(i < s.length && s.charCodeAt(i) == c + 2);
      continue;
    }
    i = scalar(s, i);
    if (i < 0) return false;
    due = false;
  }
}
