// What sdk/go/testdata/probe does, in C.
#include "../callgate.h"

static cg_buf line;

static void word(cg_str s) {
	cg_put(&line, s);
	cg_putc(&line, ' ');
}

static void num(int64_t n) {
	cg_put_int(&line, n);
	cg_putc(&line, ' ');
}

static void flag(bool b) { word(cg_s(b ? "yes" : "no")); }

static void end(void) {
	cg_log(CG_LOG_INFO, cg_bytes(line.p, line.n - 1));
	line.n = 0;
}

static void value(const char *what, cg_value v) {
	word(cg_s(what));
	word(cg_pointer(v));
	num(cg_kind(v));
	word(v.name);
	word(cg_json(v));
	word(cg_text(v));
	flag(cg_true(v));
	flag(cg_is_string(v));
	end();
}

static void labels(cg_value list) {
	for (cg_iter it = cg_items(list); cg_next(&it);) {
		word(cg_s("label"));
		word(cg_text(it.value));
		end();
	}
}

static void parts(void) {
	word(cg_phase());
	word(cg_time());
	word(cg_call_kind());
	word(cg_call_server());
	word(cg_call_tool());
	word(cg_call_id());
	word(cg_call_digest());
	num(cg_call_seq());
	word(cg_pointer(cg_call_values()));
	word(cg_text(cg_get(cg_call(), "uri")));
	end();
	word(cg_definition_pin());
	flag(cg_definition_pinned());
	word(cg_json(cg_definition_annotations()));
	word(cg_json(cg_definition_schema()));
	word(cg_json(cg_settings()));
	word(cg_json(cg_result()));
	end();
	word(cg_session_id());
	flag(cg_session_has("q"));
	flag(cg_session_has("r"));
	flag(cg_session_marked("q"));
	num(cg_session_count("calls"));
	word(cg_json(cg_session_principal()));
	word(cg_json(cg_session_recent()));
	flag(cg_session_truncated());
	end();
	labels(cg_session_labels());
	for (cg_iter it = cg_items(cg_taint()); cg_next(&it);) {
		cg_value f = it.value;
		word(cg_s("finding"));
		word(cg_finding_at(f));
		flag(cg_finding_is_key(f));
		word(cg_finding_origin(f));
		word(cg_json(cg_finding_sources(f)));
		end();
		labels(cg_finding_labels(f));
	}
	word(cg_list_kind());
	end();
	for (cg_iter it = cg_items(cg_list_items()); cg_next(&it);)
		value("item", it.value);
}

static cg_verdict *answer(cg_value a) {
	cg_verdict *v = cg_deny("PROBE");
	cg_str outcome = cg_text(cg_get(a, "outcome"));
	int64_t n;
	if (cg_is(outcome, "ask"))
		v = cg_ask("PROBE");
	if (cg_is(outcome, "abstain"))
		v = cg_abstain();
	if (cg_is(outcome, "none"))
		return NULL;
	if (cg_is(outcome, "code"))
		v = cg_verdict_code(cg_abstain(), "PROBE");
	cg_verdict_because(v, cg_text(cg_get(a, "reason")));
	for (cg_iter it = cg_items(cg_get(a, "list")); cg_next(&it);) {
		cg_str t = cg_text(it.value);
		cg_verdict_hide(cg_verdict_redact(cg_verdict_label_session(cg_verdict_label_call(cg_verdict_at(v, t), t), t), t), t);
	}
	for (cg_iter it = cg_items(cg_get(a, "at")); cg_next(&it);)
		cg_verdict_at(v, cg_text(it.value));
	for (cg_iter it = cg_items(cg_get(a, "labels")); cg_next(&it);)
		cg_verdict_label_session(cg_verdict_label_call(v, cg_text(it.value)), cg_text(it.value));
	for (cg_iter it = cg_items(cg_get(a, "redact")); cg_next(&it);)
		cg_verdict_redact(v, cg_text(it.value));
	for (cg_iter it = cg_items(cg_get(a, "hide")); cg_next(&it);)
		cg_verdict_hide(v, cg_text(it.value));
	if (cg_int(cg_get(a, "budget"), &n))
		cg_verdict_budget(v, n);
	for (cg_iter it = cg_members(cg_get(a, "tags")); cg_next(&it);)
		cg_verdict_tag(v, it.value.name, cg_text(it.value));
	return v;
}

static cg_verdict *judge(void) {
	parts();
	for (cg_iter it = cg_all(cg_arguments()); cg_next(&it);)
		value("all", it.value);
	for (cg_iter it = cg_all(cg_open(cg_argument("/m"))); cg_next(&it);)
		value("open", it.value);
	cg_value whole = cg_fetch(cg_at(""));
	for (cg_iter it = cg_items(cg_argument("/p")); cg_next(&it);) {
		cg_str p = cg_text(it.value);
		value("at", cg_look(p));
		value("within", cg_follow(whole, p));
		value("argument", cg_follow(cg_fetch(cg_arguments()), p));
	}
	for (cg_iter it = cg_members(cg_arguments()); cg_next(&it);) {
		int64_t n;
		bool ok = cg_int(it.value, &n);
		word(cg_s("int"));
		word(it.value.name);
		num(n);
		flag(ok);
		end();
		value("get", cg_member(cg_arguments(), it.value.name));
	}
	value("index", cg_index(cg_argument("/p"), 1));
	value("index", cg_index(cg_fetch(cg_argument("/p")), 1));
	return answer(cg_argument("/v"));
}

CG_PLUGIN(NULL, judge)
