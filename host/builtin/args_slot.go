package builtin

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// slotRule is a compiled `slot:` rule: which values of a call it is about, and
// what judges them.
type slotRule struct {
	argument // with `arg:` beside the slot: the one argument it is about
	class    *class
	matcher  matcher
	gathers  gatherer // the matcher, if it reads several members as one value
	wholes   wholeReader
	only     bool     // there is an `arg:`
	moving   bool     // the tool moves or copies: from and to are paths
	resource bool     // the call names a resource
	complete bool     // the call completes an argument, whose name and value stand beside each other
	json     bool     // JSON in strings is opened
	must     bool     // one value must be found
	bare     bool     // the tool is about the class: its bare name and id are values
	known    wordList // the class's names
	not      wordList // and what is none
	names    []squashed
	more     []argument // further arguments, named by pointer
}

func newSlotRule(rule *contract.Arg, of *contract.Rules) (slotRule, error) {
	r := slotRule{
		argument: argument{rule: rule.Rule, outcome: outcomeOf(rule)}, only: rule.Arg != "",
		resource: of.Kind == abi.KindResource, complete: of.Kind == abi.KindCompletion, json: rule.JSON,
		moving: hasWord(of.Tool, "move", "rename", "copy", "cp", "mv", "link", "symlink", "ln"),
	}
	var ok bool
	if r.class, ok = classNamed(rule.Slot); !ok {
		return r, fmt.Errorf("slot %q is not known; callgate schema lists what is", rule.Slot)
	}
	if err := takes(rule); err != nil {
		return r, err
	}
	var err error
	if r.matcher, err = r.class.compile(rule); err != nil {
		return r, err
	}
	r.gathers, _ = r.matcher.(gatherer)
	r.wholes, _ = r.matcher.(wholeReader)
	r.known, r.not, r.bare = naming(r.class.names), naming(r.class.not), hasWord(of.Tool, r.class.tools...)
	r.must = r.matcher.wants() || r.class.exact && len(rule.Names) > 0
	if r.only {
		if r.argument, err = newArgument(rule, rule.Arg, of.Kind.Base()); err != nil {
			return r, err
		}
		if len(r.tokens) > 1 && slices.Contains(r.tokens, "*") {
			return r, fmt.Errorf("argument %q has a segment *, and a slot beside it; a slot finds its values at any depth, so name what is above them", rule.Arg)
		}
	}
	for _, name := range rule.Names {
		if !strings.HasPrefix(name, "/") {
			r.names = append(r.names, squash(name))
			continue
		}
		a, err := newArgument(rule, name, of.Kind.Base())
		if err != nil {
			return r, err
		}
		r.more = append(r.more, a)
	}
	return r, nil
}

// takes refuses what no slot takes. What this one does not, the reader of the
// policy has refused.
func takes(rule *contract.Arg) error {
	numbers := rule.Slot == "size" || rule.Slot == "rows"
	switch {
	case rule.Match != "" || rule.HasIn || rule.Require || rule.MaxBytes > 0:
		return fmt.Errorf("slot %s has match, in, max_bytes or require; write them in a rule with arg: only", rule.Slot)
	case (rule.Max != "" || rule.Min != "") && !numbers:
		return fmt.Errorf("slot %s has max or min; write them in a rule with arg: only, or with slot: size", rule.Slot)
	case rule.Forbid && rule.Slot != "secret" && rule.Slot != "bypass":
		return fmt.Errorf("slot %s has forbid; write it in a rule with arg: only, or with slot: secret", rule.Slot)
	}
	return nil
}

// named says whether the rule takes an argument of this name for one of its
// class.
func (r *slotRule) named(name string) bool {
	if bare := unnumbered(name); r.known.ends(bare) {
		s := squash(bare)
		if r.known.matches(bare, &s) && !r.not.matches(bare, &s) {
			return true
		}
	}
	if r.class.named != nil && r.class.named(name, r.moving) || r.bare && bareName(name) {
		return true
	}
	if len(r.names) == 0 {
		return false
	}
	s := squash(name)
	for i := range r.names {
		if bytes.Equal(s.text(), r.names[i].text()) {
			return true
		}
	}
	return false
}

// whole says whether an array or object under a name of the class is one value.
func (r *slotRule) whole(v abi.Value, name string) bool {
	return r.wholes != nil && r.wholes.whole(v, name) || r.class.whole != nil && r.class.whole(v)
}

// search is one rule's walk through the arguments of one call.
type search struct {
	*slotRule
	j     *judging
	count int // values found
	trail trail
	// collect gets each value instead of the matcher, and nothing is refused.
	collect func(v abi.Value, p *place)
}

func (r *slotRule) judge(j *judging) {
	if j.trail == nil {
		j.trail = newTrail()
	}
	w := search{slotRule: r, j: j, trail: j.trail[:0]}
	w.walk()
	j.trail = w.trail
	if w.count == 0 && r.must {
		w.refuse(wrong{r.class.code("MISSING"), "the rule wants " + r.class.noun + ", and the call names none",
			"send it, or move the rule to the tools that have one"})
	}
}

// walk finds every value that the rule is about.
func (w *search) walk() {
	if w.only {
		w.oneArgument(&w.argument)
	} else {
		w.value(w.j.arguments, w.j.schema, "", false)
		w.completed(w.j.arguments.Get("argument"))
	}
	for i := range w.more {
		w.oneArgument(&w.more[i])
	}
}

// completed walks the value of the argument that is being completed, if its name
// is one of the class.
func (w *search) completed(argument abi.Value) {
	if !w.complete {
		return
	}
	w.trail.member("argument")
	w.trail.member("value")
	value := abi.Member{Name: argument.Get("name").Str(), Value: argument.Get("value")}
	w.member(&value, schema{}, false, false)
	w.trail = w.trail[:0]
}

// oneArgument walks the value of one named argument.
func (w *search) oneArgument(a *argument) {
	l, ok := a.find(w.j, w.only)
	if !ok || !l.value.Exists() {
		return
	}
	for i, token := range a.tokens {
		if l.frozen && i > 0 {
			w.trail.freeze()
			break
		}
		w.trail.member(token)
	}
	w.value(l.value, l.node, a.tokens[len(a.tokens)-1], true)
	w.trail = w.trail[:0]
}

func (w *search) refuse(x wrong) {
	w.j.add(violation{outcome: w.outcome, code: x.code, rule: w.rule, at: w.trail.pointer(w.j.base), reason: x.reason, mend: x.mend})
}

// one judges one value.
func (w *search) one(v abi.Value, node schema, name string) {
	p := &w.j.at // matchers do not keep it
	*p = place{Place: w.j.place, name: name, node: node, call: w.j.call, all: w.j.schema}
	switch {
	case v.Kind() == abi.Array || v.Kind() == abi.Object:
	case v.Kind() == abi.Null, w.class.reads != nil && !w.class.reads(v, p):
		return
	}
	w.count++
	if w.collect != nil {
		w.collect(v, p)
		return
	}
	if x := w.matcher.judge(v, p); x.code != "" {
		w.refuse(x)
	}
}

// value walks v, which stands under an argument of this name; is says that it
// is, or holds, values of the class.
func (w *search) value(v abi.Value, node schema, name string, is bool) {
	read, opened, fits := v, false, true
	if node.exists() && len(w.trail) > 0 {
		read, opened, fits = node.readAs(v)
	}
	if w.json && !opened && v.IsString() {
		read, opened = openedText(v)
		fits = fits || opened
	}
	if !fits && (is || v.IsString()) {
		w.count++
		w.refuse(wrong{"ARGS_TYPE", "an argument has another type than the tool's pinned schema states", "send the argument in its declared type"})
		return
	}
	if opened {
		w.trail.freeze()
		defer w.trail.up()
	}
	composite := read.Kind() == abi.Array || read.Kind() == abi.Object
	is = is || w.class.shaped != nil && read.IsString() && !w.only && w.class.shaped(read.Str(), name)
	switch {
	case is && (!composite || w.whole(read, name)):
		w.one(read, node, name)
	case read.Kind() == abi.Array:
		items := node.items()
		for i, item := range read.Items() {
			w.trail.item(i)
			w.value(item, items, name, is || w.class.format(items))
			w.trail.up()
		}
	case read.Kind() == abi.Object:
		w.object(read, node, is)
	}
}

// openedText opens a string that is a JSON array or object.
func openedText(v abi.Value) (abi.Value, bool) {
	text := strings.TrimSpace(v.Str())
	if text == "" || text[0] != '[' && text[0] != '{' {
		return v, false
	}
	inner, err := abi.Parse([]byte(text))
	return inner, err == nil
}

// object walks the members of an object. Under an argument of the class the
// members with such names are the values; if there is none, every member that is
// not content is one, and so is a key that looks like one and is no declared
// property.
func (w *search) object(v abi.Value, node schema, is bool) {
	some := false
	if is {
		for _, m := range v.Members() {
			some = some || w.named(m.Name)
		}
	}
	var taken []string
	if w.gathers != nil {
		var all abi.Value
		if all, taken = w.gathers.gather(v, w.named); all.Exists() {
			w.one(all, node, "")
			some = true
		}
	}
	members := v.Members()
	for i := range members {
		m := &members[i]
		if slices.Contains(taken, m.Name) {
			continue
		}
		w.trail.member(m.Name)
		w.member(m, node, is, some)
		w.trail.up()
	}
	w.paired(v)
}

// paired walks the value of {"name": …, "value": …}: an argument whose name
// stands beside it, as headers and variables do.
func (w *search) paired(object abi.Value) {
	value := object.Get("value")
	if !value.Exists() || w.complete {
		return
	}
	for _, key := range [...]string{"name", "key", "header", "variable"} {
		if name := object.Get(key); name.IsString() && w.named(name.Str()) {
			w.trail.member("value")
			w.value(value, schema{}, name.Str(), true)
			w.trail.up()
			return
		}
	}
}

// member decides whether one member of an object is of the class, and walks it.
// some says that a member beside it has a name of the class.
func (w *search) member(m *abi.Member, node schema, under, some bool) {
	if node.exists() && node.foldedProperty(m.Name) {
		w.refuse(wrong{"ARGS_CASE", "a name differs from a declared argument only in letter case", "send the argument under its exact name"})
		return
	}
	child := node.property(m.Name)
	is := w.named(m.Name) || w.class.format(child)
	switch {
	case is:
	case under && !some && w.class.keyed != nil && !node.declares(m.Name) && w.class.keyed(m.Name):
		w.one(abi.StringValue(m.Name), schema{}, "")
		is = m.Value.IsString() && w.class.value != nil && w.class.value(m.Value.Str())
	case under && !some:
		is = w.class.content == nil || !w.class.content(m.Name)
	case w.class.files && (uriName(m.Name) || textOf(get(child.node, "format")) == "uri"):
		w.uri(m.Value, child, m.Name)
		return
	}
	w.value(m.Value, child, m.Name, is)
}

// uri walks the value of an argument that holds URIs: one, or a list of them.
func (w *search) uri(v abi.Value, node schema, name string) {
	if v.Kind() != abi.Array {
		w.value(v, node, name, v.IsString() && w.locates(v.Str()))
		return
	}
	items := node.items()
	for i, item := range v.Items() {
		w.trail.item(i)
		w.value(item, items, name, item.IsString() && w.locates(item.Str()) || w.class.format(items))
		w.trail.up()
	}
}

// locates says whether a URI is a path of this machine. What a resource has in
// place of a URI that everybody reads alike is taken for one.
func (w *search) locates(uri string) bool {
	if hasPrefixFold(uri, "file:") {
		return true
	}
	return w.resource && (!hasScheme(uri) || unreadable(uri) != "")
}
