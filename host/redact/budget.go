package redact

import "regexp/syntax"

// What reading costs is counted in steps: one is what a matcher does at a byte for
// one state of a pattern. The counts are of bytes and patterns, not of time, so that
// a text is redacted alike wherever and whenever that is.
const (
	// afford is how many steps a byte of a text is worth, a few tenths of a
	// second for a MiB. Of long texts with the pack of secrets, a policy about them
	// takes 90, descriptions of tools 30, nearly all others less than 10.
	afford = 96
	// least is the length that a text counts as having: a short one may speak of
	// nothing but secrets.
	least = 32 << 10
	// anew is what it takes to start reading behind a match, in bytes read.
	anew = 16
)

// budget is how many steps may still be made in a text. Beneath zero it is spent:
// the text was made to be read for long, and all of it counts as a match.
type budget int

// budget is what a text may cost. What the policy itself wants read whole comes on
// top, as no text is to blame for it.
func (s *Set) budget(text string) *budget {
	b := budget((afford + s.base) * max(least, len(text)))
	return &b
}

// baseOf is how many steps each byte takes that is read for these entries whatever
// the text is: those under a name, and those without a literal of three bytes.
func baseOf(entries []entry) (steps int) {
	for i := range entries {
		if e := &entries[i]; e.keys != nil || shortest(e.part.best()) < 3 {
			steps += e.steps
		}
	}
	return steps
}

// pay takes off what reading so many bytes for an entry costs, and says whether
// that was there.
func (b *budget) pay(e *entry, bytes int) bool {
	*b -= budget(e.steps * bytes)
	return *b >= 0
}

// stepsOf is how many steps a byte takes for a pattern: one for each state in which a
// match can start, as each byte may start one, and a few of those that it can be in
// further on.
func stepsOf(pattern string) int {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0 // it is compiled beside
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return 0
	}
	seen := make([]bool, len(prog.Inst))
	starts := 0
	for todo := []uint32{uint32(prog.Start)}; len(todo) > 0; {
		at := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; seen[at] {
			continue
		}
		seen[at], starts = true, starts+1
		switch in := &prog.Inst[at]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
			todo = append(todo, in.Out)
		}
	}
	return starts + len(prog.Inst)/16
}
