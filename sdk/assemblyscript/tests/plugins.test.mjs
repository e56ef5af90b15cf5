import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./host.mjs";

const dir = process.env.OUT;
const hosts = await load(`${dir}/hosts.wasm`);
const ask = (url, settings = { hosts: ["corp.example"] }) => hosts({ call: { arguments: { url } }, settings });

test("a listed host passes", () => {
  assert.deepEqual(ask("https://Corp.example:443/"), { configured: { ok: true }, verdict: { outcome: "abstain" }, log: [] });
});

test("another is refused", () => {
  const { verdict, log } = ask("https://evil.test/");
  assert.deepEqual(verdict, { outcome: "deny", code: "HOST", at: ["/call/arguments/url"], reason: "url names no host that is listed" });
  assert.deepEqual(log, ["https://evil.test/"]);
});

test("settings that are wrong say where", () => {
  assert.deepEqual(ask("", { hosts: ["a", "B"] }).configured, { at: "/settings/hosts/1", error: "want a host name in lower case, such as corp.example" });
});

test("values, JSON and verdicts", async () => {
  const unit = await load(`${dir}/unit.wasm`);
  const args = { "a/b~c": "x", deep: [1.5, { k: [null, true, "😀"] }], empty: {}, lone: "a\ud800b", m: '{"a":[{"b":2}],"a":3}', none: [], odd: { "~": 1, "~2": 2, "~0": 3, list: ["a"], "": 4, "-1": 5 }, to: "a@b.example" };
  const { verdict, log } = unit({ call: { arguments: args }, session: { labels: ["p:x", "q"] }, settings: {} });
  assert.deepEqual(log, []);
  assert.ok(Number(verdict.tags.checks) > 110, `${verdict.tags.checks} checks`);
});
