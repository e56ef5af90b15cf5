package policy

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/callgate/callgate/abi"
)

// args looks at the rules of a list about arguments or results, which all hold.
func (l *linter) args(y *layer, at string, args []arg) {
	for i := range args {
		a, here := &args[i], abi.JoinIndex(at, i)
		l.lists(y, here, a)
		l.match(y, here, a)
		l.denyPatterns(y, here, a)
		for j := range args {
			if b := &args[j]; a.Slot == b.Slot && a.Arg == b.Arg {
				rule := y.rule(abi.JoinIndex(at, j))
				if i == j {
					rule = "the rule itself"
				}
				l.pair(y, here, a, b, rule)
			}
		}
	}
}

// lists finds lists that let everything or nothing pass.
func (l *linter) lists(y *layer, at string, a *arg) {
	switch {
	case a.Allow != nil && len(a.Allow) == 0:
		l.add(codeAllowsNothing, y.rule(at+"/allow"), "an empty list allows nothing; say so with verdict: deny at the tool, or list what is acceptable")
	case a.In != nil && len(a.In) == 0:
		l.add(codeAllowsNothing, y.rule(at+"/in"), "an empty list allows nothing; say so with forbid: true, or list what is acceptable")
	}
	for i, p := range a.Allow {
		if letsAll(a.Slot, p) {
			l.add(codeEverything, y.rule(abi.JoinIndex(at+"/allow", i)), "%q lets every value pass; list what is acceptable, or remove the list", p)
		}
	}
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"allow", a.Allow}, {"deny", a.Deny}} {
		for i, p := range list.patterns {
			if why := voidPath(a.Slot, p); why != "" {
				l.add(codeNeverPasses, y.rule(abi.JoinIndex(at+"/"+list.name, i)), "no value matches it: %s", why)
			}
		}
	}
	for i, p := range a.AllowPattern {
		if matchesAll(p) {
			l.add(codeEverything, y.rule(abi.JoinIndex(at+"/allow_pattern", i)), "%q lets every value pass; write what is acceptable", p)
		}
	}
}

// letsAll says whether a pattern of a slot's allow list matches every value.
func letsAll(slot, p string) bool {
	switch slot {
	case "path", "cwd":
		return p == "/**" || p == "**/*" || p == "**" || p == "/**/*"
	case "recipient":
		return p == "*" || p == "**" || p == "*@*"
	default:
		return p == "*" || p == "**" || p == "*://**" || p == "*.*"
	}
}

// match looks at a regular expression for the whole value.
func (l *linter) match(y *layer, at string, a *arg) {
	p := text(a.Match)
	if p == "" {
		return
	}
	at += "/match"
	begins, ends := anchored(p)
	switch {
	case matchesAll(p):
		l.add(codeEverything, y.rule(at), "%q matches every value; write what is acceptable, or remove it", p)
	case begins && ends:
		l.add(codeMatchAnchored, y.rule(at), "match is for the whole value, so ^ and $ add nothing")
	case begins && !openEnd(p, false):
		l.add(codeMatchHalf, y.rule(at), "match is for the whole value, and %q reads like its beginning; write .* behind it if anything may follow", p)
	case ends && !openEnd(p, true):
		l.add(codeMatchHalf, y.rule(at), "match is for the whole value, and %q reads like its end; write .* in front of it if anything may precede", p)
	}
}

// parsed is a regular expression that was checked when the file was read.
func parsed(p string) *syntax.Regexp {
	re, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return &syntax.Regexp{Op: syntax.OpNoMatch}
	}
	return re.Simplify()
}

// parts are what an expression consists of, one behind the other.
func parts(re *syntax.Regexp) []*syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op == syntax.OpConcat {
		return re.Sub
	}
	return []*syntax.Regexp{re}
}

func anchored(p string) (begins, ends bool) {
	list := parts(parsed(p))
	first, last := list[0].Op, list[len(list)-1].Op
	return first == syntax.OpBeginText || first == syntax.OpBeginLine, last == syntax.OpEndText || last == syntax.OpEndLine
}

// openEnd says whether an expression goes on with anything at its end, or at
// its start.
func openEnd(p string, start bool) bool {
	list := parts(parsed(p))
	re := list[len(list)-1]
	if start {
		re = list[0]
	}
	return re.Op == syntax.OpStar || re.Op == syntax.OpPlus
}

// matchesAll says whether an expression for the whole value, or one that has to
// be found, matches every text.
func matchesAll(p string) bool {
	for _, re := range parts(parsed(p)) {
		switch re.Op {
		case syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine:
		case syntax.OpStar:
			if re.Sub[0].Op != syntax.OpAnyChar && re.Sub[0].Op != syntax.OpAnyCharNotNL {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// denyPatterns looks at expressions that may match nowhere in a text.
func (l *linter) denyPatterns(y *layer, at string, a *arg) {
	for i, p := range a.DenyPattern {
		here := y.rule(abi.JoinIndex(at+"/deny_pattern", i))
		if begins, ends := anchored(p); begins || ends {
			l.add(codeDenyNarrow, here, "%q holds at one end of the text only; without ^ and $ it may match nowhere in it", p)
		}
	}
}

// pair looks at two rules about the same values, which may be one.
func (l *linter) pair(y *layer, at string, a, b *arg, rule string) {
	if a.Min != nil && b.Max != nil && numberOf(*a.Min) > numberOf(*b.Max) {
		l.add(codeNeverPasses, y.rule(at+"/min"), "no number is at least %s and, as %s wants, at most %s", *a.Min, rule, *b.Max)
	}
	l.excluded(y, at, a, b, rule)
	if a.Slot != "path" && a.Slot != "cwd" {
		return
	}
	for i, deny := range a.Deny {
		if len(b.Allow) > 0 && !slices.ContainsFunc(b.Allow, func(allow string) bool { return meet(deny, allow) }) {
			l.add(codeShadowed, y.rule(abi.JoinIndex(at+"/deny", i)), "%s allows nothing that it denies; remove it", rule)
		}
		for j, allow := range b.Allow {
			if dir, ok := strings.CutSuffix(deny, "/**"); ok && !isGlob(dir) && within(literalDir(allow), dir) {
				l.add(codeAllowsNothing, y.rule(abi.JoinIndex(at+"/deny", i)), "%q leaves nothing of allow[%d] of %s; remove one of them", deny, j, rule)
			}
		}
	}
}

// excluded finds values of an in list that other rules refuse.
func (l *linter) excluded(y *layer, at string, a, b *arg, rule string) {
	if len(a.In) == 0 || b.Match == nil {
		return
	}
	re, err := regexp.Compile(`\A(?:` + *b.Match + `)\z`)
	if err != nil {
		return
	}
	var out []string
	for _, v := range a.In {
		s := v.Lexeme()
		if v.IsString() {
			s = v.Str()
		}
		if !re.MatchString(s) {
			out = append(out, strconv.Quote(s))
		}
	}
	switch {
	case len(out) == len(a.In):
		l.add(codeNeverPasses, y.rule(at+"/in"), "no value of the list matches what %s wants too", rule)
	case len(out) > 0:
		l.add(codeShadowed, y.rule(at+"/in"), "%s is in the list and does not match what %s wants too", strings.Join(out, ", "), rule)
	}
}

// literalDir is the directory that everything of a path pattern lies in.
func literalDir(p string) string {
	dir := p
	if i := strings.IndexAny(p, `*?[{\`); i >= 0 {
		dir = p[:i]
		dir = dir[:strings.LastIndexByte(dir, '/')+1]
	}
	return strings.TrimSuffix(dir, "/")
}

// within says whether a directory is another one, or lies in it.
func within(dir, other string) bool { return dir == other || strings.HasPrefix(dir, other+"/") }

// meet says whether two path patterns may match the same path. It errs on the
// side of yes.
func meet(a, b string) bool {
	if !strings.HasPrefix(a, "/") || !strings.HasPrefix(b, "/") {
		return true // anywhere, or in a home
	}
	da, db := literalDir(a), literalDir(b)
	if !isPathGlob(a) {
		if ok, err := doublestar.Match(b, a); err == nil && !isPathGlob(b) || ok {
			return ok
		}
		return within(a, db)
	}
	return within(da, db) || within(db, da)
}

func isPathGlob(s string) bool { return strings.ContainsAny(s, `*?[{\`) }
