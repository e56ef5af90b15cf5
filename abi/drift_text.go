package abi

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What is told of new text that a model could take for an instruction.
const (
	whyHidden  = "a character that is not seen, or that controls a terminal"
	whyScripts = "a word of letters of several scripts"
	whyAddress = "a URL or an address that was not there"
	whyTag     = "a tag as prompts have them"
	whySecret  = "a place where secrets lie"
	whyEncoded = "a long text that is not made of words"
	whyPhrase  = "words that instruct a model"
	whyName    = "the name of another tool or server, in an instruction"
)

// longest is how long a text without a space may be before it counts as
// encoded, in bytes.
const longest = 64

// corpus is the text of a pinned definition: what is in it is not new.
type corpus struct {
	whole     map[string]bool // strings and names of members
	tokens    map[string]bool
	sentences map[string]bool // as words
	running   string          // all words, with a space on either side of each
	hidden    map[rune]int
	names     map[string]bool // of other tools and servers
	looks     int             // how many passages may yet be looked at
	searches  int             // and searched for in changed sentences
}

// These bound the work on one text: what lies beyond counts as new.
const (
	maxLooks    = 1024
	maxSearches = 64
	maxSentence = 2048 // words
)

func newCorpus(was Value, names []string) *corpus {
	c := &corpus{
		whole: map[string]bool{}, tokens: map[string]bool{}, sentences: map[string]bool{}, hidden: map[rune]int{}, names: map[string]bool{},
		looks: maxLooks, searches: maxSearches,
	}
	var running strings.Builder
	was.Walk("", func(_ string, v Value, _ bool) {
		if !v.IsString() || c.whole[v.Str()] {
			return
		}
		c.whole[v.Str()] = true
		text := norm.NFKC.String(v.Str())
		for _, t := range tokensOf(text) {
			c.tokens[t] = true
		}
		for r, n := range hiddenOf(v.Str()) {
			c.hidden[r] += n
		}
		words, ends := wordsOf(text)
		start := 0
		for _, end := range ends {
			c.sentences[strings.Join(words[start:end], " ")] = true
			start = end
		}
		running.WriteString(" " + strings.Join(words, " ") + " \n")
	})
	c.running = running.String()
	for _, n := range names {
		if n = strings.ToLower(n); !c.tokens[n] {
			c.names[n] = true
		}
	}
	return c
}

// has says whether a string stands in the old definition as it is.
func (c *corpus) has(s string) bool { return c.whole[s] }

// instructs says what of a new text could instruct a model, or hide; "" if
// nothing does.
func (c *corpus) instructs(s string) string {
	for r, n := range hiddenOf(s) {
		if n > c.hidden[r] {
			return whyHidden
		}
	}
	s = norm.NFKC.String(s)
	for _, t := range tokensOf(s) {
		if c.tokens[t] {
			continue
		}
		switch {
		case mixesScripts(t):
			return whyScripts
		case isAddress(t):
			return whyAddress
		case isSecretPlace(t):
			return whySecret
		case len(t) > longest && !strings.Contains(t, "/"):
			return whyEncoded
		}
	}
	for _, t := range tagsOf(s) {
		if !c.tokens[t] {
			return whyTag
		}
	}
	words, ends := wordsOf(s)
	for _, hit := range phrases(words) {
		if c.isNew(words, ends, hit) {
			return whyPhrase
		}
	}
	if c.namesOthers(s) {
		return whyName
	}
	return ""
}

// isNew says whether a passage, up to the end of its last sentence, does not
// stand in the old text.
func (c *corpus) isNew(words []string, ends []int, hit span) bool {
	last, _ := slices.BinarySearch(ends, hit.to)
	first, _ := slices.BinarySearch(ends, hit.from+1)
	start, end := 0, ends[last]
	if first > 0 {
		start = ends[first-1]
	}
	if c.looks--; c.looks < 0 || end-start > maxSentence {
		return true
	}
	if c.sentences[strings.Join(words[start:end], " ")] {
		return false
	}
	if c.searches--; c.searches < 0 {
		return true
	}
	return !strings.Contains(c.running, " "+strings.Join(words[hit.from:end], " ")+" ")
}

// hiddenOf counts the characters of a text that are not seen, or that control
// what is. Emoji may be joined, and have their look chosen.
func hiddenOf(s string) map[rune]int {
	var out map[rune]int
	runes := []rune(s) // a lone surrogate becomes U+FFFD three times, which is never joined
	for i := 0; i < len(runes); i++ {
		if n := flagTag(runes[i:]); n > 0 {
			i += n - 1
			continue
		}
		if r := runes[i]; isHidden(r) && !joins(runes, i) {
			if out == nil {
				out = map[rune]int{}
			}
			out[r]++
		}
	}
	return out
}

// unseen are characters that count as marks or letters, and show nothing.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034F, Hi: 0x034F, Stride: 1}, {Lo: 0x115F, Hi: 0x1160, Stride: 1}, {Lo: 0x17B4, Hi: 0x17B5, Stride: 1},
		{Lo: 0x180B, Hi: 0x180F, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, {Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xE0100, Hi: 0xE01EF, Stride: 1}},
}

func isHidden(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == '\r', unicode.Is(unicode.Zs, r):
		return false
	case r == utf8.RuneError:
		return true
	}
	return !unicode.IsPrint(r) || unicode.Is(unseen, r)
}

// joins says whether a joiner or a selector stands where an emoji has one.
func joins(runes []rune, i int) bool {
	if i == 0 {
		return false
	}
	before := runes[i-1]
	isEmoji := unicode.In(before, unicode.So, unicode.Sk)
	switch runes[i] {
	case 0xFE0F:
		return isEmoji || before == '#' || before == '*' || before >= '0' && before <= '9'
	case 0x200D:
		return (isEmoji || before == 0xFE0F) && i+1 < len(runes) && unicode.Is(unicode.So, runes[i+1])
	}
	return false
}

// flagTag returns the length of a flag of England, Scotland or Wales at the
// start, 0 if there is none: no other sequence of tags is a flag in use
// (Unicode, emoji-sequences.txt, RGI_Emoji_Tag_Sequence).
func flagTag(runes []rune) int {
	for _, region := range []string{"gbeng", "gbsct", "gbwls"} {
		n := len(region) + 2
		if len(runes) < n || runes[0] != 0x1F3F4 || runes[n-1] != 0xE007F {
			continue
		}
		same := true
		for i := range region {
			same = same && runes[i+1] == 0xE0000+rune(region[i])
		}
		if same {
			return n
		}
	}
	return 0
}

// wordsOf takes a text apart: runs of letters and digits in lower case, and
// whatever else means something by itself. ends are the places behind the last
// word of each sentence; the last one is the end of the text.
func wordsOf(s string) (words []string, ends []int) {
	var word []byte
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = word[:0]
		}
	}
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_':
			word = utf8.AppendRune(word, unicode.ToLower(r))
		case r == '\'' || r == '’': // inside a word it is left out
		default:
			flush()
			if !unicode.IsSpace(r) && !strings.ContainsRune(".,;:!?\"“”‘`()[]{}-–—…", r) {
				words = append(words, string(r))
			}
		}
		if strings.ContainsRune(".!?\n", r) && len(words) > 0 && (len(ends) == 0 || ends[len(ends)-1] < len(words)) {
			ends = append(ends, len(words))
		}
	}
	flush()
	if len(ends) == 0 || ends[len(ends)-1] < len(words) {
		ends = append(ends, len(words))
	}
	return words, ends
}

// sameWords says whether two texts differ only in white space, case and the
// punctuation inside sentences: where one ends can turn what it says around.
func sameWords(a, b string) bool {
	x, xEnds := wordsOf(strings.ReplaceAll(a, "\n", " "))
	y, yEnds := wordsOf(strings.ReplaceAll(b, "\n", " "))
	return slices.Equal(x, y) && slices.Equal(xEnds, yEnds)
}
