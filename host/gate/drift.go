package gate

import (
	"reflect"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// These bound what the lists of one server can take up. What lies beyond is as
// if it had never been listed.
const (
	maxTools = 8192
	maxPages = 4096 // of a first listing
	// maxToolBytes is a hundred times what the longest real list holds.
	maxToolBytes = 64 << 20
)

// graded is how far a definition has moved from its pin.
type graded struct {
	was, is string // digests
	drift   abi.Drift
	why     string
}

// drift grades what was listed against the pin, once for each pair.
func (s *State) drift(serverName, tool string, p, l pin) graded {
	srv := s.servers[serverName]
	if known, ok := srv.graded[tool]; ok && known.was == p.digest && known.is == l.digest {
		return known
	}
	grade := abi.GradeDefinition
	if tool == "" {
		grade = abi.GradeIdentity
	}
	worst, changes := grade(p.definition, l.definition, s.otherNames(serverName, tool))
	g := graded{was: p.digest, is: l.digest, drift: worst}
	for _, c := range changes {
		if c.Grade == worst {
			g.why = c.Why
			break
		}
	}
	srv.graded[tool] = g
	return g
}

// otherNames lists the other servers and tools that are known, as far as a new
// text of this one has no business with them.
func (s *State) otherNames(serverName, tool string) []string {
	var out []string
	for _, servers := range []map[string]*server{s.servers, s.foreign} {
		for name, srv := range servers {
			if name != serverName {
				out = append(out, name)
			}
			for other := range srv.pins {
				if name != serverName || other != tool {
					out = append(out, other)
				}
			}
			for other := range srv.listed {
				if name != serverName || other != tool {
					out = append(out, other)
				}
			}
		}
	}
	return out
}

// ungrade forgets what was graded: other names are known now.
func (s *State) ungrade() {
	for _, srv := range s.servers {
		clear(srv.graded)
	}
}

// serverDrift says how what a server says of itself stands to its pin.
func (s *State) serverDrift(name string) abi.ServerDrift {
	srv := s.servers[name]
	if srv == nil || srv.identity.digest == "" || srv.said.digest == "" || srv.identity.digest == srv.said.digest {
		return abi.ServerDrift{Drift: abi.DriftNone}
	}
	g := s.drift(name, "", srv.identity, srv.said)
	return abi.ServerDrift{
		Drift: g.drift, Why: g.why, Changed: abi.ChangedIdentity(srv.identity.definition, srv.said.definition),
		Was: srv.identity.definition, Is: srv.said.definition, Declined: srv.declined == srv.said.digest,
	}
}

// accepted pins what a question showed. A yes to it is about the definition or
// the server as they were shown, whatever was listed since.
func (s *State) accepted(n *entry, q *abi.AskEvent) {
	srv := s.servers[n.call.Server]
	if srv == nil {
		return
	}
	if q.Definition.Exists() {
		srv.pins[n.call.Tool] = pinned(q.Definition, s.now)
	}
	if q.Identity.Exists() {
		srv.identity = pin{definition: q.Identity, digest: q.Identity.Digest(), at: s.now}
	}
	if q.Definition.Exists() || q.Identity.Exists() {
		srv.dirty = true
		s.unbind(n.call.Server)
		n.binding = s.bound(&n.call)
	}
}

// declined keeps in mind that a person does not want what a server has become:
// nobody is asked for it again in this session. A question that is about the
// call as well says nothing of the server by itself.
func (s *State) declined(q *abi.AskEvent) {
	if srv := s.servers[q.Server]; srv != nil && q.OfServer() {
		srv.declined = q.Identity.Digest()
	}
}

// ofServer is the fingerprint of an ask that is about a server alone, "" of any
// other: one question serves every call that waits for it.
func (s *State) ofServer(n *entry, d decision) string {
	asks := asking(d.verdict)
	if len(asks) != 1 || asks[0].Contract != "pin" || asks[0].Code != abi.CodePinServer {
		return ""
	}
	srv := s.servers[n.call.Server]
	return abi.ArrayValue(
		abi.StringValue(abi.CodePinServer), abi.StringValue(n.call.Server), abi.StringValue(s.digest),
		abi.StringValue(srv.identity.digest), abi.StringValue(srv.said.digest),
	).Digest()
}

// shown adds to a question what a yes to it pins.
func (s *State) shown(n *entry, q *abi.AskEvent) {
	if n.call.Kind.IsTool() {
		d := s.pinOf(n.call.Server, n.call.Tool)
		if d.State == abi.PinLate || d.State == abi.PinChanged && d.Drift < abi.DriftCosmetic {
			q.Definition = d.Listed
			q.DefinitionWas = s.servers[n.call.Server].pins[n.call.Tool].definition
		}
	}
	if of := s.serverDrift(n.call.Server); of.Drift < abi.DriftCosmetic {
		q.Identity, q.IdentityWas = of.Is, of.Was
	}
}

// Offered is what a person can accept of a server: the definition of a tool as
// last listed, or with "" what the server says of itself; false: nothing.
func (s *State) Offered(serverName, tool string) (abi.Pin, bool) {
	srv := s.servers[serverName]
	if srv == nil {
		return abi.Pin{}, false
	}
	if tool == "" {
		return abi.Pin{Identity: srv.said.definition, At: s.now}, srv.said.digest != ""
	}
	l, ok := srv.listed[tool]
	return abi.Pin{Definition: l.definition, At: s.now}, ok && pinnable(tool) && !srv.twice[tool]
}

// drifting returns the definition that a tool was last listed with, where that
// is not the pinned one: a call is judged by both.
func (s *State) drifting(serverName, tool string) (abi.Value, bool) {
	srv := s.servers[serverName]
	if srv == nil {
		return abi.Value{}, false
	}
	p, isPinned := srv.pins[tool]
	l, isListed := srv.listed[tool]
	return l.definition, isPinned && isListed && p.digest != l.digest
}

// judgeBoth judges a call by the pinned definition and, while the listed one is
// another, by that as well. The stricter verdict holds, and all that both say.
func judgeBoth(b *binding, received, sent *abi.Snapshot) abi.Verdict {
	v := judge(b.rows, received, sent)
	if len(b.listed) == 0 {
		return v
	}
	other := asListed(received)
	otherSent := other
	if sent != received {
		otherSent = asListed(sent)
	}
	w := judge(b.listed, other, otherSent)
	if w.Outcome < v.Outcome {
		v, w = w, v
	}
	also := w.Also
	w.Also = nil
	for _, more := range append([]abi.Verdict{w}, also...) {
		one := v
		one.Also = nil
		if !reflect.DeepEqual(more, one) && !slices.ContainsFunc(v.Also, func(x abi.Verdict) bool { return reflect.DeepEqual(x, more) }) {
			v.Also = append(v.Also, more)
		}
	}
	return v
}

// asListed is a snapshot with the schema and annotations that the tool was last
// listed with.
func asListed(snap *abi.Snapshot) *abi.Snapshot {
	out := *snap
	out.Definition.Schema = snap.Definition.Listed.Get("inputSchema")
	out.Definition.Annotations = snap.Definition.Listed.Get("annotations")
	return &out
}

// wants asks the contracts of a binding what of a call they want explained.
func (b *binding) wants(snap *abi.Snapshot) []abi.Wanted {
	out := wanted(b.rows, snap)
	if len(b.listed) == 0 {
		return out
	}
	for _, w := range wanted(b.listed, asListed(snap)) {
		if !slices.ContainsFunc(out, func(x abi.Wanted) bool { return reflect.DeepEqual(x, w) }) {
			out = append(out, w)
		}
	}
	return out
}

func wanted(rows []row, snap *abi.Snapshot) []abi.Wanted {
	var out []abi.Wanted
	for _, r := range rows {
		if e, ok := r.c.(contract.Explainer); ok {
			out = append(out, e.Wanted(snap)...)
		}
	}
	return out
}

// edits asks the contracts of a binding for what they would change in a call.
func (b *binding) edits(snap *abi.Snapshot) []abi.Edit {
	out := edits(b.rows, snap)
	if len(b.listed) == 0 {
		return out
	}
	for _, e := range edits(b.listed, asListed(snap)) {
		if !slices.ContainsFunc(out, func(x abi.Edit) bool { return reflect.DeepEqual(x, e) }) {
			out = append(out, e)
		}
	}
	return out
}

func edits(rows []row, snap *abi.Snapshot) []abi.Edit {
	var out []abi.Edit
	for _, r := range rows {
		e, ok := r.c.(contract.Editor)
		if !ok {
			continue
		}
		for _, edit := range e.Edit(snap) {
			if !slices.ContainsFunc(out, func(x abi.Edit) bool { return reflect.DeepEqual(x, edit) }) {
				out = append(out, edit) // rules of two policies, or of none but a label, can say the same
			}
		}
	}
	return out
}
