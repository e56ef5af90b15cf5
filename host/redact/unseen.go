package redact

import "strings"

// oddFolds are letters that a pattern in any case takes for k and s, and plainFolds
// those. They change how a text is read, and belong to nothing of a policy.
var (
	oddFolds   = []string{"\u212a", "\u017f"}
	plainFolds = strings.NewReplacer(oddFolds[0], "k", oddFolds[1], "s")
)

// unfolded returns a text in which no letter folds oddly, and where each byte of it
// stood, or the letter that it is for.
func unfolded(text string) (plain string, at []int) {
	var b strings.Builder
	for i := 0; i < len(text); {
		n := width(text, i)
		char := text[i : i+n]
		if n > 1 {
			char = plainFolds.Replace(char)
		}
		for j := range len(char) {
			at = append(at, i+j)
		}
		b.WriteString(char)
		i += n
	}
	return b.String(), at
}

// unseen are the characters that nobody sees, from and to: those that Unicode lets
// a reader ignore, and controls that are no white space. What stands behind the
// last ones is found by [unseenPlane].
var unseen = [...][2]rune{
	{0x00, 0x08}, {0x0e, 0x1f}, {0x7f, 0x84}, {0x86, 0x9f}, {0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f},
	{0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfff8},
	{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
}

// unseenPlane is how tags and further selectors begin, U+E0000 to U+E0FFF.
const unseenPlane = "\xf3\xa0"

// invisible are literals of which one stands in every text with a character that
// nobody sees.
func invisible() []string {
	list := []string{unseenPlane}
	for _, r := range unseen {
		for c := r[0]; c <= r[1]; c++ {
			list = append(list, string(c))
		}
	}
	return list
}

// isUnseen says whether nobody sees a character.
func isUnseen(char string, r rune) bool {
	if strings.HasPrefix(char, unseenPlane) {
		return true
	}
	for i := range unseen {
		if r <= unseen[i][1] {
			return r >= unseen[i][0]
		}
	}
	return false
}
