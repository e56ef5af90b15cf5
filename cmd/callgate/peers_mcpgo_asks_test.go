package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// TestMCPGoAnswersWhatAPolicyAsks has the client of mcp-go at the other end.
func TestMCPGoAnswersWhatAPolicyAsks(t *testing.T) {
	callgate, err := exec.LookPath("callgate")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	p := peers{dir: t.TempDir(), callgate: callgate, env: append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "LOCALAPPDATA="+home)}
	askCases(t, p, mcpGo)
}

// TestMCPGoAnswersBeforeRealServers has it in front of servers from npm.
func TestMCPGoAnswersBeforeRealServers(t *testing.T) {
	askRealServers(t, openPeers(t), mcpGo)
}

// goClient is a client of mcp-go in this process. It does not tell its handler
// the id of a request, which is read off the line that it stands in.
type goClient struct {
	mcp  *client.Client
	said chan<- happening
	ctx  context.Context

	mu        sync.Mutex
	ids       map[string]string // of what was asked, by its text
	questions map[string]chan object
	aborts    map[string]context.CancelFunc
}

// mcpGo connects a client of mcp-go over the pipes of a command.
func mcpGo(t *testing.T, p peers, command []string, revision string) *sdkClient {
	t.Helper()
	c := &sdkClient{live: p.start(t, command), gone: 0}
	said := make(chan happening, 1000)
	c.said = said
	from, to := pipe(t)
	g := &goClient{said: said, ctx: t.Context(), ids: map[string]string{}, questions: map[string]chan object{}, aborts: map[string]context.CancelFunc{}}
	go func() {
		defer to.Close()
		for line := range c.lines {
			g.note(line)
			if _, err := io.WriteString(to, line); err != nil {
				return
			}
		}
	}()
	g.mcp = client.NewClient(transport.NewIO(from, lastWord{c.in}, nil), client.WithElicitationHandler(g), client.WithProtocolVersion(revision))
	g.mcp.OnNotification(g.notified)
	if err := g.mcp.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "callgate-asks", Version: "1.0.0"}
	got, err := g.mcp.Initialize(t.Context(), hello)
	if err != nil {
		t.Fatal(err)
	}
	said <- happening{Kind: "ready", Text: got.ProtocolVersion}
	c.tell = func(o order) { g.perform(t, c.live, o) }
	c.vanish = func() {
		c.close()
		if err := c.out.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// lastWord is a pipe that may be closed under its writer: a question which was
// withdrawn stays open in mcp-go, and is answered when the test ends.
type lastWord struct{ *os.File }

func (l lastWord) Write(b []byte) (int, error) {
	n, err := l.File.Write(b)
	if errors.Is(err, os.ErrClosed) {
		return len(b), nil
	}
	return n, err
}

// note reads the id of what the client is about to be asked.
func (g *goClient) note(line string) {
	var f struct {
		ID     any
		Method string
		Params struct{ Message string }
	}
	if err := json.Unmarshal([]byte(line), &f); err != nil || f.Method != "elicitation/create" {
		return
	}
	id, _ := f.ID.(string)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ids[f.Params.Message] = id
}

// Elicit is called by the client when it is asked. A question stays open until
// it is replied to: mcp-go withdraws none.
func (g *goClient) Elicit(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	reply := make(chan object, 10)
	g.mu.Lock()
	id := g.ids[r.Params.Message]
	g.questions[id] = reply
	g.mu.Unlock()
	g.said <- happening{Kind: "asked", ID: id, Text: r.Params.Message}
	select {
	case answer := <-reply:
		action, _ := answer["action"].(string)
		out := &mcp.ElicitationResult{}
		out.Action, out.Content = mcp.ElicitationResponseAction(action), answer["content"]
		return out, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (g *goClient) notified(n mcp.JSONRPCNotification) {
	if n.Method != "notifications/cancelled" {
		return
	}
	id, _ := n.Params.AdditionalFields["requestId"].(string)
	g.said <- happening{Kind: "withdrawn", ID: id}
}

// perform does what is ordered. What waits for an answer does so on its own.
func (g *goClient) perform(t *testing.T, l *live, o order) {
	t.Helper()
	switch o.Do {
	case "call":
		ctx, abort := context.WithCancel(g.ctx)
		g.mu.Lock()
		g.aborts[o.As] = abort
		g.mu.Unlock()
		var r mcp.CallToolRequest
		r.Params.Name, r.Params.Arguments = o.Name, o.Arguments
		go g.outcome(o.As, func() (any, error) { return g.mcp.CallTool(ctx, r) })
	case "list":
		go g.outcome(o.As, func() (any, error) { return g.mcp.ListTools(g.ctx, mcp.ListToolsRequest{}) })
	case "raw":
		l.send(o.Line)
	case "abort", "reply":
		g.mu.Lock()
		abort, reply := g.aborts[o.As], g.questions[o.ID]
		g.mu.Unlock()
		switch {
		case o.Do == "abort" && abort != nil:
			abort()
		case o.Do == "reply" && reply != nil:
			reply <- o.Result
		default:
			t.Fatalf("%+v: there is no such call or question", o)
		}
	default:
		t.Fatalf("%+v: unknown order", o)
	}
}

func (g *goClient) outcome(as string, request func() (any, error)) {
	result, err := request()
	var text []byte
	if err == nil {
		text, err = json.Marshal(result)
	}
	if err != nil {
		g.said <- happening{Kind: "failed", ID: as, Text: err.Error()}
		return
	}
	g.said <- happening{Kind: "result", ID: as, Result: text}
}
