package gate

import (
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/redact"
)

// Redacts says whether text of the client, or of a server, is edited on its way.
func (s *State) Redacts(fromServer bool) bool {
	return s.settings.Mode != policy.ModeObserve && s.hides(spokenBy(fromServer))
}

// Withholds says whether one of these texts, which stand beside a frame, holds what
// would be redacted inside it.
func (s *State) Withholds(texts []string, fromServer bool) bool {
	if !s.Redacts(fromServer) {
		return false
	}
	for _, text := range texts {
		if s.policy.Redact().Text(spokenBy(fromServer), text) != text {
			return true
		}
	}
	return false
}

func spokenBy(server bool) redact.Where {
	if server {
		return redact.Results
	}
	return redact.Arguments
}
