package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/provenance"
)

// names says whether a list of names and pointers has the value at a pointer.
func (s *sink) names(list []string, at, name string) bool {
	for _, entry := range list {
		if strings.HasPrefix(entry, "/") {
			if sameWay(entry, at) {
				return true
			}
			continue
		}
		if name != "" && sameName(entry, name) {
			return true
		}
	}
	return false
}

// sameWay says whether a pointer fits a pattern, in which a segment * is any one
// segment and the others are names. Servers that read names without regard to
// case do so at any depth.
func sameWay(pattern, pointer string) bool {
	p, ok := abi.Tokens(pattern)
	t, fine := abi.Tokens(pointer)
	if !ok || !fine || len(p) != len(t) {
		return false
	}
	for i := range p {
		if p[i] != "*" && !sameName(p[i], t[i]) {
			return false
		}
	}
	return true
}

// sameName compares argument names without case and separators.
func sameName(a, b string) bool {
	if a == b {
		return true
	}
	fold := func(s string) string {
		return strings.Map(func(r rune) rune {
			switch r {
			case '_', '-', ' ', '.':
				return -1
			}
			return r
		}, provenance.Fold(s))
	}
	return fold(a) == fold(b)
}

// label names an argument for people and models: names of the rule and indices
// only, any other segment is *.
func (s *sink) label(d sinkScalar) string {
	tokens, _ := abi.Tokens(d.at)
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && t != "" && strings.Trim(t, "0123456789") == "" {
			b.WriteString("[" + t + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.ruleName(tokens[:i+1]))
	}
	if d.key {
		b.WriteString(" (a member name)")
	}
	return b.String()
}

// ruleName returns the rule's own name for the argument that tokens lead to, *
// if it has none.
func (s *sink) ruleName(tokens []string) string {
	last := len(tokens) - 1
	for _, list := range [][]string{s.rules.To, s.rules.Content} {
		for _, entry := range list {
			if !strings.HasPrefix(entry, "/") {
				if sameName(entry, tokens[last]) {
					return entry
				}
				continue
			}
			rule, _ := abi.Tokens(entry)
			if len(rule) < len(tokens) {
				continue
			}
			start := ""
			for _, t := range rule[:last+1] {
				start = abi.Join(start, t)
			}
			at := ""
			for _, t := range tokens {
				at = abi.Join(at, t)
			}
			if sameWay(start, at) {
				return rule[last]
			}
		}
	}
	return "*"
}
