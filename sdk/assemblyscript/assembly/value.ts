import { get, kindOf, mended, whole } from "./host";
import { quoted, skip, space, unquote, valid } from "./json";

/** The kinds of a value. RAW_STRING is a string that UTF-8 can not hold: text() has U+FFFD in place of what can not be held. */
export namespace Kind {
  export const ABSENT: i32 = 0;
  export const NULL: i32 = 1;
  export const BOOL: i32 = 2;
  export const NUMBER: i32 = 3;
  export const STRING: i32 = 4;
  export const ARRAY: i32 = 5;
  export const OBJECT: i32 = 6;
  export const RAW_STRING: i32 = 7;
}

/** Where a value stands: a pointer, or one token below another. */
class Path {
  constructor(public up: Path | null, public token: string, public index: i32 = -1) {}

  toString(): string {
    const steps = new Array<Path>();
    let p: Path | null = this;
    while (p) {
      steps.push(p);
      p = p.up;
    }
    const words = new Array<string>();
    for (let i = steps.length - 1; i >= 0; i--) {
      const s = steps[i];
      words.push(s.index >= 0 ? s.index.toString() : s.up ? s.token.replaceAll("~", "~0").replaceAll("/", "~1") : s.token);
    }
    return words.join("/");
  }
}

const MISSING: u8 = 0;
const LAZY: u8 = 1; // its path says what it is
const LEXEME: u8 = 2; // from the index on, the text starts with it
const FETCHED: u8 = 3; // the text is what the host handed out for a string

/**
 * A JSON value of the snapshot, or of JSON in a text of it. It is looked up when it is asked for something: a plugin that reads three arguments makes three
 * calls of the host, whatever else the call has.
 */
export class Value {
  /** The name of the member that it is, "" of an item of an array. */
  name: string = "";
  path: Path | null = null;
  form: u8 = MISSING;
  body: string = "";
  from: i32 = 0;
  frozen: bool = false; // inside JSON in a text: nothing below has a pointer of its own

  /** Fetches the value whole, so that looking around in it costs no more calls of the host. */
  fetch(): Value {
    if (this.form != LAZY) return this;
    const v = new Value();
    v.path = this.path;
    v.name = this.name;
    const got = get(this.pointer());
    v.body = got.text;
    v.form = got.kind == Kind.ABSENT ? MISSING : got.kind == Kind.STRING ? FETCHED : LEXEME;
    return v;
  }

  kind(): i32 {
    if (this.form == MISSING) return Kind.ABSENT;
    if (this.form == FETCHED) return Kind.STRING;
    if (this.form == LAZY) return kindOf(this.pointer());
    switch (this.body.charCodeAt(space(this.body, this.from))) {
      case 0x7b: return Kind.OBJECT;
      case 0x5b: return Kind.ARRAY;
      case 0x22: return whole(unquote(this.json())) ? Kind.STRING : Kind.RAW_STRING;
      case 0x74:
      case 0x66: return Kind.BOOL;
      case 0x6e: return Kind.NULL;
    }
    return Kind.NUMBER;
  }

  /** Says whether there is a value, null included. */
  exists(): bool {
    return this.kind() != Kind.ABSENT;
  }

  /** Says whether it is a string, of whatever characters. */
  isString(): bool {
    const k = this.kind();
    return k == Kind.STRING || k == Kind.RAW_STRING;
  }

  /** The text of a string, "" of anything else. A lone surrogate in it becomes U+FFFD. */
  text(): string {
    const v = this.fetch();
    if (v.form == FETCHED) return v.body;
    if (v.form == MISSING) return "";
    const from = space(v.body, v.from);
    if (v.body.charCodeAt(from) != 0x22) return "";
    const text = unquote(v.body.substring(from, quoted(v.body, from)));
    return whole(text) ? text : mended(text);
  }

  /** The value as the host writes it, "" if it is absent. A number is its lexeme. */
  json(): string {
    const v = this.fetch();
    if (v.form == MISSING) return "";
    if (v.form == FETCHED) return quote(v.body);
    const from = space(v.body, v.from);
    return v.body.substring(from, skip(v.body, from));
  }

  /** Says whether it is true. */
  bool(): bool {
    const v = this.fetch();
    return v.form == LEXEME && v.body.charCodeAt(space(v.body, v.from)) == 0x74;
  }

  /** Says whether it is a whole number that fits into 64 bits. */
  isInt(): bool {
    const v = this.fetch();
    if (v.kind() != Kind.NUMBER) return false;
    const s = v.json();
    const minus = s.charCodeAt(0) == 0x2d;
    const most: u64 = minus ? 0x8000000000000000 : 0x7fffffffffffffff;
    let n: u64 = 0;
    for (let i = minus ? 1 : 0; i < s.length; i++) {
      const d = s.charCodeAt(i) - 0x30;
      if (d < 0 || d > 9 || n > (most - <u64>d) / 10) return false;
      n = n * 10 + <u64>d;
    }
    return true;
  }

  /** A whole number that fits into 64 bits; 0 if it is none. */
  int(): i64 {
    const v = this.fetch();
    if (!v.isInt()) return 0;
    const s = v.json();
    const minus = s.charCodeAt(0) == 0x2d;
    let n: i64 = 0;
    for (let i = minus ? 1 : 0; i < s.length; i++) n = n * 10 + (s.charCodeAt(i) - 0x30);
    return minus ? -n : n;
  }

  /** Where the value stands in the snapshot (RFC 6901); of JSON in a text, where the text stands. */
  pointer(): string {
    const p = this.path;
    return p ? p.toString() : "";
  }

  /** Returns the member of an object. */
  get(name: string): Value {
    if (this.form == LAZY) return lazy(new Path(this.path, name), name);
    for (const it = this.members(); it.next(); ) if (it.value.name == name) return it.value;
    return new Value();
  }

  /** Returns the item of an array. */
  index(i: i32): Value {
    if (i < 0) return new Value();
    if (this.form == LAZY) return lazy(new Path(this.path, "", i), "");
    for (const it = this.items(); it.next(); ) if (i-- == 0) return it.value;
    return new Value();
  }

  /** Follows a JSON Pointer from the value on. */
  at(pointer: string): Value {
    let v: Value = this;
    if (pointer == "") return v;
    const tokens = pointer.split("/");
    if (tokens[0] != "") return new Value();
    for (let i = 1; i < tokens.length; i++) {
      if (!isToken(tokens[i])) return new Value();
      const token = tokens[i].replaceAll("~1", "/").replaceAll("~0", "~");
      if (v.form == LAZY || v.kind() != Kind.ARRAY) {
        v = v.get(token);
        continue;
      }
      const n = ordinal(token);
      v = n < 0 ? new Value() : v.index(n);
    }
    return v;
  }

  /** Visits the members of an object, each with its name. What is no object has none. */
  members(): Iter {
    return new Iter(this.fetch(), Kind.OBJECT, false);
  }

  /** Visits the items of an array. What is no array has none. */
  items(): Iter {
    return new Iter(this.fetch(), Kind.ARRAY, false);
  }

  /** Visits the value and everything below it, each before what is in it. */
  all(): Iter {
    return new Iter(this.fetch(), 0, true);
  }

  /** Reads a string that holds JSON. What it holds has the pointer of the string. */
  open(): Value {
    const inside = parse(this.text());
    inside.path = this.path;
    inside.name = this.name;
    return inside;
  }
}

function lazy(path: Path, name: string): Value {
  const v = new Value();
  v.path = path;
  v.name = name;
  v.form = LAZY;
  return v;
}

/** Returns what a JSON Pointer leads to; "" is the whole snapshot. */
export function at(pointer: string): Value {
  return lazy(new Path(null, pointer), "");
}

/** Reads JSON text: what is none is absent. */
export function parse(text: string): Value {
  const v = new Value();
  if (!valid(text)) return v;
  v.form = LEXEME;
  v.body = text;
  v.frozen = true;
  return v;
}

/** Says whether all of a token's escapes are some (RFC 6901, section 3). */
function isToken(s: string): bool {
  for (let i = s.indexOf("~"); i >= 0; i = s.indexOf("~", i + 2)) {
    const c = s.charCodeAt(i + 1);
    if (c != 0x30 && c != 0x31) return false;
  }
  return true;
}

/** Reads an index as a JSON Pointer writes it; -1: it is none. */
function ordinal(s: string): i32 {
  if (s.length == 0 || s.length > 9 || (s.charCodeAt(0) == 0x30 && s.length > 1)) return -1;
  let n = 0;
  for (let i = 0; i < s.length; i++) {
    const d = s.charCodeAt(i) - 0x30;
    if (d < 0 || d > 9) return -1;
    n = n * 10 + d;
  }
  return n;
}

/** An array or object that an iteration is in. */
class Level {
  next: i32 = 0; // index of the next item
  constructor(public path: Path | null, public array: bool) {}
}

/**
 * Goes through what is in a value: `for (const it = v.items(); it.next(); ) use(it.value);`. It does not call itself: the host bounds how deep calls nest, and
 * not how deep JSON does.
 */
export class Iter {
  value: Value;
  private text: string;
  private i: i32 = 0;
  private levels: Level[] = [];
  private self: bool;
  private enter: bool;

  constructor(private root: Value, kind: i32, private deep: bool) {
    const k = root.kind();
    this.value = root;
    this.text = root.body;
    this.self = deep && k != Kind.ABSENT;
    this.enter = deep ? k == Kind.ARRAY || k == Kind.OBJECT : k == kind;
    if (this.enter) this.i = space(this.text, root.from);
  }

  /** Goes to the next value, and says whether there is one. */
  next(): bool {
    if (this.self) {
      this.self = false;
      return true;
    }
    if (this.enter) {
      this.enter = false;
      this.into();
    } else if (this.levels.length > 0) {
      this.leave();
    }
    while (this.levels.length > 0) {
      this.i = space(this.text, this.i);
      if (this.i >= this.text.length) break;
      const c = this.text.charCodeAt(this.i);
      const level = this.levels[this.levels.length - 1];
      if (c == 0x2c) {
        this.i++;
      } else if (c == 0x7d || c == 0x5d) {
        this.levels.pop();
        this.i++;
      } else if (level.array) {
        this.child(level, "", level.next++);
        return true;
      } else {
        const end = quoted(this.text, this.i);
        if (end < 0) break;
        let name = unquote(this.text.substring(this.i, end));
        if (!whole(name)) name = mended(name);
        this.i = space(this.text, space(this.text, end) + 1);
        this.child(level, name, -1);
        return true;
      }
    }
    this.levels.length = 0;
    this.value = new Value();
    return false;
  }

  private into(): void {
    this.levels.push(new Level(this.value.path, this.text.charCodeAt(this.i) == 0x5b));
    this.i++;
  }

  private leave(): void {
    const c = this.text.charCodeAt(this.i);
    if (this.deep && (c == 0x7b || c == 0x5b)) {
      this.into();
      return;
    }
    this.i = skip(this.text, this.i);
    if (this.i < 0) this.i = this.text.length;
  }

  private child(level: Level, name: string, index: i32): void {
    const v = new Value();
    v.path = this.root.frozen ? this.root.path : new Path(level.path, name, index);
    v.name = name;
    v.form = LEXEME;
    v.body = this.text;
    v.from = this.i;
    v.frozen = this.root.frozen;
    this.value = v;
  }
}

/** Writes a string (RFC 8259, section 7). */
export function quote(s: string): string {
  const out = new Array<string>();
  let from = 0;
  out.push('"');
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i);
    if (c != 0x22 && c != 0x5c && c >= 0x20) continue;
    out.push(s.substring(from, i));
    if (c >= 0x20) out.push("\\" + String.fromCharCode(c));
    else out.push((c < 16 ? "\\u000" : "\\u001") + "0123456789abcdef".charAt(c & 15));
    from = i + 1;
  }
  out.push(s.substring(from));
  out.push('"');
  return out.join("");
}
