package builtin

import "strings"

// ownRules begin the rules that are part of the program: of the starter, of packs
// and of the guesses. They stand in no file that anybody could change.
var ownRules = []string{"builtin/", "packs/", "heuristics: "}

// mendOf is what can be done about a violation of a rule. One that is part of the
// program is changed from above.
func mendOf(rule, mend string) string {
	for _, own := range ownRules {
		if !strings.HasPrefix(rule, own) || !strings.HasSuffix(mend, " at the rule") {
			continue
		}
		if i := strings.LastIndex(mend, ", or "); i >= 0 {
			mend = mend[:i]
		}
		return mend + "; the rule is Callgate's own, and only an entry of yours for the tool (or for this kind of call) with replace: true drops it, with all that lower layers say there"
	}
	return mend
}
