package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
)

// linkedArgs is [Args] with a rule that says `symlinks: resolve`: it wants to
// know where the links in the paths of a call lead.
type linkedArgs struct{ Args }

// Needs lists the paths of a call that are acceptable as they are written, and
// the directories of the patterns.
func (a *linkedArgs) Needs(s *abi.Snapshot) []abi.Need {
	j := judging{call: &s.Call, place: &s.Session.Place, schema: schemaOf(&s.Definition.Schema), base: a.base}
	j.arguments, _ = s.Call.Values()
	var needs []abi.Need
	for i := range a.slots {
		m, ok := a.slots[i].matcher.(*pathMatcher)
		if !ok {
			continue
		}
		for k := range m.deny {
			if root := m.deny[k].root(j.place); root != "" {
				needs = append(needs, abi.Need{Path: root})
			}
		}
		if !m.resolve {
			continue // its deny list holds for what the others lead to
		}
		roots := m.roots(j.place)
		w := search{slotRule: &a.slots[i], j: &j, trail: newTrail()}
		w.collect = func(v abi.Value, p *place) {
			for _, form := range m.followed(v, p) {
				needs = append(needs, abi.Need{Path: form, Roots: roots})
			}
		}
		w.walk()
	}
	return needs
}

// roots lists the directories that the patterns start in; none where a pattern
// starts anywhere, or every path is allowed.
func (m *pathMatcher) roots(p *abi.Place) []string {
	var roots []string
	anywhere := !m.hasAllow
	for i := range m.allow {
		root := m.allow[i].root(p)
		anywhere = anywhere || root == ""
		roots = append(roots, root)
	}
	if anywhere {
		return nil
	}
	return roots
}

// followed lists the forms of a path that links are looked for in: the canonical
// one, and where it goes up, the one that an operating system follows step by
// step, which another directory may be above than the one that is written.
func (m *pathMatcher) followed(v abi.Value, p *place) []string {
	if !v.IsString() {
		return nil
	}
	var forms []string
	for value := range m.readings(v.Str(), p) {
		canonical, why := canonicalPath(value, p.Place)
		if why != "" || !strings.HasPrefix(canonical, "/") || p.Platform == "windows" {
			return nil
		}
		forms = append(forms, canonical)
		if raw := steps(value, p.Place); raw != canonical && strings.Contains(raw, "..") {
			forms = append(forms, raw)
		}
	}
	return forms
}

// steps is the absolute path of a value that is canonical, before what goes up
// is taken out.
func steps(value string, place *abi.Place) string {
	switch {
	case hasPrefixFold(value, "file:"):
		value, _ = fromFileURI(value, false)
	case value != "" && (value[0] == '~' || value[0] == '$'):
		value, _ = expandHome(value, place)
	}
	if !strings.HasPrefix(value, "/") {
		value = place.Dir + "/" + value
	}
	return value
}

// follows judges where the links in a path lead. What nobody has looked at, or
// could not be resolved, is refused.
func (m *pathMatcher) follows(v abi.Value, p *place) wrong {
	forms := m.followed(v, p)
	if len(forms) == 0 {
		return m.unresolved("links in it can not be followed here")
	}
	for i := range m.deny {
		root := m.deny[i].root(p.Place)
		if to, _ := p.call.Resolved(root); root != "" && to == "" {
			return m.unresolved("the directory of a denied pattern could not be followed")
		}
	}
	for _, form := range forms {
		to, known := p.call.Resolved(form)
		switch {
		case !known:
			return m.unresolved("nobody has followed its links, which only the host of a local server can")
		case to == "" || magicLink(to) != "":
			return m.unresolved("its links could not be followed to an end")
		}
		if w := m.within(to, p); w.code != "" {
			w.reason = "a link in a path leads elsewhere: " + w.reason
			return w
		}
	}
	return wrong{}
}

// deniedBehind holds the deny patterns of a rule that does not follow links
// against where a path leads, if a rule beside it made the host look.
func (m *pathMatcher) deniedBehind(v abi.Value, p *place) wrong {
	if len(m.deny) == 0 || p.call == nil || !p.call.Facts.Get("links").Exists() {
		return wrong{}
	}
	for _, form := range m.followed(v, p) {
		to, _ := p.call.Resolved(form)
		if to == "" || magicLink(to) != "" {
			continue // the rule that follows links refuses it
		}
		if w := m.denied(to, p); w.code != "" {
			w.reason = "a link in a path leads elsewhere: " + w.reason
			return w
		}
	}
	return wrong{}
}

func (m *pathMatcher) unresolved(why string) wrong {
	return m.wrong("UNRESOLVED", "a rule follows links, and of a path "+why, "use a path whose links can be followed, or state symlinks: lexical at the rule")
}

// view returns a path as it is written below the root of a pattern, where the
// root is, or goes through, a link: /private/tmp/x is /tmp/x to a pattern that
// starts at /tmp.
func view(g *glob, path string, p *place) (string, bool) {
	if p.call == nil || !p.call.Facts.Exists() {
		return "", false
	}
	root := g.root(p.Place)
	to, _ := p.call.Resolved(root)
	if root == "" || to == "" || to == root {
		return "", false
	}
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(to, "/"))
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return strings.TrimSuffix(root, "/") + rest, true
}

// root is the directory, without wildcards, that a pattern starts in; "" for one
// that starts anywhere.
func (g *glob) root(p *abi.Place) string {
	if !g.home {
		return g.start
	}
	home, why := canonicalPath("~", p)
	if why != "" {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSuffix(home, "/")+g.start, "/")
}

// beginning is the root of a compiled pattern, below the home directory for one
// that starts there.
func (g *glob) beginning() string {
	if g.anywhere || g.all && !g.home {
		return ""
	}
	var parts []string
	for part := range strings.SplitSeq(g.text, "/") {
		if !g.plain && !g.dir && strings.ContainsAny(part, `*?[{`) && !escapedOnly(part) {
			break
		}
		parts = append(parts, unescapeGlob(part))
	}
	return "/" + strings.Join(parts, "/")
}

// escapedOnly says whether every wildcard of a part of a pattern is taken
// literally.
func escapedOnly(part string) bool {
	for i := 0; i < len(part); i++ {
		if part[i] == '\\' {
			i++
		} else if strings.IndexByte(`*?[{`, part[i]) >= 0 {
			return false
		}
	}
	return true
}

func unescapeGlob(part string) string {
	var b strings.Builder
	for i := 0; i < len(part); i++ {
		if part[i] == '\\' && i+1 < len(part) {
			i++
		}
		b.WriteByte(part[i])
	}
	return b.String()
}
