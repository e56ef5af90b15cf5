package proxy

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// StdioRemote relays between the streams of this process and a server behind
// HTTP, until the client or the session has gone.
func StdioRemote(ctx context.Context, o Options) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, append(forwarded(), brokenPipe()...)...)
	defer signal.Stop(signals)
	restore := o.poll()
	defer restore()
	p := &stdio{o: o, toServer: newSender(remoteLine{o.Remote}), toClient: newSender(o.Out)}
	p.join()
	p.relay.mirrors = true
	socket := p.relay.listen()
	clientGone, serverRead := make(chan struct{}), make(chan struct{})
	go func() { defer close(clientGone); p.pumpClient() }()
	go func() { defer close(serverRead); p.pumpRemote() }()
	reason := p.runRemote(ctx, signals, clientGone, serverRead)
	o.Remote.Close()
	p.relay.endAsks()
	p.deliver(ctx, signals, serverRead)
	if socket != nil {
		_ = socket.Close() // nothing is left to be answered
	}
	p.relay.record(abi.Event{Closed: &abi.ClosedEvent{Reason: reason}})
}

// runRemote waits for the end: of the client, of the session, or of us.
func (p *stdio) runRemote(ctx context.Context, signals chan os.Signal, clientGone, serverRead <-chan struct{}) string {
	for {
		select {
		case <-serverRead:
			return "the server ended the session"
		case <-clientGone:
			p.lastWords(serverRead)
			return "the client closed its end"
		case <-ctx.Done():
			return "callgate was stopped"
		case s := <-signals:
			if isBrokenPipe(s) {
				continue // the write that caused it reports the error
			}
			signals <- s // it also ends what comes after; there is room, since it was just taken
			return "a signal: " + s.String()
		}
	}
}

// lastWords lets the server have what is still queued for it, and answer, for
// as long as a child would have.
func (p *stdio) lastWords(serverRead <-chan struct{}) {
	end := time.NewTimer(endFlush + endTerm)
	defer end.Stop()
	flushed := make(chan struct{})
	go func() { defer close(flushed); p.toServer.close(); p.o.Remote.CloseSend() }()
	for _, done := range []<-chan struct{}{flushed, serverRead} {
		select {
		case <-done:
		case <-end.C:
			return
		}
	}
}

// remoteLine takes frames for a server behind HTTP.
type remoteLine struct{ *transport.Remote }

// Write implements [io.Writer].
func (r remoteLine) Write(frame []byte) (int, error) {
	if err := r.Send(frame); err != nil {
		return 0, err
	}
	return len(frame), nil
}

// pumpRemote reads what the server says until the session ends.
func (p *stdio) pumpRemote() {
	for {
		a, err := p.o.Remote.Next()
		switch {
		case err != nil:
			return
		case a.Err != nil:
			p.unanswered(a)
			continue
		case a.Frame.Kind == wire.Noise:
			p.stray(a.Frame.Raw)
			continue
		}
		f := a.Frame
		if line, err := wire.LineOf(f); err == nil && !bytes.Equal(line, f.Raw) {
			f = wire.Classify(line, wire.FromServer, wire.Options{})
		}
		p.relay.fromServer(f, nil, nil)
		p.o.Engine.Settle()
	}
}

// unanswered tells the client of a request that gets no answer, and else the
// operator.
func (p *stdio) unanswered(a transport.Arrival) {
	if a.On.Raw == "" {
		p.note("%v", a.Err)
		return
	}
	p.note("a request has no answer: %v", a.Err)
	var e *transport.Error
	if errors.As(a.Err, &e) && e.Kind == transport.KindCancelled {
		p.relay.talk.close(a.On) // nobody waits for it
		return
	}
	answer := transport.Answer(a.On, rpcGone, a.Err)
	p.relay.fromServer(wire.Classify(answer, wire.FromServer, wire.Options{}), nil, nil)
}
