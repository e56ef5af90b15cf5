package builtin

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/callgate/callgate/abi"
)

// maxPath is the longest path that any of the platforms opens (Windows: 32,767
// characters). Nothing longer is matched with patterns.
const maxPath = 32 << 10

// canonicalPath returns the one spelling of a path value, or why there is none:
// a server could read it in more than one way, so it is refused. Exactly one of
// the two is empty.
//
// The form is lexical, absolute and slash-separated, without ".", "..", "//"
// and a trailing slash. Relative values are joined to the server's working
// directory; if that is unknown the form stays relative. File URIs (RFC 8089)
// are decoded, "~", $HOME and ${HOME} are expanded. On Windows a path starts
// with its drive letter in upper case.
func canonicalPath(value string, place *abi.Place) (string, string) {
	if len(value) <= maxPath && plainPath(value) && place.Platform != "windows" {
		return value, ""
	}
	if len(value) > maxPath {
		return "", "it is longer than any path"
	}
	if why := unreadable(value); why != "" {
		return "", why
	}
	windows := place.Platform == "windows"
	var why string
	switch {
	case hasPrefixFold(value, "file:"):
		value, why = fromFileURI(value, windows)
	case value != "" && (value[0] == '~' || value[0] == '$'):
		value, why = expandHome(value, place)
	}
	if why == "" && otherScheme(value) {
		why = "it is a URI of another scheme than file"
	}
	if why != "" {
		return "", why
	}
	if windows {
		return canonicalWindows(value, place)
	}
	return canonicalPOSIX(value, place)
}

// ResolvePath returns the form of a path value that patterns are compared with,
// or why it has none. It is for people who ask what a value was read as; the
// contracts judge by it, too.
func ResolvePath(value string, place *abi.Place) (resolved, why string) {
	return canonicalPath(value, place)
}

// plainPath says whether a value is beyond doubt its own canonical form: absolute,
// of letters, digits, "_", "-" and "." only, without hidden names, and not in
// /proc or /dev. Most values are, and this is the quick way for them.
func plainPath(value string) bool {
	if len(value) < 2 || value[0] != '/' || value[len(value)-1] == '/' || hasPrefixFold(value, "/proc") || hasPrefixFold(value, "/dev") {
		return false
	}
	for i := 1; i < len(value); i++ {
		c := value[i]
		if c != '-' && !identifier(c) && (c != '.' && c != '/' || value[i-1] == '/') {
			return false
		}
	}
	return true
}

func canonicalPOSIX(value string, place *abi.Place) (string, string) {
	if drive(value) {
		return "", "it starts with a drive letter, and the host is not Windows"
	}
	if why := oddComponents(value, "/"); why != "" {
		return "", why
	}
	if why := magicLink(value); why != "" {
		return "", why
	}
	switch {
	case strings.HasPrefix(value, "/"):
	case strings.HasPrefix(place.Dir, "/"):
		value = place.Dir + "/" + value
	default:
		value = path.Clean(value)
		if value == ".." || strings.HasPrefix(value, "../") {
			return "", "it leaves the working directory of the server, which is not known"
		}
		return value, ""
	}
	value = path.Clean(value)
	if why := magicLink(value); why != "" {
		return "", why
	}
	return value, ""
}

// unreadable refuses what no path needs and parsers disagree about.
func unreadable(value string) string {
	for i := 0; i < len(value); {
		c := value[i]
		if c < 0x20 || c == 0x7F {
			return "it contains a control character"
		}
		if c < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(value[i:])
		if r == utf8.RuneError && n == 1 {
			return "it is not valid Unicode"
		}
		if r < 0xA0 || r == 0x2028 || r == 0x2029 {
			return "it contains a control character"
		}
		i += n
	}
	if trimmed := strings.TrimSpace(value); len(trimmed) < len(value) && trimmed != "" && value[0] != trimmed[0] {
		if strings.IndexByte(`/\~$%.`, trimmed[0]) >= 0 || drive(trimmed) || hasPrefixFold(trimmed, "file:") {
			return "it starts with white space that a server may trim"
		}
	}
	return ""
}

// expandHome expands "~", $HOME and ${HOME} at the start of a value, and refuses
// every other expansion there: its result could be any absolute path.
func expandHome(value string, place *abi.Place) (string, string) {
	var rest string
	for _, prefix := range [...]string{"~", "${HOME}", "$HOME"} {
		if r, ok := strings.CutPrefix(value, prefix); ok && (r == "" || r[0] == '/' || r[0] == '\\' && place.Platform == "windows") {
			if place.Home == "" {
				return "", "it starts at the home directory, which is not known"
			}
			rest = strings.ReplaceAll(r, "\\", "/")
			if place.Platform != "windows" {
				rest = r
			}
			if escapes(rest) {
				return "", "it climbs above the home directory it starts at"
			}
			return place.Home + rest, ""
		}
	}
	if value[0] == '~' {
		return "", "it starts with the home directory of another user"
	}
	if expansion(value) {
		return "", "it starts with a variable"
	}
	return value, ""
}

// escapes says whether a path climbs above where it starts. A server that does
// not expand it would read it as a relative name, and climb elsewhere.
func escapes(rest string) bool {
	clean := path.Clean(strings.TrimLeft(rest, "/"))
	return clean == ".." || strings.HasPrefix(clean, "../")
}

// expansion says whether s starts with a shell variable.
func expansion(s string) bool {
	if len(s) < 2 || s[0] != '$' {
		return false
	}
	c := s[1]
	return c == '{' || c == '(' || c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// oddComponents refuses components that a shell, a URL decoder or a trimming
// server would turn into something else. A dollar or percent sign that names
// nothing is a character like any other.
func oddComponents(value, separators string) string {
	if strings.ContainsAny(value, "`") || strings.Contains(value, "$(") {
		return "it contains a command substitution"
	}
	if strings.IndexByte(value, '\\') >= 0 && separators == "/" {
		if value[0] == '\\' || windowsDots(value) {
			return "it is a Windows path, and the host is not Windows"
		}
	}
	if hidesSeparator(value) {
		return "it contains a percent escape of a dot or separator"
	}
	for value != "" {
		c := value
		if i := strings.IndexAny(value, separators); i >= 0 {
			c, value = value[:i], value[i+1:]
		} else {
			value = ""
		}
		if t := strings.TrimSpace(c); t != c && (t == "." || t == "..") {
			return "it contains a dot component padded with white space"
		}
		if wholeVariable(c) {
			return "it contains a variable"
		}
	}
	return ""
}

// wholeVariable says whether a component is, or starts as, an expansion: $NAME,
// ${…}, %NAME%. A name that only starts with a dollar sign and goes on with an
// extension ($postId.tsx) can not leave the directory it stands in.
func wholeVariable(c string) bool {
	if strings.HasPrefix(c, "${") {
		return true
	}
	if expansion(c) {
		i := 1
		for i < len(c) && identifier(c[i]) {
			i++
		}
		return i == len(c)
	}
	if len(c) > 2 && c[0] == '%' {
		i := 1
		for i < len(c) && (identifier(c[i]) || c[i] == '(' || c[i] == ')') {
			i++
		}
		return i > 1 && i < len(c) && c[i] == '%' && (c[1] < '0' || c[1] > '9')
	}
	return false
}

func identifier(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// windowsDots says whether ".." is a component once backslashes separate too.
func windowsDots(value string) bool {
	for c := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '/' || r == '\\' }) {
		if strings.TrimSpace(c) == ".." {
			return strings.Contains(value, `\..`) || strings.Contains(value, `..\`)
		}
	}
	return false
}

// hidesSeparator says whether decoding percent escapes, also more than once,
// could give a dot, a separator or NUL.
func hidesSeparator(value string) bool {
	for i := strings.IndexByte(value, '%'); i >= 0 && i+2 < len(value); i++ {
		if value[i] == '%' && hexDigit(value[i+1]) && hexDigit(value[i+2]) {
			switch hexValue(value[i+1])<<4 | hexValue(value[i+2]) {
			case '.', '/', '\\', '%', 0:
				return true
			}
		}
	}
	return false
}

// magicLink refuses names in which the kernel jumps to a place that no lexical
// form shows.
func magicLink(value string) string {
	const why = "it goes through a link that the kernel resolves by process"
	if !strings.HasPrefix(value, "/") || !hasPrefixFold(strings.TrimLeft(value, "/"), "proc") &&
		!hasPrefixFold(strings.TrimLeft(value, "/"), "dev") && !strings.HasPrefix(strings.TrimLeft(value, "/"), ".") {
		return ""
	}
	var parts [8]string
	n := 0
	for c := range strings.SplitSeq(strings.ToLower(value), "/") {
		if c == "" || c == "." {
			continue
		}
		if n < len(parts) {
			parts[n] = c
			n++
		}
	}
	switch parts[0] {
	case ".vol", ".nofollow", ".resolve":
		return why
	case "dev":
		if parts[1] == "fd" || parts[1] == "stdin" || parts[1] == "stdout" || parts[1] == "stderr" {
			return why
		}
	case "proc":
		for _, c := range parts[min(2, n):n] {
			switch c {
			case "root", "cwd", "fd", "exe", "map_files", "task", "fdinfo":
				return why
			}
		}
	}
	return ""
}

// drive says whether s starts with a drive letter and a colon.
func drive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// foldPath returns the form in which case-insensitive file systems compare
// names: case folded, normalized, without characters that they ignore. For
// ASCII without upper-case letters it is s itself.
func foldPath(s string) string {
	ascii, upper := true, false
	for i := 0; i < len(s); i++ {
		ascii = ascii && s[i] < utf8.RuneSelf
		upper = upper || s[i] >= 'A' && s[i] <= 'Z'
	}
	if ascii {
		if !upper {
			return s
		}
		return strings.ToLower(s)
	}
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, s)
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(s)))
}
