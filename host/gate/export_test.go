package gate

// LabelsOf returns the labels that the session holds.
func LabelsOf(s *State) []string { return s.session.labels }

// MaxNamed is how many names are counted apart.
const MaxNamed = maxNamed

// Named is how many names of calls a session counts by, and their bytes.
func (s *State) Named() (names, bytes int) {
	for name := range s.session.left {
		names, bytes = names+1, bytes+len(name)
	}
	return names, bytes
}
