// Each check logs what is wrong; plugins.test.mjs reads the log.
import { INFO, Kind, Value, Verdict, abstain, at, call, deny, log, parse, register, session, wrong } from "../assembly/index";

export { callgate_abi_1_0, callgate_configure, callgate_evaluate } from "../assembly/index";

let checks = 0;

function is(what: string, got: string, want: string): void {
  checks++;
  if (got != want) log(INFO, what + ": " + got + "; want " + want);
}

function seen(v: Value): string {
  return v.kind().toString() + " " + v.json() + " " + v.text();
}

function values(): void {
  const pointers = ["/a~1b~0c", "/deep/0", "/deep/1/k/0", "/deep/1/k/1", "/deep/1/k/2", "/deep/1/k/3", "/deep/01", "/deep/-1", "/lone", "/empty", "/none", "/to/0", "to"];
  const want = [
    '4 "x" x', "3 1.5 ", "1 null ", "2 true ", '4 "😀" 😀', "0  ", "0  ", "0  ", '7 "a\\ud800b" a\ufffdb', "6 {} ", "5 [] ", "0  ", "0  ",
  ];
  for (let i = 0; i < pointers.length; i++) {
    const p = pointers[i];
    is(p, seen(call.argument(p)), want[i]);
    is(p + " fetched", seen(call.argument(p).fetch()), want[i]);
    is(p + " inside", seen(call.args().fetch().at(p)), want[i]);
    if (call.argument(p).exists()) is(p, call.args().fetch().at(p).pointer(), "/call/arguments" + p);
  }
}

// What is no pointer leads nowhere, also where there is a member that it could be taken for.
function nowhere(): void {
  const pointers = ["/~", "/~2", "/~02/", "/~01~", "~0", "/list/-1", "/list/", "/~0", "/~02", "/~00", "/", "/-1", "/list/0"];
  const want = ["", "", "", "", "", "", "", "1", "2", "3", "4", "5", '"a"'];
  const odd = at("/call/arguments/odd");
  for (let i = 0; i < pointers.length; i++) {
    is(pointers[i], odd.at(pointers[i]).json(), want[i]);
    is(pointers[i] + " fetched", odd.fetch().at(pointers[i]).json(), want[i]);
  }
  is("an item before the first", odd.index(-1).json() + odd.get("list").index(-1).json() + odd.get("list").fetch().index(-1).json(), "");
}

function iterations(): void {
  let all = "";
  for (const it = call.argument("/deep").all(); it.next(); ) all += it.value.pointer().substring(20) + " ";
  is("all", all, " /0 /1 /1/k /1/k/0 /1/k/1 /1/k/2 ");
  const inside = call.argument("/m").open();
  is("open", inside.get("a").kind().toString(), Kind.ARRAY.toString());
  is("the pointer inside", inside.at("/a/0/b").pointer(), "/call/arguments/m");
  is("no JSON", call.argument("/to").open().exists().toString(), "false");
  let n = 0;
  for (const it = parse("[".repeat(20000) + "1" + "]".repeat(20000)).all(); it.next(); ) n++;
  is("deep", n.toString(), "20001");
}

function json(): void {
  const good = ["[]", "[[],{}]", '{"a":[1,-0.5e+3,"\\u00e9\\\\"],"b":{}}', " 1 ", '"\\ud800\\u0041"', "-0", "null"];
  const bad = ["", "[1,]", '{"a"}', "[}", "01", "-", '"\\x"', "tru", "nullx", "[1 2]", '{"a":1,}', '"\x01"', '"', '"\\', '"\\u12', '{"a":', "[", "]", "1.", "1e", "{,}"];
  for (let i = 0; i < good.length; i++) is(good[i], parse(good[i]).exists().toString(), "true");
  for (let i = 0; i < bad.length; i++) is(bad[i], parse(bad[i]).exists().toString(), "false");
  const ints = ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "1.0", "-0", '"1"'];
  const want = ["9223372036854775807", "-9223372036854775808", "no", "no", "no", "0", "no"];
  for (let i = 0; i < ints.length; i++) {
    const v = parse(ints[i]);
    is(ints[i], v.isInt() ? v.int().toString() : "no", want[i]);
  }
}

function verdicts(): void {
  is("abstain", abstain().json(), '{"outcome":"abstain"}');
  is("no budget", abstain().budget(-3).json(), '{"budget":{"calls":0},"outcome":"abstain"}');
  const v = deny("B").because('x"\n').at("/a").at("/b").labelCall("c").labelSession("s").labelSession("t").redact("/result/x").hide("n").budget(20);
  is(
    "all of it", v.tag("rule", "R7").tag("rule", "R8").json(),
    '{"at":["/a","/b"],"budget":{"calls":20},"code":"B","hide":["n"],"labels":{"call":["c"],"session":["s","t"]},"outcome":"deny","reason":"x\\"\\u000a",' +
      '"redact":["/result/x"],"tags":{"rule":"R8"}}',
  );
  const kept = deny("A").because("😀".repeat(1025));
  for (let i = 0; i < 300; i++) kept.at("/x").tag(i.toString(), "t");
  is("at", kept.json().split('"/x"').length.toString(), "257");
  is("notes", kept.json().split(':"t"').length.toString(), "17");
  is("reason", kept.json().split("😀").length.toString(), "1025");
  const long = "/" + "\x01".repeat(999);
  const causes = deny("A");
  for (let i = 0; i < 300; i++) causes.at(long);
  is("causes", causes.json().split('"/').length.toString(), "33");
  const half = "\ud83d\ude00".substring(0, 1);
  is("notes that become one", abstain().tag(half, "a").tag("\ufffd", "b").json(), '{"outcome":"abstain","tags":{"\ufffd":"b"}}');
  is("wrong", wrong(at("/settings").get("a/b"), "no").json(), '{"at":"/settings/a~1b","error":"no"}');
}

function judge(): Verdict | null {
  values();
  nowhere();
  iterations();
  json();
  verdicts();
  is("label", session.has("q").toString() + session.has("x").toString(), "truefalse");
  return abstain().tag("checks", checks.toString());
}

register(judge);
