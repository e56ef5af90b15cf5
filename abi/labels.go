package abi

// AnyLabel stands in a set of labels for every label there is: more were given than
// are kept. It is the name of none.
const AnyLabel = "*"

// HasLabel says whether what has some labels has this one too, or may have it.
func HasLabel(labels []string, label string) bool {
	return contains(labels, label) || contains(labels, AnyLabel)
}

// FileLabels says that what is written at a path has labels, so that who reads it
// later gets them. A path is named by digests only: what a call said of it stays
// out of the event.
type FileLabels struct {
	At      string   // JSON Pointer of the path in the snapshot
	Keys    []string // digests that readings of the path have in common with it
	Data    []string // labels of the data that is written
	Session []string // labels that the session holds, whatever is written
}

// Given says which call gave the session a label first.
type Given struct {
	Label, Call, Server, Tool string // Tool is the call's [Call.Target]
}

// Done is a call of the session that was allowed: of several calls of one tool
// the last.
type Done struct {
	ID, Server, Tool string // Tool is the call's [Call.Target]
	// Step counts the calls that this process had allowed: of its own call, with
	// that one; of another process's, when that was read.
	Step int64
}

// Carried is what is known of one scalar of a call that holds data with labels,
// or may hold it.
type Carried struct {
	At       string // JSON Pointer into the arguments
	Key      bool   // the scalar is the member name at that pointer
	Labels   []string
	Evidence []Evidence // best first; its Labels say which of them it is of
	// Unsure says that the text is gone, or that there is more than is looked at:
	// it may hold data with these labels.
	Unsure bool
}

// Flows is the part of a session's state that rules about labels and chains see.
type Flows struct {
	Given   []Given               // sorted by label
	Data    bool                  // some output has labels
	Crowded bool                  // there were more labels than are kept: it may hold any
	Files   map[string]FileLabels // by key, for look-up only
	Blurred FileLabels            // of files that are not told apart
	Done    []Done                // oldest first
	Steps   int64                 // calls that this process has allowed
	Lost    bool                  // more tools were called than are kept: any may have been
}

// Holds says whether the session holds a label.
func (s *Session) Holds(label string) bool { return s.Flows.Crowded || HasLabel(s.Labels, label) }

// HoldsAll says whether it holds every one of several labels.
func (s *Session) HoldsAll(labels []string) bool {
	for _, l := range labels {
		if !s.Holds(l) {
			return false
		}
	}
	return true
}

// GivenBy returns the call that gave the session a label.
func (s *Session) GivenBy(label string) (Given, bool) {
	for _, g := range s.Flows.Given {
		if g.Label == label {
			return g, true
		}
	}
	return Given{}, false
}

var fileMembers = []string{"at", "keys", "data", "session"}

func writeFiles(w *writer, files []FileLabels) {
	each(w, "files", files, func(o *writer, f FileLabels) {
		o.str("at", f.At)
		o.strs("keys", f.Keys)
		o.strs("data", f.Data)
		o.strs("session", f.Session)
	})
}

func readFiles(r *reader) []FileLabels {
	return items(r, "files", func(o *reader) FileLabels {
		return FileLabels{At: o.str("at"), Keys: o.strs("keys"), Data: o.strs("data"), Session: o.strs("session")}
	}, fileMembers...)
}
