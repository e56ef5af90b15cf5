package approval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// quoted shows hostile text as a JSON string on one line, at most most bytes of
// it: the front and the end, since what matters about a name can stand at
// either.
func quoted(s string, most int) string {
	head, left, tail := cut(s, most)
	if left == 0 {
		return `"` + shown(escaped(head)) + `"`
	}
	return fmt.Sprintf(`"%s" {cut: %d bytes} "%s"`, shown(escaped(head)), left, shown(escaped(tail)))
}

// bare shows a name as it is where nothing in it could be taken for our own
// words, else quoted.
func bare(s string) string {
	for _, r := range s {
		if r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./~", r) {
			return quoted(s, maxName)
		}
	}
	if s == "" || len(s) > maxName {
		return quoted(s, maxName)
	}
	return s
}

// cut divides text that is longer than most bytes, at runes.
func cut(s string, most int) (head string, left int, tail string) {
	if len(s) <= most {
		return s, 0, ""
	}
	end, start := most*3/4, len(s)-most/4
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	for start < len(s) && !utf8.RuneStart(s[start]) {
		start++
	}
	return s[:end], start - end, s[start:]
}

// escaped escapes what would end a JSON string or a line.
func escaped(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
}

// shown makes every character visible that a reader would not see, would take
// for another, or that a terminal would act on: {U+202E}, and {0xFF} for a byte
// that is no UTF-8. Text that looks like such a mark is marked as well, so a
// mark is always ours.
func shown(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		if n := wordLen(s); n > 0 {
			showWord(&b, s[:n])
			s = s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "{0x%02X}", s[0])
		case !Visible(r) || imitates(r) || r == '{' && forgesMark(s):
			spell(&b, r)
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

// spelled shows every character that is not printable ASCII by its number, so
// that no script, direction or font can mislead.
func spelled(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "{0x%02X}", s[0])
		case r < ' ' || r > '~' || r == '{' && forgesMark(s):
			spell(&b, r)
		default:
			b.WriteRune(r)
		}
		s = s[n:]
	}
	return b.String()
}

func spell(b *strings.Builder, r rune) { fmt.Fprintf(b, "{U+%04X}", r) }

func forgesMark(s string) bool {
	return strings.HasPrefix(s, "{U+") || strings.HasPrefix(s, "{0x") || strings.HasPrefix(s, "{cut:")
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

func wordLen(s string) int {
	for i, r := range s {
		if !inWord(r) {
			return i
		}
	}
	return len(s)
}

// showWord shows a run of letters, marks and digits. Letters of a script that
// shares its shapes with Latin are spelled where they stand among ASCII, or
// where the whole word could pass for Latin; a word of such a script that could
// not is left readable.
func showWord(b *strings.Builder, word string) {
	ascii, latinShaped := false, true
	for _, r := range word {
		ascii = ascii || r < utf8.RuneSelf
		latinShaped = latinShaped && (r < utf8.RuneSelf || passesForLatin(r))
	}
	marks := 0
	last := rune(-1)
	for _, r := range word {
		spellIt := !Visible(r) || imitates(r) || sharesShapes(r) && (ascii || latinShaped)
		if unicode.IsMark(r) {
			marks++
			// A mark on ASCII makes another letter of it, and a pile of them
			// covers the lines around it.
			spellIt = spellIt || last < utf8.RuneSelf || marks > 2
		} else {
			marks, last = 0, r
		}
		if spellIt {
			spell(b, r)
			continue
		}
		b.WriteRune(r)
	}
}

// Visible says whether a reader sees a character as itself, and a terminal only
// shows it. U+FFFD stands in for what can not be shown.
func Visible(r rune) bool {
	switch {
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x2800, r == 0x3164, r == 0xFFA0,
		r >= 0x180B && r <= 0x180F, r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r == utf8.RuneError:
		return false // letters and marks by their class, but blank
	}
	return unicode.IsPrint(r)
}

// imitates says whether a single character is easily taken for ASCII wherever
// it stands.
func imitates(r rune) bool {
	switch {
	case r < utf8.RuneSelf, r == '…', r == '™':
		return false
	case r == 'ı', r == 'ȷ', r >= 0x0250 && r <= 0x02AF, r >= 0x1D00 && r <= 0x1DBF, r >= 0xA720 && r <= 0xA7FF:
		return true // phonetic letters and the dotless ones
	case strings.ContainsRune(imitators, r):
		return true
	}
	for _, c := range norm.NFKC.String(string(r)) {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true // full width, mathematical, enclosed, Kelvin and their like
}

// imitators are signs that pass for ASCII ones and have no compatibility form
// that says so: quotes, hyphens, slashes, dots, colons, brackets.
const imitators = "“”„‟″‶〃״ʺˮ❝❞〝〞〟" + "‐‑‒−˗⁃﹘" + "⁄∕⧸╱∖⧵⧹" + "。․۔܁܂‧·ꓸ｡" + "∶ː꞉׃։" + "∗⁎" + "˂‹˃›" + "❴❵❨❩❲❳" + "⁓∼˜" + "‚،" + "ǃ" + "∣ǀ"

// sharesShapes says whether a letter is of a script that shares many shapes
// with Latin.
func sharesShapes(r rune) bool {
	return unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu, unicode.Deseret, unicode.Osage)
}

// passesForLatin says whether a letter has a shape that Latin has too.
func passesForLatin(r rune) bool {
	return unicode.In(r, unicode.Cherokee, unicode.Coptic, unicode.Lisu) ||
		strings.ContainsRune("авсԁеһіјкӏмпоԛрѕгтуѵԝхьүАВСЕНІЈКӀМОРЅТУѴХЬҮԚԜ"+"αβεηικνοργτυχωϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ"+"աԁցհոօրքսզլՕՍԼՏ", r)
}
