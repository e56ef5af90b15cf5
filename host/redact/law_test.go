package redact

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pieces make texts in which patterns match, nearly match, and overlap.
var pieces = []string{
	"ghp_", "gho_", strings.Repeat("aB3", 12), "AKIA", "QQQQEXAMPLEZZZZ1", "AIza", "password", "PassWord", ": ", "=", "\"", "hunter2", " ", "\n", "x", "é", "\u200b", "\u00ad",
	"\u017f", "\u212a", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "postgres://app:", "@db", "/", "[redacted: password]", "[redacted: ",
	"9c1d7e5b3a2f4860d1c2b3a4f5e6d7c8b9a0f1e2", "sha1:", "\xed\xa0\x80", "AKIAIOSFODNN7EXAMPLE", strings.Repeat("filler text ", 30),
}

func text(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, name), "")
}

// TestRedactingTwiceIsRedactingOnce also holds that what was redacted has no match
// left.
func TestRedactingTwiceIsRedactingOnce(t *testing.T) {
	s := compiled(t, usual...)
	rapid.Check(t, func(t *rapid.T) {
		was := text(t, "text")
		r := s.leaf(Results, was, nil)
		if r.failed {
			return
		}
		if again := s.leaf(Results, r.text, nil); again.failed || again.text != r.text {
			t.Fatalf("%q: once %q, twice %q", was, r.text, again.text)
		}
		if found := s.spans(Results, r.text, nil); len(found) > 0 {
			for _, f := range found {
				if s.entries[f.entry].With != r.text[f.from:f.to] {
					t.Fatalf("%q: %q left", r.text, r.text[f.from:f.to])
				}
			}
		}
	})
}

// TestLiteralsAndWindowsHideNoMatch compares with each pattern run over the whole.
func TestLiteralsAndWindowsHideNoMatch(t *testing.T) {
	s := compiled(t, usual...)
	matched := 0
	rapid.Check(t, func(t *rapid.T) {
		was := text(t, "text")
		found, _ := s.matches(Results, was, plenty())
		var want []span
		for i := range s.entries {
			if e := &s.entries[i]; e.re != nil && e.keys == nil {
				some, _ := e.within(i, was, window{0, len(was)}, plenty())
				want = append(want, some...)
			}
		}
		if len(found) != len(want) {
			t.Fatalf("%q: got %v, want %v", was, found, want)
		}
		for i := range want {
			if found[i] != want[i] {
				t.Fatalf("%q: got %v, want %v", was, found, want)
			}
		}
		matched += len(want)
	})
	if matched == 0 {
		t.Fatal("no text had a match")
	}
}

// TestAnyPatternIsFoundByItsLiterals draws patterns too.
func TestAnyPatternIsFoundByItsLiterals(t *testing.T) {
	parts := []string{"ab", "a", "[ab]", "[a-z]", "\u017f", "[\u212ax]", "(?:[xk]|é)", "(?i:kS)", "b{2,3}", "(?:ab|b)", "(ab)?", "x*", "a+", ".", `\b`, "(?:)", "[^a]", "é", "(?i)s", "^", "$", "(?m:^)", "(?m:$)"}
	matched := 0
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 6).Draw(t, "pattern"), "")
		s, _, err := Compile([]Entry{{Name: "e", Pattern: pattern, With: "\u2603"}})
		if err != nil {
			return
		}
		was := rapid.StringOfN(rapid.RuneFrom([]rune("abkKsS\u017f\u212axé \n")), 0, 60, -1).Draw(t, "text")
		got, _ := s.matches(Results, was, plenty())
		want := regexp.MustCompile(pattern).FindAllStringIndex(was, -1)
		if len(got) != len(want) {
			t.Fatalf("%q in %q: got %v, want %v", pattern, was, got, want)
		}
		for i := range want {
			if got[i].from != want[i][0] || got[i].to != want[i][1] {
				t.Fatalf("%q in %q: got %v, want %v", pattern, was, got, want)
			}
		}
		matched += len(want)
	})
	if matched == 0 {
		t.Fatal("no pattern matched")
	}
}

// TestOneEntryMoreLeavesNoMoreStanding holds that what an entry takes away, more
// entries do not bring back.
func TestOneEntryMoreLeavesNoMoreStanding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, len(usual)-2).Draw(t, "entries")
		fewer, _, err := Compile(usual[:n])
		if err != nil {
			t.Fatal(err)
		}
		more, _, err := Compile(usual[:n+1])
		if err != nil {
			t.Fatal(err)
		}
		was := text(t, "text")
		r := more.leaf(Results, was, nil)
		if r.failed {
			return
		}
		if left := fewer.leaf(Results, r.text, nil); left.text != r.text {
			t.Fatalf("%q: with %d entries more stands in %q than without the last", was, n+1, r.text)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, p := range pieces {
		f.Add(p, p)
	}
	f.Add(token, `{"a":"`+token+`"}`)
	s := compiled(f, usual...)
	f.Fuzz(func(t *testing.T, text, name string) {
		r := s.leaf(Results, text, []string{name})
		if r.failed {
			return
		}
		if again := s.leaf(Results, r.text, []string{name}); again.text != r.text {
			t.Fatalf("%q: once %q, twice %q", text, r.text, again.text)
		}
	})
}
