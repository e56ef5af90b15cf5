package builtin

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// argument is where one rule looks: a name, or the tokens of a JSON Pointer.
type argument struct {
	rule    string
	outcome abi.Outcome
	name    string   // as the rule says it, for reasons
	tokens  []string // the way from the arguments
	at      []string // pointer of each step into the snapshot
}

func newArgument(rule *contract.Arg, name, base string) (argument, error) {
	a := argument{rule: rule.Rule, outcome: outcomeOf(rule), name: name, tokens: []string{name}}
	if strings.HasPrefix(name, "/") {
		a.tokens, _ = abi.Tokens(name)
	}
	if name == "" {
		return argument{}, errors.New("an args rule names no values; want a slot or an arg")
	}
	at := base
	for _, token := range a.tokens {
		at = abi.Join(at, token)
		a.at = append(a.at, at)
	}
	return a, nil
}

// outcomeOf is what a violation of a rule yields: ask if it says so, else deny.
func outcomeOf(rule *contract.Arg) abi.Outcome {
	if rule.Outcome == abi.Ask {
		return abi.Ask
	}
	return abi.Deny
}

// located is the value an argument rule found.
type located struct {
	value    abi.Value // absent if there is none
	read     abi.Value // what a server reads: JSON text opened where the schema expects it
	node     schema
	at       string
	required bool // the pinned schema requires it
	frozen   bool // inside JSON text
}

// absent says whether the server sees no value: there is none, or null where the
// schema takes null.
func (l *located) absent() bool {
	return !l.value.Exists() || l.value.Kind() == abi.Null && l.node.types()&typeNull != 0
}

// find follows the rule to its value, along the pinned schema. It reports false
// if it found a violation on the way, which ends the rule.
func (a *argument) find(j *judging, unknownToo bool) (located, bool) {
	l := located{value: j.arguments, read: j.arguments, node: j.schema}
	for i, token := range a.tokens {
		step := a.at[i]
		if !l.frozen {
			l.at = step
		}
		var next abi.Value
		var node schema
		switch {
		case l.read.Kind() == abi.Array:
			next, node = itemAt(l.read, token), l.node.items()
		default:
			if unknownToo && l.node.hasProperties() && !l.node.open() && !l.node.declares(token) {
				j.add(a.violation("ARGS_UNKNOWN", l.at, "a rule is about the argument %s, which the tool's pinned schema does not have",
					"correct the rule: callgate check lists the tool's arguments"))
				return l, false
			}
			if a.imitated(j, &l, token) {
				return l, false
			}
			next, node = l.read.Get(token), l.node.property(token)
			l.required = l.node.requires(token)
		}
		l.value, l.node = next, node
		if !next.Exists() {
			l.read = next
			continue
		}
		read, opened, fits := node.readAs(next)
		if !fits {
			j.add(a.violation("ARGS_TYPE", l.at, "the argument %s has another type than the tool's pinned schema states",
				"send the argument in its declared type"))
			return l, false
		}
		l.read, l.frozen = read, l.frozen || opened
	}
	return l, true
}

// imitated refuses a member whose name folds to the rule's name without being
// it: a case-insensitive server would take either.
func (a *argument) imitated(j *judging, l *located, token string) bool {
	members := l.read.Members()
	for i := range members {
		m := &members[i]
		if m.Name != token && strings.EqualFold(m.Name, token) && !l.node.declares(m.Name) {
			at := l.at
			if !l.frozen {
				at = abi.Join(at[:strings.LastIndexByte(at, '/')], m.Name)
			}
			j.add(a.violation("ARGS_CASE", at, "a name differs from the argument %s only in letter case",
				"send the argument under its exact name"))
			return true
		}
	}
	return false
}

func itemAt(v abi.Value, token string) abi.Value {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= v.Len() || strconv.Itoa(i) != token {
		return abi.Value{}
	}
	return v.Items()[i]
}

// violation makes a violation of the rule; %s in reason is the rule's own name
// of the argument.
func (a *argument) violation(code, at, reason, mend string) violation {
	return violation{
		outcome: a.outcome, code: code, rule: a.rule, at: at,
		reason: fmt.Sprintf(reason, strconv.Quote(a.name)), mend: mend,
	}
}

// argRule is a compiled `arg:` rule.
type argRule struct {
	argument
	match           *regexp.Regexp
	in              []abi.Value
	hasIn           bool
	hasMax, hasMin  bool
	max, min        decimal
	maxText         string
	minText         string
	maxBytes        int64
	forbid, require bool
	wild            bool // the pointer has segments *
}

func newArgRule(rule *contract.Arg, base string) (argRule, error) {
	r := argRule{in: rule.In, hasIn: rule.HasIn, maxBytes: rule.MaxBytes, forbid: rule.Forbid, require: rule.Require, maxText: rule.Max, minText: rule.Min}
	var err error
	if r.argument, err = newArgument(rule, rule.Arg, base); err != nil {
		return r, err
	}
	r.wild = len(r.tokens) > 1 && slices.Contains(r.tokens, "*")
	if rule.HasAllow || len(rule.Allow)+len(rule.Deny) > 0 || rule.Literal || rule.Fold {
		return r, fmt.Errorf("argument %q has allow, deny, literal or fold; they need slot: path beside it", rule.Arg)
	}
	if rule.Forbid && rule.Require {
		return r, fmt.Errorf("argument %q has forbid and require; want one of them", rule.Arg)
	}
	if rule.Match != "" {
		if _, err := regexp.Compile(rule.Match); err != nil {
			return r, fmt.Errorf("match of argument %q: %w", rule.Arg, err)
		}
		if r.match, err = regexp.Compile(`\A(?:` + rule.Match + `)\z`); err != nil {
			return r, fmt.Errorf("match of argument %q: %w", rule.Arg, err)
		}
	}
	if r.hasMax = rule.Max != ""; r.hasMax {
		if r.max, err = parseDecimal(rule.Max); err != nil {
			return r, fmt.Errorf("max of argument %q: %q is %w", rule.Arg, rule.Max, err)
		}
	}
	if r.hasMin = rule.Min != ""; r.hasMin {
		if r.min, err = parseDecimal(rule.Min); err != nil {
			return r, fmt.Errorf("min of argument %q: %q is %w", rule.Arg, rule.Min, err)
		}
	}
	return r, nil
}

func (r *argRule) judge(j *judging) {
	if r.wild {
		r.each(j)
		return
	}
	l, ok := r.find(j, !r.forbid)
	if !ok {
		return
	}
	if r.forbid {
		if l.value.Exists() {
			j.add(r.violation("ARGS_FORBIDDEN", l.at, "the argument %s is forbidden", "leave the argument out"))
		}
		return
	}
	if l.absent() {
		if r.require || l.required {
			j.add(r.violation("ARGS_REQUIRED", l.at, "the argument %s is required", "send the argument"))
		}
		return
	}
	r.judgeBytes(j, &l)
	if r.require && l.read.Kind() == abi.Array && l.read.Len() == 0 && !r.lists(l.read) {
		j.add(r.violation("ARGS_REQUIRED", l.at, "the argument %s is required, and holds nothing", "send a value"))
	}
	if l.read.Kind() != abi.Array || r.lists(l.read) {
		r.judgeOne(j, l.read, l.at)
		return
	}
	for i, item := range l.read.Items() {
		at := l.at
		if !l.frozen {
			at = abi.JoinIndex(at, i)
		}
		r.judgeOne(j, item, at)
	}
}

func (r *argRule) judgeBytes(j *judging, l *located) {
	if r.maxBytes < 0 {
		return
	}
	n := int64(len(l.value.Str()))
	if !l.value.IsString() {
		n = int64(len(l.value.Append(nil)))
	}
	if n > r.maxBytes {
		j.add(r.violation("ARGS_BYTES", l.at, "the argument %s has "+strconv.FormatInt(n, 10)+" bytes, more than "+
			strconv.FormatInt(r.maxBytes, 10), "send less, or raise max_bytes at the rule"))
	}
}

// judgeOne holds the matchers against one scalar, or one element of an array.
func (r *argRule) judgeOne(j *judging, v abi.Value, at string) {
	if r.match != nil && !r.matches(v) {
		j.add(r.violation("ARGS_MATCH", at, "the argument %s does not match the rule's pattern as a whole",
			"send a value that matches, or widen match at the rule"))
	}
	if r.hasIn && !r.lists(v) {
		j.add(r.violation("ARGS_IN", at, "the argument %s is not one of the "+strconv.Itoa(len(r.in))+" values that the rule lists",
			"send a listed value, or add to in at the rule"))
	}
	if !r.hasMax && !r.hasMin {
		return
	}
	text := v.Lexeme()
	if v.IsString() {
		text = strings.TrimSpace(v.Str())
	}
	n, err := parseDecimal(text)
	if r.hasMax && (err != nil || n.compare(r.max) > 0) {
		j.add(r.violation("ARGS_MAX", at, "the argument %s is not a number of at most "+r.maxText, "send less, or raise max at the rule"))
	}
	if r.hasMin && (err != nil || n.compare(r.min) < 0) {
		j.add(r.violation("ARGS_MIN", at, "the argument %s is not a number of at least "+r.minText, "send more, or lower min at the rule"))
	}
}

// matches says whether a scalar matches the pattern as a whole. Numbers and
// literals are matched as written; a lone surrogate matches nothing.
func (r *argRule) matches(v abi.Value) bool {
	switch v.Kind() {
	case abi.String:
		return r.match.MatchString(v.Str())
	case abi.Number, abi.Bool:
		return r.match.MatchString(v.Lexeme())
	}
	return false
}

// lists says whether a value is one of `in`. Numbers are compared as numbers.
func (r *argRule) lists(v abi.Value) bool {
	if !r.hasIn {
		return false
	}
	for _, want := range r.in {
		if want.Kind() == abi.Number && v.Kind() == abi.Number {
			a, errA := parseDecimal(want.Lexeme())
			b, errB := parseDecimal(v.Lexeme())
			if errA == nil && errB == nil && a.compare(b) == 0 {
				return true
			}
			continue
		}
		if want.Kind() == v.Kind() && want.Equal(v) {
			return true
		}
	}
	return false
}
