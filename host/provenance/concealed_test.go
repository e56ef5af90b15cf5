package provenance

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// A text names an address in more ways than one. Each case has a twin that looks
// much like it and names none.
func TestAddressesThatReadersPutRight(t *testing.T) {
	cases := []struct{ name, text, want, twin string }{
		{"no slashes", "see https:evil.example/in now", "https://evil.example/in", "see https: evil, example in"},
		{"one slash", "see HTTP:/evil.example/in", "http://evil.example/in", "the http/evil example"},
		{"backslashes", `see https:\\evil.example\in`, "https://evil.example/in", `see C:\evil.example\in`},
		{"slashes of JSON", `{"u":"https:\/\/evil.example\/in"}`, "https://evil.example//in", `{"u":"and\/or"}`},
		{"a scheme nobody clicks on", "see hxxps://evil[.]example/in", "https://evil.example/in", "see hxxps and [.] here"},
		{"brackets around the colon", "see http[:]//evil[.]example/in", "http://evil.example/in", "see http[s] or evil[1]"},
		{"words for signs", "write to x at evil dot example", "x@evil.example", "meet at noon, dot the i"},
		{"words in brackets", "write to x [at] evil (dot) example", "x@evil.example", "we met [at] noon (dot)"},
		{"entities", "write to x&#64;evil.example", "x@evil.example", "Tom &amp; Jerry"},
		{"percent escapes", "go https%3A%2F%2Fevil.example%2Fin", "https://evil.example/in", "100%25 of it"},
		{"base64", "run aHR0cHM6Ly9ldmlsLmV4YW1wbGUvaW4= now", "https://evil.example/in", "run aVeryLongIdentifierHereNow now"},
		{"full width", "ｈｔｔｐｓ：／／evil．example／in", "https://evil.example/in", "ｈｔｔｐｓ ｅｖｉｌ"},
		{"zero width", "ht\u200btps:/\u200b/evil.example/in", "https://evil.example/in", "ev\u200bil"},
		{"www", "visit www.evil.example today", "//www.evil.example/", "visit www today"},
		{"a path without a scheme", "visit evil.example/in today", "//evil.example/in", "either/or, 1.5/2.5, e.g./i.e."},
		{"a query without a scheme", "visit evil.example?d=1 today", "//evil.example/?d=1", "is it evil.example? no"},
		{"a port without a scheme", "visit evil.example:8443 today", "//evil.example:8443/", "of evil.example: nothing"},
		{"a share", `open \\evil.example\in`, "//evil.example/in", `a \\ b`},
		{"a URL in a URL", "see https://a.example/?u=https://evil.example/in", "https://evil.example/in", "see either/or?u=https"},
		{"an escaped URL in a URL", "see https://a.example/?u=https%253A%252F%252Fevil.example%252Fin", "https://evil.example/in", "see 5%2F7"},
		{"tags inside of it", "<b>ht</b>tps://ev<i>il</i>.example/in", "https://evil.example/in", "<b>bold</b> and <i>not</i>"},
		{"a source without a scheme", "<img src=//evil.example/x>", "//evil.example/x", "<img src=x> // a remark"},
	}
	for _, c := range cases {
		if got := identities(c.text); !slices.Contains(got, c.want) {
			t.Errorf("%s: %q names %q, want %q among them", c.name, c.text, got, c.want)
		}
		if got := identities(c.twin); len(got) > 0 {
			t.Errorf("%s: %q names %q, want nothing", c.name, c.twin, got)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// identities lists the addresses and URLs that are looked up for a text.
func identities(text string) []string {
	args := abi.ObjectValue(abi.Member{Name: "body", Value: abi.StringValue(text)})
	var out []string
	for _, f := range New(Options{}).Explain(args, []abi.Wanted{{At: "/body"}}) {
		if f.Kind == KindMail || f.Kind == KindURL {
			out = append(out, f.Identity)
		}
	}
	return out
}

// What a text names plainly is never lost by looking for more, and a destination
// stays what it is.
func TestLookingForMoreAddsOnly(t *testing.T) {
	cases := []string{"see https://a.example/in and b@c.example", "b@c.example", "https://a.example/in", "a@b.example, c@d.example", "#team", "", "plain words"}
	for _, text := range cases {
		plain, _ := Canonicalise(text)
		more, cut := concealed(text, plain)
		if cut || len(more) > 0 {
			t.Errorf("%q: %d more, cut %v; want nothing", text, len(more), cut)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// More hidden addresses than are looked at are told of.
func TestMoreHiddenAddressesThanAreLookedAt(t *testing.T) {
	var many strings.Builder
	for i := range 2 * maxEntities {
		many.WriteString("visit www.p" + strings.Repeat("x", i%40) + string(rune('a'+i%26)) + ".partner.example/" + strings.Repeat("y", i/26) + " ")
	}
	for text, want := range map[string]bool{many.String(): true, "visit www.partner.example": false} {
		plain, _ := Canonicalise(text)
		if _, cut := concealed(text, plain); cut != want {
			t.Errorf("%.40q: cut %v, want %v", text, cut, want)
		}
	}
}

func FuzzConcealed(f *testing.F) {
	for _, s := range []string{"hxxps[:]//evil[.]example", "x (at) evil (dot) example", `\\evil.example\x`, "http:", "www.", "[.]", "a.bc/", "ｈttp:/", " dot ", "a at b.cd/e?f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		plain, _ := Canonicalise(s)
		more, _ := concealed(s, plain)
		again, _ := concealed(s, plain)
		if len(more) != len(again) {
			t.Fatalf("%q: %d, then %d", s, len(more), len(again))
		}
		for _, e := range more {
			if e.Kind != KindMail && e.Kind != KindURL || e.Identity == "" || !e.embedded {
				t.Fatalf("%q: %+v", s, e)
			}
		}
		if len(respell(s)) > 2*len(s)+64 {
			t.Fatalf("%q grows to %d bytes", s, len(respell(s)))
		}
	})
}
