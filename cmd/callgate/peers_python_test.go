package main_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// pythonLacks are the kinds that the Python SDK has no way to do: it knows the
// shapes of tasks, and makes none.
var pythonLacks = []string{"tasks"}

// python is the interpreter that has the Python SDK. Without it there is nothing
// to test; where it has to be there, that is a failure.
func (p peers) python(t *testing.T) string {
	t.Helper()
	interpreter, modules := filepath.Join("bin", "python"), filepath.Join("lib", "python*", "site-packages")
	if runtime.GOOS == "windows" {
		interpreter, modules = filepath.Join("Scripts", "python.exe"), filepath.Join("Lib", "site-packages")
	}
	venv := filepath.Join(p.dir, ".venv")
	found, err := filepath.Glob(filepath.Join(venv, modules, "mcp"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		const mend = "no Python SDK: install testdata/peers/requirements.txt into testdata/peers/.venv, as the README there says"
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatal(mend)
		}
		t.Skip(mend)
	}
	return filepath.Join(venv, interpreter)
}

// serverPy is the command that starts server.py, which keeps what it runs in a
// file if it is given one.
func (p peers) serverPy(t *testing.T, transport string, runs ...string) []string {
	t.Helper()
	return append([]string{p.python(t), filepath.Join(p.dir, "server.py"), transport}, runs...)
}

// pythonServer is server.py in the matrix. The call that is accepted asks, when
// it runs, a question of its own.
func pythonServer() matrixServer {
	over := func(transport string) func(*testing.T, peers) ([]string, []string) {
		return func(t *testing.T, p peers) ([]string, []string) { return p.serverPy(t, transport), nil }
	}
	counter := object{"uri": "note://counter"}
	return matrixServer{
		name:   "Python SDK server",
		modern: true,
		python: true,
		stdio:  over("stdio"),
		http:   over("http"),
		judged: judged{"forbidden", "welcome", "publish", map[string]object{"forbidden": {"text": "f"}, "welcome": {}, "publish": {"text": "p"}}},
		steps: func(modern bool) []object {
			steps := []object{
				requests("list", "tools/list", object{}),
				calls("call", "echo", object{"message": "ü \u2028 \x00 \"x\" <b> 😀"}),
				calls("call", "add", object{"a": 1, "b": -2}),
				calls("call", "add", object{"a": "no number"}),
				calls("call", "fail", object{}),
				calls("call", "log", object{}),
				with(calls("progress", "steps", object{"count": 3}), "progress", true),
				with(calls("cancellation", "wait", object{}), "abortAfter", 1),
				calls("sampling", "sample", object{"topic": "bees"}),
				calls("elicitation", "hello", object{}),
				calls("roots", "roots", object{}),
				requests("resources", "resources/list", object{}),
				requests("resources", "resources/templates/list", object{}),
				requests("resources", "resources/read", object{"uri": "note://static"}),
				requests("resources", "resources/read", object{"uri": "note://byname/bob"}),
				requests("resources", "resources/read", object{"uri": "note://nowhere"}),
				requests("prompts", "prompts/list", object{}),
				requests("prompts", "prompts/get", object{"name": "greet", "arguments": object{"name": "bob"}}),
				requests("completion", "completion/complete", object{
					"ref": object{"type": "ref/prompt", "name": "greet"}, "argument": object{"name": "name", "value": "al"},
				}),
			}
			if modern {
				steps = append(steps, of("subscription", "listen", object{"toolsListChanged": true, "resourceSubscriptions": []any{counter["uri"]}}))
			} else {
				steps = append(steps, requests("subscription", "resources/subscribe", counter))
			}
			return append(steps,
				calls("subscription", "count", object{}),
				awaits("subscription", "notifications/resources/updated", "counter"),
				calls("subscription", "grow", object{}),
				awaits("subscription", "notifications/tools/list_changed", ""))
		},
	}
}

// TestThePythonServerRunsWhatIsAllowedAndNothingElse has all that a policy can
// do to a call, in both eras.
func TestThePythonServerRunsWhatIsAllowedAndNothingElse(t *testing.T) {
	p := openPeers(t)
	p.python(t)
	server := pythonServer()
	clients := slices.DeleteFunc(matrixClients(), func(c matrixClient) bool { return !c.python })
	if len(clients) != 2 {
		t.Errorf("%d clients, want one of each era", len(clients))
	}
	server.steps = func(bool) []object { return []object{requests("list", "tools/list", object{})} }
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, way := range []string{"stdio", "HTTP"} {
				runs := filepath.Join(t.TempDir(), "runs")
				var g gate
				var at object
				if way == "stdio" {
					g = p.gate(t, "peer", server.policy("peer"))
					at = object{"command": g.before(p.serverPy(t, "stdio", runs))}
				} else {
					w := p.gateway(t, "peer", server.policy("peer"), remote(p.serve(t, nil, p.serverPy(t, "http", runs)).url))
					g, at = w.gate, object{"url": w.endpoint}
				}
				seen := pair{c, server}.observe(t, p, nil, at)
				if got := readFile(t, runs); got != "welcome accept\n" {
					t.Errorf("over %s the server ran %q; want the call that was accepted", way, got)
				}
				for i, want := range []string{"COVERAGE_DENIED", "welcome Ada", "DECLINED"} {
					if got := seen[2+i].line; !strings.Contains(got, want) {
						t.Errorf("over %s step %d gave %s; want %q", way, i, got, want)
					}
				}
				// The gate asks, and when the call runs the server does.
				if got := seen[3].line; strings.Count(got, `"elicitation/create"`) != 2 || !strings.Contains(got, "What is your name?") {
					t.Errorf("over %s the accepted call asked %s; want two questions", way, got)
				}
				if v := g.verdicts(t); !slices.Contains(v, "deny coverage") || !slices.ContainsFunc(v, func(v string) bool { return strings.HasPrefix(v, "ask ") }) {
					t.Errorf("over %s the ledger has %q; want a denial and an ask", way, v)
				}
			}
		})
	}
}
