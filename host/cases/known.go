package cases

import (
	"errors"
	"fmt"
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

// unknownWord is a word of a verdict that none of our own has.
type unknownWord struct {
	at   Mistake
	what string // contract or code
	word string
	best string // one that is nearly it
}

// knownVerdict notes a word of a verdict that no verdict of ours has.
func (l *loader) knownVerdict(n *yaml.Node, word, what string, names []string) {
	if word == "" || slices.Contains(names, word) {
		return
	}
	l.unknown = append(l.unknown, unknownWord{Mistake{l.path, n.Line, n.Column, ""}, what, word, nearest(word, names)})
}

// nearest is the name that a word is probably meant for, "" for none.
func nearest(word string, names []string) string {
	best, most := "", len(word)/3+1
	for _, name := range names {
		if d := distance(strings.ToLower(word), strings.ToLower(name)); d < most {
			best, most = name, d
		}
	}
	return best
}

// Check refuses words of verdicts that neither we nor the policy's plugins have: a
// want with one holds of nothing.
func (f *File) Check(plugins []Plugin) error {
	var errs []error
	for _, u := range f.unknown {
		var names []string
		for _, p := range plugins {
			if u.what == "contract" {
				names = append(names, p.Name)
			} else {
				names = append(names, p.Codes...)
			}
		}
		if slices.Contains(names, u.word) {
			continue
		}
		if best := nearest(u.word, names); best != "" && u.best == "" {
			u.best = best
		}
		mend := "docs/codes.md lists them, and callgate plugin inspect those of plugins"
		if u.best != "" {
			mend = "did you mean \"" + u.best + "\"? " + mend
		}
		u.at.Text = fmt.Sprintf("want: %s: %q is none that a verdict has; %s", u.what, u.word, mend)
		errs = append(errs, &u.at)
	}
	return errors.Join(errs...)
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
