package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/callgate/callgate/abi"
)

// bare is the command of a demo server that keeps its log in dir.
func (d *demo) bare(server, dir string) []string {
	return []string{d.exe, "demo", "server", server, d.path(dir)}
}

// gated is the command of a demo server behind Callgate. The directory of the
// ledger is named after the demo's part that it belongs to.
func (d *demo) gated(server, dir, ledger string) []string {
	run := []string{d.exe, "run", "--policy", d.path("policy.yaml"), "--server", server, "--ledger", d.path("ledger", ledger), "--"}
	return append(run, d.bare(server, dir)...)
}

// log returns the demo's view of the log that a server keeps in dir.
func (d *demo) log(dir string) *demoLog {
	path := d.path(dir, demoLogFile)
	for _, l := range d.logs {
		if l.path == path {
			return l
		}
	}
	l := &demoLog{path: path}
	d.logs = append(d.logs, l)
	return l
}

// process is a command of the demo, before it starts: what it writes beside
// its directory stays below the directory of the run.
func (d *demo) process(ctx context.Context, command []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = d.root
	cmd.Stderr = d.stderr
	own := []string{"HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.ContainsFunc(own, func(o string) bool { return strings.EqualFold(o, name) }) && !strings.HasPrefix(name, "CALLGATE_") {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	for _, name := range own {
		dir := d.path("home")
		if name == "XDG_STATE_HOME" {
			dir = d.path("state")
		}
		cmd.Env = append(cmd.Env, name+"="+dir)
	}
	return cmd
}

// demoClient is a real MCP client that does what the script says, and the log
// of the server it talks to.
type demoClient struct {
	server string
	mcp    *client.Client
	log    *demoLog
}

// hire starts a command and has a client introduce itself to it.
func (d *demo) hire(ctx context.Context, server, dir string, command []string) (*demoClient, error) {
	c, err := client.NewStdioMCPClientWithOptions(command[0], nil, command[1:],
		transport.WithCommandFunc(func(ctx context.Context, _ string, _, _ []string) (*exec.Cmd, error) {
			return d.process(ctx, command), nil
		}),
		transport.WithCommandLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", server, err)
	}
	a := &demoClient{server: server, mcp: c, log: d.log(dir)}
	ctx, cancel := context.WithTimeout(ctx, demoTimeout)
	defer cancel()
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "callgate-demo", Version: version()}
	if _, err = c.Initialize(ctx, hello); err == nil {
		_, err = c.ListTools(ctx, mcp.ListToolsRequest{})
	}
	if err != nil {
		_ = a.leave() // the first error says more
		return nil, fmt.Errorf("%s does not answer: %w%s", server, err, d.lastWords())
	}
	return a, nil
}

// leave ends the client and waits for the processes behind it.
func (a *demoClient) leave() error { return a.mcp.Close() }

// calls has the client call a tool, and adds the step to the scene.
func (a *demoClient) calls(ctx context.Context, s *demoScene, tool string, arguments abi.Value, want demoWant) {
	ctx, cancel := context.WithTimeout(ctx, demoTimeout)
	defer cancel()
	var request mcp.CallToolRequest
	request.Params.Name = tool
	request.Params.Arguments = jsontext.Value(arguments.Append(nil))
	result, err := a.mcp.CallTool(ctx, request)
	s.saw(a.log, a.server+"/"+tool+" "+arguments.String(), answerOf(result, err), want)
}

// answerOf reads what the client library hands to an assistant.
func answerOf(result *mcp.CallToolResult, err error) demoAnswer {
	if err != nil {
		return demoAnswer{text: err.Error(), failed: true}
	}
	a := demoAnswer{failed: result.IsError}
	for _, block := range result.Content {
		if text, ok := block.(mcp.TextContent); ok {
			a.text += text.Text
		}
	}
	if result.Meta == nil {
		return a
	}
	if verdict, ok := result.Meta.AdditionalFields["dev.callgate/verdict"].(map[string]any); ok {
		a.outcome, _ = verdict["outcome"].(string)
		a.contract, _ = verdict["contract"].(string)
	}
	return a
}

// lastWords is the end of what the processes wrote to stderr.
func (d *demo) lastWords() string {
	data, err := os.ReadFile(d.stderr.Name())
	if err != nil || len(data) == 0 {
		return ""
	}
	return "\nstderr: " + strings.TrimSpace(string(data[max(0, len(data)-2000):]))
}
