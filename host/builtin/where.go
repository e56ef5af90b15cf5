package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
	"github.com/callgate/callgate/host/redact"
)

// where is a compiled `where:`: which calls a rule about labels is of. What a
// server could read in two ways matches, since a match only tightens.
type where []whereTerm

// whereTerm is one member: what a rule of `args:` with these patterns under deny
// would refuse, or an argument that one of some globs matches, or either.
type whereTerm struct {
	slot     contract.Contract
	tokens   []string // of a JSON Pointer
	name     string
	patterns []string
}

func newWhere(list []contract.Where, of *contract.Rules) (where, error) {
	var w where
	for _, m := range list {
		class := m.Key
		if m.Key == contract.WhereAny {
			class = "path"
		}
		if contract.WhereSlot(class) {
			c, err := NewArgs(&contract.Rules{
				Server: of.Server, Kind: of.Kind, Tool: of.Tool,
				Args: []contract.Arg{{Slot: class, Outcome: abi.Deny, Deny: m.Patterns, Expands: true, MaxBytes: -1}},
			})
			if err != nil {
				return nil, fmt.Errorf("where: %w", err)
			}
			t := whereTerm{slot: c}
			if m.Key == contract.WhereAny {
				t.tokens, t.patterns = []string{}, unescaped(m.Patterns)
			}
			w = append(w, t)
			continue
		}
		t := whereTerm{name: m.Key, patterns: m.Patterns}
		if strings.HasPrefix(m.Key, "/") {
			tokens, ok := abi.Tokens(m.Key)
			if !ok {
				return nil, fmt.Errorf("where: %q is no JSON Pointer", m.Key)
			}
			t.tokens = tokens
		}
		w = append(w, t)
	}
	return w, nil
}

// unescaped are globs of paths as patterns of a text, which know no backslash.
func unescaped(globs []string) []string {
	out := make([]string, len(globs))
	for i, g := range globs {
		out[i] = strings.ReplaceAll(g, `\`, "")
	}
	return out
}

// matches says whether the rule is of a call.
func (w where) matches(s *abi.Snapshot) bool {
	for i := range w {
		if !w[i].matches(s) {
			return false
		}
	}
	return true
}

func (t *whereTerm) matches(s *abi.Snapshot) bool {
	if t.slot != nil {
		violated := t.slot.Judge(s).Outcome < abi.Allow
		if violated || t.tokens == nil {
			return violated
		}
	}
	values, _ := s.Call.Values()
	if t.tokens == nil {
		return t.below(values, false)
	}
	at := ""
	for _, token := range t.tokens {
		at = abi.Join(at, token)
	}
	return t.below(values.At(at), true)
}

// below looks for a value that matches: any scalar, once it is the argument's.
func (t *whereTerm) below(v abi.Value, found bool) bool {
	switch v.Kind() {
	case abi.Absent, abi.Null:
		return false
	case abi.Array:
		return slices.ContainsFunc(v.Items(), func(item abi.Value) bool { return t.below(item, found) })
	case abi.Object:
		return slices.ContainsFunc(v.Members(), func(m abi.Member) bool {
			return t.below(m.Value, found || t.tokens == nil && sameName(m.Name, t.name)) || found && t.fits(m.Name)
		})
	}
	text := v.Lexeme()
	if v.IsString() {
		text = v.Str()
	}
	return found && t.fits(text)
}

func (t *whereTerm) fits(text string) bool {
	return slices.ContainsFunc(t.patterns, func(p string) bool {
		return redact.Wildcard(strings.ToLower(p), strings.ToLower(text)) || redact.Wildcard(provenance.Fold(p), provenance.Fold(text))
	})
}
