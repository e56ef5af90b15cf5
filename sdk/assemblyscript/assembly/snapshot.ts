// What the plugin is asked about. Of it there is what the manifest reads; everything else is absent.
import { ANY_LABEL } from "./names";
import { Value, at } from "./value";

/** One of "call", "result" and "list". */
export function phase(): string {
  return at("/phase").text();
}

/** When it is decided, in RFC 3339; a replay has the same. */
export function time(): string {
  return at("/time").text();
}

/** The policy's settings, an object. */
export function settings(): Value {
  return at("/settings");
}

/** What the server answered, in phase result. */
export function result(): Value {
  return at("/result");
}

/** What is known of where arguments came from: an array of what Finding reads. */
export function taint(): Value {
  return at("/taint");
}

/** A call. What it has depends on its kind; the rest is absent. */
export namespace call {
  /** "tool", "resource", "prompt", "completion", "sampling", "elicitation", "roots" or "method". */
  export function kind(): string {
    return at("/call/kind").text();
  }
  /** The policy's name of the server. */
  export function server(): string {
    return at("/call/server").text();
  }
  export function tool(): string {
    return at("/call/tool").text();
  }
  /** What names the call in the ledger. */
  export function id(): string {
    return at("/call/id").text();
  }
  export function digest(): string {
    return at("/call/digest").text();
  }
  /** What counts the calls of the session. */
  export function seq(): i64 {
    return at("/call/seq").int();
  }
  /** The arguments of a tool or a prompt, an object. */
  export function args(): Value {
    return at("/call/arguments");
  }
  /** The one that a JSON Pointer from the arguments on leads to. */
  export function argument(pointer: string): Value {
    return args().at(pointer);
  }
  /**
   * A member of the call, such as uri, action, name, ref, method, params; "": all of it. A client that subscribes to several resources at once has a list of
   * them as uri.
   */
  export function get(member: string): Value {
    return member == "" ? at("/call") : at("/call").get(member);
  }
  /**
   * What the caller chose, whatever the kind: the arguments of a tool, the params of sampling, elicitation, roots and unknown methods, and the whole call of a
   * resource, a prompt and a completion.
   */
  export function values(): Value {
    const k = kind();
    if (k == "tool" || k == "") return args();
    return k == "resource" || k == "prompt" || k == "completion" ? at("/call") : at("/call/params");
  }
}

/** What a tool says of itself. */
export namespace definition {
  /** The digest of the definition that was accepted. */
  export function pin(): string {
    return at("/definition/pin").text();
  }
  /** Says whether the definition is the one that was accepted. */
  export function pinned(): bool {
    return at("/definition/pinned").bool();
  }
  export function annotations(): Value {
    return at("/definition/annotations");
  }
  export function schema(): Value {
    return at("/definition/schema");
  }
}

/** What happened before. */
export namespace session {
  export function id(): string {
    return at("/session/id").text();
  }
  /**
   * An array. Those that a plugin gave start with the name that the policy gave it, and a colon. ANY_LABEL among
   * them says that it may have any other, too.
   */
  export function labels(): Value {
    return at("/session/labels");
  }
  /** Whether the session has a label, or may have it. */
  export function has(label: string): bool {
    for (const it = labels().items(); it.next(); ) {
      const have = it.value.text();
      if (have == label || have == ANY_LABEL) return true;
    }
    return false;
  }
  /** Whether a plugin gave the session a label, or may have: this one or another, since none knows the name that the policy gave it. */
  export function marked(label: string): bool {
    for (const it = labels().items(); it.next(); ) {
      const have = it.value.text();
      if (have == ANY_LABEL || have.endsWith(":" + label)) return true;
    }
    return false;
  }
  /** One of calls, denied and this_tool. */
  export function count(name: string): i64 {
    return at("/session/counts").get(name).int();
  }
  /** Who uses the session: subject, issuer, identity, actors. */
  export function principal(): Value {
    return at("/session/principal");
  }
  /** An array of the last calls, newest last: id, outcome, server, tool. */
  export function recent(): Value {
    return at("/session/recent");
  }
  /** Says whether there were more calls than recent has. */
  export function truncated(): bool {
    return at("/session/truncated").bool();
  }
}

/** What a server lists. */
export namespace list {
  /** "tools", "resources", "resource_templates" or "prompts". */
  export function kind(): string {
    return at("/list/kind").text();
  }
  export function items(): Value {
    return at("/list/items");
  }
}

/** What is known of where one value came from. */
export class Finding {
  constructor(private v: Value) {}

  /** Points at the value into the snapshot. */
  at(): string {
    return this.v.get("at").text();
  }
  /** Says whether it is about the name of the member that at points at. */
  isKey(): bool {
    return this.v.get("key").bool();
  }
  /** "tainted", "unproven", "client" or "trusted". */
  origin(): string {
    return this.v.get("origin").text();
  }
  labels(): Value {
    return this.v.get("labels");
  }
  /** An array of where it was seen: call, server, tool, pointer, offset, length, position. */
  sources(): Value {
    return this.v.get("sources");
  }
}
