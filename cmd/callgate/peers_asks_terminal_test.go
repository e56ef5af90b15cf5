package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func askLate(t *testing.T, a *asker) {
	a.begin("x", "good", one)
	q := a.asked()
	if r := a.result("x"); r.Meta.Verdict == nil || r.Meta.Verdict.Outcome != "ask" || !r.IsError || !strings.Contains(r.text(), "callgate pending") {
		t.Errorf("%+v; want it to say how the call can be approved", r)
	}
	a.await("withdrawn", q.ID)
	a.raw(q.ID, yes)
	a.quiet("asked", "")
	shown := a.pending(1)[0]
	if shown.Held || shown.Waiting != 0 {
		t.Errorf("%+v; want that no call waits", shown)
	}
	if out, _ := a.callgate(0, "approve", shown.ID); !strings.Contains(out, "the next identical call") {
		t.Errorf("got %q; want that the next identical call is let go", out)
	}
	a.begin("changed", "good", two)
	a.asked()
	if r := a.result("changed"); !r.IsError {
		t.Errorf("%+v; want it denied", r)
	}
	a.begin("retry", "good", one)
	wantText(t, a.result("retry"), "ran good")
	a.quiet("asked", "")
	a.begin("again", "good", one)
	a.asked()
	if r := a.result("again"); !r.IsError {
		t.Errorf("%+v; want it denied", r)
	}
	a.end(`good {"a":1}`)
}

func askGrave(t *testing.T, a *asker) {
	for _, tt := range []struct{ verb, said string }{{"deny", "declined"}, {"approve", "the call goes to the server"}} {
		a.begin(tt.verb, "grave", one)
		shown := a.pending(1)[0]
		if !shown.Held || !strings.Contains(shown.Prompt, "high") {
			t.Errorf("%+v; want a call of high risk that waits", shown)
		}
		a.quiet("asked", "")
		a.quiet("result", tt.verb)
		if out, _ := a.callgate(0, tt.verb, shown.ID); !strings.Contains(out, tt.said) {
			t.Errorf("got %q; want %q", out, tt.said)
		}
	}
	wantDenied(t, a.result("deny"), "approval", "DECLINED")
	wantText(t, a.result("approve"), "ran grave")
	a.quiet("asked", "")
	a.end(`grave {"a":1}`)
}

func askTerminal(t *testing.T, a *asker) {
	for _, tt := range []struct{ verb, code string }{{"deny", "DECLINED"}, {"approve", ""}} {
		a.begin(tt.verb, "good", one)
		q := a.asked()
		id := a.pending(1)[0].ID
		a.callgate(0, tt.verb, id)
		a.await("withdrawn", q.ID)
		a.raw(q.ID, yes)
		if r := a.result(tt.verb); tt.code != "" {
			wantDenied(t, r, "approval", tt.code)
		} else {
			wantText(t, r, "ran good")
		}
		if _, stderr := a.callgate(1, "approve", id); !strings.Contains(stderr, "already answered") {
			t.Errorf("got %q; want that it is answered", stderr)
		}
	}
	a.end(`good {"a":1}`)
}

// Scripts of a server that leave a process to answer, with a file for what
// that prints: CALLGATE, ID and OUT are set. The orphans wait until their
// parent has ended.
const (
	ownChild = `"$CALLGATE" approve "$ID" >"$OUT" 2>&1; mv "$OUT" "$OUT.done"`
	orphan   = `P=$$; export P; SETSID sh -c 'while [ "$(ps -o ppid= -p $$ | tr -d " ")" = "$P" ]; do sleep 0.01; done; ` + ownChild + `' </dev/null >/dev/null 2>&1 & exit 0`
)

func askDescendants(t *testing.T, a *asker) {
	a.begin("x", "good", one)
	q := a.asked()
	id := a.pending(1)[0].ID
	scripts := map[string]string{
		"its child":                      ownChild,
		"its orphan":                     strings.Replace(orphan, "SETSID", "", 1),
		"an orphan of an orphan":         `sh -c '` + strings.ReplaceAll(strings.Replace(orphan, "SETSID", "", 1), `'`, `'\''`) + `' & exit 0`,
		"an orphan with its own session": strings.Replace(orphan, "SETSID", "setsid", 1),
	}
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		delete(scripts, "an orphan with its own session") // elsewhere the process group is all that tells
	}
	for name, script := range scripts {
		out := filepath.Join(t.TempDir(), "out")
		a.begin(name, "sh", object{"script": "CALLGATE=" + quoted(a.g.p.callgate) + " ID=" + id + " OUT=" + quoted(out) + "; export CALLGATE ID OUT; " + script})
		wantText(t, a.result(name), "<nil>")
		eventually(t, "an answer of "+name, func() bool {
			_, err := os.Lstat(out + ".done")
			return err == nil
		})
		if got := readFile(t, out+".done"); !strings.Contains(got, "refused: ") || !strings.Contains(got, "of a wrapped server") && !strings.Contains(got, "from a wrapped server") {
			t.Errorf("%s: %q; want it refused, as it descends from a wrapped server", name, got)
		}
	}
	// Nor does it learn what is asked.
	a.begin("spy", "sh", object{"script": "CALLGATE=" + quoted(a.g.p.callgate) + `; "$CALLGATE" pending --json`})
	if got := a.result("spy").text(); !strings.Contains(got, "refused: ") || strings.Contains(got, id) {
		t.Errorf("the server was told %q", got)
	}
	a.quiet("withdrawn", q.ID)
	a.quiet("result", "x")
	a.wantRanYet("")
	a.callgate(0, "approve", id)
	wantText(t, a.result("x"), "ran good")
	a.end(`good {"a":1}`)
}

// wantRanYet holds what the server ran so far against a text.
func (a *asker) wantRanYet(want string) {
	a.t.Helper()
	if got := readFile(a.t, a.log); got != want {
		a.t.Errorf("the server ran %q; want %q", got, want)
	}
}

// quoted is a word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// askRealServers asks before writes of two real servers.
func askRealServers(t *testing.T, p peers, open openSDK) {
	const policy = "callgate: 1\npacks: auto\nsettings: {default: allow}\ntools:\n  filesystem/write_file: {verdict: ask}\n  memory/create_entities: {verdict: ask}\n"
	entity := func(name string) object {
		return object{"entities": []object{{"name": name, "entityType": "person", "observations": []string{"wrote notes"}}}}
	}
	for _, tt := range []struct {
		server, tool string
		arguments    func(dir, name string) object
	}{
		{"filesystem", "write_file", func(dir, name string) object {
			return object{"path": filepath.Join(dir, name), "content": "text of " + name}
		}},
		{"memory", "create_entities", func(_, name string) object { return entity(name) }},
	} {
		t.Run("the real server "+tt.server, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := p
			p.env = append(p.env[:len(p.env):len(p.env)], "MEMORY_FILE_PATH="+filepath.Join(dir, "graph.json"))
			a := p.asker(t, open, tt.server, policy, "2025-11-25", p.server(tt.server, dir))
			for name, answer := range map[string]object{"declined": no, "dismissed": dismiss, "accepted": yes} {
				a.begin(name, tt.tool, tt.arguments(dir, name))
				a.reply(a.asked(), answer)
				if r := a.result(name); name == "accepted" {
					wantText(t, r, name)
				} else {
					wantDenied(t, r, "approval", "DECLINED")
				}
			}
			a.close()
			a.wantEnd(0)
			files := names(t, dir)
			text := ""
			for _, f := range files {
				text += f + " " + readFile(t, filepath.Join(dir, f)) + "\n"
			}
			if len(files) != 1 || !strings.Contains(text, "accepted") || strings.Contains(text, "declined") || strings.Contains(text, "dismissed") {
				t.Errorf("the server wrote %q; want what was accepted", text)
			}
			a.g.verdicts(t)
		})
	}
}
