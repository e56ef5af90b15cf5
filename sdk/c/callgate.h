/* callgate.h: what a plugin of Callgate is written with, in C11, C++17 or Zig.
 *
 *     #include "callgate.h"
 *
 *     static cg_verdict *judge(void) {
 *         cg_value to = cg_argument("/to");
 *         if (cg_is(cg_text(to), "a@b.example"))
 *             return cg_abstain();
 *         return cg_verdict_at(cg_deny("OTHER_RECIPIENT"), cg_pointer(to));
 *     }
 *
 *     CG_PLUGIN(NULL, judge)
 *
 * One header and no libc. Nothing is fetched before it is asked for. Memory is
 * never given back: the host puts it back as it was after configure before each
 * evaluation, so that variables do not carry over either.
 *
 * Built for anything but WASM, snapshots come from cg_load and cg_try: a plugin's
 * functions are tested with the compiler of the machine.
 */
#ifndef CALLGATE_H
#define CALLGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__wasm__) || defined(__wasi__)
#include <stdlib.h>
#include <string.h>
#endif

#ifdef __cplusplus
#define CG_C extern "C"
#else
#define CG_C
#endif

#if defined(__GNUC__) || defined(__clang__)
#define CG_UNUSED __attribute__((unused))
#define CG_FN CG_UNUSED static inline
#else
#define CG_UNUSED
#define CG_FN static inline
#endif

/* The version of the ABI that this header speaks. */
#define CG_VERSION "1.0"

/* The kinds of a value. CG_RAW_STRING is a string that UTF-8 can not hold: cg_text
 * has U+FFFD in place of what can not be held. */
enum { CG_ABSENT, CG_NULL, CG_BOOL, CG_NUMBER, CG_STRING, CG_ARRAY, CG_OBJECT, CG_RAW_STRING };

/* The levels of cg_log. */
enum { CG_LOG_DEBUG, CG_LOG_INFO, CG_LOG_WARN, CG_LOG_ERROR };

/* What the host takes of one verdict. Characters are Unicode code points. */
enum {
	CG_MAX_VERDICT_BYTES = 262144,
	CG_MAX_REASON_RUNES = 1024,
	CG_MAX_TAGS = 16,
	CG_MAX_TAG_RUNES = 256,
	CG_MAX_POINTERS = 256,
	CG_MAX_POINTER_RUNES = 4096,
	CG_MAX_LABELS = 32,
	CG_MAX_HIDDEN = 1024
};

/* How many bytes of pointers a verdict names as its causes: as many as leave room
 * for everything else, however they are escaped. */
enum { CG_MOST_AT = 32768 };

/* The phases, the kinds of a call, and where a value came from. */
#define CG_PHASE_CALL "call"
#define CG_PHASE_RESULT "result"
#define CG_PHASE_LIST "list"
#define CG_KIND_TOOL "tool"
#define CG_KIND_RESOURCE "resource"
#define CG_KIND_PROMPT "prompt"
#define CG_KIND_COMPLETION "completion"
#define CG_KIND_SAMPLING "sampling"
#define CG_KIND_ELICITATION "elicitation"
#define CG_KIND_ROOTS "roots"
#define CG_KIND_METHOD "method"
#define CG_ORIGIN_TAINTED "tainted"
#define CG_ORIGIN_UNPROVEN "unproven"
#define CG_ORIGIN_CLIENT "client"
#define CG_ORIGIN_TRUSTED "trusted"

/* Stands among labels for every label there is: more were given than the host
 * keeps. */
#define CG_ANY_LABEL "*"

/* cg_str is text: n bytes at p, no NUL behind them. */
typedef struct {
	const char *p;
	uint32_t n;
} cg_str;

/* ---- memory ---- */

#if defined(__wasm__) && !defined(__wasi__)

extern unsigned char __heap_base;
static uintptr_t cg_top, cg_end;

/* cg_alloc returns n bytes of no particular content. It traps, and so denies,
 * where memory has its limit. */
CG_FN void *cg_alloc(size_t n) {
	if (!cg_top) {
		cg_top = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
		cg_end = (uintptr_t)__builtin_wasm_memory_size(0) << 16;
	}
	if (n > 0x7fff0000u)
		__builtin_trap();
	n = (n + 7) & ~(size_t)7;
	if (n > cg_end - cg_top) {
		size_t pages = (n - (cg_end - cg_top) + 0xffff) >> 16;
		if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1)
			__builtin_trap();
		cg_end += pages << 16;
	}
	void *p = (void *)cg_top;
	cg_top += n;
	return p;
}

/* Compilers call these four by themselves, whatever is linked. */
CG_C __attribute__((weak, no_builtin("memcpy"))) void *memcpy(void *to, const void *from, size_t n) {
	unsigned char *t = (unsigned char *)to;
	const unsigned char *f = (const unsigned char *)from;
	while (n--)
		*t++ = *f++;
	return to;
}

CG_C __attribute__((weak, no_builtin("memmove"))) void *memmove(void *to, const void *from, size_t n) {
	unsigned char *t = (unsigned char *)to;
	const unsigned char *f = (const unsigned char *)from;
	if (t <= f) {
		while (n--)
			*t++ = *f++;
	} else {
		while (n--)
			t[n] = f[n];
	}
	return to;
}

CG_C __attribute__((weak, no_builtin("memset"))) void *memset(void *to, int c, size_t n) {
	unsigned char *t = (unsigned char *)to;
	while (n--)
		*t++ = (unsigned char)c;
	return to;
}

CG_C __attribute__((weak, no_builtin("memcmp"))) int memcmp(const void *a, const void *b, size_t n) {
	const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
	for (; n--; x++, y++)
		if (*x != *y)
			return *x < *y ? -1 : 1;
	return 0;
}

#else

CG_FN void *cg_alloc(size_t n) {
	void *p = malloc(n ? n : 1);
	if (!p)
		abort();
	return p;
}

#endif

CG_FN bool cg_equal(cg_str a, cg_str b) { return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0); }

/* cg_bytes makes text of n bytes, cg_s of a C string. Neither copies. */
CG_FN cg_str cg_bytes(const char *p, size_t n) {
	cg_str s;
	s.p = p;
	s.n = (uint32_t)n;
	return s;
}

CG_FN cg_str cg_s(const char *p) {
	size_t n = 0;
	while (p && p[n])
		n++;
	return cg_bytes(p, n);
}

CG_FN bool cg_is(cg_str a, const char *b) { return cg_equal(a, cg_s(b)); }

/* cg_buf is text that grows. Start with all zero. */
typedef struct {
	char *p;
	uint32_t n, room;
} cg_buf;

CG_FN void cg_put(cg_buf *b, cg_str s) {
	if (s.n > b->room - b->n) {
		uint32_t room = b->room * 2 + s.n + 64;
		char *p = (char *)cg_alloc(room);
		if (b->n)
			memcpy(p, b->p, b->n);
		b->p = p;
		b->room = room;
	}
	if (s.n)
		memcpy(b->p + b->n, s.p, s.n);
	b->n += s.n;
}

CG_FN void cg_putc(cg_buf *b, char c) { cg_put(b, cg_bytes(&c, 1)); }

CG_FN void cg_put_int(cg_buf *b, int64_t n) {
	char d[20];
	int i = 20;
	uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	do
		d[--i] = (char)('0' + u % 10);
	while (u /= 10);
	if (n < 0)
		cg_putc(b, '-');
	cg_put(b, cg_bytes(d + i, (size_t)(20 - i)));
}

CG_FN cg_str cg_done(cg_buf b) { return cg_bytes(b.p, b.n); }

/* cg_concat joins two texts. */
CG_FN cg_str cg_concat(cg_str a, cg_str b) {
	cg_buf out = {0, 0, 0};
	cg_put(&out, a);
	cg_put(&out, b);
	return cg_done(out);
}

CG_FN cg_str cg_copy(cg_str s) { return cg_concat(s, cg_bytes("", 0)); }

/* cg_rune reads the code point at i, and how many bytes it has; 0xfffd of one byte
 * where there is none. */
CG_FN uint32_t cg_rune(cg_str s, uint32_t i, uint32_t *size) {
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)s.p + i;
	uint32_t left = s.n - i, r = p[0], n = r < 0x80 ? 1 : r >= 0xf0 && r < 0xf8 ? 4 : r >= 0xe0 && r < 0xf0 ? 3 : r >= 0xc0 && r < 0xe0 ? 2 : 0;
	*size = 1;
	if (n == 1)
		return r;
	if (n == 0 || n > left)
		return 0xfffd;
	r &= 0x7fu >> n;
	for (uint32_t k = 1; k < n; k++) {
		if ((p[k] & 0xc0) != 0x80)
			return 0xfffd;
		r = r << 6 | (p[k] & 0x3fu);
	}
	if (r < least[n] || r > 0x10ffff || (r >= 0xd800 && r < 0xe000))
		return 0xfffd;
	*size = n;
	return r;
}

CG_FN void cg_put_rune(cg_buf *b, uint32_t r) {
	char d[4];
	size_t n = r < 0x80 ? 1 : r < 0x800 ? 2 : r < 0x10000 ? 3 : 4;
	for (size_t k = n; k-- > 1; r >>= 6)
		d[k] = (char)(0x80 | (r & 0x3f));
	d[0] = (char)(n == 1 ? r : (0xf00u >> n & 0xf0) | r);
	cg_put(b, cg_bytes(d, n));
}

/* cg_whole puts U+FFFD in place of what is no UTF-8, as it is written. */
CG_FN cg_str cg_whole(cg_str s) {
	cg_buf out = {0, 0, 0};
	uint32_t size;
	for (uint32_t i = 0; i < s.n; i += size)
		cg_put_rune(&out, cg_rune(s, i, &size));
	return out.p ? cg_done(out) : cg_bytes("", 0);
}

/* cg_cut returns the first so many code points. */
CG_FN cg_str cg_cut(cg_str s, uint32_t runes) {
	uint32_t i = 0, size;
	while (i < s.n && runes--) {
		cg_rune(s, i, &size);
		i += size;
	}
	return cg_bytes(s.p, i);
}

/* ---- JSON, where it stands ---- */

#define CG_NONE UINT32_MAX

CG_FN uint32_t cg_space(cg_str s, uint32_t i) {
	while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\n' || s.p[i] == '\t' || s.p[i] == '\r'))
		i++;
	return i;
}

/* cg_quoted returns the end of the string that starts at i. */
CG_FN uint32_t cg_quoted(cg_str s, uint32_t i) {
	for (i++; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (s.p[i] == '"')
			return i + 1;
	}
	return CG_NONE;
}

/* cg_skip returns the end of the value that starts at i. What is between is taken
 * to be JSON. */
CG_FN uint32_t cg_skip(cg_str s, uint32_t i) {
	uint32_t depth = 0;
	for (i = cg_space(s, i); i < s.n;) {
		char c = s.p[i];
		if (c == '"') {
			if ((i = cg_quoted(s, i)) == CG_NONE)
				return CG_NONE;
		} else if (c == '{' || c == '[') {
			depth++;
			i++;
			continue;
		} else if (c == '}' || c == ']') {
			if (depth-- == 0)
				return CG_NONE;
			i++;
		} else if (c == ',' || c == ':' || cg_space(s, i) != i) {
			i++;
			continue;
		} else {
			while (i < s.n && s.p[i] != ',' && s.p[i] != ':' && s.p[i] != ']' && s.p[i] != '}' && s.p[i] != '"' && cg_space(s, i) == i)
				i++;
		}
		if (depth == 0)
			return i;
	}
	return CG_NONE;
}

/* cg_hex4 reads four hexadecimal digits; CG_NONE: there are none. */
CG_FN uint32_t cg_hex4(cg_str s, uint32_t i) {
	uint32_t r = 0;
	if (i > s.n || s.n - i < 4)
		return CG_NONE;
	for (uint32_t k = i; k < i + 4; k++) {
		char c = s.p[k], l = (char)(c | 0x20);
		if (c >= '0' && c <= '9')
			r = r << 4 | (uint32_t)(c - '0');
		else if (l >= 'a' && l <= 'f')
			r = r << 4 | (uint32_t)(l - 'a' + 10);
		else
			return CG_NONE;
	}
	return r;
}

/* cg_escape reads the escape at i, and how many bytes it takes; CG_NONE: a lone
 * surrogate. */
CG_FN uint32_t cg_escape(cg_str s, uint32_t i, uint32_t *size) {
	*size = 2;
	switch (s.p[i + 1]) {
	case 'b':
		return '\b';
	case 'f':
		return '\f';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case 'u':
		break;
	default:
		return (unsigned char)s.p[i + 1];
	}
	uint32_t r = cg_hex4(s, i + 2);
	*size = s.n - i < 6 ? s.n - i : 6;
	if (r == CG_NONE || r < 0xd800 || r >= 0xe000)
		return r;
	if (r < 0xdc00 && s.n - i >= 12 && s.p[i + 6] == '\\' && s.p[i + 7] == 'u') {
		uint32_t low = cg_hex4(s, i + 8);
		if (low != CG_NONE && low >= 0xdc00 && low < 0xe000) {
			*size = 12;
			return 0x10000 + ((r - 0xd800) << 10 | (low - 0xdc00));
		}
	}
	return CG_NONE;
}

/* cg_unquote returns the text of a string's lexeme. *whole: UTF-8 can hold it; a
 * lone surrogate becomes U+FFFD. */
CG_FN cg_str cg_unquote(cg_str lexeme, bool *whole) {
	cg_buf out = {0, 0, 0};
	*whole = lexeme.n >= 2;
	if (lexeme.n < 2)
		return cg_bytes("", 0);
	cg_str s = cg_bytes(lexeme.p + 1, lexeme.n - 2);
	uint32_t from = 0;
	for (uint32_t i = 0; i + 1 < s.n;) {
		if (s.p[i] != '\\') {
			i++;
			continue;
		}
		uint32_t size, r = cg_escape(s, i, &size);
		cg_put(&out, cg_bytes(s.p + from, i - from));
		if (r == CG_NONE) {
			r = 0xfffd;
			*whole = false;
		}
		cg_put_rune(&out, r);
		from = i += size;
	}
	if (from == 0)
		return s;
	cg_put(&out, cg_bytes(s.p + from, s.n - from));
	return cg_done(out);
}

CG_FN uint32_t cg_digits(cg_str s, uint32_t i) {
	uint32_t first = i;
	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	return i == first ? CG_NONE : i;
}

CG_FN uint32_t cg_number(cg_str s, uint32_t i) {
	if (i < s.n && s.p[i] == '-')
		i++;
	uint32_t first = i;
	if ((i = cg_digits(s, i)) == CG_NONE || (s.p[first] == '0' && i > first + 1))
		return CG_NONE;
	if (i < s.n && s.p[i] == '.' && (i = cg_digits(s, i + 1)) == CG_NONE)
		return CG_NONE;
	if (i < s.n && (s.p[i] | 0x20) == 'e') {
		i++;
		if (i < s.n && (s.p[i] == '+' || s.p[i] == '-'))
			i++;
		i = cg_digits(s, i);
	}
	return i;
}

/* cg_scalar returns the end of the string, number or literal at i. */
CG_FN uint32_t cg_scalar(cg_str s, uint32_t i) {
	static const char *const words[] = {"true", "false", "null"};
	if (i >= s.n)
		return CG_NONE;
	if (s.p[i] != '"') {
		for (int k = 0; k < 3; k++) {
			cg_str w = cg_s(words[k]);
			if (s.n - i >= w.n && memcmp(s.p + i, w.p, w.n) == 0)
				return i + w.n;
		}
		return cg_number(s, i);
	}
	for (i++; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c == '"')
			return i + 1;
		if (c < ' ')
			return CG_NONE;
		if (c == '\\') {
			if (++i == s.n)
				return CG_NONE;
			char e = s.p[i];
			if (e == 'u' ? cg_hex4(s, i + 1) == CG_NONE
				     : !(e == '"' || e == '\\' || e == '/' || e == 'b' || e == 'f' || e == 'n' || e == 'r' || e == 't'))
				return CG_NONE;
		}
	}
	return CG_NONE;
}

/* cg_valid says whether s is one JSON text (RFC 8259), however deep. */
CG_FN bool cg_valid(cg_str s) {
	cg_buf open = {0, 0, 0}; /* the brackets that are open */
	bool due = true;	 /* a value, else what follows one */
	uint32_t size;
	for (uint32_t i = 0; i < s.n; i += size)
		if (cg_rune(s, i, &size) == 0xfffd && size == 1)
			return false;
	for (uint32_t i = cg_space(s, 0);; i = cg_space(s, i)) {
		char top = open.n ? open.p[open.n - 1] : 0;
		if (!due) {
			if (open.n == 0)
				return i == s.n;
			if (i == s.n)
				return false;
			if (s.p[i] == ',')
				due = true;
			else if (s.p[i] == top + 2) /* } is two above {, and ] above [ */
				open.n--;
			else
				return false;
			i++;
			continue;
		}
		if (top == '{') {
			if (i >= s.n || s.p[i] != '"' || (i = cg_scalar(s, i)) == CG_NONE)
				return false;
			if ((i = cg_space(s, i)) >= s.n || s.p[i] != ':')
				return false;
			i = cg_space(s, i + 1);
		}
		if (i < s.n && (s.p[i] == '{' || s.p[i] == '[')) {
			char close = (char)(s.p[i] + 2);
			cg_putc(&open, s.p[i]);
			i = cg_space(s, i + 1);
			due = !(i < s.n && s.p[i] == close);
			continue;
		}
		if ((i = cg_scalar(s, i)) == CG_NONE)
			return false;
		due = false;
	}
}

/* ---- values ---- */

/* cg_path is where a value stands: a pointer, or one token below another. */
typedef struct cg_path {
	const struct cg_path *up; /* NULL: token is a whole pointer */
	cg_str token;		  /* not escaped; p is NULL: an index */
	uint32_t index;
} cg_path;

enum { CG_FORM_MISSING, CG_FORM_LAZY, CG_FORM_LEXEME, CG_FORM_FETCHED };

/* cg_value is a JSON value of the snapshot, or of JSON in a text of it. It is
 * looked up when it is asked for something. All zero is absent. */
typedef struct {
	const cg_path *at;
	cg_str name; /* of the member that it is */
	cg_str text; /* a lexeme with more behind it, or what the host handed out */
	uint8_t form, kind;
	bool frozen; /* inside JSON in a text: nothing below has a pointer of its own */
} cg_value;

CG_FN cg_value cg_missing(void) {
	cg_value v;
	memset(&v, 0, sizeof v);
	return v;
}

CG_FN const cg_path *cg_below(const cg_path *up, cg_str token, uint32_t index) {
	cg_path *p = (cg_path *)cg_alloc(sizeof *p);
	p->up = up;
	p->token = token;
	p->index = index;
	return p;
}

CG_FN cg_value cg_lazy(const cg_path *at, cg_str name) {
	cg_value v = cg_missing();
	v.at = at;
	v.name = name;
	v.form = CG_FORM_LAZY;
	return v;
}

CG_FN void cg_put_token(cg_buf *b, const cg_path *p) {
	if (!p->up) {
		cg_put(b, p->token);
		return;
	}
	cg_putc(b, '/');
	if (!p->token.p) {
		cg_put_int(b, p->index);
		return;
	}
	for (uint32_t i = 0; i < p->token.n; i++) {
		char c = p->token.p[i];
		if (c == '~' || c == '/')
			cg_put(b, cg_s(c == '~' ? "~0" : "~1"));
		else
			cg_putc(b, c);
	}
}

/* cg_pointer is where the value stands in the snapshot (RFC 6901); of JSON in a
 * text, where the text stands. */
CG_FN cg_str cg_pointer(cg_value v) {
	cg_buf b = {0, 0, 0};
	uint32_t n = 0;
	if (!v.at)
		return cg_bytes("", 0);
	for (const cg_path *p = v.at; p; p = p->up)
		n++;
	const cg_path **steps = (const cg_path **)cg_alloc(n * sizeof *steps);
	uint32_t i = n;
	for (const cg_path *p = v.at; p; p = p->up)
		steps[--i] = p;
	for (; i < n; i++)
		cg_put_token(&b, steps[i]);
	return cg_done(b);
}

/* cg_host_get asks the host, or what cg_load loaded: kind<<32 | length. */
#ifdef __wasm__
CG_C __attribute__((import_module("callgate_v0"), import_name("get"))) uint64_t cg_host_get(const void *path, uint32_t path_len, void *buf, uint32_t limit);
CG_C __attribute__((import_module("callgate_v0"), import_name("log"))) void cg_host_log(uint32_t level, const void *text, uint32_t len);
CG_C __attribute__((import_module("callgate_v0"), import_name("log_enabled"))) uint32_t cg_host_log_enabled(uint32_t level);
#else
CG_FN uint64_t cg_host_get(const void *path, uint32_t path_len, void *buf, uint32_t limit);
CG_FN void cg_host_log(uint32_t level, const void *text, uint32_t len);
CG_FN uint32_t cg_host_log_enabled(uint32_t level) { return level <= CG_LOG_ERROR; }
#endif

/* cg_fetch fetches a value whole, so that looking around in it costs no more calls
 * of the host. */
CG_FN cg_value cg_fetch(cg_value v) {
	static char scratch[4096];
	if (v.form != CG_FORM_LAZY)
		return v;
	cg_str at = cg_pointer(v);
	uint64_t r = cg_host_get(at.p, at.n, scratch, sizeof scratch);
	uint32_t n = (uint32_t)r;
	char *p = (char *)cg_alloc(n);
	if (n > sizeof scratch)
		cg_host_get(at.p, at.n, p, n);
	else if (n)
		memcpy(p, scratch, n);
	v.kind = (uint8_t)(r >> 32);
	v.text = cg_bytes(p, n);
	v.form = v.kind == CG_STRING ? CG_FORM_FETCHED : v.kind == CG_ABSENT ? CG_FORM_MISSING : CG_FORM_LEXEME;
	return v;
}

/* cg_quotes is the lexeme of the string that a fetched text starts with. */
CG_FN cg_str cg_quotes(cg_str text) {
	uint32_t i = cg_space(text, 0), end;
	if (i >= text.n || text.p[i] != '"' || (end = cg_quoted(text, i)) == CG_NONE)
		return cg_bytes("", 0);
	return cg_bytes(text.p + i, end - i);
}

CG_FN int cg_kind(cg_value v) {
	bool whole;
	if (v.form == CG_FORM_MISSING)
		return CG_ABSENT;
	if (v.form == CG_FORM_FETCHED)
		return v.kind;
	if (v.form == CG_FORM_LAZY) {
		cg_str at = cg_pointer(v);
		return (int)(cg_host_get(at.p, at.n, NULL, 0) >> 32);
	}
	switch (v.text.p[cg_space(v.text, 0)]) {
	case '{':
		return CG_OBJECT;
	case '[':
		return CG_ARRAY;
	case '"':
		cg_unquote(cg_quotes(v.text), &whole);
		return whole ? CG_STRING : CG_RAW_STRING;
	case 't':
	case 'f':
		return CG_BOOL;
	case 'n':
		return CG_NULL;
	}
	return CG_NUMBER;
}

/* cg_exists says whether there is a value, null included. */
CG_FN bool cg_exists(cg_value v) { return cg_kind(v) != CG_ABSENT; }

/* cg_is_string says whether it is a string, of whatever characters. */
CG_FN bool cg_is_string(cg_value v) {
	int k = cg_kind(v);
	return k == CG_STRING || k == CG_RAW_STRING;
}

/* cg_text is the text of a string, empty of anything else. */
CG_FN cg_str cg_text(cg_value v) {
	bool whole;
	v = cg_fetch(v);
	if (v.form == CG_FORM_FETCHED)
		return v.text;
	return cg_unquote(v.form == CG_FORM_LEXEME ? cg_quotes(v.text) : cg_bytes("", 0), &whole);
}

/* cg_put_text writes a string (RFC 8259, section 7). What is no UTF-8 becomes
 * U+FFFD. */
CG_FN void cg_put_text(cg_buf *b, cg_str s) {
	uint32_t size;
	cg_putc(b, '"');
	for (uint32_t i = 0; i < s.n; i += size) {
		uint32_t r = cg_rune(s, i, &size);
		if (r == '"' || r == '\\') {
			cg_putc(b, '\\');
			cg_putc(b, (char)r);
		} else if (r < ' ') {
			cg_put(b, cg_s(r < 16 ? "\\u000" : "\\u001"));
			cg_putc(b, "0123456789abcdef"[r & 15]);
		} else {
			cg_put_rune(b, r);
		}
	}
	cg_putc(b, '"');
}

/* cg_json is the value as the host writes it, empty if it is absent. A number is
 * its lexeme. */
CG_FN cg_str cg_json(cg_value v) {
	cg_buf b = {0, 0, 0};
	v = cg_fetch(v);
	if (v.form == CG_FORM_MISSING)
		return cg_bytes("", 0);
	if (v.form == CG_FORM_FETCHED) {
		cg_put_text(&b, v.text);
		return cg_done(b);
	}
	uint32_t i = cg_space(v.text, 0), end = cg_skip(v.text, 0);
	return cg_bytes(v.text.p + i, end == CG_NONE ? 0 : end - i);
}

/* cg_true says whether it is true. */
CG_FN bool cg_true(cg_value v) {
	v = cg_fetch(v);
	return v.form == CG_FORM_LEXEME && v.text.p[cg_space(v.text, 0)] == 't';
}

/* cg_int reads a whole number that fits into 64 bits, and says whether it is one. */
CG_FN bool cg_int(cg_value v, int64_t *out) {
	v = cg_fetch(v);
	*out = 0;
	if (cg_kind(v) != CG_NUMBER)
		return false;
	cg_str s = cg_json(v);
	bool minus = s.n && s.p[0] == '-';
	uint64_t n = 0, most = (uint64_t)INT64_MAX + minus;
	for (uint32_t i = minus; i < s.n; i++) {
		uint64_t d = (uint64_t)(s.p[i] - '0');
		if (s.p[i] < '0' || s.p[i] > '9' || n > (most - d) / 10)
			return false;
		n = n * 10 + d;
	}
	*out = minus ? (int64_t)(0 - n) : (int64_t)n;
	return true;
}

/* cg_level is an array or object that an iteration is in. */
typedef struct cg_level {
	struct cg_level *up;
	const cg_path *at;
	uint32_t next; /* index of the next item */
	bool array;
} cg_level;

/* cg_iter goes through what is in a value:
 *
 *     for (cg_iter it = cg_items(v); cg_next(&it);)
 *         use(it.value);
 *
 * It does not call itself: the host bounds how deep calls nest, and not how deep
 * JSON does. Each value that is visited takes 16 bytes of memory. */
typedef struct {
	cg_value value;
	cg_value of;
	cg_str text;
	uint32_t i;
	cg_level *level;
	bool deep, self, enter;
} cg_iter;

CG_FN cg_iter cg_iterate(cg_value v, int kind, bool deep) {
	cg_iter it;
	memset(&it, 0, sizeof it);
	v = cg_fetch(v);
	int k = cg_kind(v);
	it.of = v;
	it.text = v.text;
	it.deep = deep;
	it.self = deep && k != CG_ABSENT;
	it.enter = deep ? k == CG_ARRAY || k == CG_OBJECT : k == kind;
	it.i = it.enter ? cg_space(v.text, 0) : v.text.n;
	return it;
}

/* cg_members visits the members of an object, cg_items the items of an array.
 * cg_all visits the value and everything below it, each before what is in it. */
CG_FN cg_iter cg_members(cg_value v) { return cg_iterate(v, CG_OBJECT, false); }
CG_FN cg_iter cg_items(cg_value v) { return cg_iterate(v, CG_ARRAY, false); }
CG_FN cg_iter cg_all(cg_value v) { return cg_iterate(v, 0, true); }

CG_FN void cg_iter_child(cg_iter *it, cg_str name, uint32_t index) {
	cg_value v = cg_missing();
	v.at = it->of.frozen ? it->of.at : cg_below(it->level->at, name, index);
	if (name.p)
		v.name = name;
	v.frozen = it->of.frozen;
	v.form = CG_FORM_LEXEME;
	v.text = cg_bytes(it->text.p + it->i, it->text.n - it->i);
	it->value = v;
}

CG_FN void cg_iter_enter(cg_iter *it) {
	cg_level *l = (cg_level *)cg_alloc(sizeof *l);
	l->up = it->level;
	l->at = it->value.at;
	l->array = it->text.p[it->i] == '[';
	l->next = 0;
	it->level = l;
	it->i++;
}

/* cg_iter_leave goes behind the value that was visited last, or into it. */
CG_FN void cg_iter_leave(cg_iter *it) {
	if (it->i >= it->text.n)
		return;
	char c = it->text.p[it->i];
	if (it->deep && (c == '{' || c == '['))
		cg_iter_enter(it);
	else if ((it->i = cg_skip(it->text, it->i)) == CG_NONE)
		it->i = it->text.n;
}

/* cg_next goes to the next value, and says whether there is one. */
CG_FN bool cg_next(cg_iter *it) {
	bool whole;
	if (it->self) {
		it->self = false;
		it->value = it->of;
		return true;
	}
	if (it->enter) {
		it->enter = false;
		it->value = it->of;
		cg_iter_enter(it);
	} else if (it->level) {
		cg_iter_leave(it);
	}
	while (it->level && (it->i = cg_space(it->text, it->i)) < it->text.n) {
		char c = it->text.p[it->i];
		if (c == ',') {
			it->i++;
		} else if (c == '}' || c == ']') {
			it->level = it->level->up;
			it->i++;
		} else if (it->level->array) {
			cg_iter_child(it, cg_bytes(NULL, 0), it->level->next++);
			return true;
		} else {
			uint32_t end = cg_quoted(it->text, it->i);
			if (end == CG_NONE)
				break;
			cg_str name = cg_unquote(cg_bytes(it->text.p + it->i, end - it->i), &whole);
			it->i = cg_space(it->text, cg_space(it->text, end) + 1);
			cg_iter_child(it, name, 0);
			return true;
		}
	}
	it->level = NULL;
	it->value = cg_missing();
	return false;
}

/* cg_member returns the member of an object, cg_index the item of an array. */
CG_FN cg_value cg_member(cg_value v, cg_str name) {
	if (v.form == CG_FORM_LAZY)
		return cg_lazy(cg_below(v.at, name, 0), name);
	for (cg_iter it = cg_members(v); cg_next(&it);)
		if (cg_equal(it.value.name, name))
			return it.value;
	return cg_missing();
}

CG_FN cg_value cg_get(cg_value v, const char *name) { return cg_member(v, cg_s(name)); }

CG_FN cg_value cg_index(cg_value v, uint32_t i) {
	if (v.form == CG_FORM_LAZY)
		return cg_lazy(cg_below(v.at, cg_bytes(NULL, 0), i), cg_bytes(NULL, 0));
	for (cg_iter it = cg_items(v); cg_next(&it);)
		if (i-- == 0)
			return it.value;
	return cg_missing();
}

/* cg_is_token says whether all of a token's escapes are some (RFC 6901, section 3). */
CG_FN bool cg_is_token(cg_str s) {
	for (uint32_t i = 0; i < s.n; i++)
		if (s.p[i] == '~' && (++i == s.n || (s.p[i] != '0' && s.p[i] != '1')))
			return false;
	return true;
}

/* cg_unescape reads a token of a JSON Pointer, which cg_is_token says it is. */
CG_FN cg_str cg_unescape(cg_str s) {
	cg_buf b = {0, 0, 0};
	for (uint32_t i = 0; i < s.n; i++) {
		if (s.p[i] == '~')
			cg_putc(&b, s.p[++i] == '0' ? '~' : '/');
		else
			cg_putc(&b, s.p[i]);
	}
	return b.p ? cg_done(b) : cg_bytes("", 0);
}

/* cg_ordinal reads an index as a JSON Pointer writes it. */
CG_FN bool cg_ordinal(cg_str s, uint32_t *out) {
	uint64_t n = 0;
	if (s.n == 0 || s.n > 9 || (s.p[0] == '0' && s.n > 1))
		return false;
	for (uint32_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(s.p[i] - '0');
	}
	*out = (uint32_t)n;
	return true;
}

/* cg_follow follows a JSON Pointer from the value on. */
CG_FN cg_value cg_follow(cg_value v, cg_str pointer) {
	uint32_t i = 0, end, index;
	while (i < pointer.n && pointer.p[i] == '/') {
		for (end = ++i; end < pointer.n && pointer.p[end] != '/';)
			end++;
		cg_str token = cg_bytes(pointer.p + i, end - i);
		if (!cg_is_token(token))
			return cg_missing();
		token = cg_unescape(token);
		i = end;
		if (v.form == CG_FORM_LAZY || cg_kind(v) != CG_ARRAY)
			v = cg_member(v, token);
		else if (cg_ordinal(token, &index))
			v = cg_index(v, index);
		else
			return cg_missing();
	}
	return i < pointer.n ? cg_missing() : v;
}

/* cg_parse reads JSON text: what is none is absent. */
CG_FN cg_value cg_parse(cg_str text) {
	cg_value v = cg_missing();
	if (!cg_valid(text))
		return v;
	v.form = CG_FORM_LEXEME;
	v.text = text;
	v.frozen = true;
	return v;
}

/* cg_open reads a string that holds JSON. What it holds has the pointer of the
 * string. */
CG_FN cg_value cg_open(cg_value v) {
	cg_value inside = cg_parse(cg_text(v));
	inside.at = v.at;
	inside.name = v.name;
	return inside;
}

/* ---- the snapshot ---- */

/* cg_look and cg_at return what a JSON Pointer leads to; "" is the whole snapshot. */
CG_FN cg_value cg_look(cg_str pointer) { return cg_lazy(cg_below(NULL, pointer, 0), cg_bytes(NULL, 0)); }
CG_FN cg_value cg_at(const char *pointer) { return cg_look(cg_s(pointer)); }

CG_FN int64_t cg_count(cg_value v) {
	int64_t n;
	cg_int(v, &n);
	return n;
}

CG_FN cg_str cg_phase(void) { return cg_text(cg_at("/phase")); }
CG_FN cg_str cg_time(void) { return cg_text(cg_at("/time")); } /* RFC 3339; a replay has the same */
CG_FN cg_value cg_settings(void) { return cg_at("/settings"); }
CG_FN cg_value cg_result(void) { return cg_at("/result"); }

/* cg_call is all of the call: its members are uri, action, name, ref and more, by
 * kind. A client that subscribes to several resources at once has a list of them as
 * uri. */
CG_FN cg_value cg_call(void) { return cg_at("/call"); }
CG_FN cg_str cg_call_kind(void) { return cg_text(cg_at("/call/kind")); }
CG_FN cg_str cg_call_server(void) { return cg_text(cg_at("/call/server")); }
CG_FN cg_str cg_call_tool(void) { return cg_text(cg_at("/call/tool")); }
CG_FN cg_str cg_call_id(void) { return cg_text(cg_at("/call/id")); }
CG_FN cg_str cg_call_digest(void) { return cg_text(cg_at("/call/digest")); }
CG_FN int64_t cg_call_seq(void) { return cg_count(cg_at("/call/seq")); }
CG_FN cg_value cg_arguments(void) { return cg_at("/call/arguments"); }
/* cg_argument is the one that a JSON Pointer from the arguments on leads to. */
CG_FN cg_value cg_argument(const char *pointer) { return cg_follow(cg_arguments(), cg_s(pointer)); }
/* cg_call_values is what the caller chose, whatever the kind: the arguments of a
 * tool, the params of sampling, elicitation, roots and unknown methods, and the
 * whole call of a resource, a prompt and a completion. */
CG_FN cg_value cg_call_values(void) {
	cg_str k = cg_call_kind();
	if (k.n == 0 || cg_is(k, CG_KIND_TOOL))
		return cg_arguments();
	if (cg_is(k, CG_KIND_RESOURCE) || cg_is(k, CG_KIND_PROMPT) || cg_is(k, CG_KIND_COMPLETION))
		return cg_call();
	return cg_at("/call/params");
}

CG_FN cg_str cg_definition_pin(void) { return cg_text(cg_at("/definition/pin")); }
CG_FN bool cg_definition_pinned(void) { return cg_true(cg_at("/definition/pinned")); }
CG_FN cg_value cg_definition_annotations(void) { return cg_at("/definition/annotations"); }
CG_FN cg_value cg_definition_schema(void) { return cg_at("/definition/schema"); }

CG_FN cg_str cg_session_id(void) { return cg_text(cg_at("/session/id")); }
CG_FN cg_value cg_session_labels(void) { return cg_at("/session/labels"); }
/* cg_session_has says whether the session has a label, or may have it. */
CG_FN bool cg_session_has(const char *label) {
	for (cg_iter it = cg_items(cg_session_labels()); cg_next(&it);) {
		cg_str have = cg_text(it.value);
		if (cg_is(have, label) || cg_is(have, CG_ANY_LABEL))
			return true;
	}
	return false;
}
/* cg_session_marked says whether a plugin gave the session a label, or may have: this
 * one or another, since none knows the name that the policy gave it. */
CG_FN bool cg_session_marked(const char *label) {
	cg_str want = cg_concat(cg_s(":"), cg_s(label));
	for (cg_iter it = cg_items(cg_session_labels()); cg_next(&it);) {
		cg_str have = cg_text(it.value);
		if (cg_is(have, CG_ANY_LABEL) || (have.n >= want.n && cg_equal(cg_bytes(have.p + have.n - want.n, want.n), want)))
			return true;
	}
	return false;
}
/* cg_session_count is one of calls, denied and this_tool. */
CG_FN int64_t cg_session_count(const char *name) { return cg_count(cg_get(cg_at("/session/counts"), name)); }
CG_FN cg_value cg_session_principal(void) { return cg_at("/session/principal"); }
CG_FN cg_value cg_session_recent(void) { return cg_at("/session/recent"); }
CG_FN bool cg_session_truncated(void) { return cg_true(cg_at("/session/truncated")); }

CG_FN cg_str cg_list_kind(void) { return cg_text(cg_at("/list/kind")); }
CG_FN cg_value cg_list_items(void) { return cg_at("/list/items"); }

/* cg_taint is an array of findings: what is known of where arguments came from. */
CG_FN cg_value cg_taint(void) { return cg_at("/taint"); }
CG_FN cg_str cg_finding_at(cg_value f) { return cg_text(cg_get(f, "at")); }
CG_FN bool cg_finding_is_key(cg_value f) { return cg_true(cg_get(f, "key")); }
CG_FN cg_str cg_finding_origin(cg_value f) { return cg_text(cg_get(f, "origin")); }
CG_FN cg_value cg_finding_labels(cg_value f) { return cg_get(f, "labels"); }
CG_FN cg_value cg_finding_sources(cg_value f) { return cg_get(f, "sources"); }

/* cg_log writes a line for the operator. The host keeps 64 KiB and 256 lines of an
 * evaluation. */
CG_FN void cg_log(uint32_t level, cg_str text) { cg_host_log(level, text.p, text.n); }
/* cg_log_enabled says whether a level is kept, before a costly line is made. */
CG_FN bool cg_log_enabled(uint32_t level) { return cg_host_log_enabled(level) != 0; }

/* ---- verdicts ---- */

typedef struct {
	cg_str *p;
	uint32_t n, room;
} cg_strs;

CG_FN void cg_strs_add(cg_strs *l, cg_str s) {
	if (l->n == l->room) {
		uint32_t room = l->room * 2 + 8;
		cg_str *p = (cg_str *)cg_alloc(room * sizeof *p);
		if (l->n)
			memcpy(p, l->p, l->n * sizeof *p);
		l->p = p;
		l->room = room;
	}
	l->p[l->n++] = cg_copy(s);
}

/* cg_verdict is what a plugin answers. The functions add to it and return it.
 * Effects and codes must be in the manifest: what is not there denies. Text is
 * copied. */
typedef struct {
	const char *outcome;
	cg_str code, reason;
	cg_strs at, redact, hide, call_labels, session_labels, tags;
	uint32_t at_bytes;
	int64_t calls; /* -1: no budget */
} cg_verdict;

CG_FN cg_verdict *cg_verdict_new(const char *outcome, const char *code) {
	cg_verdict *v = (cg_verdict *)cg_alloc(sizeof *v);
	memset(v, 0, sizeof *v);
	v->outcome = outcome;
	v->code = cg_copy(cg_s(code));
	v->calls = -1;
	return v;
}

/* cg_abstain says nothing against it. cg_ask wants a person to decide, only in
 * phase call. cg_deny refuses. */
CG_FN cg_verdict *cg_abstain(void) { return cg_verdict_new("abstain", ""); }
CG_FN cg_verdict *cg_ask(const char *code) { return cg_verdict_new("ask", code); }
CG_FN cg_verdict *cg_deny(const char *code) { return cg_verdict_new("deny", code); }

/* cg_verdict_code gives a verdict that abstains, but redacts or hides, a code. */
CG_FN cg_verdict *cg_verdict_code(cg_verdict *v, const char *code) {
	v->code = cg_copy(cg_s(code));
	return v;
}

/* cg_verdict_because says why, to the operator; no model reads it. What is over
 * 1,024 characters is cut off. */
CG_FN cg_verdict *cg_verdict_because(cg_verdict *v, cg_str reason) {
	v->reason = cg_copy(cg_cut(reason, CG_MAX_REASON_RUNES));
	return v;
}

/* cg_verdict_at names what caused the verdict by a pointer into the snapshot. What
 * is over what the host takes is left out: up to 256, of up to 4,096 characters, and
 * of 32 KiB in all. */
CG_FN cg_verdict *cg_verdict_at(cg_verdict *v, cg_str pointer) {
	if (v->at.n < CG_MAX_POINTERS && cg_cut(pointer, CG_MAX_POINTER_RUNES).n == pointer.n && pointer.n <= CG_MOST_AT - v->at_bytes) {
		cg_strs_add(&v->at, pointer);
		v->at_bytes += pointer.n;
	}
	return v;
}

/* The host writes the plugin's name and a colon before each label: up to 64
 * letters, digits, '.', '_' and '-'. Another, and more than 32, deny. */
CG_FN cg_verdict *cg_verdict_label_call(cg_verdict *v, cg_str label) {
	cg_strs_add(&v->call_labels, label);
	return v;
}
CG_FN cg_verdict *cg_verdict_label_session(cg_verdict *v, cg_str label) {
	cg_strs_add(&v->session_labels, label);
	return v;
}

/* cg_verdict_redact puts a marker of the host in place of a value below /result.
 * More than 256 deny, and so does a verdict of more than 256 KiB. */
CG_FN cg_verdict *cg_verdict_redact(cg_verdict *v, cg_str pointer) {
	cg_strs_add(&v->redact, pointer);
	return v;
}

/* cg_verdict_hide leaves an item out of a list, by name, of resources by URI or its
 * template. More than 1,024 deny, and so does a verdict of more than 256 KiB. */
CG_FN cg_verdict *cg_verdict_hide(cg_verdict *v, cg_str name) {
	cg_strs_add(&v->hide, name);
	return v;
}

/* cg_verdict_budget leaves the session at most so many more calls of this tool. */
CG_FN cg_verdict *cg_verdict_budget(cg_verdict *v, int64_t calls) {
	v->calls = calls < 0 ? 0 : calls;
	return v;
}

/* cg_verdict_tag notes something in the ledger. What is over 16 notes is left out,
 * what is over 256 characters is cut off. */
CG_FN cg_verdict *cg_verdict_tag(cg_verdict *v, cg_str name, cg_str text) {
	name = cg_whole(cg_cut(name, CG_MAX_TAG_RUNES)); /* two names that become one are one */
	text = cg_cut(text, CG_MAX_TAG_RUNES);
	for (uint32_t i = 0; i < v->tags.n; i += 2) {
		if (cg_equal(v->tags.p[i], name)) {
			v->tags.p[i + 1] = cg_copy(text);
			return v;
		}
	}
	if (v->tags.n < 2 * CG_MAX_TAGS) {
		cg_strs_add(&v->tags, name);
		cg_strs_add(&v->tags, text);
	}
	return v;
}

CG_FN void cg_put_name(cg_buf *b, cg_str name) {
	cg_putc(b, b->n ? ',' : '{');
	cg_put_text(b, name);
	cg_putc(b, ':');
}

CG_FN void cg_put_str(cg_buf *b, const char *name, cg_str s) {
	if (s.n) {
		cg_put_name(b, cg_s(name));
		cg_put_text(b, s);
	}
}

CG_FN void cg_put_strs(cg_buf *b, const char *name, cg_strs l) {
	if (l.n == 0)
		return;
	cg_put_name(b, cg_s(name));
	for (uint32_t i = 0; i < l.n; i++) {
		cg_putc(b, i ? ',' : '[');
		cg_put_text(b, l.p[i]);
	}
	cg_putc(b, ']');
}

/* cg_verdict_json writes the verdict, members sorted by name. */
CG_FN cg_str cg_verdict_json(const cg_verdict *v) {
	cg_buf b = {0, 0, 0}, l = {0, 0, 0}, t = {0, 0, 0};
	cg_put_strs(&b, "at", v->at);
	if (v->calls >= 0) {
		cg_put_name(&b, cg_s("budget"));
		cg_put(&b, cg_s("{\"calls\":"));
		cg_put_int(&b, v->calls);
		cg_putc(&b, '}');
	}
	cg_put_str(&b, "code", v->code);
	cg_put_strs(&b, "hide", v->hide);
	cg_put_strs(&l, "call", v->call_labels);
	cg_put_strs(&l, "session", v->session_labels);
	if (l.n) {
		cg_putc(&l, '}');
		cg_put_name(&b, cg_s("labels"));
		cg_put(&b, cg_done(l));
	}
	cg_put_str(&b, "outcome", cg_s(v->outcome));
	cg_put_str(&b, "reason", v->reason);
	cg_put_strs(&b, "redact", v->redact);
	for (uint32_t i = 0; i < v->tags.n; i += 2) {
		cg_put_name(&t, v->tags.p[i]);
		cg_put_text(&t, v->tags.p[i + 1]);
	}
	if (t.n) {
		cg_putc(&t, '}');
		cg_put_name(&b, cg_s("tags"));
		cg_put(&b, cg_done(t));
	}
	cg_putc(&b, '}');
	return cg_done(b);
}

/* ---- the plugin ---- */

/* cg_error is what is wrong with settings: nothing, if text is empty. */
typedef struct {
	cg_str at, text;
} cg_error;

CG_FN cg_error cg_ok(void) {
	cg_error e;
	e.at = e.text = cg_bytes("", 0);
	return e;
}

/* cg_wrong is an error about a setting, whatever its text. */
CG_FN cg_error cg_wrong(cg_value setting, const char *text) {
	cg_error e;
	e.at = cg_pointer(setting);
	e.text = cg_s(text && *text ? text : "it is not taken");
	return e;
}

/* cg_plugin is what an author writes. configure reads the settings, once; NULL:
 * there are none, or evaluate reads them itself. What it keeps in variables is
 * there in every evaluation. evaluate judges one snapshot; NULL is cg_abstain(). A
 * trap denies. */
typedef struct {
	cg_error (*configure)(cg_value settings);
	cg_verdict *(*evaluate)(void);
} cg_plugin;

/* cg_configured answers what callgate_configure answers. */
CG_FN cg_str cg_configured(cg_plugin p) {
	cg_buf b = {0, 0, 0};
	cg_error e = p.configure ? p.configure(cg_settings()) : cg_ok();
	if (e.text.n == 0)
		return cg_s("{\"ok\":true}");
	cg_put_str(&b, "at", e.at);
	cg_put_str(&b, "error", e.text);
	cg_putc(&b, '}');
	return cg_done(b);
}

/* cg_evaluated answers what callgate_evaluate answers. */
CG_FN cg_str cg_evaluated(cg_plugin p) {
	cg_verdict *v = p.evaluate();
	return cg_verdict_json(v ? v : cg_abstain());
}

/* CG_PLUGIN makes two functions the module's plugin. */
#ifdef __wasm__
#define CG_EXPORT(name) CG_C __attribute__((export_name(name)))
CG_FN uint64_t cg_answer(cg_str s) { return (uint64_t)(uintptr_t)s.p << 32 | s.n; }
#define CG_PLUGIN(CONFIGURE, EVALUATE)                                                                     \
	static const cg_plugin cg_registered = {CONFIGURE, EVALUATE};                                      \
	CG_EXPORT("callgate_abi_1_0") void cg_export_marker(void) {}                                       \
	CG_EXPORT("callgate_evaluate") uint64_t cg_export_evaluate(void) { return cg_answer(cg_evaluated(cg_registered)); } \
	CG_EXPORT("callgate_configure") uint64_t cg_export_configure(void) { return cg_answer(cg_configured(cg_registered)); }
#else
#define CG_PLUGIN(CONFIGURE, EVALUATE) CG_UNUSED static const cg_plugin cg_registered = {CONFIGURE, EVALUATE};

/* ---- tests, without WASM ---- */

static cg_value cg_world;
static cg_buf cg_logged; /* lines that were logged since cg_load, each with its end */

/* cg_load makes a snapshot of JSON text, for a test that calls a plugin's functions
 * itself. It says whether the text is a JSON object. */
CG_FN bool cg_load(const char *snapshot) {
	cg_world = cg_parse(cg_s(snapshot));
	cg_world.frozen = false;
	cg_world.at = cg_below(NULL, cg_bytes("", 0), 0);
	memset(&cg_logged, 0, sizeof cg_logged);
	return cg_kind(cg_world) == CG_OBJECT;
}

/* cg_try configures a plugin with the snapshot's settings, and has it judge the
 * snapshot, as the host does. It returns the verdict, or what is wrong with the
 * settings, as the host gets it; empty: the snapshot is no JSON object. */
CG_FN cg_str cg_try(cg_plugin p, const char *snapshot) {
	if (!cg_load(snapshot))
		return cg_bytes("", 0);
	cg_str configured = cg_configured(p);
	return cg_is(configured, "{\"ok\":true}") ? cg_evaluated(p) : configured;
}

CG_FN uint64_t cg_host_get(const void *path, uint32_t path_len, void *buf, uint32_t limit) {
	cg_value v = cg_follow(cg_world, cg_bytes((const char *)path, path_len));
	int kind = cg_kind(v);
	cg_str text = kind == CG_STRING ? cg_text(v) : cg_json(v);
	if (buf && text.n && text.n <= limit)
		memcpy(buf, text.p, text.n);
	return (uint64_t)kind << 32 | text.n;
}

CG_FN void cg_host_log(uint32_t level, const void *text, uint32_t len) {
	(void)level;
	cg_put(&cg_logged, cg_bytes((const char *)text, len));
	cg_putc(&cg_logged, '\n');
}
#endif

#endif
