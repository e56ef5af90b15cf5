package policy

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const goodToken = "0123456789abcdef0123456789abcdef"

func TestATokenIsOneLineThatBearerCanCarry(t *testing.T) {
	cases := []struct{ name, text, want string }{ // want in the error, "" is accepted
		{"a token", goodToken, ""},
		{"with a line end", goodToken + "\n", ""},
		{"with the other line end", goodToken + "\r\n", ""},
		{"base64", "abcdefghijklmnopqrstuv+/wxyzAB==", ""},
		{"url base64", "abcdefghijklmnopqrstuv-_.~zAB", ""},
		{"nothing", "", "not a token"},
		{"nothing but a line end", "\n", "not a token"},
		{"nothing but padding", strings.Repeat("=", 30), "not a token"},
		{"padding inside", "abcdefghijklm=nopqrstuvwxyzAB", "not a token"},
		{"two lines", goodToken + "\n" + goodToken, "not a token"},
		{"a space", "0123456789abcdef 0123456789abcdef", "not a token"},
		{"a letter beyond ASCII", goodToken + "é", "not a token"},
		{"a comma", goodToken + ",", "not a token"},
		{"short", "0123456789abcdef0123456", "a token of 23 characters"},
		{"just long enough", "0123456789abcdef01234567", ""},
		{"long", strings.Repeat("a", 1025), "a token of 1025 characters"},
		{"just short enough", strings.Repeat("a", 1024), ""},
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		got, err := ParseToken([]byte(c.text))
		switch {
		case c.want == "" && (err != nil || got != strings.TrimRight(c.text, "\r\n")):
			t.Errorf("%s: %q, %v", c.name, got, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		case err != nil && len(c.text) > 10 && strings.Contains(err.Error(), c.text[:10]):
			t.Errorf("%s: the error shows the token: %v", c.name, err)
		}
	}
}

func TestHeadersAreOneALine(t *testing.T) {
	cases := []struct {
		name, text string
		list       []Header
		want       string // in the error, "" is accepted
	}{
		{"one", "Authorization: Bearer x", []Header{{"Authorization", "Bearer x"}}, ""},
		{"two, and empty lines", "\nX-Key:  a:b \r\n \t\nX-Org:c\n", []Header{{"X-Key", "a:b"}, {"X-Org", "c"}}, ""},
		{"nothing", "\n\n", nil, "no headers"},
		{"no colon", "X-Key: a\ntopsecret", nil, "line 2 is no header; want Name: value"},
		{"no name", ": topsecret", nil, "line 1 is no header"},
		{"a space in the name", "X Key: topsecret", nil, "line 1 is no header"},
		{"a space before the colon", "X-Key : topsecret", nil, "line 1 is no header"},
		{"a folded line", "X-Key: a\n topsecret", nil, "line 2 is no header"},
		{"no value", "X-Key:", nil, `line 1: the value of "X-Key" is empty`},
		{"a carriage return", "X-Key: topsecret\rX-Org: b", nil, `line 1: the value of "X-Key" is empty or holds more than printable ASCII`},
		{"a tab inside", "X-Key: a\tb", []Header{{"X-Key", "a\tb"}}, ""},
		{"a zero byte", "X-Key: topsecret\x00", nil, "holds more than printable ASCII"},
		{"a letter beyond ASCII", "X-Key: topsecreté", nil, "holds more than printable ASCII"},
		{"one twice", "X-Key: a\nx-key: topsecret", nil, `line 2: header "x-key" is in line 1 already`},
		{"many", strings.ReplaceAll(many("X-%d:topsecret", 65), ", ", "\n"), nil, "line 65: more than 64 headers"},
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		got, err := ParseHeaders([]byte(c.text))
		switch {
		case c.want == "" && (err != nil || !slices.Equal(got, c.list)):
			t.Errorf("%s: %q, %v", c.name, got, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "topsecret")):
			t.Errorf("%s: %v; want %s, and no value", c.name, err, c.want)
		}
	}
}

func TestSecretsThatOthersCanReadAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // files have no such mode there
	}
	dir := t.TempDir()
	cases := []struct {
		mode os.FileMode
		want bool
	}{{0o600, true}, {0o400, true}, {0o640, false}, {0o604, false}, {0o620, false}, {0o644, false}}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	name := filepath.Join(dir, "secret")
	for _, c := range cases {
		for what, read := range map[string]func() error{
			goodToken:    func() error { _, err := ReadToken(name); return err },
			"X-Key: abc": func() error { _, err := ReadHeaders(name); return err },
		} {
			_ = os.Remove(name) // there may be none yet
			if err := os.WriteFile(name, []byte(what), c.mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(name, c.mode); err != nil {
				t.Fatal(err)
			}
			err := read()
			if (err == nil) != c.want || err != nil && !strings.Contains(err.Error(), "chmod 600 it") {
				t.Errorf("mode %#o: %v; want it to be read: %v", c.mode, err, c.want)
			}
		}
	}
	for _, other := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := ReadToken(other); err == nil || !strings.Contains(err.Error(), "holds the token") {
			t.Errorf("%s: %v", other, err)
		}
	}
	_ = os.Remove(name) // it has another mode
	if err := os.WriteFile(name, []byte(strings.Repeat("a", maxSecretFile+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadToken(name); err == nil || !strings.Contains(err.Error(), "more than 65536 bytes") {
		t.Error(err)
	}
}

func FuzzParseToken(f *testing.F) {
	for _, s := range []string{"", goodToken, goodToken + "=\r\n", "a b", "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		token, err := ParseToken(data)
		if err != nil {
			return
		}
		if len(token) < minToken || len(token) > maxToken || strings.ContainsAny(token, " \t\r\n,;\"") {
			t.Fatalf("%q is accepted", token)
		}
		if again, err := ParseToken([]byte(token + "\n")); err != nil || again != token {
			t.Fatalf("%q is not itself: %q, %v", token, again, err)
		}
	})
}

func FuzzParseHeaders(f *testing.F) {
	for _, s := range []string{"", "A: b", "A: b\r\nC: d", "A\t: b", "\xff: \x00", ":"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ParseHeaders(data)
		if err != nil {
			return
		}
		var text strings.Builder
		for _, h := range list {
			if h.Name == "" || h.Value == "" || strings.ContainsAny(h.Name+h.Value, "\r\n\x00") {
				t.Fatalf("%q is accepted", h)
			}
			text.WriteString(h.Name + ": " + h.Value + "\n")
		}
		if again, err := ParseHeaders([]byte(text.String())); err != nil || !slices.Equal(again, list) {
			t.Fatalf("%q is not itself: %v", list, err)
		}
	})
}
