// Package proxy relays frames between a client and a server, and acts on what
// the gate says of them. It originates nothing: no request, no list, no ping.
// What it does not have to touch it relays byte for byte.
package proxy

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/wire"
)

// Options says what to relay, and who judges it.
type Options struct {
	Server  string // the operator's name for the server
	Command []string
	Env     []string // of the child
	Engine  *Engine
	Voice   Voice
	// Pins keeps the pinned definitions of the server when some were added.
	Pins   func([]abi.Value) error
	Asking Asking
	// Alone says that this process does nothing but relay, so that it may adopt
	// what the server leaves behind.
	Alone bool

	In     io.ReadCloser // frames of the client
	Out    io.Writer     // frames to the client, and nothing else
	Stderr *os.File      // inherited by the child; our own notes
}

// stdio is one relay between a client and a child.
type stdio struct {
	o        Options
	talk     *Conversation
	child    *child
	toServer *sender
	toClient *sender
	asks     asks
	noise    atomic.Int64
	noteMu   sync.Mutex
}

// Stdio starts the command and relays until it or the client has gone. It
// returns the child's exit code; an error is about starting it only.
func Stdio(ctx context.Context, o Options) (int, error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, append(forwarded(), brokenPipe()...)...)
	defer signal.Stop(signals)
	var pid atomic.Int64 // of the child, once it is started
	stop, err := o.adopt(func(n int) bool { return pid.Load() == 0 || pid.Load() == int64(n) })
	if err != nil {
		o.Asking.Listen = nil // a descendant of the server could answer
		fmt.Fprintf(o.Stderr, "callgate: nobody can answer from a terminal: %v\n", err)
	}
	defer stop()
	c, err := startChild(childOptions{command: o.Command, env: o.Env, stderr: o.Stderr})
	if err != nil {
		return 2, fmt.Errorf("start %q: %w", o.Command[0], err)
	}
	pid.Store(int64(c.pid))
	restore := o.poll()
	p := &stdio{o: o, talk: NewConversation(o.Server), child: c, toServer: newSender(c.in), toClient: newSender(o.Out)}
	p.asks.desk = approval.NewDesk(p.answered)
	socket := p.listen()
	clientGone, serverRead := make(chan struct{}), make(chan struct{})
	go func() { defer close(clientGone); p.pumpClient() }()
	go func() { defer close(serverRead); p.pumpServer() }()
	reason := p.run(ctx, signals, clientGone, serverRead)
	<-c.ended
	c.drain(serverRead)
	p.endAsks()
	p.deliver(ctx, signals, serverRead)
	if socket != nil {
		_ = socket.Close() // nothing is left to be answered
	}
	<-c.alone
	p.record(abi.Event{Closed: &abi.ClosedEvent{Reason: reason, Exit: c.code}})
	restore()
	return c.code, nil
}

// adopt has what the server leaves behind stay below this process, where a
// descendant of the server must be told from the user's terminals.
func (o *Options) adopt(child func(pid int) bool) (stop func(), err error) {
	stop = func() {}
	if !o.Alone || o.Asking.Listen == nil {
		return stop, nil
	}
	adopted, err := adoptOrphans(child)
	if err != nil {
		return stop, err
	}
	return adopted, nil
}

// poll has both ends to the client polled, if they are the streams of this
// process, and returns how to undo it.
func (o *Options) poll() (restore func()) {
	undo := []func() error{}
	if f, ok := o.In.(*os.File); ok {
		in, end := pollable(f, os.O_RDONLY)
		o.In, undo = in, append(undo, end)
	}
	if f, ok := o.Out.(*os.File); ok {
		out, end := pollable(f, os.O_WRONLY)
		o.Out, undo = out, append(undo, end)
	}
	return func() {
		for _, end := range undo {
			_ = end() // the process ends, and has said all it has to say
		}
	}
}

// run waits for the end: of the client, of the child, or of us. It returns why.
func (p *stdio) run(ctx context.Context, signals chan os.Signal, clientGone, serverRead <-chan struct{}) string {
	for {
		select {
		case <-p.child.ended:
			return "the server ended"
		case <-serverRead:
			// Without its output it can answer nothing; a client that was not told
			// would wait for ever.
			if p.child.wait(endTerm) {
				return "the server ended"
			}
			p.child.end()
			return "the server closed its output"
		case <-clientGone:
			p.flush()
			p.child.end()
			return "the client closed its end"
		case <-ctx.Done():
			p.child.terminate()
			return "callgate was stopped"
		case s := <-signals:
			if isBrokenPipe(s) {
				continue // the write that caused it reports the error
			}
			if err := p.child.signal(s); err != nil {
				p.note("signal %v: %v", s, err)
			}
			p.child.terminateAfter(endTerm)
			select {
			case signals <- s: // it also ends what comes after the child
			default: // so does one of those that are waiting
			}
			return "a signal: " + s.String()
		}
	}
}

// flush lets the server have what is still queued for it, unless it does not
// read.
func (p *stdio) flush() {
	flushed := make(chan struct{})
	go func() { defer close(flushed); p.toServer.close() }()
	t := time.NewTimer(endFlush)
	defer t.Stop()
	select {
	case <-flushed:
	case <-p.child.ended:
	case <-t.C:
	}
}

// deliver lets the client have what is still queued for it, and an answer to
// all that the server left open. A client that does not read may take its time,
// but does not keep us from following a signal.
func (p *stdio) deliver(ctx context.Context, signals <-chan os.Signal, serverRead <-chan struct{}) {
	delivered := make(chan struct{})
	go func() {
		defer close(delivered)
		<-serverRead
		p.giveUp()
		p.toClient.close()
	}()
	stopped := false
	for !stopped {
		select {
		case <-delivered:
			return
		case <-ctx.Done():
			stopped = true
		case s := <-signals:
			stopped = !isBrokenPipe(s)
		}
	}
	t := time.NewTimer(endDrain)
	defer t.Stop()
	select {
	case <-delivered:
	case <-t.C:
		p.toClient.abandon()
	}
}

func isBrokenPipe(s os.Signal) bool {
	for _, b := range brokenPipe() {
		if s == b {
			return true
		}
	}
	return false
}

// terminateAfter gives the child a time to follow a signal, then kills it.
func (c *child) terminateAfter(d time.Duration) {
	if c.wait(d) {
		return
	}
	c.kill()
	<-c.ended
}

// note writes one line about the relay for the operator.
func (p *stdio) note(format string, args ...any) {
	p.noteMu.Lock()
	defer p.noteMu.Unlock()
	fmt.Fprintf(p.o.Stderr, "callgate: "+format+"\n", args...)
}

// record keeps an event whose verdict nobody waits for.
func (p *stdio) record(e abi.Event) (Recorded, bool) {
	r, err := p.o.Engine.Step(e)
	if err != nil {
		p.note("%v", err)
		return r, false
	}
	return r, true
}

// pumpClient reads the client's frames until its end.
func (p *stdio) pumpClient() {
	in := wire.NewReader(p.o.In, 0)
	var classifier wire.Classifier
	for {
		line, err := in.Next()
		if err != nil {
			return
		}
		f := classifier.ClassifyLine(line, wire.FromClient, p.talk.Options())
		if f.Kind == wire.Batch {
			p.batch(f)
			continue
		}
		p.client(p.talk.Client(f), !in.Waiting())
		p.o.Engine.Settle()
	}
}

// client handles one frame of the client; last says that none is behind it yet.
func (p *stdio) client(m Message, last bool) {
	switch {
	case m.ours:
		p.elicitedBy(m)
		return
	case m.cancels != "" && p.cancelled(m.cancels):
		return // the server was never told of the call
	case m.Event == nil:
		p.toServer.send(frame{bytes: m.Frame.Raw, lost: p.unread(m)})
		return
	}
	if m.Event.Refused != nil {
		p.record(*m.Event)
		if answer := refusal(m.Frame.Problem); answer != nil {
			p.toClient.send(frame{bytes: answer})
		}
		return
	}
	answer, sent, token := p.judge(m, true)
	switch {
	case answer != nil:
		p.reply(m, answer)
	case sent != nil:
		p.forward(m, sent, token, last)
	}
}

// reply answers a request of the client, unless it was answered already: at the
// end of the server every one that is open is.
func (p *stdio) reply(m Message, answer []byte) {
	if p.talk.close(m.Frame.ID) != nil {
		p.toClient.send(frame{bytes: answer})
	}
}

// unkept is the verdict on a call that the ledger could not keep.
func unkept(id string) *abi.Verdict {
	return &abi.Verdict{
		ID: id, Contract: "ledger", Code: "LEDGER_FAILED", Reason: "the ledger can not keep the verdict, so nothing is allowed",
	}
}

// forward sends an allowed call once its verdict is durable.
func (p *stdio) forward(m Message, sent []byte, token ledger.Token, last bool) {
	f := frame{bytes: sent, here: last, lost: p.unread(m)}
	if !p.o.Engine.Durable(token) {
		f.wait = func() error { return p.o.Engine.Wait(token) }
		f.fail = func(err error) {
			p.note("%v", err)
			p.reply(m, p.o.Voice.apply(m, unkept("")))
		}
	}
	p.talk.Sent(m)
	p.toServer.send(f)
}

// unread answers a request that the server, which has closed its input, will
// never read.
func (p *stdio) unread(m Message) func() {
	if m.Frame.Kind != wire.Request {
		return nil
	}
	return func() {
		if p.talk.close(m.Frame.ID) != nil {
			p.toClient.send(frame{bytes: wire.ErrorFrame(m.Frame.ID, rpcGone, "callgate: the server has closed its input", nil)})
		}
	}
}

// edited applies the gate's edits of a call to its frame as received.
func edited(f wire.Frame, call string, answers []abi.Event) ([]byte, error) {
	var splices []wire.Edit
	for _, a := range answers {
		if a.Edit == nil || a.Edit.Call != call {
			continue
		}
		for _, e := range a.Edit.Edits {
			at, err := wire.Find(f.Raw, f.Call.Arguments, e.At)
			if err != nil {
				return nil, err
			}
			splices = append(splices, wire.Edit{Span: at, With: e.With.Append(nil)})
		}
	}
	if splices == nil {
		return f.Raw, nil
	}
	return wire.Splice(f.Raw, splices)
}

// giveUp answers every request that the server, which has ended, left open.
func (p *stdio) giveUp() {
	for _, r := range p.talk.drain() {
		p.toClient.send(frame{bytes: wire.ErrorFrame(r.id, rpcGone, "callgate: the server ended before it answered", nil)})
	}
}
