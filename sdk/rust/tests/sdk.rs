use callgate::*;

const SAMPLE: &str = r#"{"call":{"arguments":{"a/b~c":"x","deep":[1.0,{"k":[null,true,"😀"]}],"empty":{},"lone":"a\ud800b",
"m":"{\"a\":[{\"b\":2}],\"a\":3}","none":[],"to":"a@b.example"},"kind":"tool","seq":17,"server":"mail"},"phase":"call",
"session":{"labels":["p:x","q"]},"taint":[{"at":"/call/arguments/to","labels":["secret"],"origin":"tainted"}]}"#;

#[test]
fn values_are_found_by_pointer() {
    assert!(testing::load(SAMPLE));
    let want = [
        ("/a~1b~0c", Kind::String, r#""x""#, "x"),
        ("/deep/0", Kind::Number, "1.0", ""),
        ("/deep/1/k/0", Kind::Null, "null", ""),
        ("/deep/1/k/1", Kind::Bool, "true", ""),
        ("/deep/1/k/2", Kind::String, r#""😀""#, "😀"),
        ("/deep/1/k/3", Kind::Absent, "", ""),
        ("/deep/01", Kind::Absent, "", ""),
        ("/deep/-1", Kind::Absent, "", ""),
        ("/lone", Kind::RawString, r#""a\ud800b""#, "a\u{fffd}b"),
        ("/empty", Kind::Object, "{}", ""),
        ("/to/0", Kind::Absent, "", ""),
        ("to", Kind::Absent, "", ""),
    ];
    for (p, kind, json, text) in want {
        for v in [call::argument(p), call::argument(p).fetch(), call::arguments().fetch().at(p)] {
            assert_eq!((v.kind(), v.json().as_str(), v.text()), (kind, json, text), "{p}");
            assert!(!v.exists() || v.pointer() == format!("/call/arguments{p}"), "{p}: {}", v.pointer());
        }
    }
}

/// Also where there is a member that it could be taken for.
#[test]
fn what_is_no_pointer_leads_nowhere() {
    assert!(testing::load(r#"{"call":{"arguments":{"~":1,"~2":2,"~0":3,"list":["a"],"":4,"-1":5},"uri":["a"]}}"#));
    let none = ["/~", "/~2", "/~02/", "/~01~", "~0", "/list/-1", "/list/"].map(|p| (p, ""));
    for (p, json) in none.into_iter().chain([("/~0", "1"), ("/~02", "2"), ("/~00", "3"), ("/", "4"), ("/-1", "5"), ("/list/0", "\"a\"")]) {
        assert_eq!((call::argument(p).json().as_str(), call::arguments().fetch().at(p).json().as_str()), (json, json), "{p}");
    }
    assert_eq!((call::get("").pointer().as_str(), call::get("uri").index(0).text()), ("/call", "a"));
}

#[test]
fn everything_is_visited_once_in_order() {
    assert!(testing::load(SAMPLE));
    let all: Vec<String> = call::argument("/deep").all().map(|v| v.pointer()[20..].to_string()).collect();
    assert_eq!(all, ["", "/0", "/1", "/1/k", "/1/k/0", "/1/k/1", "/1/k/2"]);
    let inside = call::argument("/m").open();
    assert_eq!(inside.get("a").kind(), Kind::Array);
    assert_eq!(inside.at("/a/0/b").pointer(), "/call/arguments/m");
    assert!(!call::argument("/to").open().exists());
    assert_eq!(parse(&("[".repeat(20000) + "1" + &"]".repeat(20000))).all().count(), 20001);
}

#[test]
fn the_snapshot_has_its_parts() {
    assert!(testing::load(SAMPLE));
    assert_eq!((phase(), call::kind(), call::server(), call::seq()), ("call", "tool", "mail", 17));
    assert!(session::has("q") && !session::has("x") && !definition::pinned() && !result().exists());
    let found: Vec<_> = taint().map(|f| (f.at(), f.origin(), f.is_key(), f.labels().collect::<Vec<_>>())).collect();
    assert_eq!(found, [("/call/arguments/to", "tainted", false, vec!["secret"])]);
}

#[test]
fn labels_of_plugins_are_found_by_their_end() {
    for (labels, marked) in [(r#""p:q""#, true), (r#""*""#, true), (r#""q","p:xq","q:p""#, false), ("", false)] {
        assert!(testing::load(&format!(r#"{{"session":{{"labels":[{labels}]}}}}"#)));
        assert_eq!(session::marked("q"), marked, "{labels}");
    }
}

#[test]
fn any_label_may_be_each() {
    for (labels, has) in [(r#""q""#, [true, false]), (r#""a","*""#, [true, true]), (r#""*q","p:*""#, [false, false])] {
        assert!(testing::load(&format!(r#"{{"session":{{"labels":[{labels}]}}}}"#)));
        assert_eq!([session::has("q"), session::has("x")], has, "{labels}");
    }
}

#[test]
fn json_and_numbers_are_read_strictly() {
    for s in ["[]", r#"{"a":[1,-0.5e+3,"\u00e9\\"],"b":{}}"#, " 1 ", r#""\ud800\u0041""#, "-0", "null"] {
        assert!(parse(s).exists(), "{s}");
    }
    for s in ["", "[1,]", r#"{"a"}"#, "[}", "01", "-", r#""\x""#, "tru", "nullx", "[1 2]", "\"\u{1}\"", "\"", "\"\\", "\"\\u12", "[", "]", "1.", "1e", "{,}", r#""\u+123""#] {
        assert!(!parse(s).exists(), "{s}");
    }
    for (s, n) in [("9223372036854775807", Some(i64::MAX)), ("-9223372036854775808", Some(i64::MIN)), ("9223372036854775808", None), ("1.0", None), ("-0", Some(0)), ("\"1\"", None)] {
        assert_eq!(parse(s).int(), n, "{s}");
    }
}

#[test]
fn verdicts_are_written_canonically() {
    assert_eq!(abstain().budget(-3).json(), r#"{"budget":{"calls":0},"outcome":"abstain"}"#);
    let v = deny("B").because("x\"\n").at("/a").label_call("c").label_session("s").redact("/result/x").hide("n").tag("rule", "R7").tag("rule", "R8");
    let want = concat!(
        r#"{"at":["/a"],"code":"B","hide":["n"],"labels":{"call":["c"],"session":["s"]},"outcome":"deny","reason":"x\"\u000a","#,
        r#""redact":["/result/x"],"tags":{"rule":"R8"}}"#
    );
    assert_eq!(v.json(), want);
    let kept = (0..300).fold(deny("A").because(&"é".repeat(1025)), |v, i| v.at("/x").tag(&i.to_string(), "t")).json();
    let long = "/".to_string() + &"\u{1}".repeat(999);
    let causes = (0..300).fold(deny("A"), |v, _| v.at(&long)).json();
    assert!(causes.matches("\"/").count() == 32 && causes.len() < MAX_VERDICT_BYTES);
    assert_eq!((kept.matches("\"/x\"").count(), kept.matches(":\"t\"").count(), kept.matches('é').count()), (256, 16, 1024));
}

#[test]
fn a_plugin_is_configured_and_asked() {
    fn configure(settings: Value) -> Result<(), Wrong> {
        settings.get("max").int().map(|_| ()).ok_or_else(|| wrong(settings.get("max"), "want a whole number"))
    }
    fn judge() -> Verdict {
        log(INFO, "asked");
        deny("NO").at(&call::argument("/n").pointer())
    }
    assert_eq!(testing::judge(judge, configure, r#"{"call":{"arguments":{}},"settings":{"max":1}}"#), r#"{"at":["/call/arguments/n"],"code":"NO","outcome":"deny"}"#);
    assert_eq!(testing::logged(), ["asked"]);
    assert_eq!(testing::judge(judge, configure, r#"{"settings":{}}"#), r#"{"at":"/settings/max","error":"want a whole number"}"#);
}

#[cfg(feature = "serde")]
#[test]
fn serde_reads_values() {
    assert!(testing::load(SAMPLE));
    let labels: Vec<String> = at("/session/labels").read().unwrap();
    assert_eq!(labels, ["p:x", "q"]);
    assert!(at("/session/labels").read::<Vec<u8>>().is_err());
}
