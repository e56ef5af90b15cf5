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
	var like []string
	for match := range t.Scopes {
		own := name
		if strings.HasSuffix(match, "/") {
			own = name[:strings.LastIndexByte(name, '/')+1]
		}
		if own != "" && skeleton(own) == skeleton(match) {
			like = append(like, match)
		}
	}
	if len(like) > 0 {
		return fmt.Errorf("%q is in no scope of the trust file; it looks like %q, and is not that: somebody may pose as them", name, slices.Min(like))
	}
	return fmt.Errorf("%q is in no scope of the trust file; name there who may sign it, if you know their key", name)
}

// skeleton is what a name looks like at a glance.
func skeleton(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", "/", "", "0", "o", "1", "l", "i", "l", "rn", "m", "vv", "w", "cl", "d", "5", "s").Replace(name)
}
