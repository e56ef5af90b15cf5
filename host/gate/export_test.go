package gate

// LabelsOf returns the labels that the session holds.
func LabelsOf(s *State) []string { return s.session.labels }
