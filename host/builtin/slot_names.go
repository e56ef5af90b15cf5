package builtin

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// wordList holds names of arguments, squashed, in the order of their last
// letters: those that end in the letter i stand from first[i] to first[i+1].
type wordList struct {
	names []listedName
	first [27]uint8
}

type listedName struct {
	squashed
	only bool // the whole name
}

func (n *listedName) last() byte { return n.buf[n.n-1] - 'a' }

// naming compiles names, each of which ends in a letter. An argument has one if
// its name is that, or ends in it at the start of a word: "target_host" ends in
// host, and "ghost" does not. One with an equals sign before it is the whole name
// only.
func naming(names []string) wordList {
	l := wordList{names: make([]listedName, len(names))}
	for i, name := range names {
		rest, only := strings.CutPrefix(name, "=")
		l.names[i] = listedName{squash(rest), only}
	}
	slices.SortStableFunc(l.names, func(a, b listedName) int { return int(a.last()) - int(b.last()) })
	for i := range l.names {
		for letter := l.names[i].last() + 1; letter < 27; letter++ {
			l.first[letter] = uint8(i + 1)
		}
	}
	return l
}

func (l *wordList) match(name string) bool {
	name = unnumbered(name)
	s := squash(name)
	return l.matches(name, &s)
}

// ends says whether a listed name ends in the letter that a name ends in. Most
// names have none.
func (l *wordList) ends(name string) bool {
	for i := len(name) - 1; i >= 0; i-- {
		if c := name[i]; kept(c) {
			last := (c | 0x20) - 'a'
			return last < 26 && l.first[last] < l.first[last+1]
		}
	}
	return false
}

// matches is match for a name that was squashed before.
func (l *wordList) matches(name string, s *squashed) bool {
	if s.n == 0 || len(l.names) == 0 {
		return false
	}
	last := s.buf[s.n-1] - 'a'
	if last > 25 {
		return false
	}
	for i := l.first[last]; i < l.first[last+1]; i++ {
		w := &l.names[i]
		if s.n < w.n || string(s.buf[s.n-w.n:s.n]) != string(w.text()) {
			continue
		}
		if s.n == w.n || !w.only && startsWord(name, w.n) {
			return true
		}
	}
	return false
}

// startsWord says whether the last n letters and digits of a name start a word.
func startsWord(name string, n int) bool {
	i := len(name)
	for n > 0 {
		i--
		if i < 0 {
			return false
		}
		if kept(name[i]) {
			n--
		}
	}
	if i == 0 || !kept(name[i-1]) {
		return true
	}
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	if !upper(name[i]) {
		return false
	}
	return !upper(name[i-1]) || i+1 < len(name) && kept(name[i+1]) && !upper(name[i+1])
}

// kept says whether [squash] keeps a byte.
func kept(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// bareName says whether an argument is named for what its tool is about.
func bareName(name string) bool {
	switch strings.ToLower(unnumbered(name)) {
	case "name", "names", "id", "ids", "slug", "identifier", "source", "package", "ref", "reference":
		return true
	}
	return false
}

// declaredNames are the names that the policy says hold values of a class.
type declaredNames []squashed

func namesDeclared(rule *contract.Arg) declaredNames {
	var list declaredNames
	for _, name := range append([]string{rule.Arg}, rule.Names...) {
		if tokens, ok := abi.Tokens(name); ok && len(tokens) > 0 {
			name = tokens[len(tokens)-1]
		}
		if name != "" {
			list = append(list, squash(name))
		}
	}
	return list
}

func (d declaredNames) has(name string) bool {
	s := squash(name)
	for i := range d {
		if string(s.text()) == string(d[i].text()) {
			return true
		}
	}
	return false
}
