package policy

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// joinPattern makes a path pattern absolute: one that starts with ./, ../ or a
// name is relative to dir, the directory of the file that states it. Those that
// start with /, **/, ~/ or a Windows drive stay.
func joinPattern(dir, s string) (string, error) {
	switch {
	case s == "**" || s == "*":
		return "", fmt.Errorf("%q is ambiguous; write \"/**\" for every path or \"./%s\" for those beside this file", s, s)
	case strings.HasPrefix(s, "$") || strings.HasPrefix(s, "%"):
		return "", fmt.Errorf("%q: variables are not expanded in patterns; write ~/ or the absolute path", s)
	case strings.Contains(s, "://"):
		return "", fmt.Errorf("%q is a URL; write the path without its scheme", s)
	case strings.HasPrefix(s, "~") && s != "~" && !strings.HasPrefix(s, "~/"):
		return "", fmt.Errorf("%q: only one's own home is known; write ~/ or the absolute path", s)
	case len(s) > 2 && drive(s) && s[2] == '\\':
		return "", fmt.Errorf("%q: a backslash takes the next character literally in a pattern; write forward slashes", s)
	}
	if !absolute(s) && !strings.HasPrefix(s, "**/") && s != "~" && !strings.HasPrefix(s, "~/") {
		if dir == "" {
			return "", fmt.Errorf("%q is relative, and a pack has no directory; start it with /, ~/ or **/", s)
		}
		s = escapeGlob(dir) + "/" + s
	}
	return cleanPattern(s)
}

// cleanPattern removes what is lexically redundant. A ".." behind a wildcard
// has no lexical meaning.
func cleanPattern(s string) (string, error) {
	wild := false
	for _, part := range strings.Split(s, "/") {
		if wild && (part == ".." || strings.HasPrefix(part, "..,") || strings.HasPrefix(part, "..}")) {
			return "", fmt.Errorf("%q goes up behind a wildcard; write the pattern without going up", s)
		}
		wild = wild || strings.ContainsAny(part, "*?[{")
	}
	return path.Clean(s), nil
}

// checkPattern checks a pattern that was joined.
func checkPattern(s string) error {
	joined, err := joinPattern("", s)
	if err != nil {
		return err
	}
	if joined != s {
		return fmt.Errorf("%q is not clean; want %q", s, joined)
	}
	return checkGlob(s)
}

// checkGlob checks a pattern as it is written.
func checkGlob(s string) error {
	if !doublestar.ValidatePattern(s) {
		return fmt.Errorf("%q is not a glob; *, **, ?, [a-z] and {a,b} are known, and a backslash takes one literally", s)
	}
	if strings.Count(s, "{") > 8 || strings.Count(s, "**") > 8 {
		return fmt.Errorf("%q has more than 8 alternations or **; write several patterns", s)
	}
	return nil
}

// pattern reads a path pattern of a file: absolute, and with its mistakes shown
// as it is written.
func (c *converter) pattern(s, at string) (string, error) {
	joined, err := joinPattern(c.dir, s)
	if err != nil || s == "" {
		return joined, err
	}
	if err := checkGlob(s); err != nil {
		return "", err
	}
	if besideFile(s) {
		if c.beside == nil {
			c.beside = map[string]string{}
		}
		c.beside[at] = s
	}
	return joined, nil
}

// besideFile says whether a pattern starts in the directory of its file without
// a word about it.
func besideFile(s string) bool {
	for _, start := range []string{"/", "./", "../", "**/", "~/"} {
		if strings.HasPrefix(s, start) {
			return false
		}
	}
	return s != "~" && s != "." && s != ".." && !absolute(s)
}

// escapeGlob makes the characters of a directory literal in a pattern.
func escapeGlob(dir string) string {
	var b strings.Builder
	for i := 0; i < len(dir); i++ {
		if strings.IndexByte(`*?[]{}\`, dir[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(dir[i])
	}
	return strings.TrimSuffix(b.String(), "/")
}

// absolute says whether a slash path starts at a root: / or a Windows drive.
func absolute(s string) bool {
	return strings.HasPrefix(s, "/") || len(s) > 2 && drive(s) && (s[2] == '/' || s[2] == '\\')
}

func drive(s string) bool {
	c := s[0] | 0x20
	return s[1] == ':' && c >= 'a' && c <= 'z'
}

// joinDir makes a directory, or a file outside every pattern, absolute.
func joinDir(dir, s string) (string, error) {
	if absolute(s) {
		return path.Clean(s), nil
	}
	if strings.HasPrefix(s, "~") || strings.HasPrefix(s, "$") {
		return "", fmt.Errorf("%q: neither ~ nor variables are expanded here; write the path, absolute or relative to this file", s)
	}
	if dir == "" {
		return "", fmt.Errorf("%q is relative, and a pack has no directory; want an absolute one", s)
	}
	return path.Join(dir, s), nil
}
