package policy

import "strconv"

// Mistake is one thing that keeps a policy from loading. The error of [Load]
// is made of them: its Unwrap() []error leads to each.
type Mistake struct {
	File   string // as it was named
	Line   int    // from 1; 0: unknown, or about the file as a whole
	Column int    // from 1, in runes; 0: unknown
	Path   string // as people write it: tools.gmail/send_email.args[0]; "" for none
	Text   string // what is wrong, and the mend
}

// Error is the mistake in one line: file:line:col: path: what; mend.
func (m *Mistake) Error() string {
	where := m.File
	if m.Line > 0 {
		where += ":" + strconv.Itoa(m.Line)
		if m.Column > 0 {
			where += ":" + strconv.Itoa(m.Column)
		}
	}
	if m.Path != "" {
		where += ": " + m.Path
	}
	return where + ": " + m.Text
}
