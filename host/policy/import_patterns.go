package policy

import (
	"regexp/syntax"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// How MCP Visor reads a glob: under rules and taints, one without ** has ? and
// classes, too; in sensitive_files none has.
type globKind int

const (
	globDenies globKind = iota
	globAllows          // ** may match nothing here, and not there
	globIsFile          // of sensitive_files
)

// pathGlob makes a pattern of a glob of MCP Visor. With ** in it, ** there is any
// text, * any text without a slash, and everything else literal; without, it is
// a glob of one component each.
func (im *importer) pathGlob(n *yaml.Node, kind globKind) *yaml.Node {
	s, narrow := n.Value, kind == globAllows
	switch {
	case strings.Contains(s, "**") || kind == globIsFile:
		s = escapeGlob2(s)
	case strings.Contains(s, "[!"):
		im.fail(n, "glob %q: a ! that begins a class is a character in MCP Visor, and negates here; write it further back in the class", s)
	default:
		s = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(s)
	}
	parts := strings.Split(s, "/")
	for i, part := range parts {
		if part != "**" && strings.Contains(part, "**") {
			im.fail(n, "glob %q: ** beside other characters crosses directories in MCP Visor, and not here; write it as a component of its own", n.Value)
			return textAt(n, s)
		}
		if part == "**" && narrow && i > 0 {
			// Here ** may be no component at all, and there it stands behind a slash.
			parts[i] = "*/**"
			if i == len(parts)-1 {
				parts[i] = "**/*"
			}
		}
	}
	s = strings.Join(parts, "/")
	switch {
	case s == "**":
		s = "/**"
	case strings.HasPrefix(s, "/") || strings.HasPrefix(s, "**/") || strings.HasPrefix(s, "~/"):
	default:
		im.fail(n, "glob %q: MCP Visor compares it with the text of the argument, and here it would start at the policy file; start it with / or **/", n.Value)
	}
	return textAt(n, s)
}

// escapeGlob2 makes everything but * literal.
func escapeGlob2(s string) string {
	return strings.NewReplacer(`\`, `\\`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(s)
}

// maxSpelled bounds how many names one expression may stand for.
const maxSpelled = 64

// The ends of a text, in what an expression is spelt out as.
const (
	textBegins = "\x00"
	textEnds   = "\x01"
)

// nameGlobs makes globs of a regular expression for the name of a tool: literals,
// alternatives and ".*". MCP Visor puts ^ before it and $ behind it, without
// parentheses, so that only the first of several alternatives has a beginning and
// only the last an end. ok is false for anything else.
func nameGlobs(pattern string) (globs []string, ok bool) {
	re, err := syntax.Parse("^"+pattern+"$", syntax.Perl)
	if err != nil {
		return nil, false
	}
	spelt, ok := spell(re, func(re *syntax.Regexp) (string, bool) {
		any := re.Op == syntax.OpStar && (re.Sub[0].Op == syntax.OpAnyChar || re.Sub[0].Op == syntax.OpAnyCharNotNL)
		switch {
		case any:
			return "*", true
		case re.Op == syntax.OpAnyChar || re.Op == syntax.OpAnyCharNotNL:
			return "?", true
		case re.Op == syntax.OpLiteral:
			return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(literal(re)), !strings.ContainsAny(string(re.Rune), "{}"+textBegins+textEnds)
		case re.Op == syntax.OpBeginText:
			return textBegins, true
		case re.Op == syntax.OpEndText:
			return textEnds, true
		case re.Op == syntax.OpEmptyMatch:
			return "", true
		}
		return "", false
	})
	for _, s := range spelt {
		begun, ended := strings.TrimLeft(s, textBegins), strings.TrimRight(s, textEnds)
		name := strings.TrimRight(begun, textEnds)
		if len(begun) == len(s) {
			name = "*" + name
		}
		if len(ended) == len(s) {
			name += "*"
		}
		for strings.Contains(name, "**") {
			name = strings.ReplaceAll(name, "**", "*")
		}
		if ok = ok && name != "" && !strings.ContainsAny(name, textBegins+textEnds); ok {
			globs = append(globs, name)
		}
	}
	return globs, ok
}

// literal is the text of a literal. The parser writes what has no letter case in
// capitals.
func literal(re *syntax.Regexp) string {
	if re.Flags&syntax.FoldCase != 0 {
		return strings.ToLower(string(re.Rune))
	}
	return string(re.Rune)
}

// commandWords makes word patterns of a regular expression for the beginning of
// a command: literals, alternatives, and white space between words.
func commandWords(pattern string) (words []string, ok bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, false
	}
	const end = "\x00"
	list, ok := spell(re, func(re *syntax.Regexp) (string, bool) {
		switch re.Op {
		case syntax.OpLiteral:
			return literal(re), !strings.ContainsAny(string(re.Rune), "*?[]{}\\|;&<>()$`\"'\n")
		case syntax.OpCharClass:
			return " ", slices.Contains(re.Rune, ' ') && slices.Contains(re.Rune, '\t')
		case syntax.OpPlus:
			return " ", re.Sub[0].Op == syntax.OpCharClass && slices.Contains(re.Sub[0].Rune, ' ') && slices.Contains(re.Sub[0].Rune, '\t')
		case syntax.OpBeginText:
			return "", true
		case syntax.OpEndText:
			return end, true
		case syntax.OpEmptyMatch:
			return "", true
		}
		return "", false
	})
	for _, s := range list {
		fields := strings.Join(strings.Fields(strings.TrimSuffix(s, end)), " ")
		switch {
		case fields == "" || strings.Contains(fields, end):
			return nil, false
		case strings.HasSuffix(s, end):
			words = append(words, fields)
		case strings.HasSuffix(s, " "):
			words = append(words, fields+" *")
		default:
			words = append(words, fields, fields+" *")
		}
	}
	return words, ok
}

// spell lists the texts that an expression stands for, where leaf says what each
// part without alternatives is.
func spell(re *syntax.Regexp, leaf func(*syntax.Regexp) (string, bool)) (list []string, ok bool) {
	switch re.Op {
	case syntax.OpCapture:
		return spell(re.Sub[0], leaf)
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			some, ok := spell(sub, leaf)
			if list = append(list, some...); !ok || len(list) > maxSpelled {
				return nil, false
			}
		}
		return list, true
	case syntax.OpConcat:
		list = []string{""}
		for _, sub := range re.Sub {
			some, ok := spell(sub, leaf)
			if !ok || len(list)*len(some) > maxSpelled {
				return nil, false
			}
			var next []string
			for _, a := range list {
				for _, b := range some {
					next = append(next, a+b)
				}
			}
			list = next
		}
		return list, true
	case syntax.OpCharClass:
		// The parser factors alternatives of one character into a class.
		if s, ok := leaf(re); ok {
			return []string{s}, true
		}
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				s, ok := leaf(&syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{r}})
				if list = append(list, s); !ok || len(list) > maxSpelled {
					return nil, false
				}
			}
		}
		return list, len(list) > 0
	case syntax.OpQuest:
		some, ok := spell(re.Sub[0], leaf)
		return append(some, ""), ok
	}
	s, ok := leaf(re)
	return []string{s}, ok
}
