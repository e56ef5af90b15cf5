package builtin

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// commandDenial is a pattern of commands that must not run. It is compared
// loosely: the program by its base name, options in any order and in any
// cluster, whatever stands around them.
type commandDenial struct {
	program patternWord
	options []string
	words   []patternWord // subcommands first
	subs    int           // of words
}

// compileDenial reads a pattern of commands that must not run. Further words
// never make it match less.
func compileDenial(pattern string) (commandDenial, error) {
	p, err := compileCommand(pattern)
	if err != nil {
		return commandDenial{}, err
	}
	var d commandDenial
	if len(p.words) == 0 {
		d.program = patternWord{text: "*", wild: true}
		return d, nil
	}
	d.program = p.words[0]
	if !d.program.wild {
		d.program.text = programName(d.program.text)
	}
	front := true
	for _, w := range p.words[1:] {
		switch {
		case w.text == "--":
		case len(w.text) > 1 && w.text[0] == '-':
			d.options = append(d.options, w.text)
		default:
			d.words = append(d.words, w)
			if front = front && w.path == nil && !w.wild && subcommand(w.text); front {
				d.subs++
			}
		}
	}
	return d, nil
}

// subcommand says whether a word looks like one.
func subcommand(s string) bool {
	for i := 0; i < len(s); i++ {
		if (s[i] < 'a' || s[i] > 'z') && (s[i] != '-' || i == 0) {
			return false
		}
	}
	return s != ""
}

// matches says whether a simple command is, or could become, a denied one.
func (d *commandDenial) matches(s *simpleCommand, at *whence) bool {
	if s.words[0].kind != wordPlain || !d.runs(s.words[0].text) {
		return false
	}
	ones, many := 0, s.more
	for _, w := range s.words[1:] {
		many = many || w.kind == wordMany
		if w.kind == wordOne || w.kind == wordGlob && w.text == "" {
			ones++
		}
	}
	begins, certain := d.begins(s.words[1:])
	if !begins {
		return false
	}
	missing := 0
	if !certain {
		missing++
	}
	for _, option := range d.options {
		if !hasOption(s.words, option) {
			missing++
		}
	}
	for i := d.subs; i < len(d.words); i++ {
		if !d.names(&d.words[i], s.words[1:], at) {
			missing++
		}
	}
	return many || missing <= ones
}

// matchesTail says whether a command matches that begins at one of the words.
func (d *commandDenial) matchesTail(s *simpleCommand, at *whence) bool {
	for i := 1; i < len(s.words) && i < 100; i++ {
		if d.matches(&simpleCommand{words: s.words[i:], more: s.more}, at) {
			return true
		}
	}
	return len(s.words) > 100
}

// runs says whether a program is the denied one, under whatever path.
func (d *commandDenial) runs(word string) bool {
	name := programName(word)
	if d.program.wild {
		return doublestar.MatchUnvalidated(d.program.text, name) || doublestar.MatchUnvalidated(d.program.text, path.Base(word))
	}
	return name == d.program.text
}

// begins says whether the words begin with the subcommands, past options and
// what could be their values; certain: without a word that is not known.
func (d *commandDenial) begins(words []commandWord) (begins, certain bool) {
	i := 0
	for j := 0; j < d.subs; j++ {
		for {
			if i >= len(words) {
				return false, false
			}
			w := &words[i]
			if w.kind != wordPlain {
				return true, false
			}
			i++
			if w.text == d.words[j].text {
				break
			}
			option := len(w.text) > 0 && w.text[0] == '-'
			value := i > 1 && len(words[i-2].text) > 0 && words[i-2].text[0] == '-'
			if !option && !value {
				return false, false
			}
		}
	}
	return true, true
}

// names says whether one of the words is what a word of the pattern says.
func (d *commandDenial) names(p *patternWord, words []commandWord, at *whence) bool {
	for i := range words {
		w := &words[i]
		switch {
		case p.path == nil && (w.kind == wordPlain && (w.text == p.text || p.wild && doublestar.MatchUnvalidated(p.text, w.text))):
			return true
		case p.path == nil || w.kind > wordGlob || w.text == "" && w.kind == wordPlain:
			continue
		}
		text := w.path()
		if w.kind == wordGlob {
			if text = wildcardDir(w); text == "" {
				return true
			}
		}
		if w.text == p.text || at.some(text, func(path string) bool { return p.covers(path, at) }) {
			return true
		}
	}
	return false
}

// some says whether a path passes from one of the directories that it can start
// from.
func (at *whence) some(text string, passes func(string) bool) bool {
	if at.astray && text[0] != '/' && text[0] != '~' {
		return true
	}
	place := *at.place
	for i := -1; i < len(at.dirs); i++ {
		if i >= 0 {
			place.Dir = at.dirs[i]
		}
		if path, why := canonicalPath(text, &place); why == "" && passes(path) {
			return true
		}
	}
	return false
}

// sameOptions are short and long spellings of what removing commands are denied
// for most.
var sameOptions = map[byte]string{'r': "R recursive", 'R': "r recursive", 'f': "force"}

// hasOption says whether a command has an option, alone or in a cluster, also
// with a value behind it, or abbreviated.
func hasOption(words []commandWord, option string) bool {
	short := len(option) <= 4 && option[1] != '-'
	found := 0
	for _, w := range words[1:] {
		if w.text == "--" && w.kind == wordPlain {
			break
		}
		if len(w.text) < 2 || w.text[0] != '-' {
			continue
		}
		name, _, _ := strings.Cut(w.text, "=")
		if name == option || option[1] == '-' && len(name) > 4 && strings.HasPrefix(option, name) {
			return true
		}
	}
	if !short {
		return false
	}
	for i := 1; i < len(option); i++ {
		if hasLetter(words, option[i]) {
			found++
		}
	}
	return found == len(option)-1
}

// hasLetter says whether a short option stands in a cluster; of rm, also under
// its other spellings.
func hasLetter(words []commandWord, letter byte) bool {
	same := ""
	if programName(words[0].text) == "rm" {
		same = sameOptions[letter]
	}
	for _, w := range words[1:] {
		switch {
		case w.text == "--":
			return false
		case len(w.text) < 2 || w.text[0] != '-':
		case w.text[1] == '-':
			for other := range strings.FieldsSeq(same) {
				if len(other) > 1 && len(w.text) > 4 && strings.HasPrefix(other, w.text[2:]) {
					return true
				}
			}
		case strings.IndexByte(w.text, letter) > 0 || same != "" && len(strings.Fields(same)[0]) == 1 && strings.IndexByte(w.text, same[0]) > 0:
			return true
		}
	}
	return false
}
