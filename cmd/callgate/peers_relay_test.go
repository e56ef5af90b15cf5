package main_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// peerBytes holds every byte that a server answers through the gate against
// what it answers directly.
func peerBytes(t *testing.T, p peers) {
	area := t.TempDir()
	writeFile(t, filepath.Join(area, "a.txt"), "caf\u00e9 \u2028 9007199254740993\n")
	graph := filepath.Join(area, "graph.json")
	writeFile(t, graph, `{"type":"entity","name":"Ada","entityType":"person","observations":["wrote notes"]}`+"\n")
	servers := []struct {
		name  string
		args  []string
		calls []string
	}{
		{"filesystem", []string{area}, []string{
			`{"name":"read_text_file","arguments":{"path":` + asJSON(t, filepath.Join(area, "a.txt")) + `}}`,
			`{"arguments" : { } , "name":"list_allowed_directories"}`,
		}},
		{"everything", []string{"stdio"}, []string{
			`{"name":"echo","arguments":{"message":"\ud83d\ude00 \u2028 <b>"}}`,
			`{"name":"get-structured-content","arguments":{"location":"New York"}}`,
		}},
		{"memory", nil, []string{
			`{"name":"read_graph","arguments":{}}`,
			`{"name":"search_nodes","arguments":{"query":"ada"}}`,
		}},
	}
	for _, s := range servers {
		for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
			t.Run(s.name+" at "+revision, func(t *testing.T) {
				t.Parallel()
				lines := []string{
					`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
					`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
					`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`,
					`{"jsonrpc":"2.0","id":"1","method":"tools/call","params":` + s.calls[0] + `}`,
					`{"method":"tools/call", "params":` + s.calls[1] + `, "id":1, "jsonrpc":"2.0"}`,
				}
				env := []string{"MEMORY_FILE_PATH=" + graph}
				g := p.gate(t, s.name, allowAll)
				direct := p.record(t, env, p.server(s.name, s.args...), lines)
				gated := p.record(t, env, g.before(p.server(s.name, s.args...)), lines)
				if direct != gated {
					t.Errorf("direct\n%s\ngated\n%s", direct, gated)
				}
				if n := strings.Count(direct, `"result"`); n != 4 || strings.Contains(direct, `"isError":true`) {
					t.Errorf("%d results, want 4 without an error, in\n%s", n, direct)
				}
				wantVerdicts(t, g, "allow coverage", "allow coverage")
			})
		}
	}
}

// record writes lines to a command and returns every byte that it answered.
func (p peers) record(t *testing.T, env, command, lines []string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	report, stderr, code := p.run(t, env, p.node, "record.mjs", asJSON(t, command), asJSON(t, lines), out)
	r := fromJSON[struct {
		Stopped, Forced string
		Exit            struct{ Code *int }
	}](t, report)
	if code != 0 || r.Stopped != "" || r.Forced != "" || r.Exit.Code == nil || *r.Exit.Code != 0 {
		t.Errorf("record.mjs ended with %d: %s\n%s", code, report, stderr)
	}
	return readFile(t, out)
}

func peerTools(t *testing.T, p peers) {
	command := p.server("everything", "stdio")
	list := []object{{"list": true}, {"info": true}}
	direct, _ := p.drive(t, nil, command, nil, list...)
	gated, _ := p.drive(t, nil, p.gate(t, "everything", allowAll).before(command), nil, list...)
	if string(direct[0].OK) != string(gated[0].OK) || !strings.Contains(string(gated[0].OK), `"name":"echo"`) {
		t.Errorf("direct %s\ngated %s", direct[0].OK, gated[0].OK)
	}
	if !strings.Contains(string(gated[1].OK), `"protocolVersion":"2025-11-25"`) {
		t.Errorf("got %s; want the newest revision of both", gated[1].OK)
	}
}

const denyEnv = allowAll + "tools:\n  everything/get-env: {verdict: deny}\n"

func peerVerdicts(t *testing.T, p peers) {
	g := p.gate(t, "everything", denyEnv)
	got, _ := p.drive(t, nil, g.before(p.server("everything", "stdio")), nil,
		object{"list": true},
		call("echo", object{"message": "before"}),
		call("get-env", object{}),
		call("no-such-tool", object{}),
		call("get-structured-content", object{"location": "Chicago"}),
	)
	wantText(t, got[1].result(t), "Echo: before")
	wantDenied(t, got[2].result(t), "coverage", "COVERAGE_DENIED")
	wantDenied(t, got[3].result(t), "pin", "PIN_UNKNOWN")
	// The SDK has checked this one against the schema it listed.
	if r := got[4].result(t); r.IsError || len(r.StructuredContent) == 0 {
		t.Errorf("got %+v; want structured content", r)
	}
	wantVerdicts(t, g, "allow coverage", "deny coverage", "deny pin", "allow coverage")
}

func peerParallel(t *testing.T, p peers) {
	g := p.gate(t, "everything", denyEnv)
	calls := []object{call("trigger-long-running-operation", object{"duration": 3, "steps": 1})}
	words := []string{"zero", "one", "two", "three", "four", "five", "six", "seven"}
	for _, w := range words {
		calls = append(calls, call("echo", object{"message": w}), call("get-env", object{}))
	}
	got, _ := p.drive(t, nil, g.before(p.server("everything", "stdio")), nil, object{"list": true}, object{"parallel": calls})
	each := fromJSON[[]step](t, string(got[1].OK))
	if len(each) != len(calls) {
		t.Fatalf("%d outcomes of %d calls", len(each), len(calls))
	}
	wantText(t, each[0].result(t), "completed")
	for i, w := range words {
		wantText(t, each[1+2*i].result(t), "Echo: "+w)
		wantDenied(t, each[2+2*i].result(t), "coverage", "COVERAGE_DENIED")
	}
	if last := got[1].Order[len(calls)-1]; last != 0 {
		t.Errorf("call %d ended after the slow one: order %v", last, got[1].Order)
	}
}

func peerProgress(t *testing.T, p peers) {
	g := p.gate(t, "everything", allowAll)
	slow := func(steps int) object {
		return call("trigger-long-running-operation", object{"duration": 0.5, "steps": steps})
	}
	counted, cancelled := slow(3), slow(5)
	counted["progress"], cancelled["abortAfter"] = true, 2
	got, _ := p.drive(t, nil, g.before(p.server("everything", "stdio")), nil,
		object{"list": true}, counted, object{"received": true}, cancelled, call("echo", object{"message": "after"}))
	wantText(t, got[1].result(t), "Steps: 3")
	// The SDK may drop the last one when the result is in the same read, so what
	// it has received by the time of the result counts.
	const method = "notifications/progress"
	if received := fromJSON[map[string]int](t, string(got[2].OK)); received[method] != 3 || got[1].Progress < 2 {
		t.Errorf("%d progress notifications, %d of them in time; want 3", received[method], got[1].Progress)
	}
	if got[3].Error == nil || got[3].Progress != 2 || !strings.Contains(got[3].Error.Message, "after 2 progress notifications") {
		t.Errorf("got %+v; want a call that is cancelled at the second progress notification", got[3])
	}
	wantText(t, got[4].result(t), "Echo: after")
}

func peerRequests(t *testing.T, p peers) {
	g := p.gate(t, "everything", allowAll)
	declare := object{
		"roots":       []object{{"uri": "file:///srv/area", "name": "area"}},
		"sampling":    object{"role": "assistant", "model": "m", "content": object{"type": "text", "text": "sampled words"}},
		"elicitation": object{"action": "accept", "content": object{"name": "Ada"}},
	}
	got, end := p.drive(t, nil, g.before(p.server("everything", "stdio")), declare,
		object{"list": true},
		call("trigger-sampling-request", object{"prompt": "p", "maxTokens": 10}),
		call("trigger-elicitation-request", object{}),
		call("get-roots-list", object{}),
	)
	wantText(t, got[1].result(t), "sampled words")
	wantText(t, got[2].result(t), "Name: Ada")
	wantText(t, got[3].result(t), "file:///srv/area")
	for _, method := range []string{"sampling/createMessage", "elicitation/create", "roots/list"} {
		if end.Received[method] == 0 {
			t.Errorf("no %s of the server has arrived: %v", method, end.Received)
		}
	}
	if len(end.Errors) > 0 {
		t.Errorf("the client complains: %q", end.Errors)
	}
}

func peerInspector(t *testing.T, p peers) {
	area := t.TempDir()
	writeFile(t, filepath.Join(area, "a.txt"), "words of a file\n")
	tests := []struct {
		name, policy string
		args         []string
		code         int
		want         []string
	}{
		{"tools/list", allowAll, []string{"--method", "tools/list"}, 0, []string{`"name":"read_text_file"`, `"name":"move_file"`}},
		{"tools/list of a client of any era", allowAll, []string{"--method", "tools/list", "--protocol-era", "auto"}, 0, []string{`"name":"read_text_file"`}},
		{"tools/call", allowAll, nil, 0, []string{"words of a file"}},
		{"tools/call denied", allowAll + "tools: {filesystem/read_*: {verdict: deny}}\n", nil, 5, []string{"[callgate blocked] coverage", "dev.callgate/verdict"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := p.gate(t, "filesystem", tt.policy)
			command := []string{p.node, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", "--format", "json", "-q"}
			args := tt.args
			if args == nil {
				path := asJSON(t, object{"path": filepath.Join(area, "a.txt")})
				args = []string{"--method", "tools/call", "--tool-name", "read_text_file", "--tool-args-json", path}
			}
			command = slices.Concat(command, args, []string{"--"}, g.before(p.server("filesystem", area)))
			out, stderr, code := p.run(t, nil, command...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d: %s\n%s", code, tt.code, out, stderr)
			}
			for _, w := range tt.want {
				if !strings.Contains(out, w) {
					t.Errorf("no %q in %s\n%s", w, out, stderr)
				}
			}
		})
	}
}
