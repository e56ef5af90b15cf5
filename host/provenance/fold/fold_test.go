package fold

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// alnum drops what is neither letter nor number from an image, one code point
// at a time and by the table's own word.
func alnum(image string) string {
	return strings.Map(func(r rune) rune {
		if Bare(string(r)) == "" {
			return -1
		}
		return r
	}, image)
}

// check holds a text to the laws.
func check(t interface{ Fatalf(string, ...any) }, a, b string) {
	whole := strings.ToValidUTF8(a, "\uFFFD") + b
	image, aligned := Append([]byte("x"), whole)
	folded := string(image[1:])
	if want := Fold(strings.ToValidUTF8(a, "\uFFFD")) + Fold(b); folded != want {
		t.Fatalf("%q+%q has the image %q, its parts %q", a, b, folded, want)
	}
	if again := Fold(folded); again != folded {
		t.Fatalf("%q has the image %q, that has %q", whole, folded, again)
	}
	if !utf8.ValidString(folded) {
		t.Fatalf("%q has the image %q, which is not UTF-8", whole, folded)
	}
	if aligned && len(folded) != len(whole) {
		t.Fatalf("%q is aligned with an image of %d bytes, and has %d", whole, len(folded), len(whole))
	}
	bare := Bare(whole)
	if want := Bare(strings.ToValidUTF8(a, "\uFFFD")) + Bare(b); bare != want {
		t.Fatalf("%q+%q has the bare image %q, its parts %q", a, b, bare, want)
	}
	if want := alnum(folded); bare != want {
		t.Fatalf("%q has the bare image %q, the letters of its image are %q", whole, bare, want)
	}
	if got := string(AppendBareBytes([]byte("x"), []byte(whole))); got != "x"+bare {
		t.Fatalf("%q has the bare image %q as bytes, %q as a string", whole, got, bare)
	}
	if got := string(AppendBare(nil, folded)); got != bare {
		t.Fatalf("%q has the bare image %q, its image has %q", whole, bare, got)
	}
}

var seeds = []string{
	"", "mallory@rogue.example", "GB29 NWBK 6016", "Ｍａｌｌｏｒｙ", "mаllоry", "e\u0301é", "İI", "ﷺ", "한국어", "각", "中文", "\xff", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80",
	"a\u200bb", "\U000E0041", "⑴ ½ №", "│‖⫽", "ΝΙΚΗ ниже", "ࠀאبة", "٤٥ ๓", "ϲϹ", "ǅ", strings.Repeat("a", 70) + "ﷺ" + strings.Repeat("b", 9), "\u2028\u0085\t",
}

func TestImagesOfPartsMakeTheImageOfTheWhole(t *testing.T) {
	for _, a := range seeds {
		for _, b := range seeds {
			check(t, a, b)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(seeds), 0, 6).Draw(t, "seeds"), "")
		}))
		check(t, text.Draw(t, "a"), text.Draw(t, "b"))
	})
}

func FuzzFold(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, seeds[len(seeds)-1-i])
	}
	f.Fuzz(func(t *testing.T, a, b string) { check(t, a, b) })
}

// Every code point keeps the laws, and what it is: a letter or number never
// becomes punctuation, and a sign never a letter, but for those of the list and
// what decomposes.
func TestEveryCodePointKeepsTheLaws(t *testing.T) {
	letters, signs, list := 0, 0, byList()
	var block, folded []byte
	for r := rune(0); r <= utf8.MaxRune; r++ {
		before := len(folded)
		block, folded = utf8.AppendRune(block, r), AppendRune(folded, r)
		image := string(folded[before:])
		if len(image) > 64 {
			t.Errorf("%U has an image of %d bytes; callers keep room for 64", r, len(image))
		}
		if r%64 == 63 {
			check(t, string(block), "")
			if got := Fold(string(block)); got != string(folded) {
				t.Errorf("%q has the image %q as text, %q one by one", block, got, folded)
			}
			block, folded = block[:0], folded[:0]
		}
		letter, sign := unicode.In(r, unicode.L, unicode.N) && !unicode.Is(unicode.Lm, r), unicode.In(r, unicode.P, unicode.S)
		if !letter && !sign {
			continue
		}
		if s := slow(r, list); s != string(r) && s != string(unicode.ToLower(r)) {
			continue
		}
		bare := Bare(string(r))
		switch {
		case letter && (bare == "" || bare != image):
			t.Errorf("%U %q is a letter or number and has the image %q", r, r, image)
		case sign && (bare != "" || image == ""):
			t.Errorf("%U %q is no letter and has the image %q", r, r, image)
		case letter:
			letters++
		default:
			signs++
		}
	}
	if letters < 100_000 || signs < 5000 {
		t.Errorf("looked at %d letters and %d signs; want those of Unicode", letters, signs)
	}
}

// The image of a letter does not depend on its case, but for capitals of the
// list that look like another letter than their small ones do.
func TestImagesDoNotDependOnCase(t *testing.T) {
	n, list := 0, byList()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		low := unicode.ToLower(r)
		if low == r {
			continue
		}
		n++
		if got, want := Fold(string(r)), Fold(string(low)); got != want && list[[]rune(norm.NFD.String(string(r)))[0]] == "" {
			t.Errorf("%U %q has the image %q, its small letter %q", r, r, got, want)
		}
	}
	if n < 1300 {
		t.Errorf("%d letters with two cases; want all", n)
	}
}

// What is taken for one has one bare image; each has a neighbour that differs.
func TestOnlyLookAlikesHaveOneImage(t *testing.T) {
	n := 0
	for _, c := range []struct{ what, text, same, other string }{
		{"case", "Mallory", "mALLORY", "malory"},
		{"spaces and punctuation", "GB29 NWBK-6016", "gb29nwbk6016", "gb29nwbk6061"},
		{"full width", "ｍａｌｌｏｒｙ", "mallory", "ｍａｌｌｏｒ"},
		{"marks", "ma\u0301llory", "mállory", "mællory"},
		{"invisible characters", "mal\u200b\u00ad\U000E0061lory", "mallory", "mal中lory"},
		{"Cyrillic look-alikes", "mаllоry", "mallory", "mиllory"},
		{"Cyrillic capitals", "МАЛЛОРИ", "маллори", "маллора"},
		{"a letter for a digit", "З0", "30", "20"},
		{"Cherokee and Lisu", "ᎡꓳGUE", "rogue", "rouge"},
		{"a Greek capital iota", "mΙllory", "millory", "mlllory"},
		{"a ligature", "Œdipus", "oedipus", "odipus"},
		{"digits of a script", "٤٥๐৪", "4504", "4508"},
		{"ASCII zero and o", "r0gue", "R0GUE", "rogue"},
		{"ASCII one and l", "ma11ory", "MA11ORY", "mallory"},
		{"ASCII rn and m", "rnallory", "RNALLORY", "mallory"},
		{"Arabic letters", "اهلا", "ا ه ل ا", "lole"},
		{"Chinese", "中文", "中 文", "中"},
		{"a long vowel sign", "サーバー", "サ ー バ ー", "サバ"},
		{"Hangul", "각", "\u1100\u1161\u11A8", "가"},
		{"table rules are no letters", "│mallory│", "mallory", "lmalloryl"},
		{"currency signs are no letters", "¥100", "100", "y100"},
	} {
		n++
		if got, want := Bare(c.text), Bare(c.same); got != want {
			t.Errorf("%s: %q has the bare image %q, %q has %q", c.what, c.text, got, c.same, want)
		}
		if got, other := Bare(c.text), Bare(c.other); got == other {
			t.Errorf("%s: %q and %q have the bare image %q", c.what, c.text, c.other, got)
		}
	}
	if n == 0 {
		t.Error("no case")
	}
}

func TestTheFoldedImageKeepsSpacesAndPunctuation(t *testing.T) {
	n := 0
	for _, c := range []struct {
		text, image string
		aligned     bool
	}{
		{"", "", true},
		{"To: Bob\t<b@x>\r\n", "to: bob <b@x>  ", true},
		{"a\x00b", "ab", false},
		{"rogue。example", "rogue.example", false},
		{"https:⫽rogue", "https://rogue", false},
		{"│a‖b│", "|a||b|", false},
		{"“x” – ’y’", `"x" - 'y'`, false},
		{"a\u00A0b\u2003c", "a b c", false},
		{"⑴", "(1)", false},
		{"\xffa", "\uFFFDa", false},
		{"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD", false},
		{"\uE000", "\uE000", false},
	} {
		n++
		got, aligned := Append(nil, c.text)
		if string(got) != c.image || aligned != c.aligned {
			t.Errorf("%q has the image %q, aligned %v; want %q, %v", c.text, got, aligned, c.image, c.aligned)
		}
	}
	if n == 0 {
		t.Error("no case")
	}
	for _, r := range []rune{-1, 0xD800, 0xDFFF, utf8.RuneError, utf8.MaxRune + 1} {
		if got := string(AppendRune(nil, r)); got != "\uFFFD" {
			t.Errorf("%U has the image %q, want U+FFFD", r, got)
		}
	}
}
