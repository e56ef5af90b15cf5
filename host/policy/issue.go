package policy

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
)

// maxErrors bounds how many mistakes of one load are reported.
const maxErrors = 20

// place is a position in a file: lines and columns count from 1, 0 is unknown.
type place struct{ line, col int }

// issue is one mistake, at a JSON Pointer into a file's value.
type issue struct {
	at   string
	what string
	pos  place // where the mistake is; the zero place: where at is
}

// issues collects the mistakes of one file.
type issues struct {
	list    []issue
	gateway bool // the file is the configuration of a gateway, no policy
}

// noun says what the file is.
func (c *issues) noun() string {
	if c.gateway {
		return "a configuration"
	}
	return "a policy"
}

// head is the line that a file of the kind starts with.
func (c *issues) head() string {
	if c.gateway {
		return fmt.Sprintf("callgate_gateway: %d", formatVersion)
	}
	return fmt.Sprintf("callgate: %d", formatVersion)
}

// orInclude is a mend that only files have which include others.
func (c *issues) orInclude(mend string) string {
	if c.gateway {
		return ""
	}
	return mend
}

func (c *issues) add(at string, format string, args ...any) {
	c.addAt(at, place{}, format, args...)
}

func (c *issues) addAt(at string, pos place, format string, args ...any) {
	if len(c.list) <= 10*maxErrors {
		c.list = append(c.list, issue{at, fmt.Sprintf(format, args...), pos})
	}
}

// spoiled says whether there is a mistake at or below a pointer, so that what
// follows from it need not be reported too.
func (c *issues) spoiled(at string) bool {
	return slices.ContainsFunc(c.list, func(i issue) bool {
		return i.at == at || strings.HasPrefix(i.at, at+"/")
	})
}

// join makes one error of several, with at most [maxErrors] lines.
func join(errs []error) error {
	if n := len(errs) - maxErrors; n > 0 {
		errs = append(errs[:maxErrors:maxErrors], fmt.Errorf("and %d more mistakes", n))
	}
	return errors.Join(errs...)
}

// errorsOf gives each issue its position, in the order of the file.
func (c *issues) errorsOf(label string, places map[string]place) []error {
	type placed struct {
		place
		err error
	}
	list := make([]placed, len(c.list))
	for i, x := range c.list {
		pos := x.pos
		if pos == (place{}) {
			pos = lookup(places, x.at)
		}
		list[i] = placed{pos, &Mistake{File: label, Line: pos.line, Column: pos.col, Path: display(x.at), Text: x.what}}
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i].place, list[j].place
		return a.line < b.line || a.line == b.line && a.col < b.col
	})
	errs := make([]error, len(list))
	for i, x := range list {
		errs[i] = x.err
	}
	return errs
}

// lookup finds the nearest known position at or above a pointer.
func lookup(places map[string]place, at string) place {
	for {
		if p, ok := places[at]; ok {
			return p
		}
		i := strings.LastIndexByte(at, '/')
		if i < 0 {
			return place{}
		}
		at = at[:i]
	}
}

// display shows a pointer the way people write paths:
// tools.gmail/send_email.args[0].
func display(at string) string {
	tokens, _ := abi.Tokens(at)
	var b strings.Builder
	for _, t := range tokens {
		if _, err := strconv.Atoi(t); err == nil {
			b.WriteString("[" + t + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(plain(t))
	}
	return b.String()
}

// plain shows a key as it is, or quoted if it holds anything unusual.
func plain(t string) string {
	for i := 0; i < len(t); i++ {
		if c := t[i]; c <= ' ' || c >= 0x7F || strings.IndexByte(`"'.:;,()`, c) >= 0 {
			return strconv.Quote(t)
		}
	}
	if t == "" {
		return `""`
	}
	return t
}

// accepted lists what would be accepted instead of got, and the closest of it.
func accepted(got string, names []string) string {
	s := "; accepted: " + strings.Join(names, ", ")
	if best := closest(got, names); best != "" {
		s = fmt.Sprintf("; did you mean %q? accepted: %s", best, strings.Join(names, ", "))
	}
	return s
}

// Closest returns the name that is few typing mistakes away from got, or "".
// Letter case is no mistake.
func Closest(got string, names []string) string {
	lower := make([]string, len(names))
	for i, n := range names {
		lower[i] = strings.ToLower(n)
	}
	if i := slices.Index(lower, closest(got, lower)); i >= 0 {
		return names[i]
	}
	return ""
}

// OneSlip says whether one typing mistake makes a name of another. Names that
// differ in a digit are numbered, and the first letter is rarely mistyped: mail
// and gmail are two names.
func OneSlip(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if a == "" || b == "" || a[0] != b[0] || strings.Trim(a, "0123456789") == strings.Trim(b, "0123456789") {
		return false
	}
	return distance(a, b) == 1
}

// closest returns the name that is few typing mistakes away from got, or "".
func closest(got string, names []string) string {
	best, least := "", max(2, len(got)/3)+1
	switch {
	case len(got) > 64:
		return ""
	case len(got) <= 3: // two slips make any short name of any other
		least = len(got)/2 + 1
	}
	for _, n := range names {
		if d := distance(strings.ToLower(got), n); d < least {
			best, least = n, d
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
