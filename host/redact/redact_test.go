package redact

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// usual are entries such as people write.
var usual = []Entry{
	{Name: "github-token", Pattern: `gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}`, With: "[redacted: github-token]"},
	{Name: "aws-key", Pattern: `\bAKIA[0-9A-Z]{16}\b`, With: "[redacted: aws-key]", Except: []string{"AKIA*EXAMPLE"}},
	{Name: "google-key", Pattern: `\bAIza[0-9A-Za-z_-]{35}`, With: "[redacted: google-key]"},
	{Name: "private-key", Pattern: `(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----`, With: "[redacted: private-key]"},
	{Name: "password", Pattern: `(?i)\b"?pass(?:word|wd)"?\s*[:=]\s*"?(?P<secret>[^\s",;}]+)`, With: "[redacted: password]"},
	{Name: "url-password", Pattern: `://[^/\s:@]+:(?P<secret>[^@\s/]+)@`, With: "[redacted: url-password]"},
	{Name: "hex-key", Pattern: `\b[0-9a-f]{40}\b`, With: "[redacted: hex-key]"},
	{Name: "password-member", Keys: []string{"password", "*secret*"}, With: "[redacted: password-member]"},
}

func compiled(t testing.TB, entries ...Entry) *Set {
	t.Helper()
	s, i, err := Compile(entries)
	if err != nil {
		t.Fatalf("entry %d: %v", i, err)
	}
	return s
}

var token = "ghp_" + strings.Repeat("a1B2", 9)

func TestTextIsRedacted(t *testing.T) {
	s := compiled(t, usual...)
	const hash = "9c1d7e5b3a2f4860d1c2b3a4f5e6d7c8b9a0f1e2"
	cases := []struct{ name, was, want string }{
		{"a token", "use " + token + ".", "use [redacted: github-token]."},
		{"two tokens", token + " " + token, "[redacted: github-token] [redacted: github-token]"},
		{"an older kind of token", "gho_" + strings.Repeat("x", 36), "[redacted: github-token]"},
		{"a newer kind of token", "github_pat_" + strings.Repeat("x", 30), "[redacted: github-token]"},
		{"a key at the start", "AKIAQQQQEXAMPLEZZZZ1 in region x", "[redacted: aws-key] in region x"},
		{"a key that is too long", "AKIAQQQQEXAMPLEZZZZ12", "AKIAQQQQEXAMPLEZZZZ12"},
		{"a key that is glued to a word", "xAKIAQQQQEXAMPLEZZZZ1", "xAKIAQQQQEXAMPLEZZZZ1"},
		{"a key of the manuals", "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE;", "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE;"},
		{"a Google key", "AIza" + strings.Repeat("b", 35), "[redacted: google-key]"},
		{"a password as JSON text", `{"password":"hunter2","n":1}`, `{"password":"[redacted: password]","n":1}`},
		{"a password in any case", "Password: hunter2", "Password: [redacted: password]"},
		{"a password in letters that fold", "pa\u017f\u017fword: hunter2", "pa\u017f\u017fword: [redacted: password]"},
		{"a word that ends as one", "monkey: banana", "monkey: banana"},
		{"a password in a URL", "connect postgres://app:hunter2@db.example.com/x failed", "connect postgres://app:[redacted: url-password]@db.example.com/x failed"},
		{"a URL without one", "connect postgres://db.example.com/x failed", "connect postgres://db.example.com/x failed"},
		{"a key of many lines", "k: -----BEGIN PRIVATE KEY-----\nMIIE\nAAAA\n-----END PRIVATE KEY-----\n", "k: [redacted: private-key]\n"},
		{"a key of PKCS #1", "-----BEGIN RSA PRIVATE KEY-----\n  MIIE\n  -----END RSA PRIVATE KEY-----", "[redacted: private-key]"},
		{"a public key", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----"},
		{"a commit", hash + " fix parser", hash + " fix parser"},
		{"a digest", "sha1:" + hash, "sha1:" + hash},
		{"hex digits that are no commit", "key " + hash[:39] + "g", "key " + hash[:39] + "g"},
		{"invisible characters inside", "gh\u200bp_" + token[4:20] + "\u2060" + token[20:], "[redacted: github-token]"},
		{"a soft hyphen inside", "AKIA\u00adQQQQEXAMPLEZZZZ1", "[redacted: aws-key]"},
		{"beside letters of more bytes", "é" + "AKIAQQQQEXAMPLEZZZZ1" + "é", "é[redacted: aws-key]é"},
		{"beside a lone surrogate", "\xed\xa0\x80 " + token, "\xed\xa0\x80 [redacted: github-token]"},
		{"words that begin as keys do", "risk-free-trial; am_i_ready(); task-sk-learn; ghp_xxxxxxxxxxxxxxxxxxxx", "risk-free-trial; am_i_ready(); task-sk-learn; ghp_xxxxxxxxxxxxxxxxxxxx"},
		{"nothing", "", ""},
	}
	for _, c := range cases {
		got := s.Text(Results, c.was)
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if again := s.Text(Results, got); again != got {
			t.Errorf("%s: a second time %q", c.name, again)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

func TestMatchesThatOverlapLeaveNothingOfEither(t *testing.T) {
	s := compiled(t,
		Entry{Name: "a", Pattern: `abc[0-9]+`, With: "[A]"},
		Entry{Name: "b", Pattern: `[0-9]+def`, With: "[B]"},
		Entry{Name: "c", Pattern: `ghi`, With: ""},
		Entry{Name: "d", Pattern: `val=(?P<secret>\S+)`, With: "[a b]"},
		Entry{Name: "dollar", Pattern: `money`, With: "$1 ${secret}"},
	)
	cases := map[string]string{
		"x abc123def y":    "x [A] y",
		"123def":           "[B]",
		"abc1":             "[A]",
		"g" + "ghi" + "hi": "",
		"val=abc12 z":      "val=[A] z",
		"val=q z":          "val=[a b] z",
		"val=[a b] z":      "val=[a b] z",
		"money":            "$1 ${secret}",
	}
	for was, want := range cases {
		if got := s.Text(Results, was); got != want {
			t.Errorf("%q: got %q, want %q", was, got, want)
		}
	}
}

func TestEntriesThatCanNotWork(t *testing.T) {
	ok := Entry{Name: "ok", Pattern: "x{3}", With: "[r]"}
	cases := []struct {
		name  string
		entry Entry
		want  string
		twin  Entry
	}{
		{"no RE2", Entry{Name: "e", Pattern: `(?=x)`}, "invalid", ok},
		{"nothing", Entry{Name: "e", Pattern: `x*`}, "where nothing stands", ok},
		{"an anchor", Entry{Name: "e", Pattern: `^`}, "where nothing stands", Entry{Name: "e", Pattern: `^x`}},
		{"itself", Entry{Name: "e", Pattern: `redacted`, With: "[redacted]"}, `replacement of "e"`, Entry{Name: "e", Pattern: `redacted`, With: "[r]"}},
		{"another name", Entry{Name: "e", Pattern: `k=(?P<value>x)`}, "secret", Entry{Name: "e", Pattern: `k=(?P<secret>x)`}},
		{"the name twice", Entry{Name: "e", Pattern: `(?P<secret>x)(?:y|(?P<secret>z))`}, "once, for the part", Entry{Name: "e", Pattern: `(?P<secret>x)(y)`}},
		{"neither", Entry{Name: "e"}, "neither", Entry{Name: "e", Keys: []string{"k"}}},
		{"a place", Entry{Name: "e", Pattern: "x", In: []string{"here"}}, "no place", Entry{Name: "e", Pattern: "x", In: []string{"ledger"}}},
	}
	for _, c := range cases {
		if _, _, err := Compile([]Entry{c.entry}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
		if _, _, err := Compile([]Entry{c.twin}); err != nil {
			t.Errorf("%s: twin: %v", c.name, err)
		}
	}
}

func TestExceptions(t *testing.T) {
	const sum = "sha256:" + "ab12cd34ab12cd34ab12cd34ab12cd34ab12cd34ab12cd34ab12cd34ab12cd34"
	const id = "7b1e4c9a-2d3f-4a5b-8c6d-9e0f1a2b3c4d"
	e := Entry{Name: "e", Pattern: `[0-9a-f]{8,}`, With: "[R]"}
	none, more := e, e
	none.Except, more.Except = []string{}, []string{"req-*"}
	cases := []struct {
		entry     Entry
		was, want string
	}{
		{e, sum + " " + id + " 0123456789", sum + " " + id + " [R]"},
		{none, "sha256:0123456789", "sha256:[R]"},
		{none, id, "[R]-2d3f-4a5b-8c6d-[R]"},
		{more, "req-0123456789 " + id + " 0123456789", "req-0123456789 " + id + " [R]"},
		{e, "req-0123456789", "req-[R]"},
		{e, "sha256:0123456789", "sha256:[R]"},
	}
	for _, c := range cases {
		if got := compiled(t, c.entry).Text(Results, c.was); got != c.want {
			t.Errorf("except %q: %q: got %q, want %q", c.entry.Except, c.was, got, c.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	cases := []struct {
		in  string
		has Where
	}{
		{"arguments", Arguments}, {"results", FromServer}, {"errors", Errors}, {"notifications", Notifications},
		{"requests", Requests}, {"ledger", Ledger | Prompts}, {"prompts", Prompts},
	}
	for _, c := range cases {
		s := compiled(t, Entry{Name: "e", Pattern: "secret", With: "[R]", In: []string{c.in}})
		for w := Arguments; w <= Prompts; w <<= 1 {
			want := "a secret"
			if c.has&w != 0 {
				want = "a [R]"
			}
			if got := s.Text(w, "a secret"); got != want {
				t.Errorf("in %s, place %d: got %q, want %q", c.in, w, got, want)
			}
		}
	}
}

func value(t testing.TB, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
