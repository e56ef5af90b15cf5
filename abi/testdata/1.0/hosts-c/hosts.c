// A host allow-list for the argument url. ../../testdata/README.md has its rules.
#include "../callgate.h"

enum { MAX_URL = 4096, MAX_HOST = 253, MAX_HOSTS = 64 };

static cg_str hosts[MAX_HOSTS];
static uint32_t count;

static bool is_host(cg_str s) {
	for (uint32_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-'))
			return false;
	}
	return s.n > 0 && s.n <= MAX_HOST;
}

static cg_error configure(cg_value settings) {
	cg_value list = cg_get(settings, "hosts");
	count = 0;
	for (cg_iter it = cg_items(list); cg_next(&it);) {
		if (count == MAX_HOSTS)
			return cg_wrong(list, "want 64 host names at most");
		cg_str host = cg_text(it.value);
		if (!is_host(host))
			return cg_wrong(it.value, "want a host name in lower case, such as corp.example");
		hosts[count++] = host;
	}
	if (count == 0)
		return cg_wrong(list, "want a list of host names, such as corp.example");
	return cg_ok();
}

// starts says whether url starts with a word in lower case, whatever its own case.
static bool starts(cg_str url, cg_str w) {
	if (url.n < w.n)
		return false;
	for (uint32_t i = 0; i < w.n; i++) {
		char c = url.p[i];
		if (c >= 'A' && c <= 'Z')
			c |= 0x20;
		if (c != w.p[i])
			return false;
	}
	return true;
}

static bool listed(cg_str host) {
	for (uint32_t i = 0; i < count; i++)
		if (host.n == hosts[i].n && starts(host, hosts[i]))
			return true;
	return false;
}

// is_port says whether what follows the host is nothing, or a colon and 1 to 5
// digits.
static bool is_port(cg_str s) {
	if (s.n == 0)
		return true;
	for (uint32_t i = 1; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n >= 2 && s.n <= 6;
}

static bool passes(cg_str url) {
	uint32_t from = starts(url, cg_s("https://")) ? 8 : starts(url, cg_s("http://")) ? 7 : 0;
	if (from == 0 || url.n > MAX_URL)
		return false;
	for (uint32_t i = 0; i < url.n; i++)
		if (url.p[i] <= ' ' || url.p[i] > '~' || url.p[i] == '\\')
			return false;
	uint32_t colon = from;
	while (colon < url.n && url.p[colon] != ':' && url.p[colon] != '/' && url.p[colon] != '?' && url.p[colon] != '#')
		colon++;
	uint32_t end = colon;
	while (end < url.n && url.p[end] != '/' && url.p[end] != '?' && url.p[end] != '#')
		end++;
	return listed(cg_bytes(url.p + from, colon - from)) && is_port(cg_bytes(url.p + colon, end - colon));
}

static cg_verdict *judge(void) {
	cg_value url = cg_fetch(cg_argument("/url"));
	int kind = cg_kind(url);
	if (kind == CG_ABSENT || (kind == CG_STRING && passes(cg_text(url))))
		return cg_abstain();
	if (kind == CG_STRING && cg_text(url).n <= MAX_URL)
		cg_log(CG_LOG_INFO, cg_text(url));
	return cg_verdict_at(cg_verdict_because(cg_deny("HOST"), cg_s("url names no host that is listed")), cg_pointer(url));
}

CG_PLUGIN(configure, judge)
