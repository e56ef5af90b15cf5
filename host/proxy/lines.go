package proxy

import (
	"bytes"
	"context"
	"sync"

	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// line is a server that speaks over one stream: a child, or HTTP+SSE.
type line interface {
	Write(frame []byte) (int, error)
	next() (wire.Line, error)
	stop()
}

// connect reaches a server that speaks over one stream.
func (g *Gateway) connect(server GatewayServer, k *Keeper) (line, error) {
	if server.Remote != nil {
		ctx, stop := context.WithCancel(g.closing)
		l, err := server.Remote.DialLegacy(ctx)
		if err != nil {
			stop()
			return nil, err
		}
		return &legacyLine{l, ctx, stop}, nil
	}
	c, err := g.start(server, k)
	if err != nil {
		return nil, err
	}
	return &childLine{child: c, in: wire.NewReader(c.out, 0), eof: make(chan struct{})}, nil
}

// read hands over each frame of a server until there are no more.
func (g *Gateway) read(name string, server line, each func(wire.Frame)) {
	var classifier wire.Classifier
	for {
		in, err := server.next()
		if err != nil {
			return
		}
		f := classifier.ClassifyLine(in, wire.FromServer, wire.Options{})
		if f.Kind == wire.Noise {
			g.o.Note("a line of %q that is no frame: %s", name, shownNoise(f.Raw))
			continue
		}
		each(f)
	}
}

// childLine is a child of the gateway.
type childLine struct {
	*child
	in   *wire.Reader
	once sync.Once
	eof  chan struct{} // its output was read to the end
}

// Write implements [line].
func (l *childLine) Write(frame []byte) (int, error) { return l.child.in.Write(frame) }

func (l *childLine) next() (wire.Line, error) {
	line, err := l.in.Next()
	if err != nil {
		l.once.Do(func() { close(l.eof) })
	}
	return line, err
}

// stop ends the child as the end of its client does.
func (l *childLine) stop() {
	l.child.end()
	l.child.drain(l.eof)
	_ = l.child.out.Close() // drain may have done so; else it would stay open until it is collected
}

// legacyLine is a server that speaks HTTP+SSE (MCP 2024-11-05).
type legacyLine struct {
	l      *transport.Legacy
	ctx    context.Context
	cancel context.CancelFunc
}

// Write implements [line].
func (l *legacyLine) Write(frame []byte) (int, error) {
	if err := l.l.Send(l.ctx, bytes.TrimRight(frame, "\r\n")); err != nil {
		return 0, err
	}
	return len(frame), nil
}

func (l *legacyLine) next() (wire.Line, error) {
	data, err := l.l.Next()
	return wire.Line{Bytes: data}, err
}

func (l *legacyLine) stop() {
	l.cancel()
	_ = l.l.Close()
}
