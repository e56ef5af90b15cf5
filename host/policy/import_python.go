package policy

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"gopkg.in/yaml.v3"
)

// What Python's classes hold beyond ASCII, as members of a class of RE2.
var pythonClasses = map[byte]string{
	'd': `\p{Nd}`,
	'w': `\p{L}\p{N}_`,
	's': `\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`,
}

// pythonRegex makes an RE2 expression of one that Python's re.fullmatch reads:
// one that matches no text that Python's does not. Positive classes stay those of
// ASCII; where they are negated, they are Python's.
func pythonRegex(s string) (string, error) {
	r := pyReader{s: s}
	for r.i < len(r.s) && r.err == nil {
		r.next()
	}
	if r.err != nil {
		return "", r.err
	}
	return r.out.String(), nil
}

type pyReader struct {
	s       string
	i       int
	class   bool // inside of brackets
	negated bool // which hold what does not match
	start   int  // of the members of the class
	out     strings.Builder
	err     error
}

func (r *pyReader) next() {
	rest := r.s[r.i:]
	switch {
	case rest[0] == '\\' && len(rest) > 1:
		r.escape(rest[1])
		r.i += 2
		return
	case r.class && rest[0] == ']' && r.i > r.start:
		r.class = false
	case r.class && strings.HasPrefix(rest, "[:"):
		r.wrong("%q is no class of characters in Python; write the characters out", "[:")
	case r.class:
	case rest[0] == '[':
		r.class, r.negated, r.start = true, strings.HasPrefix(rest, "[^"), r.i+1
		if r.negated {
			r.out.WriteByte('[')
			r.start++
			r.i++
			rest = rest[1:]
		}
	case strings.HasPrefix(rest, "(?<") && !strings.HasPrefix(rest, "(?<=") && !strings.HasPrefix(rest, "(?<!"):
		r.wrong("Python names a group with (?P<name>…)")
	case strings.HasPrefix(rest, "(?") && r.i > 0 && pyFlags.MatchString(rest):
		r.wrong("Python takes flags at the beginning only; write them there")
	case strings.HasPrefix(rest, "(?") && strings.Contains(flagsOf(rest), "U"):
		r.wrong("Python has no flag U")
	case pyRepeat.MatchString(rest):
		r.out.WriteString("{0")
		r.i++
		return
	}
	r.out.WriteByte(rest[0])
	r.i++
}

var (
	pyFlags  = regexp.MustCompile(`^\(\?[a-zA-Z]+\)`)
	pyRepeat = regexp.MustCompile(`^\{,[0-9]*\}`)
)

// flagsOf is what stands between (? and the end of a group's flags.
func flagsOf(rest string) string {
	end := strings.IndexAny(rest, ":)")
	if end < 0 || strings.HasPrefix(rest, "(?P") {
		return ""
	}
	return rest[2:end]
}

func (r *pyReader) wrong(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// escape reads a backslash and what it makes of the next character.
func (r *pyReader) escape(c byte) {
	lower := c | 0x20
	switch {
	case strings.IndexByte("dws", c) >= 0 && r.class && r.negated:
		r.out.WriteString(pythonClasses[c])
	case strings.IndexByte("DWS", c) >= 0 && !r.class:
		r.out.WriteString("[^" + pythonClasses[lower] + "]")
	case strings.IndexByte("DWS", c) >= 0 && !r.negated:
		r.wrong("\\%c in a class holds other characters in Python than here; write them out, or (?s:.) for any", c)
	case (c == 'b' && !r.class) || c == 'B':
		r.wrong("\\%c is between other characters in Python than here; write what stands around it", c)
	case c == 'b':
		r.out.WriteString(`\x08`)
	case strings.IndexByte("QECpPz", c) >= 0:
		r.wrong("\\%c is no part of an expression in Python", c)
	default:
		r.out.WriteString(r.s[r.i : r.i+2])
	}
}

// pythonPattern translates an expression of Bouncer.
func (im *importer) pythonPattern(n *yaml.Node, what string) *yaml.Node {
	text := im.text(n, what)
	if text == "" {
		return textAt(n, text)
	}
	out, err := pythonRegex(text)
	if err == nil {
		_, err = syntax.Parse(out, syntax.Perl)
	}
	if err != nil {
		im.fail(n, "%s: the expression %q has no exact translation: %v", what, text, err)
		return textAt(n, text)
	}
	return textAt(n, out)
}

// pyPlain is what YAML 1.1, which Bouncer reads, takes for something else than
// text: booleans, numbers in any spelling, times, and the keys that merge.
var pyPlain = regexp.MustCompile(`^(?:(?i:y|n|yes|no|true|false|on|off|null|~)|[-+]?[0-9][0-9_]*(?::[0-9_.]+)*|[-+]?0[box][0-9a-fA-F_]+|` +
	`[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*|<<|=)$`)

// pyCount is a number that Python writes as it stands.
var pyCount = regexp.MustCompile(`^(?:0|[1-9][0-9]*)$`)

// isText reports a scalar without quotes that Bouncer reads as another value: its
// text there is not the one in the file.
func (im *importer) isText(n *yaml.Node, what string, key bool) {
	if n.Kind != yaml.ScalarNode || !isPlain(n) || !pyPlain.MatchString(n.Value) || !key && pyCount.MatchString(n.Value) {
		return
	}
	im.fail(n, "%s: %q is no text in Bouncer's YAML; put it in quotes, if it is meant", what, n.Value)
}
