package gate

import (
	"slices"
	"strconv"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Limits of what is kept of labels and calls. Behind them it is told less apart,
// and never forgotten: whatever is looked at may have what was left out, which
// [abi.AnyLabel] says in a set of labels.
const (
	maxLabels    = 256     // that a session holds, or what one call or file has
	maxSpoken    = 1 << 12 // servers whose data has labels
	maxLabelName = 160     // bytes
	maxLabelled  = 1 << 16 // calls and frames whose data has labels
	maxFileKeys  = 1 << 16 // names of files that have labels
	maxDone      = 4096    // tools that were called
)

// flows is what rules about labels and chains need of a session.
type flows struct {
	given   []abi.Given
	crowded bool                // the session was given more labels than are kept
	data    map[string][]string // labels of what calls and frames brought, by their names
	smeared []string            // of those that are not told apart
	spoken  map[string][]string // labels that calls of a server have
	done    []abi.Done          // calls of this process, by tool, oldest first
	others  []abi.Done          // of other processes
	steps   int64
	lost    bool
}

// labelled is what files have.
type labelled struct {
	byKey   map[string]abi.FileLabels
	blurred abi.FileLabels
}

// addLabels takes in labels that an allowed call gives.
func (s *State) addLabels(n *entry, l *abi.LabelEvent) {
	call := abi.Call{ID: l.Call}
	if n != nil {
		call = n.call
	}
	f := &s.session.flows
	for _, name := range l.Session {
		if slices.Contains(s.session.labels, name) {
			continue
		}
		if len(s.session.labels) >= maxLabels || len(name) > maxLabelName || name == abi.AnyLabel {
			if !f.crowded {
				f.crowded = true
				s.rebind()
			}
			continue
		}
		s.session.labels = union(s.session.labels, []string{name})
		g := abi.Given{Label: name, Call: call.ID, Server: call.Server, Tool: call.Target()}
		at, _ := slices.BinarySearchFunc(f.given, name, func(g abi.Given, name string) int { return compare(g.Label, name) })
		f.given = slices.Insert(slices.Clone(f.given), at, g) // snapshots share the list
		if s.policy != nil && slices.Contains(s.policy.Conditions(), name) {
			s.rebind()
		}
	}
	if len(l.Data) > 0 {
		f.mark(call.ID, l.Data)
		f.speak(call.Server, l.Data)
	}
	for _, file := range l.Files {
		s.files.add(file)
	}
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// speak notes the labels of a server's data.
func (f *flows) speak(server string, labels []string) {
	if f.spoken == nil {
		f.spoken = map[string][]string{}
	}
	if _, known := f.spoken[server]; !known && len(f.spoken) >= maxSpoken {
		f.smeared = more(f.smeared, labels)
		return
	}
	f.spoken[server] = more(f.spoken[server], labels)
}

// mark gives what a call or frame brings labels.
func (f *flows) mark(name string, labels []string) {
	if f.data == nil {
		f.data = map[string][]string{}
	}
	if _, known := f.data[name]; !known && len(f.data) >= maxLabelled {
		f.smeared = more(f.smeared, labels)
		return
	}
	f.data[name] = more(f.data[name], labels)
}

// more adds labels to a set that stays small. None that is in it leaves it: what
// there is no room for makes it a set of any label.
func more(set, labels []string) []string {
	if len(labels) == 0 || slices.Contains(set, abi.AnyLabel) {
		return set
	}
	all := union(set, labels)
	if len(all) > maxLabels || slices.ContainsFunc(labels, func(l string) bool { return len(l) > maxLabelName }) {
		return union(set, []string{abi.AnyLabel})
	}
	return all
}

// spelled adds to a set of any label those that the policy knows, for plugins that
// look for one by its name.
func (s *State) spelled(labels []string, any bool) []string {
	if s.policy == nil || !any && !slices.Contains(labels, abi.AnyLabel) {
		return labels
	}
	return union(labels, append(s.policy.Labels(), abi.AnyLabel))
}

// add gives a file labels.
func (f *labelled) add(file abi.FileLabels) {
	if f.byKey == nil {
		f.byKey = map[string]abi.FileLabels{}
	}
	for _, key := range file.Keys {
		was, known := f.byKey[key]
		if !known && (len(f.byKey) >= maxFileKeys || len(key) > 64) {
			f.blurred.Data, f.blurred.Session = more(f.blurred.Data, file.Data), more(f.blurred.Session, file.Session)
			continue
		}
		was.Data, was.Session = more(was.Data, file.Data), more(was.Session, file.Session)
		f.byKey[key] = was
	}
}

// said notes that a frame which answers no call of ours comes from a server whose
// data has labels: it may hold some of that.
func (s *State) said(e abi.Event) {
	server := ""
	switch {
	case e.Frame != nil:
		server = e.Frame.Server
	case e.Refused != nil && e.Refused.From != "client":
		server = e.Refused.Server
	case e.Tools != nil:
		server = e.Tools.Server
	case e.Result != nil && e.Result.Call == "":
		server = e.Result.Server
	case e.Call != nil && e.Call.Kind.FromServer():
		if labels := s.session.flows.spoken[e.Call.Server]; len(labels) > 0 {
			s.session.flows.mark(e.Call.ID, labels)
		}
		return
	default:
		return
	}
	if labels := s.session.flows.spoken[server]; len(labels) > 0 {
		s.session.flows.mark(frameName(server, e.Seq), labels)
	}
}

// frameName names what a server said at a place of a ledger. Ids of calls hold no
// blank.
func frameName(server string, seq uint64) string {
	return strconv.FormatUint(seq, 10) + " " + server
}

// dataLabels returns the labels of what an event brought, for the index.
func (s *State) dataLabels(call, server string, seq uint64) []string {
	f := &s.session.flows
	if len(f.data) == 0 {
		return nil
	}
	if call == "" {
		call = frameName(server, seq)
	}
	return union(f.data[call], f.smeared)
}

// markLabels says of findings which labels what they found has.
func (s *State) markLabels(found []abi.Finding) {
	if len(s.session.flows.data) == 0 {
		return
	}
	for i := range found {
		for j := range found[i].Evidence {
			e := &found[i].Evidence[j]
			if e.Labels = s.dataLabels(e.Call, e.Server, e.Seq); len(e.Labels) > 0 {
				found[i].Labels = union(found[i].Labels, e.Labels)
			}
		}
		found[i].Labels = s.spelled(found[i].Labels, false)
	}
}

// carried asks provenance which of the values hold data with labels that
// contracts want to know of.
func (s *State) carried(b *binding, snap *abi.Snapshot) []abi.Carried {
	if len(s.session.flows.data) == 0 {
		return nil
	}
	var wanted []abi.Wanted
	type place struct {
		at  string
		key bool
	}
	seen := map[place]bool{}
	for _, rows := range [][]row{b.rows, b.listed} {
		for _, r := range rows {
			c, ok := r.c.(contract.Carrier)
			if !ok {
				continue
			}
			for _, w := range c.Carries(snap) {
				if p := (place{w.At, w.Key}); !seen[p] {
					seen[p] = true
					wanted = append(wanted, abi.Wanted{At: w.At, Key: w.Key})
				}
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	s.settleAll()
	values, _ := snap.Call.Values()
	return s.session.index.Carried(values, wanted)
}

// rebind forgets the contracts of all tools: an entry may hold that did not.
func (s *State) rebind() { s.bindings = map[string]*binding{} }

// Labels lists the labels that the session holds.
func (s *State) Labels() []string {
	if s.session.flows.crowded {
		return union(s.session.labels, []string{abi.AnyLabel})
	}
	return slices.Clone(s.session.labels)
}

// holdsAll says whether the session holds every one of several labels.
func (s *State) holdsAll(labels []string) bool {
	held := abi.Session{Labels: s.session.labels, Flows: abi.Flows{Crowded: s.session.flows.crowded}}
	return held.HoldsAll(labels)
}

// done takes in that a call was allowed, for the chains. Calls of this process
// count as those in between; others only as the first of a chain, since any
// process of the user can write them down.
func (s *State) done(n *entry) {
	f := &s.session.flows
	d := abi.Done{ID: n.call.ID, Server: n.call.Server, Tool: n.call.Target()}
	list := &f.others
	if !n.peer {
		list = &f.done
		if !n.call.Kind.FromServer() { // a server could fill the room between two calls
			f.steps++
		}
	}
	d.Step = f.steps
	// Snapshots share the list: it is never written again.
	kept := slices.DeleteFunc(slices.Clone(*list), func(o abi.Done) bool { return o.Server == d.Server && o.Tool == d.Tool })
	if len(kept) >= maxDone || len(d.Tool) > maxDone {
		f.lost = true
		return
	}
	*list = append(kept, d)
}

// flows is what contracts see of labels and chains.
func (s *State) flows() abi.Flows {
	f := &s.session.flows
	done := f.done // never written again
	if len(f.others) > 0 {
		done = append(slices.Clip(f.others), done...)
	}
	return abi.Flows{
		Given: f.given, Data: len(f.data) > 0, Crowded: f.crowded, Files: s.files.byKey, Blurred: s.files.blurred,
		Done: done, Steps: f.steps, Lost: f.lost,
	}
}

// joinRisk takes in what further rules say of the tool as a whole.
func (b *binding) joinRisk(rules []contract.Rules) {
	for i := range rules {
		b.hidden = b.hidden || rules[i].Hide != ""
		b.risk, b.approve = max(b.risk, rules[i].Risk), narrower(b.approve, rules[i].Approve)
	}
}
