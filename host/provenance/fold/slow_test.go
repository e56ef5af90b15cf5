package fold

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// listed are the look-alikes that no table may lose.
var listed = []struct {
	image string
	of    string
}{
	{"a", "аαɑᴀᎪꭺⱥ⍺АΑ"},
	{"b", "вβʙᏴᏼƀЬьВΒ"},
	{"c", "сϲᴄⅽᏟꮯⲥСϹƈ"},
	{"d", "ԁᴅđᎠꭰɖɗᏧꮷ"},
	{"e", "еεᴇᎬꭼєҽɛЕΕ℮"},
	{"f", "ƒғꜰẝք"},
	{"g", "ɡցɢᏀꮐǥᶃ"},
	{"h", "һհʜħᎻꮋнНΗ"},
	{"i", "іιıɩɪᎥꭵІΙӏɨⲒⲓ"},
	{"j", "јϳᴊᎫꭻȷɉЈ"},
	{"k", "кκᴋᏦꮶКΚƙⲕ"},
	{"l", "łʟᏞꮮɫƚǀӀլ"},
	{"m", "мμᴍᎷꮇМΜɱⲙ"},
	{"n", "ոηɴпŋɲΝռ"},
	{"o", "оοօᴏøσОΟⲟჿɵ"},
	{"p", "рρᴘᏢꮲРΡϱⲣþ"},
	{"q", "ԛզɋգ"},
	{"r", "гʀᎡꭱɾɍᴦⲅ"},
	{"s", "ѕꜱᏚꮪᏕꮥʂЅ"},
	{"t", "тτᴛᎢꭲТΤŧƭⲧ"},
	{"u", "υսᴜцʋꭎ"},
	{"v", "ѵνᴠᏙꮩѷ"},
	{"w", "ԝωᴡшᎳꮃᏔꮤաɯ"},
	{"x", "хχХΧⲭ"},
	{"y", "уγʏүУΥҮყỿɏ"},
	{"z", "ζᴢᏃꮓΖƶʐ"},
	{".", "。․۔܁܂‧·ꓸ"},
	{"-", "‐‑‒–—―−﹘⁃˗"},
	{"/", "⁄∕⧸╱"},
	{"\\", "∖⧵⧹"},
	{":", "∶ː꞉׃։"},
	{"'", "’‘ʼʹ′՚"},
	{"\"", "“”″"},
	{",", "‚،"},
	{"*", "∗⁎"},
	{"<", "˂‹"},
	{">", "˃›"},
}

// byList is the list by code point.
func byList() map[rune]string {
	m := map[rune]string{}
	for _, l := range listed {
		for _, r := range l.of {
			m[r] = l.image
		}
	}
	return m
}

// slow is the image by the definition, with the look-alikes of the list only,
// by the Unicode data that Go and its norm package have.
func slow(r rune, list map[rune]string) string {
	if hidden(r) {
		return ""
	}
	if s := list[r]; s != "" {
		return s
	}
	out := ""
	for _, d := range norm.NFKD.String(string(r)) {
		low := unicode.ToLower(d)
		switch {
		case hidden(d), unicode.Is(unicode.M, d), unicode.IsControl(d) && !(d < utf8.RuneSelf && unicode.IsSpace(d)):
		case unicode.IsSpace(d):
			out += " "
		case list[d] != "":
			out += list[d]
		case low != d:
			out += slow(low, list)
		default:
			out += string(d)
		}
	}
	return out
}

func hidden(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x2800)
}

// The table knows at least what the definition with the list knows: it may take
// more for one another, and takes nothing apart.
func TestTheTableTakesForOneWhatTheDefinitionDoes(t *testing.T) {
	same, coarser, list := 0, 0, byList()
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.C) {
			continue // newer than what Go knows
		}
		want, got := slow(r, list), string(AppendRune(nil, r))
		if got == want {
			same++
			continue
		}
		coarser++
		if Fold(want) != got {
			t.Errorf("%U %q has the image %q, by the definition %q, of which the image is %q", r, r, got, want, Fold(want))
		}
	}
	if same < 100_000 || coarser < 500 {
		t.Errorf("%d images as by the definition, %d coarser; want most of Unicode, and some", same, coarser)
	}
}

func TestListedLookAlikesAreKept(t *testing.T) {
	n := 0
	for _, l := range listed {
		for _, r := range l.of {
			n++
			if got := Fold(string(r)); got != l.image {
				t.Errorf("%U %q has the image %q, want %q", r, r, got, l.image)
			}
		}
	}
	if n < 250 {
		t.Errorf("%d look-alikes; want the whole list", n)
	}
}

func TestIgnoredIsWhatShowsNothing(t *testing.T) {
	n := 0
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if hidden(r) && !Ignored(r) {
			t.Errorf("%U is not ignored", r)
		}
		if Ignored(r) {
			n++
			if got := Fold(string(r)); got != "" {
				t.Errorf("%U is ignored and has the image %q", r, got)
			}
		}
	}
	if n < 4000 || n > 4500 {
		t.Errorf("%d code points are ignored; want those that Unicode says", n)
	}
	for _, r := range []rune{-1, 'a', 0, ' ', 'é', '中', 0xFFFD, 0x301, utf8.MaxRune, utf8.MaxRune + 1} {
		if Ignored(r) {
			t.Errorf("%U is ignored", r)
		}
	}
}
