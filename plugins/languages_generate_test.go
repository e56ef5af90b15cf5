package plugins_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// quote writes a JSON string, bytes as they are: what is no UTF-8 is not asked of
// it.
func quote(s string) string { return abi.StringValue(s).String() }

// url makes something like a URL, half of them of listed hosts.
func url(r *rand.Rand) string {
	scheme, host := pick(r, "https://", "http://", "HTTPS://"), pick(r, "corp.example", "CORP.example", "a-1.test", "x")
	port, rest := pick(r, "", "", ":1", ":65535"), pick(r, "", "/", "/a/b", "?q=:1", "#f", "/@x")
	switch r.IntN(8) {
	case 0:
		scheme = pick(r, "http:/", "ftp://", "", " https://")
	case 1:
		host = pick(r, "evil.test", "corp.example.", "é", "[::1]", "me@x", "", "y.x", "xx")
	case 2:
		port = pick(r, ":", ":123456", ":a", ":80:80", ":-1")
	case 3:
		rest = pick(r, "\\", "/\n", "/é", "\x7f", "/"+strings.Repeat("y", 5000))
	}
	s := scheme + host + port + rest
	if r.IntN(8) == 0 && s != "" {
		i := r.IntN(len(s) + 1)
		s = strings.ToValidUTF8(s[:i]+pick(r, "@", "/", "\\", " ", "\x00", ".", "X", "%2e", "😀")+s[i:], "?")
	}
	return s
}

// str makes a lexeme of a string, escapes and lone surrogates among it.
func str(r *rand.Rand) string {
	var b strings.Builder
	b.WriteByte('"')
	for range r.IntN(6) {
		b.WriteString(pick(r, "a", "bc", " ", "/", "~", "~1", "~0", "é", "\u2028", "😀", `\n`, `\"`, `\\`, `\/`, `\b\f\r\t`, `\u00e9`, `\u0000`, `\u001f`, `\ud83d\ude00`, `\ud800`, `\udc00`,
			`\ud800\u0041`, `\ud800\ud800\udc00`, `\uFFFD`, "\x7f", "{", "]", ":", ","))
	}
	b.WriteByte('"')
	return b.String()
}

var numbers = []string{"0", "-0", "1", "17", "-1.50", "1e3", "1E-2", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "0.0", "123456789012345678901234567890"}

// word makes any JSON text, with white space if it is loose, and members twice.
func word(r *rand.Rand, depth int, loose bool) string {
	gap := func() string {
		if loose {
			return pick(r, "", "", " ", "\n\t", "\r ")
		}
		return ""
	}
	n := r.IntN(8)
	if depth == 0 {
		n = r.IntN(6)
	}
	switch n {
	case 0, 1, 2:
		return str(r)
	case 3, 4:
		return pick(r, numbers...)
	case 5:
		return pick(r, "true", "false", "null")
	}
	var items, names []string
	for range r.IntN(5) {
		item := gap() + word(r, depth-1, loose) + gap()
		if n == 7 {
			name := pick(r, `"a"`, `"b"`, `"a/b"`, `"~"`, `""`, `"é"`, `"\ud83d\ude00"`, `"\n"`, str(r))
			if !loose && (slices.Contains(names, name) || strings.Contains(name, `\`)) {
				continue
			}
			names = append(names, name)
			item = gap() + name + gap() + ":" + item
		}
		items = append(items, item)
	}
	if n == 6 {
		return "[" + gap() + strings.Join(items, ",") + "]"
	}
	return "{" + gap() + strings.Join(items, ",") + "}"
}

// damaged is JSON text, sometimes with a byte too much, too few or another.
func damaged(r *rand.Rand) string {
	s := word(r, 3, true)
	if r.IntN(2) == 0 {
		i := r.IntN(len(s))
		s = s[:i] + pick(r, "", ",", "}", "]", "0", `"`, `\`, "e", "-", ".", " ") + s[i+r.IntN(2):]
	}
	return strings.ToValidUTF8(s, "?")
}

// probed makes a snapshot for the probe.
func probed(t *testing.T, r *rand.Rand) abi.Value {
	t.Helper()
	a, b := word(r, 2, false), word(r, 3, false)
	var pointers, list, tags []string
	for range 3 {
		p := pick(r, "", "/a", "/call/arguments/a", "/call/arguments/p/0", "/call/arguments/p/01", "/call/arguments/p/-1", "/call/arguments/p/4294967296", "/call/arguments/a/0", "/call/arguments/b/a~1b",
			"/call/arguments/b/~0", "/call/arguments/b/", "/call/arguments/b/b", "call", "/call/arguments/n/", "/session/labels/0", "/b/a", "/m", "/call//", "/call/arguments/b/~", "/call/arguments/b/~2")
		pointers = append(pointers, quote(p))
	}
	for range r.IntN(4) {
		list = append(list, str(r))
	}
	for i := range r.IntN(19) {
		tags = append(tags, fmt.Sprintf("%q:%s", fmt.Sprint("t", i), str(r)))
	}
	if r.IntN(8) == 0 {
		list = append(list, quote(strings.Repeat("é", 4097)), quote(strings.Repeat("x", 4096)))
	}
	reason := str(r)
	if r.IntN(4) == 0 {
		reason = quote(strings.Repeat(pick(r, "é", "😀", "x"), pick(r, 1023, 1024, 1025)))
	}
	arguments := fmt.Sprintf(`{"a":%s,"b":%s,"m":%s,"n":%s,"p":[%s],"v":{"outcome":%q,"reason":%s,"list":[%s],"tags":{%s},"budget":%s}}`,
		a, b, quote(damaged(r)), pick(r, numbers...), strings.Join(pointers, ","), pick(r, "deny", "ask", "abstain", "none", "code"), reason, strings.Join(list, ","),
		strings.Join(tags, ","), pick(r, "3", "-3", "1.5", "null"))
	text := fmt.Sprintf(`{"abi":"1.0","phase":%q,"time":"2026-11-29T18:00:00Z","settings":{},
"call":{"kind":%q,"seq":%s,"id":"a-1","server":%s,"tool":"t","digest":"sha256:0","uri":"file:///x","params":{},"arguments":%s},
"definition":{"pin":"sha256:1","pinned":%s,"annotations":%s,"schema":{}},
"session":{"id":"s-1","labels":[%s],"counts":{"calls":%s},"principal":%s,"recent":[%s],"truncated":%s},
"taint":[{"at":"/call/arguments/a","origin":"tainted","key":%s,"labels":[%s],"sources":[%s]}],
"result":%s,"list":{"kind":"tools","items":[%s]}}`,
		pick(r, "call", "result", "list"), pick(r, "tool", "resource", "sampling", "prompt", "method"), pick(r, numbers...), str(r), arguments,
		pick(r, "true", "false"), word(r, 1, false), pick(r, `"q"`, `"q","r"`, `"x:q"`, `"*","x"`, ""), pick(r, numbers...), word(r, 1, false), word(r, 1, false), pick(r, "true", "false"),
		pick(r, "true", "false"), pick(r, `"l"`, ""), word(r, 1, false), word(r, 1, false), word(r, 1, false))
	return parse(t, text)
}
