package builtin

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// meetsAny says whether a path that a server could expand, as it holds wildcards,
// can match a name that one of some patterns matches, too.
func meetsAny(patterns []string, path string, fold bool) bool {
	if len(patterns) == 0 || !wild(path) {
		return false
	}
	if fold {
		path = foldPath(path)
	}
	return slices.ContainsFunc(patterns, func(p string) bool {
		if fold {
			p = foldPath(p)
		}
		if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "**/") {
			p = "**/" + strings.TrimPrefix(p, "./")
		}
		return meets(p, path)
	})
}

func wild(s string) bool { return strings.ContainsAny(s, "*?[{") }

// meets says whether two globs can match the same path. It is sure where they do
// not.
func meets(a, b string) bool {
	if bracesHoldSlash(a) || bracesHoldSlash(b) {
		return true
	}
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	// next[j] says whether x[i+1:] and y[j:] meet, here[j] the same of x[i:].
	next, here := make([]bool, len(y)+1), make([]bool, len(y)+1)
	for i := len(x); i >= 0; i-- {
		for j := len(y); j >= 0; j-- {
			switch {
			case i == len(x) && j == len(y):
				here[j] = true
			case i < len(x) && x[i] == "**":
				here[j] = next[j] || j < len(y) && here[j+1]
			case j < len(y) && y[j] == "**":
				here[j] = here[j+1] || i < len(x) && next[j]
			default:
				here[j] = i < len(x) && j < len(y) && next[j+1] && sameComponent(x[i], y[j])
			}
		}
		next, here = here, next
	}
	return next[0]
}

// sameComponent says whether two components of globs can match one name.
func sameComponent(a, b string) bool {
	switch wildA, wildB := wild(a), wild(b); {
	case a == b, wildA && wildB:
		return true
	case wildA:
		ok, err := doublestar.Match(a, b)
		return ok && err == nil
	case wildB:
		ok, err := doublestar.Match(b, a)
		return ok && err == nil
	}
	return false
}

func bracesHoldSlash(glob string) bool {
	_, rest, ok := strings.Cut(glob, "{")
	if !ok {
		return false
	}
	i := strings.LastIndexByte(rest, '}')
	return strings.IndexByte(rest[:max(i, 0)], '/') >= 0
}
