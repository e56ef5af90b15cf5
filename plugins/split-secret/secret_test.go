package main

import (
	"slices"
	"strings"
	"testing"

	callgate "github.com/callgate/callgate/sdk/go"
)

// found are the parts of a secret that a text holds as it is.
func found(secret, text string) (list [][2]int) {
	plain := &coding{text: secret, least: 5}
	newIndex([]*coding{plain}, 5).parts(text, false, func(p part) { list = append(list, [2]int{p.a, p.b}) })
	return list
}

func TestPartsAreFoundAsLongAsTheyAre(t *testing.T) {
	for text, want := range map[string][][2]int{
		"":                       nil,
		"abcd":                   nil,
		"xxabcdefghxx":           {{0, 8}, {9, 14}},
		"abcdexyz":               {{0, 5}, {9, 17}},
		"abcdefgh-abcdexyz":      {{0, 17}, {0, 5}, {9, 14}},
		"bcdefg then h-abcd":     {{1, 7}, {7, 13}},
		"ABCDEFGH, capitals":     nil,
		strings.Repeat("z", 999): nil,
	} {
		got := found("abcdefgh-abcdexyz", text)
		slices.SortFunc(got, func(a, b [2]int) int { return a[0]<<8 + a[1] - b[0]<<8 - b[1] })
		slices.SortFunc(want, func(a, b [2]int) int { return a[0]<<8 + a[1] - b[0]<<8 - b[1] })
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v; want %v", text, got, want)
		}
	}
}

// TestEveryCodingHoldsWhatItSays cuts each coding of a secret out everywhere, and
// decodes nothing: what is said to be in a cut has to be what any text with the same
// cut has.
func TestEveryCodingHoldsWhatItSays(t *testing.T) {
	secrets := []string{"k9Qz-71mPx_0aBvR", "3f9c1e7ab04d5826", "größe-9431-ÿþ>?~"}
	n := 0
	for _, secret := range secrets {
		list := codings(0, secret, 5, true)
		// Secrets that differ in one place have other codings there.
		twins := make([][]*coding, len(secret))
		for i := range twins {
			other := []byte(secret)
			other[i] ^= 3
			if twins[i] = codings(0, string(other), 5, true); len(twins[i]) != len(list) {
				twins[i] = nil // one with other digits has other forms
			}
		}
		for which, c := range list {
			if c.places != nil {
				continue // it says what it holds, and what stands between that
			}
			for p := range len(c.text) {
				for q := p + 1; q <= len(c.text); q++ {
					a, b := c.covers(p, q)
					if a < 0 || b > len(secret) || a > b {
						t.Fatalf("%q from %d to %d: %d to %d", c.text, p, q, a, b)
					}
					if twin := twins[min((a+b)/2, len(secret)-1)]; b-a > 2 && twin != nil && twin[which].text[p:q] == c.text[p:q] {
						t.Fatalf("%q from %d to %d does not hold %d to %d of %q", c.text, p, q, a, b, secret)
					}
					n++
				}
			}
		}
	}
	if n < 10_000 {
		t.Errorf("%d cuts", n)
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
	for _, s := range []string{"%4", `\x4`, "abcdefgh", "4142434445464748", "\xff\xfe", "é%C3%A9", "t-o-k", "116, 111", "&#6", `\u00`, "=4", `\10`} {
		f.Add(s)
	}
	const secret = "EXAMPLE-custody-value-7f3a91c2"
	if err := configure(callgate.Parse(`{"secrets":{"a":"` + secret + `"}}`)); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all := []left{{before: make([]bool, len(secret)), now: make([]bool, len(secret))}}
		look(text, "/a", all)
		short := shorts{}
		short.add(text, "/a")
		put(&short, all)
		for _, p := range found(secret, squash(text)) {
			if !strings.Contains(squash(text), secret[p[0]:p[1]]) {
				t.Fatalf("%q: part %v", text, p)
			}
			for i := p[0]; i < p[1]; i++ {
				if !all[0].now[i] {
					t.Fatalf("%q: %d of part %v is not noted", text, i, p)
				}
			}
		}
	})
}
