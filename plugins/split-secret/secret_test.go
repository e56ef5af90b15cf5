package main

import (
	"strings"
	"testing"

	callgate "github.com/callgate/callgate/sdk/go"
)

func TestPartsAreFoundAsLongAsTheyAre(t *testing.T) {
	s := newSecret("a", "abcdefgh-abcdexyz", 5, 12)
	for text, want := range map[string][]part{
		"":                       nil,
		"abcd":                   nil,
		"xxabcdefghxx":           {{0, 8}, {9, 14}},
		"abcdexyz":               {{0, 5}, {9, 17}},
		"abcdefgh-abcdexyz":      {{0, 17}, {9, 14}, {0, 5}},
		"bcdefg then h-abcd":     {{1, 7}, {7, 13}},
		"ABCDEFGH, capitals":     nil,
		strings.Repeat("z", 999): nil,
	} {
		got := s.parts(text)
		if len(got) != len(want) {
			t.Errorf("%q: %v; want %v", text, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%q: %v; want %v", text, got, want)
			}
		}
	}
}

// try asks the plugin about one argument, in a session with labels.
func try(t *testing.T, secret, text, labels string) string {
	t.Helper()
	got, err := callgate.Try(`{"call":{"arguments":{"a":"` + text + `"},"kind":"tool"},"phase":"call","session":{"labels":[` + labels + `]},"settings":{"secrets":{"k":"` + secret + `"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestNoOrderOfPiecesGetsThrough sends a secret in two pieces, cut everywhere, in
// both orders.
func TestNoOrderOfPiecesGetsThrough(t *testing.T) {
	const key = "k9Qz-71mPx_0aBvR"
	n := 0
	for cut := 5; cut+5 <= len(key); cut++ {
		pieces := []string{key[:cut], key[cut:]}
		for first := range 2 {
			said := try(t, key, pieces[first], "")
			if strings.Contains(said, "deny") {
				continue // long enough to be refused at once
			}
			_, labels, _ := strings.Cut(said, `"session":[`)
			labels, _, _ = strings.Cut(labels, `]`)
			labels = strings.ReplaceAll(labels, `"k.`, `"p:k.`)
			again := said
			if said = try(t, key, pieces[1-first], labels); !strings.Contains(said, `"code":"SECRET_SPLIT"`) {
				t.Errorf("%q after %q: %s", pieces[1-first], pieces[first], said)
			}
			if said = try(t, key, pieces[first], labels); said != again {
				t.Errorf("%q again: %s", pieces[first], said)
			}
			n++
		}
	}
	if n < 10 {
		t.Errorf("%d pairs", n)
	}
}

func FuzzNoTextBreaksTheReader(f *testing.F) {
	for _, s := range []string{"%4", `\x4`, "abcdefgh", "4142434445464748", "\xff\xfe", "é%C3%A9"} {
		f.Add(s)
	}
	s := newSecret("a", "EXAMPLE-custody-value-7f3a91c2", 5, 12)
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range forms(text) {
			for _, p := range s.parts(form) {
				if p.from < 0 || p.to > len(s.text) || p.to-p.from < 5 || !strings.Contains(form, s.text[p.from:p.to]) {
					t.Fatalf("%q: part %v", form, p)
				}
			}
		}
	})
}
