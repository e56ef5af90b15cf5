// What sdk/go/testdata/probe does, in AssemblyScript.
import {
  Finding, INFO, Value, Verdict, abstain, ask, at, call, definition, deny, list, log, phase, register, result, session, settings, taint, time,
} from "../assembly/index";

export { callgate_abi_1_0, callgate_configure, callgate_evaluate } from "../assembly/index";

function say(words: string[]): void {
  log(INFO, words.join(" "));
}

function flag(b: bool): string {
  return b ? "yes" : "no";
}

function value(what: string, v: Value): void {
  say([what, v.pointer(), v.kind().toString(), v.name, v.json(), v.text(), flag(v.bool()), flag(v.isString())]);
}

function labels(v: Value): void {
  for (const it = v.items(); it.next(); ) say(["label", it.value.text()]);
}

function parts(): void {
  say([
    phase(), time(), call.kind(), call.server(), call.tool(), call.id(), call.digest(), call.seq().toString(), call.values().pointer(), call.get("uri").text(),
  ]);
  say([definition.pin(), flag(definition.pinned()), definition.annotations().json(), definition.schema().json(), settings().json(), result().json()]);
  say([
    session.id(), flag(session.has("q")), flag(session.has("r")), flag(session.marked("q")), session.count("calls").toString(), session.principal().json(),
    session.recent().json(), flag(session.truncated()),
  ]);
  labels(session.labels());
  for (const it = taint().items(); it.next(); ) {
    const f = new Finding(it.value);
    say(["finding", f.at(), flag(f.isKey()), f.origin(), f.sources().json()]);
    labels(f.labels());
  }
  say([list.kind()]);
  for (const it = list.items().items(); it.next(); ) value("item", it.value);
}

function answer(a: Value): Verdict | null {
  let v = deny("PROBE");
  const outcome = a.get("outcome").text();
  if (outcome == "ask") v = ask("PROBE");
  if (outcome == "abstain") v = abstain();
  if (outcome == "none") return null;
  if (outcome == "code") v = abstain().code("PROBE");
  v.because(a.get("reason").text());
  for (const it = a.get("list").items(); it.next(); ) {
    const t = it.value.text();
    v.at(t).labelCall(t).labelSession(t).redact(t).hide(t);
  }
  for (const it = a.get("at").items(); it.next(); ) v.at(it.value.text());
  for (const it = a.get("labels").items(); it.next(); ) v.labelCall(it.value.text()).labelSession(it.value.text());
  for (const it = a.get("redact").items(); it.next(); ) v.redact(it.value.text());
  for (const it = a.get("hide").items(); it.next(); ) v.hide(it.value.text());
  const budget = a.get("budget");
  if (budget.isInt()) v.budget(budget.int());
  for (const it = a.get("tags").members(); it.next(); ) v.tag(it.value.name, it.value.text());
  return v;
}

function judge(): Verdict | null {
  parts();
  for (const it = call.args().all(); it.next(); ) value("all", it.value);
  for (const it = call.argument("/m").open().all(); it.next(); ) value("open", it.value);
  const whole = at("").fetch();
  for (const it = call.argument("/p").items(); it.next(); ) {
    const p = it.value.text();
    value("at", at(p));
    value("within", whole.at(p));
    value("argument", call.args().fetch().at(p));
  }
  for (const it = call.args().members(); it.next(); ) {
    const m = it.value;
    say(["int", m.name, m.int().toString(), flag(m.isInt())]);
    value("get", call.args().get(m.name));
  }
  value("index", call.argument("/p").index(1));
  value("index", call.argument("/p").fetch().index(1));
  return answer(call.argument("/v"));
}

register(judge);
