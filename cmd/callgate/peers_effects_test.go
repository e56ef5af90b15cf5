package main_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// peerSmoke makes the calls of the bouncer seed's smoke test: the write to /etc
// is denied for its path and counts as an attempt, so that one write is left of
// two.
func peerSmoke(t *testing.T, p peers) {
	work := t.TempDir()
	out := filepath.Join(work, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	g := p.gate(t, "filesystem", allowAll+"tools:\n  filesystem/write_file:\n"+
		"    args: [{arg: path, slot: path, allow: ["+asJSON(t, filepath.ToSlash(out)+"/**")+"]}]\n    max_calls: 2\n")
	const outside = "/etc/callgate_should_not_write.txt"
	write := func(path, content string) object { return call("write_file", object{"path": path, "content": content}) }
	note := func(n string) string { return filepath.Join(out, "note"+n+".txt") }
	got, _ := p.drive(t, nil, g.before(p.server("filesystem", work)), nil,
		object{"list": true},
		write(outside, "nope"),
		write(note("1"), "first"),
		write(note("2"), "second"),
		write(note("3"), "third"),
	)
	wantDenied(t, got[1].result(t), "args", "ARGS_PATH_OUTSIDE")
	wantText(t, got[2].result(t), "Successfully wrote to "+note("1"))
	wantDenied(t, got[3].result(t), "budget", "BUDGET_SPENT")
	wantDenied(t, got[4].result(t), "budget", "BUDGET_SPENT")
	wantVerdicts(t, g, "deny args", "allow coverage", "deny budget", "deny budget")
	wantNoFile(t, outside)
	if files := names(t, out); !slices.Equal(files, []string{"note1.txt"}) || readFile(t, note("1")) != "first" {
		t.Errorf("%s has %q; want the first note only", out, files)
	}
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// peerDeniedWrite denies what the server itself would do, and does.
func peerDeniedWrite(t *testing.T, p peers) {
	work := t.TempDir()
	policy := allowAll + "tools:\n  filesystem/write_file: {args: [{slot: path, deny: [\"**/secret.txt\"]}]}\n"
	g := p.gate(t, "filesystem", policy)
	secret, plain := filepath.Join(work, "secret.txt"), filepath.Join(work, "plain.txt")
	steps := []object{
		{"list": true},
		call("write_file", object{"path": secret, "content": "x"}),
		call("write_file", object{"path": work + "/none/../secret.txt", "content": "x"}),
		call("write_file", object{"path": plain, "content": "y"}),
	}
	got, _ := p.drive(t, nil, g.before(p.server("filesystem", work)), nil, steps...)
	wantDenied(t, got[1].result(t), "args", "ARGS_PATH_DENIED")
	wantDenied(t, got[2].result(t), "args", "ARGS_PATH_DENIED")
	wantText(t, got[3].result(t), "Successfully wrote")
	wantNoFile(t, secret)
	if readFile(t, plain) != "y" {
		t.Error("the allowed write has no effect")
	}
	direct, _ := p.drive(t, nil, p.server("filesystem", work), nil, steps[1])
	wantText(t, direct[0].result(t), "Successfully wrote")
	if readFile(t, secret) != "x" {
		t.Error("the server does not do what the gate denied")
	}
}

func peerEnvironment(t *testing.T, p peers) {
	t.Run("a variable of the server passes", func(t *testing.T) {
		graph := filepath.Join(t.TempDir(), "graph.json")
		ada := object{"entities": []object{{"name": "Ada", "entityType": "person", "observations": []string{"wrote notes"}}}}
		got, _ := p.drive(t, []string{"MEMORY_FILE_PATH=" + graph}, p.gate(t, "memory", allowAll).before(p.server("memory")), nil,
			object{"list": true}, call("create_entities", ada))
		wantText(t, got[1].result(t), "Ada")
		if !strings.Contains(readFile(t, graph), `"Ada"`) {
			t.Errorf("%s does not name what was created", graph)
		}
	})
	given := []string{"CALLGATE_PLANTED=1", "PLANTED=2", "OTHER_PLANTED=3"}
	tests := []struct {
		name, policy string
		gated        bool
		want, not    []string
	}{
		{"a direct server has all", "", false, []string{"CALLGATE_PLANTED", "PLANTED", "OTHER_PLANTED", "PATH"}, nil},
		{"our own variables stay here", allowAll, true, []string{"PLANTED", "OTHER_PLANTED", "PATH"}, []string{"CALLGATE_PLANTED"}},
		{"a list restricts", allowAll + "servers: {everything: {env: [PLANTED, PATH]}}\n", true, []string{"PLANTED", "PATH"}, []string{"CALLGATE_PLANTED", "OTHER_PLANTED", "HOME"}},
		{"an empty list leaves nothing", allowAll + "servers: {everything: {env: []}}\n", true, nil, []string{"CALLGATE_PLANTED", "PLANTED", "OTHER_PLANTED", "PATH", "HOME"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tt.want == nil {
				t.Skip("node does not start without SystemRoot")
			}
			command := p.server("everything", "stdio")
			if tt.gated {
				command = p.gate(t, "everything", tt.policy).before(command)
			}
			got, _ := p.drive(t, given, command, nil, object{"list": true}, call("get-env", object{}))
			env := fromJSON[map[string]string](t, got[1].result(t).text())
			for _, name := range tt.want {
				if _, ok := env[name]; !ok {
					t.Errorf("the server has no %s", name)
				}
			}
			for _, name := range tt.not {
				if _, ok := env[name]; ok {
					t.Errorf("the server has %s", name)
				}
			}
		})
	}
}
