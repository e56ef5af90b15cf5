//! What sdk/go/testdata/probe does, in Rust.

use callgate::{abstain, ask, at, call, definition, deny, list, log, phase, result, session, settings, taint, time, Value, Verdict, INFO};

fn say(words: &[&str]) {
    log(INFO, &words.join(" "));
}

fn flag(b: bool) -> &'static str {
    if b {
        "yes"
    } else {
        "no"
    }
}

fn value(what: &str, v: Value) {
    say(&[what, &v.pointer(), &(v.kind() as u8).to_string(), v.name(), &v.json(), v.text(), flag(v.bool()), flag(v.is_string())]);
}

fn parts() {
    let (seq, uri) = (call::seq().to_string(), call::get("uri").text());
    let values = call::values().pointer();
    say(&[phase(), time(), call::kind(), call::server(), call::tool(), call::id(), call::digest(), &seq, &values, uri]);
    let (notes, schema) = (definition::annotations().json(), definition::schema().json());
    say(&[definition::pin(), flag(definition::pinned()), &notes, &schema, &settings().json(), &result().json()]);
    let (who, recent) = (session::principal().json(), session::recent().json());
    let calls = session::count("calls").to_string();
    say(&[session::id(), flag(session::has("q")), flag(session::has("r")), flag(session::marked("q")), &calls, &who, &recent, flag(session::truncated())]);
    session::labels().for_each(|l| say(&["label", l]));
    for f in taint() {
        say(&["finding", f.at(), flag(f.is_key()), f.origin(), &f.sources().json()]);
        f.labels().for_each(|l| say(&["label", l]));
    }
    say(&[list::kind()]);
    list::items().for_each(|v| value("item", v));
}

fn answer(a: Value) -> Verdict {
    let mut v = match a.get("outcome").text() {
        "ask" => ask("PROBE"),
        "abstain" => abstain(),
        "none" => return abstain(),
        "code" => abstain().code("PROBE"),
        _ => deny("PROBE"),
    };
    v = v.because(a.get("reason").text());
    for t in a.get("list").items().map(Value::text) {
        v = v.at(t).label_call(t).label_session(t).redact(t).hide(t);
    }
    v = a.get("at").items().map(Value::text).fold(v, |v, t| v.at(t));
    v = a.get("labels").items().map(Value::text).fold(v, |v, t| v.label_call(t).label_session(t));
    v = a.get("redact").items().map(Value::text).fold(v, |v, t| v.redact(t));
    v = a.get("hide").items().map(Value::text).fold(v, |v, t| v.hide(t));
    if let Some(n) = a.get("budget").int() {
        v = v.budget(n);
    }
    for m in a.get("tags").members() {
        v = v.tag(m.name(), m.text());
    }
    v
}

fn judge() -> Verdict {
    parts();
    call::arguments().all().for_each(|v| value("all", v));
    call::argument("/m").open().all().for_each(|v| value("open", v));
    let whole = at("").fetch();
    for p in call::argument("/p").items().map(Value::text) {
        value("at", at(p));
        value("within", whole.at(p));
        value("argument", call::arguments().fetch().at(p));
    }
    for m in call::arguments().members() {
        say(&["int", m.name(), &m.int().unwrap_or(0).to_string(), flag(m.int().is_some())]);
        value("get", call::arguments().get(m.name()));
    }
    value("index", call::argument("/p").index(1));
    value("index", call::argument("/p").fetch().index(1));
    answer(call::argument("/v"))
}

callgate::plugin!(judge);
