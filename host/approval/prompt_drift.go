package approval

import (
	"fmt"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
)

// maxAround is how much of what stayed the same is shown at each side of what
// moved, in bytes.
const maxAround = 80

// definition shows the tool that a yes would pin: what a model is told by it,
// and in what it differs from what is pinned.
func (p *prompt) definition(a *abi.AskEvent) {
	v := a.Definition
	if !v.Exists() {
		return
	}
	instead := ""
	if a.DefinitionWas.Exists() {
		instead = " instead of the old one"
	}
	p.title("a yes also pins this definition of the tool%s, %d bytes, %s", instead, len(v.String()), abi.PinDigest(v))
	if instead != "" {
		_, changes := abi.GradeDefinition(a.DefinitionWas, v, nil)
		p.changes(changes)
		p.title("the definition as a whole")
	}
	p.members(v)
}

// identity shows what a yes would pin of the server.
func (p *prompt) identity(a *abi.AskEvent) {
	v := a.Identity
	if !v.Exists() {
		return
	}
	p.title("a yes also pins what the server says of itself, for every call of it, %d bytes", len(v.String()))
	if a.IdentityWas.Exists() {
		_, changes := abi.GradeIdentity(a.IdentityWas, v, nil)
		p.changes(changes)
		p.title("what it says of itself as a whole")
	}
	p.members(v)
}

// changes shows place by place what was and what is. What differs is never cut
// for the sake of what stayed the same.
func (p *prompt) changes(list []abi.DriftChange) {
	for i, c := range list {
		if i == maxArguments {
			p.title("{cut: %d more changes}", len(list)-i)
			return
		}
		p.title("change %d of %d, at %s, %s: %s", i+1, len(list), bare(c.At), c.Grade, c.Why)
		was, is := differing(c.Was, c.Is)
		p.line("was", was)
		p.line("is", is)
	}
}

// differing shows two values, at most maxArgument bytes of each.
func differing(was, is abi.Value) (string, string) {
	if !was.Exists() || !is.Exists() {
		return whole(was), whole(is)
	}
	show := func(s string) string { return shown(s) }
	a, b := was.String(), is.String()
	if was.IsString() && is.IsString() {
		show = func(s string) string { return `"` + shown(escaped(s)) + `"` }
		a, b = was.Str(), is.Str()
	}
	if max(len(a), len(b)) <= maxArgument {
		return show(a), show(b)
	}
	front, back := common(a, b)
	return part(a, front, back, show), part(b, front, back, show)
}

func whole(v abi.Value) string {
	if !v.Exists() {
		return "nothing"
	}
	return canonical(v)
}

// common says how many bytes two texts have in common in front and at the back,
// less what is shown around the difference.
func common(a, b string) (front, back int) {
	least := min(len(a), len(b))
	for front < least && a[front] == b[front] {
		front++
	}
	for back < least-front && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	front, back = max(0, front-maxAround), max(0, back-maxAround)
	for front > 0 && !utf8.RuneStart(a[front]) {
		front--
	}
	for back > 0 && !utf8.RuneStart(a[len(a)-back]) {
		back--
	}
	return front, back
}

// part shows a text without front and back.
func part(s string, front, back int, show func(string) string) string {
	head, left, tail := cut(s[front:len(s)-back], maxArgument)
	text := show(head)
	if front > 0 {
		text = fmt.Sprintf("{cut: %d bytes} %s", front, text)
	}
	if left > 0 {
		text += fmt.Sprintf(" {cut: %d bytes} %s", left, show(tail))
	}
	if back > 0 {
		text += fmt.Sprintf(" {cut: %d bytes}", back)
	}
	return text
}
