package builtin

import (
	"iter"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// cwdNames are the names of arguments that hold working directories.
var cwdNames = []string{"cwd", "workdir", "workingdir", "workingdirectory", "chdir", "=pwd", "run in", "run dir"}

// pathMatcher is a compiled rule about paths, or about working directories.
type pathMatcher struct {
	class    string
	cwds     wordList // of a path: names of what it can be relative to
	hasAllow bool
	allow    []glob
	deny     []glob
	literal  bool
	resolve  bool
	fold     bool
	expands  []string // patterns of deny, to be held against values that are globs
}

func newPathMatcher(rule *contract.Arg) (matcher, error) {
	m := &pathMatcher{class: rule.Slot, hasAllow: rule.HasAllow || len(rule.Allow) > 0, literal: rule.Literal, resolve: rule.Resolve, fold: rule.Fold}
	if rule.Slot == "path" {
		m.cwds = naming(cwdNames)
	}
	for _, p := range rule.Allow {
		g, err := compileGlob(p, false)
		if err != nil {
			return nil, err
		}
		m.allow = append(m.allow, g)
	}
	for _, p := range rule.Deny {
		g, err := compileGlob(p, true)
		if err != nil {
			return nil, err
		}
		m.deny = append(m.deny, g)
		if rule.Expands {
			m.expands = append(m.expands, p)
		}
	}
	return m, nil
}

func (m *pathMatcher) wants() bool { return m.hasAllow }

// readsPath says whether a scalar is a path: a number is one where the schema
// does not say that it is none.
func readsPath(v abi.Value, p *place) bool {
	if v.Kind() == abi.Number {
		return !p.node.exists() || p.node.types() == 0 || p.node.types()&typeString != 0
	}
	return v.IsString()
}

// judge judges one path value.
func (m *pathMatcher) judge(v abi.Value, p *place) wrong {
	if !v.IsString() {
		if m.hasAllow {
			return m.wrong("UNDECIDABLE", "a path is a number, which a server could read as a name or as an open file", "send the path as text")
		}
		return wrong{}
	}
	if m.literal && shellGrammar(v.Str(), p.Platform == "windows") {
		return m.wrong("LITERAL", "a path contains characters of the shell's grammar", "send a plain path")
	}
	for value := range m.readings(v.Str(), p) {
		path, why := canonicalPath(value, p.Place)
		if why != "" {
			return m.wrong("UNDECIDABLE", "a path can be read in more than one way: "+why, "send the plain absolute path")
		}
		if w := m.within(path, p); w.code != "" {
			return w
		}
	}
	if !m.resolve {
		return m.deniedBehind(v, p)
	}
	return m.follows(v, p)
}

// readings are what a path can mean: itself, and where the call names a working
// directory, what a relative one is from there.
func (m *pathMatcher) readings(value string, p *place) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(value) || value == "" || strings.IndexByte(`/\~$`, value[0]) >= 0 || drive(value) || hasScheme(value) || p.call == nil {
			return
		}
		values, _ := p.call.Values()
		for _, member := range values.Members() {
			if dir := strings.TrimSpace(member.Value.Str()); dir != "" && m.cwds.match(member.Name) && !yield(dir+"/"+value) {
				return
			}
		}
	}
}

// within holds the patterns against a canonical path.
func (m *pathMatcher) within(path string, p *place) wrong {
	if w := m.denied(path, p); w.code != "" {
		return w
	}
	if !m.hasAllow {
		return wrong{}
	}
	fold := m.fold || p.Platform == "windows"
	decidable := true
	for i := range m.allow {
		if m.allow[i].match(path, fold, p.Place) {
			return wrong{}
		}
		if seen, ok := view(&m.allow[i], path, p); m.resolve && ok && m.allow[i].match(seen, fold, p.Place) {
			return wrong{}
		}
		decidable = decidable && m.allow[i].fits(path)
	}
	if !decidable {
		return m.relative()
	}
	return m.wrong("OUTSIDE", "a path is outside everything that the rule allows", "use a path inside, or add to allow at the rule")
}

func (m *pathMatcher) wrong(what, reason, mend string) wrong {
	return wrong{codeOf(m.class, what), reason, mend}
}

func (m *pathMatcher) forbidden() wrong {
	return m.wrong("DENIED", "a path is one that the rule denies", "use another path, or narrow deny at the rule")
}

func (m *pathMatcher) relative() wrong {
	return m.wrong("UNDECIDABLE", "a path is relative, and the directory it starts from is not known", "send an absolute path, or set cwd for the server")
}

// denied says whether a deny pattern refuses a canonical path. Where file
// systems ignore case, deny does too.
func (m *pathMatcher) denied(path string, p *place) wrong {
	if len(m.deny) == 0 {
		return wrong{}
	}
	fold := m.fold || p.Platform == "windows" || p.Platform == "darwin"
	forms := otherForms(path)
	for i := range m.deny {
		g := &m.deny[i]
		if seen, ok := view(g, path, p); ok && g.match(seen, fold, p.Place) {
			return m.forbidden()
		}
		if !g.fits(path) || g.home && p.Home == "" {
			return m.relative()
		}
		if g.match(path, fold, p.Place) {
			return m.forbidden()
		}
		for _, f := range forms {
			if g.match(f, fold, p.Place) {
				return m.forbidden()
			}
		}
	}
	if meetsAny(m.expands, path, fold) {
		return m.forbidden()
	}
	return wrong{}
}

// pathShaped says whether a key looks like a file name.
func pathShaped(name string) bool {
	return strings.ContainsAny(name, `/\.`) || strings.HasPrefix(name, "~")
}

// startsLikePath says whether a value starts as paths do.
func startsLikePath(s string) bool {
	return s != "" && (s[0] == '/' || s[0] == '\\' || s[0] == '~' || s[0] == '.' || drive(s) || hasPrefixFold(s, "file:"))
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
