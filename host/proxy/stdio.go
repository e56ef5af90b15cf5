// Package proxy relays frames between a client and a server, and acts on what
// the gate says of them. It asks a server for nothing: no request, no list, no ping.
// A client hears of it by questions to a person, and of lists that a reload changes.
// What it does not have to touch it relays byte for byte.
package proxy

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// maxNoise is how much of a line that is no frame is shown.
const maxNoise = 400

// Options says what to relay, and who judges it.
type Options struct {
	Server  string // the operator's name for the server
	Command []string
	Env     []string // of the child
	Dir     string   // that it is started in; "" for that of this process
	Attest  Attest   // what may be launched as the server
	Engine  *Engine
	Voice   Voice
	// Pins keeps the pinned definitions of the server when some were added.
	Pins   func([]abi.Value) error
	Asking Asking
	// Reloader replaces the policy while this process runs; nil: nobody does.
	Reloader *Reloader
	// Remote is the server instead of a command.
	Remote *transport.Remote
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
	relay    *relay
	child    *child
	toServer *sender
	toClient *sender
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
	c, err := o.Attest.start(o.Engine, childOptions{command: o.Command, env: o.Env, dir: o.Dir, stderr: o.Stderr})
	if err != nil {
		_, _ = o.Engine.Step(abi.Event{Closed: &abi.ClosedEvent{Reason: "the server was not started", Exit: 2}}) // the first error says more
		return 2, fmt.Errorf("start %q: %w", o.Command[0], err)
	}
	pid.Store(int64(c.pid))
	restore := o.poll()
	p := &stdio{o: o, child: c, toServer: newSender(c.in), toClient: newSender(o.Out)}
	p.join()
	socket := p.relay.listen()
	clientGone, serverRead := make(chan struct{}), make(chan struct{})
	go func() { defer close(clientGone); p.pumpClient() }()
	go func() { defer close(serverRead); p.pumpServer() }()
	reason := p.run(ctx, signals, clientGone, serverRead)
	<-c.ended
	c.drain(serverRead)
	p.relay.endAsks()
	p.deliver(ctx, signals, serverRead)
	if socket != nil {
		_ = socket.Close() // nothing is left to be answered
	}
	<-c.alone
	p.relay.record(abi.Event{Closed: &abi.ClosedEvent{Reason: reason, Exit: c.code}})
	restore()
	return c.code, nil
}

// join makes the relay between the two ends.
func (p *stdio) join() {
	keeper := NewKeeper(KeeperOptions{
		Server: p.o.Server, Engine: p.o.Engine, Voice: p.o.Voice, Pins: p.o.Pins, Asking: p.o.Asking, Children: p.children, Note: p.note,
		Reloader: p.o.Reloader,
	})
	if p.o.Reloader != nil {
		p.o.Reloader.adopt(keeper)
	}
	p.relay = keeper.newRelay()
	p.relay.toServer, p.relay.toClient = p.toServer, p.toClient
}

// children lists the processes whose descendants must not answer questions.
func (p *stdio) children() []int {
	if p.child == nil {
		return nil
	}
	return []int{p.child.pid}
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
		p.relay.giveUp()
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

// pumpClient reads the client's frames until its end.
func (p *stdio) pumpClient() {
	in := wire.NewReader(p.o.In, 0)
	var classifier wire.Classifier
	for {
		line, err := in.Next()
		if err != nil {
			return
		}
		f := classifier.ClassifyLine(line, wire.FromClient, p.relay.talk.Options())
		p.relay.fromClient(f, nil, !in.Waiting())
		p.o.Engine.Settle()
	}
}

// pumpServer reads the server's frames until its output ends.
func (p *stdio) pumpServer() {
	out := wire.NewReader(p.child.out, 0)
	var classifier wire.Classifier
	for {
		line, err := out.Next()
		if err != nil {
			if !eof(err) {
				p.note("read from the server: %v", err)
			}
			return
		}
		f := classifier.ClassifyLine(line, wire.FromServer, wire.Options{})
		if f.Kind == wire.Noise {
			p.stray(f.Raw)
			continue
		}
		p.relay.fromServer(f, nil, nil)
		p.o.Engine.Settle()
	}
}

// stray shows a line of the server that is no frame, escaped, with a count.
func (p *stdio) stray(raw []byte) {
	p.note("line %d of the server that is no frame: %s", p.noise.Add(1), shownNoise(raw))
}

// shownNoise is what of a server's line may be shown, escaped.
func shownNoise(raw []byte) string {
	if len(raw) > maxNoise {
		return strconv.QuoteToASCII(string(raw[:maxNoise])) + " …"
	}
	return strconv.QuoteToASCII(string(raw))
}
