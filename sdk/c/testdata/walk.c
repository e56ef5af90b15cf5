// What sdk/go/testdata/walk does, in C.
#include "../callgate.h"

static uint32_t sum;

static void word(cg_str s) {
	for (uint32_t i = 0; i < s.n; i++)
		sum = (sum ^ (unsigned char)s.p[i]) * 16777619u;
	sum = (sum ^ 0xff) * 16777619u;
}

static void number(int64_t n) {
	cg_buf b = {0, 0, 0};
	cg_put_int(&b, n);
	word(cg_done(b));
}

static cg_str seen(bool light, cg_value of) {
	cg_buf b = {0, 0, 0};
	int64_t n = 0, i;
	sum = 2166136261u;
	for (cg_iter it = cg_all(of); cg_next(&it); n++) {
		word(it.value.name);
		word(cg_text(it.value));
		if (light)
			continue;
		int kind = cg_kind(it.value);
		word(cg_pointer(it.value));
		number(kind);
		if (kind < CG_STRING)
			word(cg_json(it.value));
		if (cg_int(it.value, &i))
			number(i);
	}
	cg_put_int(&b, n);
	cg_putc(&b, ' ');
	cg_put_int(&b, sum);
	return cg_done(b);
}

static cg_verdict *judge(void) {
	bool light = cg_true(cg_get(cg_settings(), "light"));
	cg_verdict *v = cg_verdict_tag(cg_abstain(), cg_s("all"), seen(light, cg_arguments()));
	return cg_verdict_tag(v, cg_s("open"), seen(light, cg_open(cg_get(cg_arguments(), "m"))));
}

CG_PLUGIN(NULL, judge)
