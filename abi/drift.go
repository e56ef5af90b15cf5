package abi

// Drift grades how far a definition has moved from its pin. A smaller grade is
// a worse one, and the zero value is the worst.
type Drift uint8

// The grades of a drift, worst first.
const (
	DriftInstructions Drift = iota // what is new instructs a model, or hides
	DriftWidening                  // the tool takes or does more, or the change is not understood
	DriftText                      // other words, without instruction-like text
	DriftNarrowing                 // the tool takes or does less
	DriftCosmetic                  // the same words and the same schema, written in another way
	DriftNone                      // nothing that a pin covers differs
)

// String returns the grade's name, as verdicts and `callgate tools diff` show it.
func (d Drift) String() string {
	if names := [...]string{"instructions", "widening", "text", "narrowing", "cosmetic", "none"}; int(d) < len(names) {
		return names[d]
	}
	return "instructions"
}

// Known returns the grade itself, or the worst one if it is none.
func (d Drift) Known() Drift {
	if d > DriftNone {
		return DriftInstructions
	}
	return d
}

// Worse returns the worse of two grades.
func (d Drift) Worse(other Drift) Drift { return min(d.Known(), other.Known()) }

// DriftChange is one place in which two definitions differ.
type DriftChange struct {
	At      string // JSON Pointer into the definition
	Grade   Drift
	Why     string // in words of ours: nothing of the server's is in it
	Was, Is Value  // what stands there; absent: nothing
}

// maxDriftChanges is how many changes are listed; every one counts.
const maxDriftChanges = 256

// grader compares two definitions.
type grader struct {
	old     *corpus
	worst   Drift
	changes []DriftChange
	// exact says that less may also be more here, as inside "not".
	exact int
}

// GradeDefinition says how far a tool definition has moved from the pinned one,
// and in which places. Names are those of other tools and servers, which new
// text has no business with. Only what a pin covers is looked at.
func GradeDefinition(was, is Value, names []string) (Drift, []DriftChange) {
	was, is = PinnedPart(was), PinnedPart(is)
	g, readable := newGrader(was, is, names)
	if !readable {
		return g.worst, g.changes
	}
	for _, name := range pinned {
		at, w, i := Join("", name), was.Get(name), is.Get(name)
		if w.Equal(i) {
			continue
		}
		switch name {
		case "description", "title":
			g.text(at, w, i)
		case "inputSchema", "outputSchema":
			g.schemaOrAny(at, w, i)
		case "annotations":
			g.annotations(at, w, i)
		default:
			g.note(at, DriftWidening, "another name", w, i)
		}
	}
	if g.worst == DriftNone && !was.Equal(is) {
		g.note("", DriftCosmetic, "the same, written in another way", was, is)
	}
	return g.worst, g.changes
}

// GradeIdentity is GradeDefinition for what a server says of itself
// ([Identity]). Another name or version is never only cosmetic.
func GradeIdentity(was, is Value, names []string) (Drift, []DriftChange) {
	was, is = part(was, announced), part(is, announced)
	g, readable := newGrader(was, is, names)
	if !readable {
		return g.worst, g.changes
	}
	for _, name := range announced {
		at, w, i := Join("", name), was.Get(name), is.Get(name)
		if w.Equal(i) {
			continue
		}
		switch name {
		case "name", "version":
			g.note(at, DriftText, "another "+name, w, i)
		default:
			g.text(at, w, i)
		}
	}
	return g.worst, g.changes
}

// maxDriftBytes is how much two definitions may hold to be compared, in bytes of
// their canonical forms. Real ones have some kilobytes.
const maxDriftBytes = 512 << 10

// newGrader starts a comparison: whatever text is new is read first, wherever
// it stands, since all of it reaches the model. What is too long for that counts
// as the worst.
func newGrader(was, is Value, names []string) (g *grader, readable bool) {
	g = &grader{worst: DriftNone}
	if was.Equal(is) {
		return g, true
	}
	if len(was.Append(nil))+len(is.Append(nil)) > maxDriftBytes {
		g.note("", DriftInstructions, "more text than is compared", was, is)
		return g, false
	}
	g.old = newCorpus(was, names)
	is.Walk("", func(at string, v Value, key bool) {
		if !v.IsString() || g.old.has(v.Str()) || !key && isDialect(at, v) {
			return
		}
		if why := g.old.instructs(v.Str()); why != "" {
			g.note(at, DriftInstructions, why, was.At(at), is.At(at))
		}
	})
	return g, true
}

func (g *grader) note(at string, grade Drift, why string, was, is Value) {
	if g.exact > 0 && grade == DriftNarrowing {
		grade = DriftWidening
	}
	g.worst = g.worst.Worse(grade)
	if len(g.changes) < maxDriftChanges {
		g.changes = append(g.changes, DriftChange{at, grade, why, was, is})
	}
}

// text compares words for people and models.
func (g *grader) text(at string, was, is Value) {
	switch {
	case was.Equal(is):
	case was.Exists() && !was.IsString() || is.Exists() && !is.IsString():
		g.note(at, DriftWidening, "no text", was, is)
	case sameWords(was.Str(), is.Str()):
		g.note(at, DriftCosmetic, "the same words", was, is)
	default:
		g.note(at, DriftText, "other words", was, is)
	}
}

// hints are the annotations with a meaning: what holds where they are left out,
// and what is the more cautious of the two (MCP, ToolAnnotations).
var hints = map[string]struct{ absent, cautious bool }{
	"readOnlyHint":    {false, false},
	"destructiveHint": {true, true},
	"idempotentHint":  {false, false},
	"openWorldHint":   {true, true},
}

// annotations compares what a server says of its tool's effects. A tool that
// says it no longer only reads does more than what was pinned.
func (g *grader) annotations(at string, was, is Value) {
	if was.Exists() && was.Kind() != Object || is.Exists() && is.Kind() != Object {
		g.note(at, DriftWidening, "no annotations", was, is)
		return
	}
	for _, name := range memberNames(was, is) {
		at, w, i := Join(at, name), was.Get(name), is.Get(name)
		hint, known := hints[name]
		before, okBefore := flag(w, hint.absent)
		after, okAfter := flag(i, hint.absent)
		switch {
		case w.Equal(i):
		case name == "title":
			g.text(at, w, i)
		case !known || !okBefore || !okAfter:
			g.note(at, DriftWidening, "an annotation that is not understood", w, i)
		case before == after:
			g.note(at, DriftCosmetic, "the same as left out", w, i)
		case name == "readOnlyHint" && before:
			g.note(at, DriftWidening, "it says no longer that it only reads", w, i)
		case after == hint.cautious:
			g.note(at, DriftNarrowing, "a more cautious annotation", w, i)
		default:
			g.note(at, DriftWidening, "a less cautious annotation", w, i)
		}
	}
}

// flag reads a boolean that may be left out.
func flag(v Value, absent bool) (is, ok bool) {
	switch v.Kind() {
	case Absent:
		return absent, true
	case Bool:
		return v.True(), true
	}
	return false, false
}

// memberNames lists the names of the members of two objects, sorted.
func memberNames(a, b Value) []string {
	all := make([]Member, 0, a.Len()+b.Len())
	all = append(append(all, a.Members()...), b.Members()...)
	sortMembers(all)
	var out []string
	for _, m := range all {
		if len(out) == 0 || out[len(out)-1] != m.Name {
			out = append(out, m.Name)
		}
	}
	return out
}
