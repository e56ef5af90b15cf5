package cases

import "fmt"

// Mistake is one thing that keeps a cases file from loading. The error of
// [Load] is one, or is made of them: its Unwrap() []error leads to each.
type Mistake struct {
	File   string // as it was named
	Line   int    // from 1; 0: about the file as a whole
	Column int    // from 1; 0 with Line 0
	Text   string // what is wrong, and the mend
}

// Error is the mistake in one line: file:line:col: what; mend.
func (m *Mistake) Error() string {
	if m.Line == 0 {
		return m.File + ": " + m.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, m.Text)
}
