// Tests of callgate.h and of the example, without WASM. run.sh builds them as C and
// as C++.
#include <stdio.h>

#include "../examples/hosts.c"

static int passed, failed;

static void check(int line, bool ok, cg_str got) {
	if (ok) {
		passed++;
		return;
	}
	failed++;
	printf("tests/test.c:%d: got %.*s\n", line, (int)got.n, got.p ? got.p : "");
}

#define IS(GOT, WANT)                              \
	do {                                       \
		cg_str got = GOT;                  \
		check(__LINE__, cg_is(got, WANT), got); \
	} while (0)
#define OK(GOT) check(__LINE__, GOT, cg_s("false: " #GOT))

static const char *sample =
	"{\"abi\":\"1.0\",\"call\":{\"arguments\":{\"a/b~c\":\"x\",\"deep\":[1.0,{\"k\":[null,true,\"\xf0\x9f\x98\x80\"]}],\"empty\":{},\"lone\":\"a\\ud800b\","
	"\"m\":\"{\\\"a\\\":[{\\\"b\\\":2}],\\\"a\\\":3}\",\"none\":[],\"to\":\"a@b.example\"},\"kind\":\"tool\",\"seq\":17,\"server\":\"mail\",\"tool\":\"send\"},"
	"\"phase\":\"call\",\"session\":{\"counts\":{\"calls\":16},\"labels\":[\"p:x\",\"q\"]},\"settings\":{},"
	"\"taint\":[{\"at\":\"/call/arguments/to\",\"labels\":[\"secret\"],\"origin\":\"tainted\"}]}";

static void values(void) {
	static const struct {
		const char *at;
		int kind;
		const char *json, *text;
	} want[] = {
		{"/call/arguments/to", CG_STRING, "\"a@b.example\"", "a@b.example"},
		{"/call/arguments/a~1b~0c", CG_STRING, "\"x\"", "x"},
		{"/call/arguments/deep/0", CG_NUMBER, "1.0", ""},
		{"/call/arguments/deep/1/k/0", CG_NULL, "null", ""},
		{"/call/arguments/deep/1/k/1", CG_BOOL, "true", ""},
		{"/call/arguments/deep/1/k/2", CG_STRING, "\"\xf0\x9f\x98\x80\"", "\xf0\x9f\x98\x80"},
		{"/call/arguments/deep/1/k/3", CG_ABSENT, "", ""},
		{"/call/arguments/deep/01", CG_ABSENT, "", ""},
		{"/call/arguments/deep/-1", CG_ABSENT, "", ""},
		{"/call/arguments/lone", CG_RAW_STRING, "\"a\\ud800b\"", "a\xef\xbf\xbd" "b"},
		{"/call/arguments/empty", CG_OBJECT, "{}", ""},
		{"/call/arguments/none", CG_ARRAY, "[]", ""},
		{"/call/arguments/to/0", CG_ABSENT, "", ""},
		{"call", CG_ABSENT, "", ""},
	};
	OK(cg_load(sample));
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		cg_value ways[] = {cg_at(want[i].at), cg_fetch(cg_at(want[i].at)), cg_follow(cg_fetch(cg_at("")), cg_s(want[i].at))};
		for (int w = 0; w < 3; w++) {
			check(__LINE__, cg_kind(ways[w]) == want[i].kind, cg_s(want[i].at));
			IS(cg_json(ways[w]), want[i].json);
			IS(cg_text(ways[w]), want[i].text);
			if (cg_exists(ways[w]))
				IS(cg_pointer(ways[w]), want[i].at);
		}
	}
}

/* What is no pointer leads nowhere, also where there is a member that it could be
 * taken for. */
static void pointers(void) {
	static const struct {
		const char *at, *json;
	} want[] = {{"/~", ""}, {"/~2", ""}, {"/~02/", ""}, {"/~01~", ""}, {"~0", ""}, {"/list/-1", ""}, {"/list/", ""}, {"/~0", "1"}, {"/~02", "2"}, {"/~00", "3"},
		    {"/", "4"}, {"/-1", "5"}, {"/list/0", "\"a\""}};
	OK(cg_load("{\"call\":{\"arguments\":{\"~\":1,\"~2\":2,\"~0\":3,\"list\":[\"a\"],\"\":4,\"-1\":5}}}"));
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		IS(cg_json(cg_argument(want[i].at)), want[i].json);
		IS(cg_json(cg_follow(cg_fetch(cg_arguments()), cg_s(want[i].at))), want[i].json);
	}
}

static void iterations(void) {
	cg_buf seen = {0, 0, 0};
	OK(cg_load(sample));
	for (cg_iter it = cg_all(cg_argument("/deep")); cg_next(&it);) {
		cg_put(&seen, cg_pointer(it.value));
		cg_putc(&seen, ' ');
	}
#define D "/call/arguments/deep"
	IS(cg_done(seen), D " " D "/0 " D "/1 " D "/1/k " D "/1/k/0 " D "/1/k/1 " D "/1/k/2 ");
	cg_iter none = cg_items(cg_argument("/to")), nothing = cg_all(cg_argument("/no"));
	OK(!cg_next(&none) && !cg_next(&nothing));
	cg_value inside = cg_open(cg_argument("/m"));
	OK(cg_kind(cg_get(inside, "a")) == CG_ARRAY);
	IS(cg_pointer(cg_follow(inside, cg_s("/a/0/b"))), "/call/arguments/m");
	OK(!cg_exists(cg_open(cg_argument("/to"))));

	cg_buf deep = {0, 0, 0};
	for (int i = 0; i < 20000; i++)
		cg_put(&deep, cg_s("[{\"a\":"));
	cg_putc(&deep, '1');
	for (int i = 0; i < 20000; i++)
		cg_put(&deep, cg_s("}]"));
	int n = 0;
	for (cg_iter it = cg_all(cg_parse(cg_done(deep))); cg_next(&it);)
		n++;
	OK(n == 40001);
}

static void json(void) {
	static const char *good[] = {"[]", "[[],{}]", "{\"a\":[1,-0.5e+3,\"\\u00e9\\\\\"],\"b\":{}}", " 1 ", "\"\\ud800\\u0041\"", "-0", "null", "{\"a\":1,\"a\":2}"};
	static const char *bad[] = {"", "[1,]", "{\"a\"}", "[}", "01", "-", "\"\\x\"", "tru", "nullx", "[1 2]", "{\"a\":1,}", "\"\x01\"", "\"", "\"\\", "\"\\u12", "{\"a\":", "[", "]", "1.", "1e", "\"\xff\"", "\"\xed\xa0\x80\"", "{,}"};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		check(__LINE__, cg_valid(cg_s(good[i])), cg_s(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check(__LINE__, !cg_valid(cg_s(bad[i])), cg_s(bad[i]));
}

static void numbers(void) {
	static const struct {
		const char *json;
		bool ok;
		int64_t n;
	} want[] = {{"{\"n\":9223372036854775807}", true, INT64_MAX}, {"{\"n\":-9223372036854775808}", true, INT64_MIN}, {"{\"n\":9223372036854775808}", false, 0},
		    {"{\"n\":-9223372036854775809}", false, 0}, {"{\"n\":1.0}", false, 0}, {"{\"n\":-0}", true, 0}, {"{\"n\":\"1\"}", false, 0}, {"{}", false, 0}};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		int64_t n;
		OK(cg_load(want[i].json));
		check(__LINE__, cg_int(cg_at("/n"), &n) == want[i].ok && n == want[i].n, cg_s(want[i].json));
	}
}

static void any_label(void) {
	OK(cg_load("{\"session\":{\"labels\":[\"a\",\"*\"]}}"));
	OK(cg_session_has("a") && cg_session_has("x"));
	OK(cg_load("{\"session\":{\"labels\":[\"*a\",\"p:*\"]}}"));
	OK(!cg_session_has("a") && !cg_session_has("x"));
	OK(cg_load("{\"session\":{\"labels\":[\"p:q\",\"p:xr\",\"s\",\"u:p\"]}}"));
	OK(cg_session_marked("q") && !cg_session_marked("r") && !cg_session_marked("s") && !cg_session_marked("u"));
	OK(cg_load("{\"session\":{\"labels\":[\"*\"]}}"));
	OK(cg_session_marked("q"));
}

static void parts(void) {
	OK(cg_load(sample));
	IS(cg_phase(), "call");
	IS(cg_call_kind(), "tool");
	IS(cg_call_server(), "mail");
	IS(cg_call_tool(), "send");
	OK(cg_call_seq() == 17);
	OK(cg_session_has("q") && !cg_session_has("x"));
	OK(cg_session_count("calls") == 16 && cg_session_count("denied") == 0);
	IS(cg_pointer(cg_call_values()), "/call/arguments");
	cg_value finding = cg_index(cg_taint(), 0);
	IS(cg_finding_at(finding), "/call/arguments/to");
	IS(cg_finding_origin(finding), CG_ORIGIN_TAINTED);
	IS(cg_text(cg_index(cg_finding_labels(finding), 0)), "secret");
	OK(!cg_finding_is_key(finding) && !cg_exists(cg_result()) && !cg_definition_pinned());
}

static void verdicts(void) {
	IS(cg_verdict_json(cg_abstain()), "{\"outcome\":\"abstain\"}");
	IS(cg_verdict_json(cg_verdict_at(cg_ask("A"), cg_s("/call/tool"))), "{\"at\":[\"/call/tool\"],\"code\":\"A\",\"outcome\":\"ask\"}");
	IS(cg_verdict_json(cg_verdict_budget(cg_abstain(), -3)), "{\"budget\":{\"calls\":0},\"outcome\":\"abstain\"}");
	IS(cg_verdict_json(cg_verdict_because(cg_deny("C"), cg_s("\xff"))), "{\"code\":\"C\",\"outcome\":\"deny\",\"reason\":\"\xef\xbf\xbd\"}");
	cg_verdict *v = cg_verdict_because(cg_deny("B"), cg_s("x\"\n"));
	cg_verdict_label_session(cg_verdict_label_session(cg_verdict_label_call(v, cg_s("c")), cg_s("s")), cg_s("t"));
	cg_verdict_hide(cg_verdict_redact(cg_verdict_at(v, cg_s("/a")), cg_s("/result/x")), cg_s("n"));
	cg_verdict_tag(cg_verdict_tag(cg_verdict_budget(v, 20), cg_s("rule"), cg_s("R7")), cg_s("rule"), cg_s("R8"));
	IS(cg_verdict_json(v), "{\"at\":[\"/a\"],\"budget\":{\"calls\":20},\"code\":\"B\",\"hide\":[\"n\"],\"labels\":{\"call\":[\"c\"],\"session\":[\"s\",\"t\"]},\"outcome\":\"deny\","
			       "\"reason\":\"x\\\"\\u000a\",\"redact\":[\"/result/x\"],\"tags\":{\"rule\":\"R8\"}}");
	cg_buf e = {0, 0, 0};
	for (int i = 0; i < CG_MAX_REASON_RUNES + 1; i++)
		cg_put(&e, cg_s("\xc3\xa9"));
	OK(cg_verdict_because(v, cg_done(e))->reason.n == 2 * CG_MAX_REASON_RUNES);
	for (int i = 0; i < CG_MAX_POINTERS + 2; i++) {
		char name = (char)('a' + i % 26);
		cg_verdict_at(v, cg_s("/x"));
		cg_verdict_tag(v, cg_bytes(&name, 1), cg_s("t"));
	}
	OK(v->at.n == CG_MAX_POINTERS && v->tags.n == 2 * CG_MAX_TAGS);

	/* Causes never make a verdict too long. */
	cg_buf one = {0, 0, 0};
	cg_putc(&one, '/');
	for (int i = 0; i < 999; i++)
		cg_putc(&one, 1);
	v = cg_deny("A");
	for (int i = 0; i < 300; i++)
		cg_verdict_at(v, cg_done(one));
	OK(v->at.n == 32 && cg_verdict_json(v).n < CG_MAX_VERDICT_BYTES);
	/* Two names of notes that become one are one. */
	v = cg_verdict_tag(cg_verdict_tag(cg_abstain(), cg_s("\xff"), cg_s("a")), cg_s("\xfe"), cg_s("b"));
	IS(cg_verdict_json(v), "{\"outcome\":\"abstain\",\"tags\":{\"\xef\xbf\xbd\":\"b\"}}");
}

static void example(void) {
	IS(cg_try(cg_registered, "{\"call\":{\"arguments\":{\"url\":\"https://Corp.example:443/\"}},\"settings\":{\"hosts\":[\"corp.example\"]}}"), "{\"outcome\":\"abstain\"}");
	IS(cg_done(cg_logged), "");
	IS(cg_try(cg_registered, "{\"call\":{\"arguments\":{\"url\":\"https://evil.test/\"}},\"settings\":{\"hosts\":[\"corp.example\"]}}"),
	   "{\"at\":[\"/call/arguments/url\"],\"code\":\"HOST\",\"outcome\":\"deny\",\"reason\":\"url names no host that is listed\"}");
	IS(cg_done(cg_logged), "https://evil.test/\n");
	IS(cg_try(cg_registered, "{\"settings\":{\"hosts\":[\"corp.example\",\"X\"]}}"), "{\"at\":\"/settings/hosts/1\",\"error\":\"want a host name in lower case, such as corp.example\"}");
	IS(cg_try(cg_registered, "[]"), "");
	OK(cg_wrong(cg_settings(), "").text.n > 0 && cg_wrong(cg_settings(), NULL).text.n > 0 && cg_ok().text.n == 0);
	OK(cg_log_enabled(CG_LOG_DEBUG));
}

int main(void) {
	values();
	pointers();
	iterations();
	json();
	numbers();
	parts();
	any_label();
	verdicts();
	example();
	printf("%d passed, %d failed\n", passed, failed);
	return failed || passed < 100;
}
