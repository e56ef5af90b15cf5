package redact

import (
	mathbits "math/bits"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// maxLiterals is how many literals one pattern is looked for by.
const maxLiterals = 64

// maxAround is how many literals there are at most that a repetition begins and
// ends with. More say little more.
const maxAround = 4

// part is what is known of what a part of a pattern matches. Literals are in
// lower case, as a finder reads text.
type part struct {
	exact []string // it matches these and nothing else; nil: not known
	need  []string // every match contains one of these; nil: not known
	first []string // every match begins with one of these, and
	last  []string // ends with one of these; both nil where exact is known, or nothing
	reach int      // bytes that a match has at most; -1: no bound
	text  bool     // where the text begins or ends matters
	can   set      // the bytes of ASCII that a match can have
	row   run      // every match has such a row
	must  set      // bytes that every match has
	some  []set    // every match has a byte of each of these
}

// lacks says whether a text has not all that every match has.
func (p *part) lacks(text string) bool {
	for _, s := range p.some {
		if !s.in(text) {
			return true
		}
	}
	for i, bits := range p.must {
		for ; bits != 0; bits &= bits - 1 {
			if strings.IndexByte(text, byte(i<<6+mathbits.TrailingZeros64(bits))) < 0 {
				return true
			}
		}
	}
	return false
}

// analyse returns what is known of the matches of a pattern.
func analyse(pattern string) part {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return part{reach: -1, text: true, can: everything}
	}
	return read(re)
}

// Needs returns texts, in lower case, of which every match of a pattern in a text
// of ASCII contains one, in either case. Nil: nothing is known.
func Needs(pattern string) []string {
	p := analyse(pattern)
	return p.best()
}

// fewest is the length from which on a row says more than a short literal.
const fewest = 4

// byRow says whether a pattern is looked for by its row: it has no literal of more
// than two bytes.
func (p part) byRow() bool { return p.row.least >= fewest && shortest(p.best()) < 3 }

// best is what the part is looked for by.
func (p part) best() []string {
	if shortest(p.exact) > shortest(p.need) {
		return p.exact
	}
	if shortest(p.need) == 0 {
		return nil
	}
	return p.need
}

func shortest(list []string) int {
	n := 0
	for i, s := range list {
		if i == 0 || len(s) < n {
			n = len(s)
		}
	}
	return n
}

func read(re *syntax.Regexp) part {
	switch re.Op {
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCharClass:
		return class(re)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return part{reach: utf8.UTFMax, can: everything}
	case syntax.OpCapture:
		return read(re.Sub[0])
	case syntax.OpConcat:
		return concat(re.Sub)
	case syntax.OpAlternate:
		return alternate(re.Sub)
	case syntax.OpStar, syntax.OpQuest, syntax.OpPlus, syntax.OpRepeat:
		return repeat(re)
	case syntax.OpBeginText, syntax.OpEndText:
		return part{exact: []string{""}, text: true}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return part{exact: []string{""}}
	}
	return part{reach: -1, text: true, can: everything} // nothing is known
}

func literal(re *syntax.Regexp) part {
	text := string(re.Rune)
	if re.Flags&syntax.FoldCase == 0 {
		return part{exact: []string{lower(text)}, reach: len(text), can: ofLiteral(re), must: ofLiteral(re)}
	}
	p := part{reach: utf8.UTFMax * len(re.Rune), can: ofLiteral(re)}
	if isASCII(text) {
		p.must = p.can.without('A', 'Z').without('a', 'z')
		p.exact = []string{lower(text)}
	}
	return p
}

// class is a part for each of a few characters.
func class(re *syntax.Regexp) part {
	p := part{reach: utf8.UTFMax}
	var all bool
	if p.can, all = ofClass(re); all && p.can.size() <= maxSome {
		p.some = []set{p.can}
	}
	var list []string
	for i := 0; i+1 < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if len(list) == maxLiterals {
				return p
			}
			list = append(list, lower(string(r)))
		}
	}
	p.exact = distinct(list)
	return p
}

// concat finds the best of the runs of neighbours that are known exactly, between
// what those before and behind them end and begin with.
func concat(subs []*syntax.Regexp) part {
	all := part{exact: []string{""}}
	run := []string{""}
	keep := func(list []string) {
		if shortest(list) > shortest(all.need) {
			all.need = list
		}
	}
	for _, sub := range subs {
		p := read(sub)
		all.reach, all.text, all.can = sum(all.reach, p.reach), all.text || p.text, all.can.or(p.can)
		all.must = all.must.or(p.must)
		all.some = append(all.some, p.some...)
		if p.row.least > all.row.least {
			all.row = p.row
		}
		keep(p.need)
		next := product(run, p.exact)
		if next == nil {
			all.exact = nil
			keep(run)
			if p.exact == nil {
				keep(product(run, p.first))
			}
			run = p.ends()
			continue
		}
		run = next
	}
	keep(run)
	if all.exact != nil {
		all.exact = run
	} else {
		all.last = run
	}
	return all
}

// ends are what the part ends with: nothing, where that is not known.
func (p *part) ends() []string {
	switch {
	case p.exact != nil:
		return p.exact
	case p.last != nil:
		return p.last
	}
	return []string{""}
}

func alternate(subs []*syntax.Regexp) part {
	all := part{exact: []string{}, need: []string{}, last: []string{}, must: everything}
	for _, sub := range subs {
		p := read(sub)
		all.text, all.can = all.text || p.text, all.can.or(p.can)
		if p.reach < 0 || all.reach < 0 {
			all.reach = -1
		} else {
			all.reach = max(all.reach, p.reach)
		}
		all.exact = union(all.exact, p.exact)
		all.last = union(all.last, p.ends())
		all.must = all.must.and(p.must)
		all.need = union(all.need, p.best())
	}
	return all
}

func repeat(re *syntax.Regexp) part {
	least, most := re.Min, re.Max
	switch re.Op {
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		least, most = 1, -1
	case syntax.OpQuest:
		least, most = 0, 1
	}
	sub := read(re.Sub[0])
	p := part{reach: -1, text: sub.text, can: sub.can}
	if p.row = runOf(re, least); least > 0 && p.row.least < sub.row.least {
		p.row = sub.row
	}
	if least > 0 {
		p.must, p.some = sub.must, sub.some
	}
	if most >= 0 && sub.reach >= 0 {
		p.reach = most * sub.reach
	}
	switch {
	case least == 0 && most == 1 && sub.exact != nil:
		p.exact = union([]string{""}, sub.exact)
	case least > 0:
		p.need = sub.best()
		if n := len(sub.exact); 0 < n && n <= maxAround {
			p.first, p.last = sub.exact, sub.exact
		}
		run := []string{""}
		for range min(least, 8) {
			next := product(run, sub.exact)
			if next == nil {
				break
			}
			run = next
		}
		if shortest(run) > shortest(p.need) {
			p.need = run
		}
	}
	return p
}

// sum adds two lengths.
func sum(a, b int) int {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

// product puts each of one list behind each of another; nil: that is too many,
// or not known.
func product(a, b []string) []string {
	if b == nil || len(a)*len(b) > maxLiterals {
		return nil
	}
	list := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			list = append(list, x+y)
		}
	}
	return list
}

// union joins two lists; nil if one is not known, or it is too much.
func union(a, b []string) []string {
	if a == nil || b == nil || len(a)+len(b) > maxLiterals {
		return nil
	}
	return distinct(append(append([]string{}, a...), b...))
}

func distinct(list []string) []string {
	seen := map[string]bool{}
	out := []string{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// lower puts the letters of ASCII into lower case.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
