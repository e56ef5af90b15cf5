package main

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
)

// types lists the types that a schema accepts, or nothing if it says none.
func (s schema) types() []string {
	for _, v := range s.variants(0) {
		t := v.node.Get("type")
		if t.IsString() {
			return []string{t.Str()}
		}
		var list []string
		for _, one := range t.Items() {
			list = append(list, one.Str())
		}
		if list != nil {
			return list
		}
	}
	return nil
}

// bound reads a number of a schema.
func (s schema) bound(names ...string) (abi.Value, bool) {
	for _, v := range s.variants(0) {
		for _, name := range names {
			if n := v.node.Get(name); n.Kind() == abi.Number {
				return n, true
			}
		}
	}
	return abi.Value{}, false
}

func numeric(v abi.Value) float64 {
	f, _ := strconv.ParseFloat(v.Lexeme(), 64) // a JSON number; beyond float64 it is infinite
	return f
}

// accepts says whether a schema takes a scalar, as far as its type, bounds,
// lengths and pattern go.
func (s schema) accepts(v abi.Value) bool {
	types := s.types()
	isNumber := v.Kind() == abi.Number
	name := map[abi.Kind]string{abi.Bool: "boolean", abi.String: "string", abi.Null: "null", abi.Object: "object", abi.Array: "array"}[v.Kind()]
	if isNumber {
		name = "number"
		if slices.Contains(types, "integer") && numeric(v) == float64(int64(numeric(v))) {
			name = "integer"
		}
	}
	if len(types) > 0 && !slices.Contains(types, name) {
		return false
	}
	if least, ok := s.bound("minimum", "exclusiveMinimum"); ok && isNumber && numeric(v) < numeric(least) {
		return false
	}
	if most, ok := s.bound("maximum", "exclusiveMaximum"); ok && isNumber && numeric(v) > numeric(most) {
		return false
	}
	if v.IsString() {
		length := float64(utf8.RuneCountInString(v.Str()))
		if n, ok := s.bound("minLength"); ok && length < numeric(n) {
			return false
		}
		if n, ok := s.bound("maxLength"); ok && length > numeric(n) {
			return false
		}
		for _, one := range s.variants(0) {
			if re, err := regexp.Compile(one.node.Get("pattern").Str()); err == nil && !re.MatchString(v.Str()) {
				return false
			}
		}
	}
	return true
}

// trials are values among which there is one that meets the rule, if any value
// meets it that the schema accepts. ok is false where no such list is known.
func (s schema) trials(rule *contract.Arg) (list []abi.Value, ok bool) {
	if rule.HasIn {
		for _, v := range rule.In {
			if s.accepts(v) {
				list = append(list, v)
			}
		}
		return list, len(s.types()) > 0 && !slices.Contains(s.types(), "array") // elements are judged one by one
	}
	for _, t := range s.types() {
		switch t {
		case "boolean":
			list = append(list, abi.BoolValue(true), abi.BoolValue(false))
		case "null":
			list = append(list, nothing())
		case "object":
			list = append(list, abi.ObjectValue())
		case "integer", "number":
			if rule.Match != "" && !noNumber(rule.Match) {
				return nil, false
			}
			list = append(list, abi.IntValue(0))
			for _, at := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
				if n, ok := s.bound(at); ok {
					list = append(list, n)
				}
			}
			for _, text := range []string{rule.Min, rule.Max} {
				if n, err := abi.Parse([]byte(text)); err == nil {
					list = append(list, n)
				}
			}
		default:
			return nil, false
		}
	}
	list = slices.DeleteFunc(list, func(v abi.Value) bool { return !s.accepts(v) })
	return list, len(s.types()) > 0
}

// noNumber says whether every text that an expression matches has a character
// that no number has.
func noNumber(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false
	}
	var needs func(re *syntax.Regexp) bool
	needs = func(re *syntax.Regexp) bool {
		switch re.Op {
		case syntax.OpLiteral:
			return strings.IndexFunc(string(re.Rune), func(r rune) bool { return !strings.ContainsRune("0123456789+-.eE", r) }) >= 0
		case syntax.OpConcat:
			return slices.ContainsFunc(re.Sub, needs)
		case syntax.OpCapture, syntax.OpPlus:
			return needs(re.Sub[0])
		case syntax.OpAlternate:
			return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !needs(sub) })
		}
		return false
	}
	return needs(re)
}

// untyped reports a rule about one argument that no value meets which the type
// and the bounds of the argument accept. The contract itself is asked.
func (c *checker) untyped(r *contract.Rules, rule contract.Arg, definition abi.Value) {
	name := strings.TrimPrefix(rule.Arg, "/")
	if rule.Slot != "" || rule.Forbid || strings.Contains(name, "/") || name == "" {
		return
	}
	s := schemaOf(definition).property(name)
	if len(s.enum()) > 0 || !s.node.Exists() {
		return
	}
	trials, ok := s.trials(&rule)
	if !ok {
		return
	}
	rule.Require, rule.Origin = false, nil
	args, err := builtin.NewArgs(&contract.Rules{Server: r.Server, Tool: r.Tool, Args: []contract.Arg{rule}})
	if err != nil || args == nil {
		return
	}
	outcome := rule.Outcome
	if len(trials) > 0 {
		loosest, all := violates(args, definition, name, trials)
		if !all {
			return
		}
		outcome = loosest
	}
	x := problem{
		fault: outcome == abi.Deny, code: codeDisjoint, rule: rule.Rule,
		text: fmt.Sprintf("%s/%s accepts %s for %q, and none of it meets the rule", r.Server, r.Tool, s.domain(), name),
		call: shortCall(r.Server, r.Tool, schemaOf(definition).sample(0).With(name, s.sample(1))),
	}
	if !x.fault {
		x.text += ", so every call with it asks"
	}
	c.add(x)
}

// domain says what a schema of a scalar accepts.
func (s schema) domain() string {
	text := "a value of type " + strings.Join(s.types(), " or ")
	for _, b := range []struct{ name, words string }{
		{"minimum", ", at least %s"}, {"exclusiveMinimum", ", above %s"}, {"maximum", ", at most %s"}, {"exclusiveMaximum", ", below %s"},
		{"minLength", ", at least %s characters long"}, {"maxLength", ", at most %s characters long"},
	} {
		if n, ok := s.bound(b.name); ok {
			text += fmt.Sprintf(b.words, shorten(n.Lexeme(), 40))
		}
	}
	return shorten(text, 200)
}

// nothing is the null of JSON.
func nothing() abi.Value {
	v, _ := abi.Parse([]byte("null")) // which is JSON
	return v
}
