package gate

import "github.com/callgate/callgate/abi"

// maxLaunched is how many servers are kept that were measured.
const maxLaunched = 4096

// launches takes in what was measured of servers before they were started. What
// was measured in the past says nothing of what runs now.
func (s *State) launches(v abi.Value) {
	if s.folding {
		return
	}
	for _, m := range v.Members() {
		if s.launched == nil || len(s.launched) >= maxLaunched {
			s.launched = map[string]abi.Value{}
		}
		s.launched[m.Name] = m.Value
	}
}
