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

// Spoken is how many labels a session knows a server's data by.
func (s *State) Spoken(server string) int { return len(s.session.flows.spoken[server]) }

// MaxLabels is how many it keeps.
const MaxLabels = maxLabels
