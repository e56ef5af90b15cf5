// A host for tests of plugins in node: snapshots as JSON, without Callgate.
import { readFile } from "node:fs/promises";

const kinds = { absent: 0, null: 1, boolean: 2, number: 3, string: 4, array: 5, object: 6 };

function lookup(root, pointer) {
  if (pointer === "") return root;
  const [first, ...tokens] = pointer.split("/");
  if (first !== "") return undefined;
  let v = root;
  for (const raw of tokens) {
    const token = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(v)) v = /^(0|[1-9]\d*)$/.test(token) ? v[token] : undefined;
    else v = v !== null && typeof v === "object" && Object.hasOwn(v, token) ? v[token] : undefined;
    if (v === undefined) return undefined;
  }
  return v;
}

const kindOf = (v) => kinds[v === undefined ? "absent" : v === null ? "null" : Array.isArray(v) ? "array" : typeof v];

/** Makes a plugin of a module. ask(snapshot) configures a fresh instance and asks it: {configured, verdict, log}. */
export async function load(file) {
  const module = await WebAssembly.compile(await readFile(file));
  return (snapshot) => {
    const log = [];
    let memory;
    const text = (at, n) => new TextDecoder().decode(new Uint8Array(memory.buffer, at >>> 0, n >>> 0));
    const { exports } = new WebAssembly.Instance(module, {
      callgate_v0: {
        get(path, pathLen, buf, limit) {
          const v = lookup(snapshot, text(path, pathLen));
          const raw = typeof v === "string" && !v.isWellFormed();
          const bytes = new TextEncoder().encode(v === undefined ? "" : typeof v === "string" && !raw ? v : JSON.stringify(v));
          if (bytes.length <= limit >>> 0) new Uint8Array(memory.buffer, buf >>> 0).set(bytes);
          return (BigInt(raw ? 7 : kindOf(v)) << 32n) | BigInt(bytes.length);
        },
        log: (level, at, n) => log.push(text(at, n)),
        log_enabled: () => 1,
      },
    });
    memory = exports.memory;
    const read = (r) => JSON.parse(text(Number(BigInt.asUintN(64, r) >> 32n), Number(r & 0xffffffffn)));
    const configured = exports.callgate_configure ? read(exports.callgate_configure()) : { ok: true };
    return { configured, verdict: configured.ok ? read(exports.callgate_evaluate()) : undefined, log };
  };
}
