package builtin

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/host/redact"
)

// screened is a pattern with what its matches have to contain, which is looked for
// first: most texts have nothing of it.
type screened struct {
	*regexp.Regexp
	needs []string // in lower case; nil: not known
}

func screen(list []*regexp.Regexp) []screened {
	out := make([]screened, 0, len(list))
	for _, re := range list {
		out = append(out, screened{re, redact.Needs(re.String())})
	}
	return out
}

// anyMatches says whether one of the patterns matches somewhere in a text.
func anyMatches(list []screened, text string) bool {
	if len(list) == 0 {
		return false
	}
	if !plainASCII(text) {
		return slices.ContainsFunc(list, func(p screened) bool { return p.MatchString(text) })
	}
	lower := strings.ToLower(text)
	for i := range list {
		p := &list[i]
		if p.needs != nil && !slices.ContainsFunc(p.needs, func(s string) bool { return strings.Contains(lower, s) }) {
			continue
		}
		if p.MatchString(text) {
			return true
		}
	}
	return false
}

func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
