package policy

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// Place is where a rule stands that verdicts can name.
type Place struct {
	File string // path of the file, "" after [Decode]
	Line int    // 0: unknown
	At   string // JSON Pointer into the file
	Rule string // file:line: path, as verdicts name it
	// Label is the label that the rule gives: it fires without a verdict that
	// names it.
	Label string
	// With is the text that an entry of redact: puts in: it fires without a verdict
	// where an edit does.
	With string
}

// rulePlaces are the members that verdicts name as their rule; * is any member
// or item. One that ends in = is a rule only where it holds a single word.
var rulePlaces = []string{
	"/settings/default", "/settings/unlisted", "/settings/unknown_server", "/settings/ask_from",
	"/settings/max_argument_bytes", "/settings/max_result_bytes", "/settings/max_asks",
	"/servers/*/attest",
	"/servers/*/verdict",
	"/servers/*/requests/*=", "/servers/*/requests/*/verdict", "/servers/*/requests/*/args/*",
	"/servers/*/resources/verdict", "/servers/*/resources/args/*",
	"/servers/*/prompts/verdict", "/servers/*/prompts/args/*",
	"/servers/*/completions/verdict", "/servers/*/completions/args/*",
	"/servers/*/methods/*",
	"/tools/*/verdict", "/tools/*/hide", "/tools/*/max_calls", "/tools/*/undeclared", "/tools/*/args/*", "/tools/*/results/*",
	"/tools/*/sink/to",
	"/budgets/*", "/labels/*", "/flows/*", "/chains/*", "/identities/*", "/schedules/*", "/plugins/*", "/redact/*",
	"/capability",
}

// Places lists the rules of the files that the policy was loaded from, highest
// layer first and in the order of lines, those of the floor last. The built-in
// policy and packs are not among them.
func (p *Policy) Places() []Place {
	var list []Place
	for _, y := range p.layers {
		if !y.builtin {
			here := y.placesBelow(nil, "", y.value, nil)
			slices.SortStableFunc(here, func(a, b Place) int { return a.Line - b.Line })
			list = append(list, here...)
		}
	}
	if p.floor != nil {
		list = append(list, p.floor.Places()...)
	}
	return list
}

// placesBelow walks a file. tokens lead to v, those of items are "".
func (y *layer) placesBelow(list []Place, at string, v abi.Value, tokens []string) []Place {
	for _, pattern := range rulePlaces {
		word, one := strings.CutSuffix(pattern, "=")
		if !matchesPlace(word, tokens) || one && !v.IsString() {
			continue
		}
		if pattern == "/tools/*/sink/to" {
			at = strings.TrimSuffix(at, "/to") // verdicts name the sink as a whole
		}
		place := Place{File: y.path, Line: y.line(at), At: at, Rule: y.rule(at)}
		if pattern == "/labels/*" {
			place.Label = v.Get("name").Str()
		}
		if pattern == "/redact/*" {
			if in := v.Get("in"); in.Exists() && !slices.ContainsFunc(in.Items(), func(w abi.Value) bool { return w.Str() != "ledger" && w.Str() != "prompts" }) {
				return list // no case sees what is kept, or shown to people
			}
			place.With = "[redacted: " + v.Get("name").Str() + "]"
			if with := v.Get("with"); with.Exists() {
				place.With = with.Str()
			}
		}
		return append(list, place)
	}
	for _, m := range v.Members() {
		list = y.placesBelow(list, abi.Join(at, m.Name), m.Value, append(tokens, m.Name))
	}
	for i, item := range v.Items() {
		list = y.placesBelow(list, abi.JoinIndex(at, i), item, append(tokens, ""))
	}
	return list
}

func matchesPlace(pattern string, tokens []string) bool {
	words := strings.Split(pattern, "/")[1:]
	if len(words) != len(tokens) {
		return false
	}
	for i, w := range words {
		if w != "*" && w != tokens[i] {
			return false
		}
	}
	return true
}

// Names says whether a rule of a verdict is the place, or a part of it.
func (p Place) Names(rule string) bool {
	rest, ok := strings.CutPrefix(rule, p.Rule)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
