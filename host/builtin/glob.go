package builtin

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"

	"github.com/callgate/callgate/abi"
)

// glob is a compiled path pattern. It matches whole components; "DIR/**" also
// matches DIR itself.
type glob struct {
	text     string // slash-separated, without the leading slash
	folded   string // foldPath(text)
	anywhere bool   // starts with "**/": matches relative forms too
	home     bool   // starts with "~/", which the snapshot's place decides
	all      bool   // matches everything
	dir      bool   // text is plain but for a final "/**", which is cut off
	plain    bool   // text has no wildcard at all
	sub      string // what matches everything below text, "" if text does itself
	subFold  string
	start    string // see root; without home
}

// compileGlob reads a pattern of a rule: absolute, or starting with "**/" or
// "~/". below makes it match everything below what it matches, as deny does.
func compileGlob(pattern string, below bool) (glob, error) {
	text := pattern
	if drive(text) && strings.IndexByte(text, '\\') == 2 {
		text = strings.ReplaceAll(text, `\`, "/")
	}
	if !doublestar.ValidatePattern(text) {
		return glob{}, fmt.Errorf("pattern %q is not a valid glob; check its brackets and braces", pattern)
	}
	var g glob
	switch {
	case strings.HasPrefix(text, "~/"):
		g.home = true
		text = text[1:]
	case text == "**" || strings.HasPrefix(text, "**/"):
		g.anywhere = true
	case drive(text) && len(text) > 2 && text[2] == '/':
		text = strings.ToUpper(text[:1]) + text[1:]
	case !strings.HasPrefix(text, "/"):
		return glob{}, fmt.Errorf("pattern %q is relative; want an absolute one, or one that starts with \"**/\"", pattern)
	}
	for c := range strings.SplitSeq(text, "/") {
		if c == "." || c == ".." {
			return glob{}, fmt.Errorf("pattern %q contains a %q component, which no canonical path has; write the directory itself", pattern, c)
		}
	}
	text = path.Clean(text)
	if below {
		// A deny pattern is compared with the composed form too (otherForms).
		text = norm.NFC.String(text)
	}
	g.text = strings.TrimPrefix(text, "/")
	g.all = !g.home && g.text == "**"
	if below && !g.all && g.text != "" && !strings.HasSuffix(g.text, "/**") {
		g.sub = g.text + "/**"
	}
	if below && g.text == "" {
		g.all = !g.home
	}
	g.folded, g.subFold = foldPath(g.text), foldPath(g.sub)
	if !strings.ContainsAny(g.text, `*?[{\`) {
		g.plain = true
	} else if d, ok := strings.CutSuffix(g.text, "/**"); ok && !strings.ContainsAny(d, `*?[{\`) {
		g.dir, g.text, g.folded = true, d, foldPath(d)
	}
	g.start = g.beginning()
	return g, nil
}

// fits says whether the pattern can be compared with this canonical form at
// all: a relative form only with a pattern for anywhere.
func (g *glob) fits(p string) bool { return g.anywhere || g.all || rooted(p) }

// rooted says whether a canonical form is absolute.
func rooted(p string) bool {
	return strings.HasPrefix(p, "/") || drive(p) && len(p) > 2 && p[2] == '/'
}

// match says whether the pattern matches a canonical form.
func (g *glob) match(p string, fold bool, place *abi.Place) bool {
	if g.all {
		return true
	}
	if !g.fits(p) {
		return false
	}
	if g.home {
		home, why := canonicalPath("~", place)
		if why != "" {
			return false
		}
		if fold {
			p, home = foldPath(p), foldPath(home)
		}
		rest, ok := strings.CutPrefix(p, strings.TrimSuffix(home, "/"))
		if !ok || rest != "" && rest[0] != '/' {
			return false
		}
		p = rest
	}
	text, sub := g.text, g.sub
	if fold {
		p, text, sub = foldPath(p), g.folded, g.subFold
	}
	return g.matchText(strings.TrimPrefix(p, "/"), text, sub)
}

func (g *glob) matchText(p, text, sub string) bool {
	switch {
	case g.plain || g.dir:
		if p == text {
			return true
		}
		return (g.dir || sub != "") && len(p) > len(text) && strings.HasPrefix(p, text) && (text == "" || p[len(text)] == '/')
	case doublestar.MatchUnvalidated(text, p):
		return true
	}
	return sub != "" && doublestar.MatchUnvalidated(sub, p)
}

// otherForms returns further readings of a canonical path that a deny pattern
// is also compared with: percent escapes decoded, blanks at the ends of names
// trimmed, backslashes as separators, Unicode composed. Most paths have none.
func otherForms(p string) []string {
	var forms []string
	add := func(s string) {
		if s != p {
			forms = append(forms, s)
		}
	}
	if strings.IndexByte(p, '%') >= 0 {
		if decoded, ok := percentDecode(p); ok {
			add(path.Clean(decoded))
		}
	}
	if strings.IndexByte(p, '\\') >= 0 {
		add(path.Clean(strings.ReplaceAll(p, `\`, "/")))
		add(strings.ReplaceAll(p, `\`, ""))
	}
	if strings.IndexByte(p, ' ') >= 0 {
		parts := strings.Split(p, "/")
		for i, c := range parts {
			parts[i] = strings.TrimSpace(c)
		}
		add(strings.Join(parts, "/"))
	}
	if !plainASCII(p) && !norm.NFC.IsNormalString(p) {
		add(norm.NFC.String(p))
	}
	return forms
}
