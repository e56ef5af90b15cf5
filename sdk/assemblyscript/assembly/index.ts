/** What a plugin of Callgate is written with in AssemblyScript. */
export { Iter, Kind, Value, at, parse } from "./value";
export { Finding, call, definition, list, phase, result, session, settings, taint, time } from "./snapshot";
export { Verdict, Wrong, abstain, ask, deny } from "./verdict";
export { log, logEnabled } from "./host";
export * from "./names";

import { Value, at } from "./value";
import { Verdict, Wrong, abstain } from "./verdict";
import { answer } from "./host";

let judges: (() => Verdict | null) | null = null;
let reads: ((settings: Value) => Wrong | null) | null = null;

/**
 * Makes two functions the module's plugin, at the end of its entry file. evaluate judges one snapshot; null is abstain. configure reads the settings, once;
 * what it keeps in variables is there in every evaluation. A trap denies.
 */
export function register(evaluate: () => Verdict | null, configure: ((settings: Value) => Wrong | null) | null = null): void {
  judges = evaluate;
  reads = configure;
}

/** An error about a setting, for configure to return. */
export function wrong(setting: Value, text: string): Wrong {
  return new Wrong(setting.pointer(), text);
}

// What the entry file exports: export { callgate_abi_1_0, callgate_configure, callgate_evaluate } from "…".

export function callgate_abi_1_0(): void {}

export function callgate_evaluate(): u64 {
  const judge = judges!;
  const v = judge();
  return answer((v ? v : abstain()).json());
}

export function callgate_configure(): u64 {
  const read = reads;
  const e = read ? read(at("/settings")) : null;
  return answer(e ? e.json() : '{"ok":true}');
}
