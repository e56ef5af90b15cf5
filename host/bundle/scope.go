package bundle

import (
	"fmt"
	"slices"
	"strings"
)

// scope is the entry for a name: its own, else that of the nearest scope above it.
// Only whole segments match, and one entry alone decides, so that a scope can be
// given to other keys than what is around it.
func (t *Trust) scope(name string) (match string, s Scope, ok bool) {
	for match = name; ; {
		if s, ok = t.Scopes[match]; ok {
			return match, s, true
		}
		above := strings.LastIndexByte(strings.TrimSuffix(match, "/"), '/')
		if above < 0 {
			return "", Scope{}, false
		}
		match = match[:above+1]
	}
}

// unknownScope says that nobody may sign a name, and which scope it looks like.
func (t *Trust) unknownScope(name string) error {
	if like := t.like(name); like != "" {
		return fmt.Errorf("%q is in no scope of the trust file; it looks like %q, and is not that: somebody may pose as them", name, like)
	}
	return fmt.Errorf("%q is in no scope of the trust file; name there who may sign it, if you know their key: callgate plugin trust add NAME KEY --scope SCOPE", name)
}

// like is a scope that a name, or another scope, could be taken for at a glance; ""
// if there is none.
func (t *Trust) like(name string) string {
	var like []string
	for match := range t.Scopes {
		if strings.TrimSuffix(name, "/") != strings.TrimSuffix(match, "/") && (alikeWhole(name, match) || alikeSegments(name, match)) {
			like = append(like, match)
		}
	}
	slices.Sort(like)
	return strings.Join(like[:min(len(like), 1)], "")
}

// alikeWhole says whether a name, without the plugin at its end where the scope is of
// all below it, looks like the scope: acme-tools/x like acme/tools/.
func alikeWhole(name, match string) bool {
	own, near := name, func(a, b string) bool { return a == b }
	if strings.HasSuffix(match, "/") {
		// Plugins of one author may well differ by a letter, authors should not.
		own, near = name[:strings.LastIndexByte(name, '/')+1], alike
	}
	return own != "" && strings.TrimSuffix(own, "/") != strings.TrimSuffix(match, "/") && near(skeleton(own), skeleton(match))
}

// alikeSegments says whether the first segments in which a name and a scope differ look
// alike, whatever follows: acrne/x like acme/no-exfil and acme/tools/.
func alikeSegments(name, match string) bool {
	a, b := strings.Split(strings.TrimSuffix(name, "/"), "/"), strings.Split(strings.TrimSuffix(match, "/"), "/")
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return false
	}
	plugins := i == len(a)-1 && i == len(b)-1 && !strings.HasSuffix(name, "/") && !strings.HasSuffix(match, "/")
	x, y := skeleton(a[i]), skeleton(b[i])
	return x == y || !plugins && alike(x, y)
}

// skeleton is what a name looks like at a glance.
func skeleton(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", "/", "", "0", "o", "1", "l", "i", "l", "rn", "m", "vv", "w", "cl", "d", "5", "s").Replace(name)
}

// alike says whether two names are the same but for one letter that is left out,
// put in, changed or swapped with the next. Short names are often that close.
func alike(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	same := 0
	for same < len(b) && a[same] == b[same] {
		same++
	}
	switch {
	case a == b:
		return true
	case len(b) < 4 || len(a) > len(b)+1:
		return false
	case len(a) > len(b):
		return a[same+1:] == b[same:]
	case a[same+1:] == b[same+1:]:
		return true
	}
	return same+1 < len(a) && a[same] == b[same+1] && a[same+1] == b[same] && a[same+2:] == b[same+2:]
}
