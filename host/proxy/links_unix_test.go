//go:build !windows

package proxy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
)

// linked makes a directory with a link that leads out of it, and a policy that
// allows what is inside.
func linked(t *testing.T) (dir string, p *policy.Policy) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(root, "inside")
	for _, d := range []string{dir, filepath.Join(root, "outside")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(root, "outside"), filepath.Join(dir, "leak")); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("callgate: 1\npacks: none\nsettings: {default: allow}\ntools:\n  fs/read: {args: [{slot: path, allow: [%q], symlinks: resolve}]}\n", dir+"/**")
	p, err = policy.Load(policy.Options{Files: []string{"/policy.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return []byte(text), nil }})
	if err != nil {
		t.Fatal(err)
	}
	return dir, p
}

func opened(t *testing.T, p *policy.Policy, dir string, local bool) func(path string) proxy.Recorded {
	t.Helper()
	o, err := proxy.Open(proxy.Opening{Policy: p, Specs: builtin.Table(), Server: "fs", Dir: t.TempDir(), Place: abi.Place{Dir: dir}, Local: local})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	list := []abi.Value{abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue("read")}, abi.Member{Name: "inputSchema", Value: abi.ObjectValue()})}
	if _, err := o.Engine.Step(abi.Event{Tools: &abi.ToolsEvent{Server: "fs", List: list}}); err != nil {
		t.Fatal(err)
	}
	return func(path string) proxy.Recorded {
		args := abi.ObjectValue(abi.Member{Name: "path", Value: abi.StringValue(path)})
		r, err := o.Engine.Step(abi.Event{Call: &abi.Call{Server: "fs", Tool: "read", Arguments: args}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func TestALinkOutOfAnAllowedDirectoryIsSeen(t *testing.T) {
	dir, p := linked(t)
	call := opened(t, p, dir, true)
	for _, c := range []struct {
		path string
		want abi.Outcome
		code string
	}{
		{dir + "/leak/x", abi.Deny, "ARGS_PATH_OUTSIDE"},
		{"leak", abi.Deny, "ARGS_PATH_OUTSIDE"},
		{"leak/../x", abi.Deny, "ARGS_PATH_OUTSIDE"},
		{"file://" + dir + "/leak/x", abi.Deny, "ARGS_PATH_OUTSIDE"},
		{dir + "/new/file", abi.Allow, ""},
		{"x/../y", abi.Allow, ""},
	} {
		r := call(c.path)
		if v := r.Verdict(); v.Outcome != c.want || v.Code != c.code {
			t.Errorf("%s: %v %s (%s), want %v %s", c.path, v.Outcome, v.Code, v.Reason, c.want, c.code)
		}
		if !r.Event.Call.Facts.Exists() {
			t.Errorf("%s: the event holds no facts", c.path)
		}
	}
}

func TestLinksOfAServerElsewhereAreNotFollowed(t *testing.T) {
	dir, p := linked(t)
	r := opened(t, p, dir, false)(dir + "/file")
	if v := r.Verdict(); v.Outcome != abi.Deny || v.Code != "ARGS_PATH_UNRESOLVED" || r.Event.Call.Facts.Exists() {
		t.Errorf("%v %s, with the facts %s", v.Outcome, v.Code, r.Event.Call.Facts)
	}
	if v := opened(t, p, dir, true)(dir + "/file").Verdict(); v.Outcome != abi.Allow {
		t.Errorf("the same of a server here: %v %s", v.Outcome, v.Code)
	}
}

// TestReplaySeesTheLinksOfThen takes the link away and judges the recorded event
// again.
func TestReplaySeesTheLinksOfThen(t *testing.T) {
	dir, p := linked(t)
	call := opened(t, p, dir, true)
	leak, file := call(dir+"/leak/x"), call(dir+"/file")
	if err := os.Remove(dir + "/leak"); err != nil {
		t.Fatal(err)
	}
	if v := call(dir + "/leak/x").Verdict(); v.Outcome != abi.Allow {
		t.Errorf("without the link: %v %s", v.Outcome, v.Code)
	}
	state := gate.New(gate.Options{Specs: builtin.Table()})
	gate.Step(state, abi.Event{Session: &abi.SessionEvent{ID: "s", Place: abi.Place{Dir: dir}}})
	gate.Step(state, abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	list := []abi.Value{abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue("read")}, abi.Member{Name: "inputSchema", Value: abi.ObjectValue()})}
	gate.Step(state, abi.Event{Tools: &abi.ToolsEvent{Server: "fs", List: list}})
	for path, r := range map[string]proxy.Recorded{"/leak/x": leak, "/file": file} {
		line := r.Event.Append(nil)
		e, err := abi.ParseEvent(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(e.Append(nil)); got != string(line) {
			t.Errorf("%s became %s", line, got)
		}
		e.Text, e.Call.Arguments = nil, abi.ObjectValue(abi.Member{Name: "path", Value: abi.StringValue(dir + path)})
		was, is := r.Verdict(), gate.Step(state, e)[0].Verdict
		if is.Outcome != was.Outcome || is.Code != was.Code {
			t.Errorf("%s: %v %s, and was %v %s", path, is.Outcome, is.Code, was.Outcome, was.Code)
		}
	}
}
