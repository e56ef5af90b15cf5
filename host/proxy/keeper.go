package proxy

import (
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
)

// KeeperOptions says who judges, and how people are asked.
type KeeperOptions struct {
	Server string // the operator's name for the server
	Engine *Engine
	Voice  Voice // until the policy is replaced
	// Pins keeps the pinned definitions of the server when some were added.
	Pins   func([]abi.Value) error
	Asking Asking
	// Children lists the processes whose descendants must not answer questions.
	Children func() []int
	// Note takes one line for the operator.
	Note func(format string, args ...any)
	// Reloader replaces the policy while this process runs; nil: nobody does.
	Reloader *Reloader
}

// Keeper judges for every relay to one server that shares a ledger: one client
// over stdio, or all sessions of one client over HTTP. It is safe for concurrent
// use.
type Keeper struct {
	o     KeeperOptions
	speak atomic.Pointer[Voice]
	asks  asks
	tasks tasks
	seals *sealer

	outbox  outbox
	hearers hearers
	seen    listsShown    // by clients that have no session of ours
	listed  atomic.Int64  // bytes of lists that are kept
	changes atomic.Uint64 // how many policies came into force
}

// NewKeeper returns a keeper without open questions.
func NewKeeper(o KeeperOptions) *Keeper {
	k := &Keeper{o: o, seals: newSealer(time.Now)}
	k.speak.Store(&o.Voice)
	k.asks.desk = approval.NewDesk(k.answered)
	return k
}

// record keeps an event whose verdict nobody waits for.
func (k *Keeper) record(e abi.Event) (Recorded, bool) {
	r, err := k.o.Engine.Step(e)
	if err != nil {
		k.o.Note("%v", err)
		return r, false
	}
	return r, true
}

// keepPins stores what a list of tools has pinned. A pin that can not be
// stored still holds for this process.
func (k *Keeper) keepPins() {
	pins, added := k.o.Engine.Pins(k.o.Server)
	if !added || k.o.Pins == nil {
		return
	}
	if err := k.o.Pins(pins); err != nil {
		k.o.Note("keep the pins: %v", err)
	}
}

// listen lets terminals answer. Without it, what asks can not be approved that
// way, but nothing is looser.
func (k *Keeper) listen() io.Closer {
	k.asks.mu.Lock()
	asking := k.o.Asking
	k.asks.mu.Unlock()
	if asking.Listen == nil {
		return nil
	}
	t := Terminal{Desk: k.asks.desk, Children: k.o.Children, Accept: k.accept, Labels: k.o.Engine.Labels}
	if k.o.Reloader != nil {
		t.Reload, t.AcceptPolicy, t.Look = k.reload, k.o.Reloader.Accept, k.o.Reloader.Look
	}
	t.Context = func(text string) error {
		if !k.takesContext() { // a reload can change that
			return errors.New("the policy of this process takes no context; set settings.user_context: true")
		}
		_, err := k.o.Engine.Step(abi.Event{User: &abi.UserEvent{Text: text}})
		return err
	}
	c, err := asking.Listen(t)
	if err != nil {
		k.o.Note("nobody can answer from a terminal: %v", err)
		return nil
	}
	return c
}

// reload says how the files of the policy stand, and what starts have let.
func (k *Keeper) reload() approval.Reload {
	r := k.o.Reloader.State()
	r.Looser = k.o.Engine.Looser()
	return r
}

// accept pins what the server has become, which a person has looked at.
func (k *Keeper) accept(tool, digest string) error {
	if err := k.o.Engine.Accept(k.o.Server, tool, digest); err != nil {
		return err
	}
	k.keepPins()
	return nil
}

// unkept is the verdict on a call that the ledger could not keep.
func unkept(id string) *abi.Verdict {
	return &abi.Verdict{
		ID: id, Contract: "ledger", Code: "LEDGER_FAILED", Reason: "the ledger can not keep the verdict, so nothing is allowed",
	}
}
