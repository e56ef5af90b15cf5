package cases

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/host/codes"
)

// codeNames are the codes that a verdict can have.
func codeNames() []string {
	var names []string
	for _, c := range codes.All() {
		names = append(names, c.Code)
		if rest, ok := strings.CutPrefix(c.Code, "ARGS_"); ok {
			names = append(names, "RESULTS_"+rest)
		}
	}
	return names
}

// knownVerdict refuses a word of a verdict that no verdict has: a want with it
// holds of nothing.
func (l *loader) knownVerdict(n *yaml.Node, word, what string, names []string) {
	if word == "" || slices.Contains(names, word) {
		return
	}
	best, most := "", len(word)/3+1
	for _, name := range names {
		if d := distance(strings.ToLower(word), strings.ToLower(name)); d < most {
			best, most = name, d
		}
	}
	mend := "docs/codes.md lists them"
	if best != "" {
		mend = "did you mean \"" + best + "\"? " + mend
	}
	l.fail(n, "want: %s: %q is none that a verdict has; %s", what, word, mend)
}

// distance counts the insertions, deletions and replacements that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			before, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, before+cost)
		}
	}
	return row[len(b)]
}
