package gate

import (
	"slices"

	"github.com/callgate/callgate/abi"
)

// maxReleases is how many calls that people let go are kept, so that the next
// step of one needs no question of its own.
const maxReleases = 64

// release is a call that a person let go.
type release struct {
	call    string // its id
	grounds string // what it was asked on, see [State.grounds]
	asks    []string
	by      string // the channel of the answer
}

// released lets an asked call go that a person has answered, and remembers that.
func (s *State) released(n *entry, d decision, by string) decision {
	s.session.releases = append(s.session.releases, release{n.call.ID, s.grounds(n, d), matters(d), by})
	s.session.releases = s.session.releases[max(0, len(s.session.releases)-maxReleases):]
	return approved(d, by)
}

// continues says whether a call goes on with one that a person let go, and is
// the same in everything, with nothing to ask that was not answered then: a
// server answered that one with a question of its own, and the client calls
// again with what it was told. by is the channel of the answer.
func (s *State) continues(n *entry, d decision) (by string, ok bool) {
	if n.call.Continues == "" {
		return "", false
	}
	for _, r := range s.session.releases {
		if r.call != n.call.Continues || r.grounds != s.grounds(n, d) {
			continue
		}
		fresh := func(matter string) bool { return !slices.Contains(r.asks, matter) }
		if !slices.ContainsFunc(matters(d), fresh) {
			return r.by, true
		}
	}
	return "", false
}

// grounds is the fingerprint of a call but for what is asked of it: an answer
// that is remembered leaves less to ask the next time.
func (s *State) grounds(n *entry, d decision) string {
	d.verdict = abi.Verdict{}
	return s.fingerprint(n, d)
}

// matters lists what is asked of a call, one for each place.
func matters(d decision) []string {
	var list []string
	for _, v := range asking(d.verdict) {
		for _, at := range append([]string{""}, v.At...) {
			list = append(list, v.Contract+" "+v.Code+" "+at)
		}
	}
	return list
}
