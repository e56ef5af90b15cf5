package proxy

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
)

// groupWait is how long a decision waits for those of other processes that
// count towards the same budgets. Each takes less than a millisecond.
const groupWait = 2 * time.Second

// pluginWait is groupWait where policies have plugins, each of which can take until
// the clock stops it, after ten seconds: their call is denied then, and not ours.
const pluginWait = 15 * time.Second

// Engine feeds events to the gate and keeps them: the session lock, the state
// and the ledger. Before a verdict it reads what the other processes of the
// group have written. It is safe for concurrent use.
type Engine struct {
	coming atomic.Int32 // events that wait for mu
	mu     sync.Mutex
	state  *gate.State
	ledger *ledger.Ledger
	tail   *ledger.Tail      // nil: no other process
	group  *ledger.GroupLock // nil: no other process
	lost   bool              // the group's directory can not be read
	looser []string          // what this start lets, beyond the policy before it
	read   []abi.Event       // how far files were read, which the ledger has yet to say
	seq    uint64
	now    func() time.Time
	buf    [][]byte
	text   *Texts // where text lies that the lines of the ledger do not hold
	failed error  // text could not be kept: nothing more is
	over   []evicted
	facts  func([]abi.Need) abi.Value // nil: nothing of the server's world can be looked at
}

// NewEngine returns an engine over an open ledger without lines.
func NewEngine(state *gate.State, l *ledger.Ledger, text *Texts, now func() time.Time) *Engine {
	return &Engine{state: state, ledger: l, text: text, now: now}
}

// Recorded is what became of one event.
type Recorded struct {
	Event   abi.Event   // as kept, with its place
	Answers []abi.Event // of the gate
	Token   ledger.Token
}

// Verdict returns the verdict among the answers, or nil.
func (r Recorded) Verdict() *abi.Verdict {
	for _, e := range r.Answers {
		if e.Verdict != nil {
			return e.Verdict
		}
	}
	return nil
}

// Step gives an event its place and time, has the gate judge it, and appends
// it with the answers. An error means that nothing is known to be kept: the
// caller must deny.
func (g *Engine) Step(e abi.Event) (Recorded, error) {
	e = g.informed(e)
	g.coming.Add(1)
	g.mu.Lock()
	g.coming.Add(-1)
	defer g.mu.Unlock()
	if err := errors.Join(g.failed, g.ledger.Err()); err != nil {
		return Recorded{}, err
	}
	now := g.now().UTC().Round(0).Truncate(time.Microsecond)
	defer g.group.Unlock()
	if err := g.catchUp(e); err != nil {
		return Recorded{}, err // the state has read on: the next event says how far
	}
	lines := lines{buf: g.buf}
	for _, r := range g.read {
		r.Seq, r.Time = g.seq+uint64(lines.n), now
		gate.Step(g.state, r)
		lines.add(r)
	}
	g.read = g.read[:0]
	g.evict(&lines, now)
	e.Seq, e.Time = g.seq+uint64(lines.n), now
	e = g.state.Freeze(e)
	judged, digests := e, g.state.Digests()
	less := false
	if !digests {
		e, less = g.state.Kept(e)
	}
	var err error
	if e, err = g.text.take(e, digests); err != nil {
		g.failed = err
		return Recorded{}, err
	}
	if !less {
		judged = g.judged(judged, e, digests)
	}
	answers := gate.Step(g.state, judged)
	lines.add(g.kept(e))
	for _, a := range answers {
		lines.add(a)
	}
	token, err := g.ledger.AppendCanonical(g.seq, lines.buf[:lines.n]...)
	g.buf = lines.forget()
	g.seq += uint64(lines.n)
	g.evicting(token)
	return Recorded{e, answers, token}, err
}

// judged is the form of an event that the gate sees, of which kept goes to the
// ledger whole or by reference. The gate reads what it needs of a call at once, and
// of what a server says only if the policy is about that; the rest waits for the
// index.
func (g *Engine) judged(whole, kept abi.Event, digests bool) abi.Event {
	switch {
	case whole.Call != nil && !whole.Call.Kind.FromServer():
		if digests {
			return kept
		}
		return whole
	case whole.Result != nil && g.state.Reads():
		whole.Text = kept.Text
		return whole
	case whole.Frame != nil && g.state.Reads():
		whole.Text = kept.Text
		return whole
	}
	return kept
}

// evicted is a segment that the ledger says is gone, and the line that says so:
// once that is durable the file goes, too.
type evicted struct {
	name  string
	told  bool
	token ledger.Token
}

// evict says which segments are over the size that they may have.
func (g *Engine) evict(lines *lines, now time.Time) {
	if g.text.store == nil {
		return
	}
	for _, name := range g.text.store.Over() {
		if slices.ContainsFunc(g.over, func(o evicted) bool { return o.name == name }) {
			continue
		}
		e := abi.Event{Seq: g.seq + uint64(lines.n), Time: now, Evicted: &abi.EvictedEvent{Segment: name}}
		gate.Step(g.state, e)
		lines.add(e)
		g.over = append(g.over, evicted{name: name})
	}
}

// evicting removes what may go by now, and notes the line that was just written
// for what may go later.
func (g *Engine) evicting(token ledger.Token) {
	g.remove()
	for i := range g.over {
		if !g.over[i].told {
			g.over[i].told, g.over[i].token = true, token
		}
	}
}

// remove removes the segments whose lines are durable. One that can not be
// removed is tried again with the next event.
func (g *Engine) remove() {
	g.over = slices.DeleteFunc(g.over, func(o evicted) bool {
		return o.told && g.ledger.Durable(o.token) && g.text.store.Remove(o.name) == nil
	})
}

// lines are the encoded events of one append.
type lines struct {
	buf [][]byte
	n   int
}

func (l *lines) add(e abi.Event) {
	if l.n == len(l.buf) {
		l.buf = append(l.buf, nil)
	}
	l.buf[l.n] = e.Append(l.buf[l.n][:0])
	l.n++
}

// forget returns the buffers for the next append. One big result must not stay
// in memory.
func (l *lines) forget() [][]byte {
	for i := range l.buf {
		if cap(l.buf[i]) > 1<<20 {
			l.buf[i] = nil
		}
	}
	return l.buf
}

// kept is the form of a judged event that goes into the file. The parameters of
// a task are judged, but no reference stands for them.
func (g *Engine) kept(e abi.Event) abi.Event {
	if e.Call == nil || !e.Call.Task.Exists() && !e.Call.Facts.Exists() || !g.state.Digests() {
		return e
	}
	c := *e.Call
	c.Task, c.Facts = abi.Value{}, abi.Value{}
	e.Call = &c
	return e
}

// Settle has the gate do what the last events have left to do, until an event
// comes.
func (g *Engine) Settle() {
	for g.coming.Load() == 0 {
		g.mu.Lock()
		more := g.state.Settle()
		g.mu.Unlock()
		if !more {
			return
		}
	}
}

// close ends the ledger, after the event that is being judged: who still reads
// frames of a client that is not waited for gets an error.
func (g *Engine) close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	err := g.ledger.Close()
	g.remove()
	return errors.Join(err, g.text.close(), g.tail.Close(), g.group.Close())
}

// Wait returns when everything up to a token is durable.
func (g *Engine) Wait(t ledger.Token) error { return g.ledger.Wait(t) }

// Pins returns the pinned definitions of a server if some were added.
func (g *Engine) Pins(server string) ([]abi.Value, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.Pins(server)
}

// Durable says whether everything up to a token is durable already, so that
// there is nothing to wait for.
func (g *Engine) Durable(t ledger.Token) bool { return g.ledger.Durable(t) }

// Question returns what a person is asked about a call, with its arguments.
func (g *Engine) Question(call string) (abi.AskEvent, abi.Value, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.Question(call)
}

// Stands says whether an answer waits for a call with a fingerprint.
func (g *Engine) Stands(fingerprint string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.Stands(fingerprint)
}

// Schema returns the input schema of a tool as it is known, absent if it is not.
func (g *Engine) Schema(server, tool string) abi.Value {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.Schema(server, tool)
}

// Redacts says whether text of the client, or of a server, is edited on its way.
func (g *Engine) Redacts(fromServer bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.Redacts(fromServer)
}

// Withholds says whether one of these texts, which stand beside a frame, holds what
// would be redacted inside it.
func (g *Engine) Withholds(texts []string, fromServer bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.Withholds(texts, fromServer)
}

// Hides says whether the client is not to see an item of a list of a server, by its
// name: see [abi.ItemName].
func (g *Engine) Hides(server, kind, name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if kind == abi.ListTools {
		return g.state.Hidden(server, name)
	}
	return g.state.Hides(server, kind, name)
}

// Ways returns how lists of a server are shown, by kind.
func (g *Engine) Ways(server string) map[string]gate.Way {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := map[string]gate.Way{}
	for _, kind := range abi.ListKinds {
		out[kind] = g.state.WayOf(server, kind)
	}
	return out
}

// ListEdits returns the edits of a list under the policy in force; false: it is not
// shown at all.
func (g *Engine) ListEdits(kind string, list abi.Value) ([]abi.Edit, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.ListEdits(kind, list)
}

// Observes says whether what the gate says is recorded and not enforced.
func (g *Engine) Observes() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.Observes()
}

// Use puts a policy into force, between two other events.
func (g *Engine) Use(p *policy.Policy) (Recorded, error) {
	g.mu.Lock()
	g.state.Know(p)
	g.mu.Unlock()
	return g.Step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value(), Files: p.Files()}})
}

// PolicyDigest returns the digest of the policy in force.
func (g *Engine) PolicyDigest() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.PolicyDigest()
}

// Looser lists what starts of the session let, beyond the policy before them.
func (g *Engine) Looser() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.Looser()
}

// Labels lists the labels that the session holds.
func (g *Engine) Labels() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.state.Labels()
}

// Accept pins what a server has last listed of a tool, or with "" what it says
// of itself, if that is still what a person has looked at.
func (g *Engine) Accept(server, tool, digest string) error {
	g.mu.Lock()
	pin, ok := g.state.Offered(server, tool)
	g.mu.Unlock()
	if !ok || pin.Digest() != digest {
		return errors.New("the server lists something else by now; compare it again with callgate tools diff")
	}
	_, err := g.Step(abi.Event{Tools: &abi.ToolsEvent{Server: server, Source: abi.ToolsAccepted, List: []abi.Value{pin.Value()}}})
	return err
}
