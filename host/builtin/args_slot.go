package builtin

import (
	"bytes"
	"errors"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// slotRule is a compiled `slot: path` rule.
type slotRule struct {
	argument      // with `arg:` beside the slot: the one argument it is about
	only     bool // there is an `arg:`
	moving   bool // the tool moves or copies: from and to are paths
	resource bool // the call names a resource: its uri is a path, unless it has another scheme
	complete bool // the call completes an argument, whose name and value stand beside each other
	names    []squashed
	more     []argument // further arguments, named by pointer
	hasAllow bool
	allow    []glob
	deny     []glob
	literal  bool
	fold     bool
}

func newSlotRule(rule *contract.Arg, of *contract.Rules) (slotRule, error) {
	r := slotRule{
		argument: argument{rule: rule.Rule, outcome: outcomeOf(rule)}, only: rule.Arg != "",
		resource: of.Kind == abi.KindResource, complete: of.Kind == abi.KindCompletion,
		moving:   hasWord(of.Tool, "move", "rename", "copy", "cp", "mv", "link", "symlink", "ln"),
		hasAllow: rule.HasAllow || len(rule.Allow) > 0, literal: rule.Literal, fold: rule.Fold,
	}
	if rule.Match != "" || rule.HasIn || rule.Max != "" || rule.Min != "" || rule.Forbid {
		return r, errors.New("slot path has match, in, max, min or forbid; write them in a rule with arg: only")
	}
	var err error
	if r.only {
		if r.argument, err = newArgument(rule, rule.Arg, of.Kind.Base()); err != nil {
			return r, err
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
	for _, p := range rule.Allow {
		g, err := compileGlob(p, false)
		if err != nil {
			return r, err
		}
		r.allow = append(r.allow, g)
	}
	for _, p := range rule.Deny {
		g, err := compileGlob(p, true)
		if err != nil {
			return r, err
		}
		r.deny = append(r.deny, g)
	}
	return r, nil
}

// named says whether the rule takes an argument of this name for a path.
func (r *slotRule) named(name string) bool {
	if pathName(name, r.moving) {
		return true
	}
	for i := range r.names {
		s := squash(name)
		if bytes.Equal(s.text(), r.names[i].text()) {
			return true
		}
	}
	return false
}

// search is one rule's walk through the arguments of one call.
type search struct {
	*slotRule
	j     *judging
	count int // path values found
	trail trail
}

func (r *slotRule) judge(j *judging) {
	w := search{slotRule: r, j: j, trail: newTrail()}
	if r.only {
		w.oneArgument(&r.argument)
	} else {
		w.value(j.arguments, j.schema, false)
		w.completed(j.arguments.Get("argument"))
	}
	for i := range r.more {
		w.oneArgument(&r.more[i])
	}
	if w.count == 0 && r.hasAllow {
		w.refuse("ARGS_PATH_MISSING", "the rule allows certain paths, and the call names none",
			"send the path, or move the rule to the tools that have one")
	}
}

// completed walks the value of the argument that is being completed, if its name
// is that of a path.
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
	w.value(l.value, l.node, true)
	w.trail = w.trail[:0]
}

func (w *search) refuse(code, reason, mend string) {
	w.j.add(violation{outcome: w.outcome, code: code, rule: w.rule, at: w.trail.pointer(w.j.base), reason: reason, mend: mend})
}

// value walks v; isPath says that its strings are paths.
func (w *search) value(v abi.Value, node schema, isPath bool) {
	read, opened, fits := v, false, true
	if node.exists() && len(w.trail) > 0 {
		read, opened, fits = node.readAs(v)
	}
	if !fits && (isPath || v.IsString()) {
		w.count++
		w.refuse("ARGS_TYPE", "an argument has another type than the tool's pinned schema states", "send the argument in its declared type")
		return
	}
	if opened {
		w.trail.freeze()
		defer w.trail.up()
	}
	switch read.Kind() {
	case abi.String, abi.RawString:
		if isPath {
			w.path(read.Str())
		}
	case abi.Number:
		if isPath && w.hasAllow && (!node.exists() || node.types() == 0 || node.types()&typeString != 0) {
			w.count++
			w.refuse("ARGS_PATH_UNDECIDABLE", "a path is a number, which a server could read as a name or as an open file", "send the path as text")
		}
	case abi.Array:
		items := node.items()
		for i, item := range read.Items() {
			w.trail.item(i)
			w.value(item, items, isPath || items.isPath())
			w.trail.up()
		}
	case abi.Object:
		w.object(read, node, isPath)
	}
}

// object walks the members of an object. Under a path argument the members with
// path names are the paths; if there is none, every member that is not content
// is one, and so is a key that looks like a path and is no declared property.
func (w *search) object(v abi.Value, node schema, isPath bool) {
	some := false
	if isPath {
		for _, m := range v.Members() {
			some = some || w.named(m.Name)
		}
	}
	members := v.Members()
	for i := range members {
		m := &members[i]
		w.trail.member(m.Name)
		w.member(m, node, isPath, some)
		w.trail.up()
	}
}

// member decides whether one member of an object is a path, and walks it. some
// says that a member beside it has a path's name.
func (w *search) member(m *abi.Member, node schema, isPath, some bool) {
	if node.exists() && node.foldedProperty(m.Name) {
		w.refuse("ARGS_CASE", "a name differs from a declared argument only in letter case", "send the argument under its exact name")
		return
	}
	child := node.property(m.Name)
	path := w.named(m.Name) || child.isPath()
	switch {
	case path:
	case isPath && !some && !node.declares(m.Name) && pathShaped(m.Name):
		w.path(m.Name)
		path = m.Value.IsString() && startsLikePath(m.Value.Str())
	case isPath && !some:
		path = !contentName(m.Name)
	case uriName(m.Name) || textOf(get(child.node, "format")) == "uri":
		w.uri(m.Value, child)
		return
	}
	w.value(m.Value, child, path)
}

// uri walks the value of an argument that holds URIs: one, or a list of them.
func (w *search) uri(v abi.Value, node schema) {
	if v.Kind() != abi.Array {
		w.value(v, node, v.IsString() && w.locates(v.Str()))
		return
	}
	items := node.items()
	for i, item := range v.Items() {
		w.trail.item(i)
		w.value(item, items, item.IsString() && w.locates(item.Str()) || items.isPath())
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

// pathShaped says whether a key looks like a file name.
func pathShaped(name string) bool {
	return strings.ContainsAny(name, `/\.`) || strings.HasPrefix(name, "~")
}

// startsLikePath says whether a value starts as paths do.
func startsLikePath(s string) bool {
	return s != "" && (s[0] == '/' || s[0] == '\\' || s[0] == '~' || s[0] == '.' || drive(s) || hasPrefixFold(s, "file:"))
}

// path judges one path value.
func (w *search) path(value string) {
	w.count++
	if w.literal && shellGrammar(value, w.j.place.Platform == "windows") {
		w.refuse("ARGS_PATH_LITERAL", "a path contains characters of the shell's grammar", "send a plain path")
	}
	p, why := canonicalPath(value, w.j.place)
	if why != "" {
		w.refuse("ARGS_PATH_UNDECIDABLE", "a path can be read in more than one way: "+why, "send the plain absolute path")
		return
	}
	if code := w.denied(p); code != "" {
		w.refuseDenied(code)
		return
	}
	if !w.hasAllow {
		return
	}
	fold := w.fold || w.j.place.Platform == "windows"
	decidable := true
	for i := range w.allow {
		if w.allow[i].match(p, fold, w.j.place) {
			return
		}
		decidable = decidable && w.allow[i].fits(p)
	}
	if !decidable {
		w.refuseDenied("ARGS_PATH_UNDECIDABLE")
		return
	}
	w.refuse("ARGS_PATH_OUTSIDE", "a path is outside everything that the rule allows", "use a path inside, or add to allow at the rule")
}

func (w *search) refuseDenied(code string) {
	if code == "ARGS_PATH_DENIED" {
		w.refuse(code, "a path is one that the rule denies", "use another path, or narrow deny at the rule")
		return
	}
	w.refuse(code, "a path is relative, and the directory it starts from is not known", "send an absolute path, or set cwd for the server")
}

// denied returns the code under which a deny pattern refuses the path, else "".
// Where file systems ignore case, deny does too.
func (w *search) denied(p string) string {
	if len(w.deny) == 0 {
		return ""
	}
	fold := w.fold || w.j.place.Platform == "windows" || w.j.place.Platform == "darwin"
	forms := otherForms(p)
	for i := range w.deny {
		g := &w.deny[i]
		if !g.fits(p) || g.home && w.j.place.Home == "" {
			return "ARGS_PATH_UNDECIDABLE"
		}
		if g.match(p, fold, w.j.place) {
			return "ARGS_PATH_DENIED"
		}
		for _, f := range forms {
			if g.match(f, fold, w.j.place) {
				return "ARGS_PATH_DENIED"
			}
		}
	}
	return ""
}

// shellGrammar says whether a value contains a character that a shell gives a
// meaning.
func shellGrammar(value string, windows bool) bool {
	set := "|&;<>()$`\"'*?[]#!{}\n\\"
	if windows {
		set = "|&;<>()$`\"'*?[]#!{}\n%^"
	}
	return strings.ContainsAny(value, set)
}
