package contract

import (
	"path"
	"strings"
)

// MatchKey says whether a key of a policy names a tool of a server. Both halves
// are globs with *, ?, classes and backslash escapes, which match a slash too; a
// key without a slash names the tool of any server.
func MatchKey(key, server, tool string) bool {
	of, name, ok := strings.Cut(key, "/")
	if !ok {
		of, name = "*", key
	}
	return Glob(of, server) && Glob(name, tool)
}

// MatchAny says whether one of several keys does, see [MatchKey].
func MatchAny(keys []string, server, tool string) bool {
	for _, k := range keys {
		if MatchKey(k, server, tool) {
			return true
		}
	}
	return false
}

// slash stands for "/" while matching, since path.Match never lets * match one.
const slash = "\x1f"

// Glob says whether a half of a key matches a name.
func Glob(pattern, name string) bool {
	if pattern == "*" || pattern == name && !IsGlob(pattern) {
		return true
	}
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(name, "/", slash))
	return ok && err == nil
}

// IsGlob says whether a half of a key can name more than one thing.
func IsGlob(s string) bool { return strings.ContainsAny(s, `*?[\`) }
