package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/tree"
	"github.com/callgate/callgate/host/wire"
)

// Bounds of what a server may answer with.
const (
	maxListLine  = 16 << 20 // bytes of one page
	maxListPages = 200
	maxListTools = 10_000
)

// list starts a server, asks it for all of its tools and ends it, with what it
// started. Frames are read as the relay reads them, so a list that the relay
// would not let through is none.
func (l *launch) list(ctx context.Context, patience time.Duration) ([]abi.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.Command(l.command[0], l.command[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = l.dir, l.env, time.Second
	said := &tail{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	tree.Own(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("it does not start: %w", startError(err))
	}
	stop := context.AfterFunc(ctx, func() {
		tree.Kill(cmd)
		_ = out.Close() // what left the group may hold its other end
	})
	p := &listPeer{in: in, out: wire.NewReader(out, maxListLine)}
	tools, err := p.all()
	stop()
	_ = in.Close() // the group is killed anyway
	tree.Kill(cmd)
	_ = cmd.Wait() // how it ends is not what was asked
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("no list in %s; give it longer with --timeout", patience)
	}
	if words := said.String(); err != nil && words != "" {
		err = fmt.Errorf("%w; its stderr ends with: %s", err, words)
	}
	return tools, err
}

// startError is why a command does not start, without its name, which is known.
func startError(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// listPeer is a client that only asks for tools.
type listPeer struct {
	in  io.Writer
	out *wire.Reader
	c   wire.Classifier
	id  int64
}

// all introduces itself and collects every page.
func (p *listPeer) all() ([]abi.Value, error) {
	hello := object("protocolVersion", "2025-06-18", "capabilities", abi.ObjectValue(),
		"clientInfo", object("name", "callgate", "version", version()))
	if _, err := p.request("initialize", hello); err != nil {
		return nil, err
	}
	if err := p.send(object("jsonrpc", "2.0", "method", "notifications/initialized")); err != nil {
		return nil, err
	}
	var tools []abi.Value
	params := abi.Value{}
	for range maxListPages {
		result, err := p.request("tools/list", params)
		if err != nil {
			return nil, err
		}
		page, err := toolList(result.Append(nil))
		if err != nil {
			return nil, fmt.Errorf("its answer to tools/list: %w", err)
		}
		if tools = append(tools, page...); len(tools) > maxListTools {
			return nil, fmt.Errorf("it lists more than %d tools", maxListTools)
		}
		next := result.Get("nextCursor")
		if !next.Exists() || next.Kind() == abi.Null {
			return tools, nil
		}
		params = object("cursor", next)
	}
	return nil, fmt.Errorf("its list has more than %d pages", maxListPages)
}

func (p *listPeer) send(v abi.Value) error {
	_, err := p.in.Write(append(v.Append(nil), '\n'))
	return err
}

// request sends a request and returns the result of its answer. What the server
// asks meanwhile is refused.
func (p *listPeer) request(method string, params abi.Value) (abi.Value, error) {
	p.id++
	id := abi.IntValue(p.id)
	if err := p.send(object("jsonrpc", "2.0", "id", id, "method", method, "params", params)); err != nil {
		return abi.Value{}, fmt.Errorf("it ended before it answered %s", method)
	}
	for {
		line, err := p.out.Next()
		switch {
		case err != nil:
			return abi.Value{}, fmt.Errorf("it ended before it answered %s", method)
		case line.TooLong:
			return abi.Value{}, fmt.Errorf("its answer to %s has a line of more than %d bytes", method, maxListLine)
		}
		f := p.c.Classify(line.Bytes, wire.FromServer, wire.Options{})
		switch {
		case f.Kind == wire.Request:
			if _, err := p.in.Write(wire.ErrorFrame(f.ID, -32601, "not offered", nil)); err != nil {
				return abi.Value{}, fmt.Errorf("it ended before it answered %s", method)
			}
		case f.HasID && f.ID.Raw == id.Lexeme() && f.Kind == wire.ErrorResponse:
			return abi.Value{}, fmt.Errorf("it answers %s with an error: %s", method, cut(string(f.Error.In(f.Raw)), 300))
		case f.HasID && f.ID.Raw == id.Lexeme() && f.Kind == wire.Response:
			return abi.Parse(f.Result.In(f.Raw))
		case f.Kind == wire.Refused:
			return abi.Value{}, fmt.Errorf("it sends a frame that is not relayed: %v", f.Problem.Code)
		}
	}
}
