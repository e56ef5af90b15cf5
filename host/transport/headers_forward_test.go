package transport

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestHeadersThatGoOn(t *testing.T) {
	cases := []struct {
		name         string
		forth, back  bool // without the caller's word
		authorized   bool // with it, forth
		challengedTo bool // with it, back
	}{
		{"Mcp-Method", true, true, true, true},
		{"MCP-Protocol-Version", true, true, true, true},
		{"mcp-session-id", true, true, true, true},
		{"Mcp-Param-Region", true, true, true, true},
		{"Accept", true, true, true, true},
		{"Last-Event-ID", true, false, true, false},
		{"traceparent", true, true, true, true},
		{"tracestate", true, true, true, true},
		{"baggage", true, true, true, true},
		{"User-Agent", true, false, true, false},
		{"Authorization", false, false, true, false},
		{"WWW-Authenticate", false, false, false, true},
		{"Content-Type", false, true, false, true},
		{"Cache-Control", false, true, false, true},
		{"Retry-After", false, true, false, true},
		{"Allow", false, true, false, true},
		{"Cookie", false, false, false, false},
		{"Set-Cookie", false, false, false, false},
		{"Proxy-Authorization", false, false, false, false},
		{"Host", false, false, false, false},
		{"Origin", false, false, false, false},
		{"Content-Length", false, false, false, false},
		{"Content-Encoding", false, false, false, false},
		{"Transfer-Encoding", false, false, false, false},
		{"Connection", false, false, false, false},
		{"Keep-Alive", false, false, false, false},
		{"Upgrade", false, false, false, false},
		{"Te", false, false, false, false},
		{"Trailer", false, false, false, false},
		{"X-Forwarded-For", false, false, false, false},
		{"Forwarded", false, false, false, false},
		{"Mcp_Method", false, false, false, false},
		{"X-Api-Key", false, false, false, false},
		{"Location", false, false, false, false},
		{"Access-Control-Allow-Origin", false, false, false, false},
	}
	tally(t, len(cases))
	for _, c := range cases {
		h := http.Header{}
		h.Set(c.name, "x")
		for _, word := range []bool{false, true} {
			out, bad := ForwardHeaders(h, word)
			if bad != nil {
				t.Fatal(bad)
			}
			if want := c.forth && !word || c.authorized && word; (len(out) == 1) != want {
				t.Errorf("%s, authorized %t: goes forth as %v; want %t", c.name, word, out, want)
			}
			if want, out := c.back && !word || c.challengedTo && word, BackwardHeaders(h, word); (len(out) == 1) != want {
				t.Errorf("%s, challenge %t: goes back as %v; want %t", c.name, word, out, want)
			}
		}
	}
}

func TestConnectionNamesWhatEndsHere(t *testing.T) {
	h := headersOf("Connection: close, mcp-odd", "Connection: Retry-After", "Mcp-Odd: 1", "Retry-After: 2", "Mcp-Even: 3")
	out, bad := ForwardHeaders(h, true)
	if bad != nil {
		t.Fatal(bad)
	}
	for way, got := range map[string]http.Header{"forth": out, "back": BackwardHeaders(h, true)} {
		if names := slices.Sorted(maps.Keys(got)); strings.Join(names, " ") != "Mcp-Even" {
			t.Errorf("%s go %q; want Mcp-Even alone", way, names)
		}
	}
}

func TestControlCharactersDoNotGoOn(t *testing.T) {
	for value, ok := range map[string]bool{"a\tb": true, "ü": true, "a\rb": false, "a\nb": false, "a\x00": false, "a\x7f": false} {
		h := http.Header{"User-Agent": {"fine", value}, "Retry-After": {"1", value}}
		out, bad := ForwardHeaders(h, false)
		verdict(t, bad, ok, http.StatusBadRequest, CodeInvalidRequest)
		if ok && len(out["User-Agent"]) != 2 {
			t.Errorf("%q goes forth as %v; want both values", value, out)
		}
		if got := len(BackwardHeaders(h, false)["Retry-After"]); got == 2 != ok {
			t.Errorf("%q: %d values go back; want it to be one of them: %t", value, got, ok)
		}
	}
}

func TestHeadersAreCopies(t *testing.T) {
	h := http.Header{"Accept": {"a"}}
	out, _ := ForwardHeaders(h, false)
	back := BackwardHeaders(h, false)
	out["Accept"][0], back["Accept"][0] = "b", "c"
	if h.Get("Accept") != "a" {
		t.Error("a change of the copy changed the request")
	}
}

func TestSessionIDs(t *testing.T) {
	cases := map[string]bool{
		"a": true, "1868a90c-3b9f": true, "!~": true, strings.Repeat("a", 256): true,
		"": false, " ": false, "a b": false, "a\n": false, "ü": false, "\x7f": false, strings.Repeat("a", 257): false,
	}
	tally(t, len(cases))
	for id, want := range cases {
		if ValidSessionID(id) != want {
			t.Errorf("%q is valid: %t; want %t", id, !want, want)
		}
	}
	seen := map[string]bool{}
	for range 100 {
		id := NewSessionID()
		// 26 letters of an alphabet of 32.
		if !ValidSessionID(id) || len(id) < 26 || seen[id] {
			t.Fatalf("new session id %q; want a fresh one of 26 letters", id)
		}
		seen[id] = true
	}
}
