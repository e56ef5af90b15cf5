package gate

import "github.com/callgate/callgate/abi"

// maxReleases is how many calls that people let go are kept, so that the next
// step of one needs no question of its own.
const maxReleases = 64

// release is a call that a person let go.
type release struct {
	call        string // its id
	of          string // kind, server, target and digest
	fingerprint string
	by          string // the channel of the answer
}

// released lets an asked call go that a person has answered, and remembers that.
func (s *State) released(n *entry, d decision, fingerprint, by string) decision {
	s.session.releases = append(s.session.releases, release{n.call.ID, identity(&n.call), fingerprint, by})
	s.session.releases = s.session.releases[max(0, len(s.session.releases)-maxReleases):]
	return approved(d, by)
}

// continues says whether a call goes on with one that a person let go, and is
// the same ask in everything: a server answered that one with a question of its
// own, and the client calls again with what it was told. by is the channel of
// the answer.
func (s *State) continues(n *entry, fingerprint string) (by string, ok bool) {
	if n.call.Continues == "" {
		return "", false
	}
	of := identity(&n.call)
	for _, r := range s.session.releases {
		if r.call == n.call.Continues && r.of == of && r.fingerprint == fingerprint {
			return r.by, true
		}
	}
	return "", false
}

// identity names what a call does, whatever its id.
func identity(c *abi.Call) string {
	return abi.ArrayValue(
		abi.StringValue(string(c.Kind)), abi.StringValue(c.Server), abi.StringValue(c.Target()), abi.StringValue(c.Digest),
	).Digest()
}
