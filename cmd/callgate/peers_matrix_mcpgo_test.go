package main_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// mcpGoLacks are the kinds that are left to other clients: mcp-go's tells a
// server that a call is cancelled over stdio alone, and has a call of its own
// for each revision's way to subscribe and for tasks.
var mcpGoLacks = []string{"cancellation", "subscription", "tasks"}

// goPeer is mcp-go's client, doing the steps of the matrix.
type goPeer struct {
	mcp     *client.Client
	roots   string
	answers []object

	mu       sync.Mutex
	asked    []object
	received map[string]int
	progress func()
}

// observeMCPGo does steps and says what came of each, as matrix.mjs does.
func observeMCPGo(t *testing.T, p peers, modern bool, env []string, way object, answers, steps []object) (lines []string) {
	t.Helper()
	g := &goPeer{answers: answers, roots: "file://" + filepath.ToSlash(p.dir), received: map[string]int{}}
	ctx, cancel := context.WithTimeout(t.Context(), peerPatience)
	defer cancel()
	//lint:ignore SA1019 the handshake that it will lose is what is compared
	revision := client.WithLegacyProtocolOnly()
	if modern {
		revision = client.WithProtocolVersion("2026-07-28")
	}
	// On a busy machine a server may take longer to start than the client waits for its first answer.
	g.mcp = client.NewClient(mcpGoTransport(t, p, modern, env, way), revision, client.WithDiscoverTimeout(peerPatience),
		client.WithElicitationHandler(g), client.WithSamplingHandler(g), client.WithRootsHandler(g))
	g.mcp.OnNotification(g.notified)
	if err := g.mcp.Start(ctx); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "callgate-matrix", Version: "1.0.0"}
	if !modern {
		hello.Params.ProtocolVersion = "2025-11-25"
	}
	connected, err := g.mcp.Initialize(ctx, hello)
	lines = append(lines, asJSON(t, outcomeOf("connect", connected, err)))
	for _, step := range steps {
		g.asked = nil
		ok, seen, err := g.perform(ctx, step)
		outcome := outcomeOf(step["kind"].(string), ok, err)
		if step["progress"] != nil {
			outcome["progress"] = seen > 1
		}
		g.mu.Lock()
		if len(g.asked) > 0 {
			// Several questions of one result it answers in no order.
			slices.SortFunc(g.asked, func(a, b object) int { return strings.Compare(asJSON(t, a), asJSON(t, b)) })
			outcome["asked"] = g.asked
		}
		g.mu.Unlock()
		lines = append(lines, asJSON(t, outcome))
	}
	_ = g.mcp.Close() // it is an error how the command ended, which other tests are about
	return lines
}

func outcomeOf(kind string, ok any, err error) object {
	if err != nil {
		return object{"kind": kind, "error": err.Error()}
	}
	return object{"kind": kind, "ok": ok}
}

func mcpGoTransport(t *testing.T, p peers, modern bool, env []string, way object) transport.Interface {
	t.Helper()
	if url, ok := way["url"].(string); ok {
		options := []transport.StreamableHTTPCOption{transport.WithHTTPLogger(slog.New(slog.DiscardHandler))}
		if !modern { // a client that listens speaks no revision without sessions
			//lint:ignore SA1019 so is the stream that it listens on
			options = append(options, transport.WithContinuousListening())
		}
		over, err := transport.NewStreamableHTTP(url, options...)
		if err != nil {
			t.Fatal(err)
		}
		return over
	}
	command := way["command"].([]string)
	return transport.NewStdioWithOptions(command[0], append(p.env[:len(p.env):len(p.env)], env...), command[1:],
		transport.WithCommandFunc(func(ctx context.Context, command string, env, args []string) (*exec.Cmd, error) {
			cmd := exec.CommandContext(ctx, command, args...)
			cmd.Env, cmd.Dir = env, p.dir
			return cmd, nil
		}))
}

func (g *goPeer) note(what object) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, what)
}

// Elicit answers what the gate asks by the tool it is about, and what a server
// asks with a form.
func (g *goPeer) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	g.note(object{"method": "elicitation/create", "message": r.Params.Message})
	out := &mcp.ElicitationResult{}
	for _, a := range g.answers {
		if when, _ := a["when"].(string); strings.Contains(r.Params.Message, when) {
			answer, _ := a["result"].(object)
			action, _ := answer["action"].(string)
			out.Action, out.Content = mcp.ElicitationResponseAction(action), answer["content"]
			break
		}
	}
	return out, nil
}

// CreateMessage answers for the model.
func (g *goPeer) CreateMessage(_ context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	g.note(object{"method": "sampling/createMessage", "messages": r.Messages, "maxTokens": r.MaxTokens})
	out := &mcp.CreateMessageResult{Model: "none"}
	out.Role, out.Content = mcp.RoleAssistant, mcp.NewTextContent("said")
	return out, nil
}

// ListRoots answers with the one root; when a server asks is up to its timers.
func (g *goPeer) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	g.count("roots/list")
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: g.roots, Name: "peers"}}}, nil
}

func (g *goPeer) count(method string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.received[method]++
}

func (g *goPeer) notified(n mcp.JSONRPCNotification) {
	g.count(n.Method)
	g.mu.Lock()
	defer g.mu.Unlock()
	if n.Method == "notifications/progress" && g.progress != nil {
		g.progress()
	}
}

func (g *goPeer) perform(ctx context.Context, step object) (ok any, seen int, err error) {
	switch {
	case step["call"] != nil:
		return g.call(ctx, step)
	case step["until"] != nil:
		method, _ := step["until"].(object)["method"].(string)
		for ctx.Err() == nil {
			g.mu.Lock()
			n := g.received[method]
			g.mu.Unlock()
			if n > 0 {
				return object{"method": method}, 0, nil
			}
			time.Sleep(10 * time.Millisecond)
		}
		return nil, 0, ctx.Err()
	}
	ok, err = g.request(ctx, step["request"].(object))
	return ok, 0, err
}

func (g *goPeer) call(ctx context.Context, step object) (ok any, seen int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	call := step["call"].(object)
	var r mcp.CallToolRequest
	r.Params.Name, _ = call["name"].(string)
	r.Params.Arguments = call["arguments"]
	if after, _ := step["abortAfter"].(int); step["progress"] != nil || after > 0 {
		r.Params.Meta = &mcp.Meta{ProgressToken: r.Params.Name}
		g.mu.Lock()
		g.progress = func() {
			if seen++; seen == after {
				cancel()
			}
		}
		g.mu.Unlock()
	}
	result, err := g.mcp.CallTool(ctx, r)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.progress = nil
	if err != nil {
		return nil, seen, err
	}
	return result, seen, nil
}

// request does a request of the method through the client's own call for it.
func (g *goPeer) request(ctx context.Context, r object) (any, error) {
	method, _ := r["method"].(string)
	text, err := json.Marshal(object{"method": method, "params": r["params"]})
	if err != nil {
		return nil, err
	}
	switch method {
	case "tools/list":
		return through(ctx, text, g.mcp.ListTools)
	case "resources/list":
		return through(ctx, text, g.mcp.ListResources)
	case "resources/templates/list":
		return through(ctx, text, g.mcp.ListResourceTemplates)
	case "resources/read":
		return through(ctx, text, g.mcp.ReadResource)
	case "prompts/list":
		return through(ctx, text, g.mcp.ListPrompts)
	case "prompts/get":
		return through(ctx, text, g.mcp.GetPrompt)
	}
	var complete mcp.CompleteRequest
	params := r["params"].(object)
	ref := params["ref"].(object)
	name, _ := ref["name"].(string)
	complete.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: name}
	argument := params["argument"].(object)
	complete.Params.Argument.Name, _ = argument["name"].(string)
	complete.Params.Argument.Value, _ = argument["value"].(string)
	return g.mcp.Complete(ctx, complete)
}

func through[R, A any](ctx context.Context, text []byte, do func(context.Context, R) (A, error)) (any, error) {
	var r R
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	return do(ctx, r)
}
