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
	names    []squashed
	more     []argument // further arguments, named by pointer
	hasAllow bool
	allow    []glob
	deny     []glob
	literal  bool
	fold     bool
}

func newSlotRule(rule *contract.Arg, tool string) (slotRule, error) {
	r := slotRule{
		argument: argument{rule: rule.Rule, outcome: outcomeOf(rule)}, only: rule.Arg != "",
		moving:   hasWord(tool, "move", "rename", "copy", "cp", "mv", "link", "symlink", "ln"),
		hasAllow: rule.HasAllow || len(rule.Allow) > 0, literal: rule.Literal, fold: rule.Fold,
	}
	if rule.Match != "" || rule.HasIn || rule.Max != "" || rule.Min != "" || rule.Forbid {
		return r, errors.New("slot path has match, in, max, min or forbid; write them in a rule with arg: only")
	}
	var err error
	if r.only {
		if r.argument, err = newArgument(rule, rule.Arg); err != nil {
			return r, err
		}
	}
	for _, name := range rule.Names {
		if !strings.HasPrefix(name, "/") {
			r.names = append(r.names, squash(name))
			continue
		}
		a, err := newArgument(rule, name)
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
}

func (r *slotRule) judge(j *judging) {
	w := search{slotRule: r, j: j}
	if r.only {
		w.oneArgument(&r.argument)
	} else {
		w.value(j.arguments, j.schema, false, nil)
	}
	for i := range r.more {
		w.oneArgument(&r.more[i])
	}
	if w.count == 0 && r.hasAllow {
		w.refuse("ARGS_PATH_MISSING", nil, "the rule allows certain paths, and the call names none",
			"send the path, or move the rule to the tools that have one")
	}
}

// oneArgument walks the value of one named argument.
func (w *search) oneArgument(a *argument) {
	l, ok := a.find(w.j, w.only)
	if !ok || !l.value.Exists() {
		return
	}
	t := (*trail)(nil)
	for _, token := range a.tokens {
		step := t.member(token)
		if l.frozen {
			step.frozen = t != nil
		}
		t = &step
	}
	w.value(l.value, l.node, true, t)
}

func (w *search) refuse(code string, t *trail, reason, mend string) {
	w.j.add(violation{outcome: w.outcome, code: code, rule: w.rule, at: t.pointer(), reason: reason, mend: mend})
}

// value walks v; isPath says that its strings are paths.
func (w *search) value(v abi.Value, node schema, isPath bool, t *trail) {
	read, opened, fits := v, false, true
	if node.exists() && t != nil {
		read, opened, fits = node.readAs(v)
	}
	if !fits && (isPath || v.IsString()) {
		w.count++
		w.refuse("ARGS_TYPE", t, "an argument has another type than the tool's pinned schema states", "send the argument in its declared type")
		return
	}
	if opened {
		inside := trail{up: t, index: -1, frozen: true}
		t = &inside
	}
	switch read.Kind() {
	case abi.String, abi.RawString:
		if isPath {
			w.path(read.Str(), t)
		}
	case abi.Array:
		items := node.items()
		for i, item := range read.Items() {
			step := t.item(i)
			w.value(item, items, isPath || items.isPath(), &step)
		}
	case abi.Object:
		w.object(read, node, isPath, t)
	}
}

// object walks the members of an object. Under a path argument the members with
// path names are the paths; if there is none, every member that is not content
// is one, and so is a key that looks like a path and is no declared property.
func (w *search) object(v abi.Value, node schema, isPath bool, t *trail) {
	some := false
	if isPath {
		for _, m := range v.Members() {
			some = some || w.named(m.Name)
		}
	}
	for _, m := range v.Members() {
		step := t.member(m.Name)
		if node.exists() && node.foldedProperty(m.Name) {
			w.refuse("ARGS_CASE", &step, "a name differs from a declared argument only in letter case", "send the argument under its exact name")
			continue
		}
		child := node.property(m.Name)
		path := w.named(m.Name) || child.isPath()
		switch {
		case path:
		case isPath && !some && !node.declares(m.Name) && pathShaped(m.Name):
			w.path(m.Name, &step)
			path = m.Value.IsString() && startsLikePath(m.Value.Str())
		case isPath && !some:
			path = !contentName(m.Name)
		case m.Value.IsString() && hasPrefixFold(m.Value.Str(), "file:") && (uriName(m.Name) || child.node.Get("format").Str() == "uri"):
			path = true
		}
		w.value(m.Value, child, path && !child.onlyPlain(), &step)
	}
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
func (w *search) path(value string, t *trail) {
	w.count++
	if w.literal && shellGrammar(value, w.j.place.Platform == "windows") {
		w.refuse("ARGS_PATH_LITERAL", t, "a path contains characters of the shell's grammar", "send a plain path")
	}
	p, why := canonicalPath(value, w.j.place)
	if why != "" {
		w.refuse("ARGS_PATH_UNDECIDABLE", t, "a path can be read in more than one way: "+why, "send the plain absolute path")
		return
	}
	if code := w.denied(p); code != "" {
		w.refuseDenied(code, t)
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
		w.refuseDenied("ARGS_PATH_UNDECIDABLE", t)
		return
	}
	w.refuse("ARGS_PATH_OUTSIDE", t, "a path is outside everything that the rule allows", "use a path inside, or add to allow at the rule")
}

func (w *search) refuseDenied(code string, t *trail) {
	if code == "ARGS_PATH_DENIED" {
		w.refuse(code, t, "a path is one that the rule denies", "use another path, or narrow deny at the rule")
		return
	}
	w.refuse(code, t, "a path is relative, and the directory it starts from is not known", "send an absolute path, or set cwd for the server")
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
