package facts_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/facts"
)

// refusal is why a command is not measured, "" where it is.
func (l launch) refusal(env []string, argv ...string) string {
	l.t.Helper()
	m, err := facts.Measure(facts.Command{Argv: argv, Dir: l.dir, Env: env}, [][]int{nil})
	if err != nil {
		return err.Error()
	}
	if err := m.Close(); err != nil {
		l.t.Fatal(err)
	}
	return ""
}

// What a name leads to, by a link or by the first line of a script, is judged as
// what is written is.
func TestWhatANameLeadsToIsJudgedToo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("no links and no first lines")
		return
	}
	l := newLaunch(t)
	for _, name := range []string{"npx", "uv", "busybox", "node", "sh", "python3"} {
		l.write(name, "\x7fELF "+name)
	}
	for link, to := range map[string]string{"mail": "npx", "cat": "busybox", "server2": "server", "deep": "mail"} {
		if err := os.Symlink(to, filepath.Join(l.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=" + l.dir}
	cases := []struct {
		name, script, argv string
		want, twin         string // what the refusal says; a script or command that is measured
	}{
		{"a link to npx", "", "./mail pkg", "npx\" fetches", "./server2 pkg"},
		{"a link to a link to npx", "", "./deep pkg", "npx\" fetches", "./server2 pkg"},
		{"a program of many names, by its own", "", "./busybox cat", "starts another program", "./cat x"},
		{"uv as interpreter", "#!/usr/bin/env -S uv run --script\n", "./s", "\"uv\" fetches", "#!/usr/bin/env -S python3 -u\n"},
		{"npx as interpreter", "#!/usr/bin/env npx\n", "./s", "\"npx\" fetches", "#!/usr/bin/env node\n"},
		{"a shell that is given a command", "#!/bin/sh -c\n", "./s", "starts another program", "#!/bin/sh -e\n"},
		{"another PATH", "#!/usr/bin/env -S PATH=/evil node\n", "./s", "do more than look", "#!/usr/bin/env -S A=1 node\n"},
		{"another directory", "#!/usr/bin/env -S -C /evil node\n", "./s", "do more than look", "#!/usr/bin/env -S node -C x\n"},
		{"no environment", "#!/usr/bin/env -i\n", "./s", "do more than look", "#!/usr/bin/env node\n"},
		{"a quoted program", "#!/usr/bin/env -S \"node\"\n", "./s", "do more than look", "#!/usr/bin/env -S node \"x\"\n"},
		{"a variable for a program", "#!/usr/bin/env -S ${X}\n", "./s", "do more than look", "#!/usr/bin/env -S node ${X}\n"},
		{"a first line without end", "#!" + strings.Repeat("/", 600) + "bin/sh\n", "./s", "first line has more", "#!" + strings.Repeat("/", 100) + "bin/sh\n"},
		{"an interpreter of no path", "#!nowhere\n", "./s", "can not be measured: no such file", "#!node\n"},
	}
	for _, c := range cases {
		if c.script != "" {
			l.write("s", c.script)
		}
		if got := l.refusal(env, strings.Fields(c.argv)...); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
		twin := c.twin
		if strings.HasPrefix(twin, "#!") {
			l.write("s", twin)
			twin = "./s"
		}
		if got := l.refusal(env, strings.Fields(twin)...); got != "" {
			t.Errorf("%s: its twin %q: %s", c.name, c.twin, got)
		}
	}
}

// env looks for an interpreter in the PATH that the server gets, which may be
// another one than this process has.
func TestAnInterpreterIsLookedForWhereTheServerDoes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("no first lines")
		return
	}
	l := newLaunch(t)
	here, there := t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{here: "\x7fELF here", there: "\x7fELF there"} {
		if err := os.WriteFile(filepath.Join(dir, "interp"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", here)
	l.write("s", "#!/usr/bin/env interp\n")
	sum := func(env []string) string {
		m, err := facts.Measure(facts.Command{Argv: []string{"./s"}, Dir: l.dir, Env: env}, [][]int{nil})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		return m.Sums()[0]
	}
	if sum(nil) != sum([]string{"PATH=" + here}) || sum(nil) == sum([]string{"PATH=" + there}) || sum([]string{"PATH=" + here, "PATH=" + there}) != sum([]string{"PATH=" + there}) {
		t.Error("the interpreter is not that of the server's PATH")
	}
	for _, c := range []struct{ env, want string }{
		{"HOME=/x", "the server gets no PATH"}, {"PATH=", "the server gets no PATH"}, {"PATH=.:" + here, "relative directory"}, {"PATH=/nowhere", "not found"},
	} {
		if got := l.refusal([]string{c.env}, "./s"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q; want %q", c.env, got, c.want)
		}
	}
}

func TestWhatHasNoEndIsNotMeasured(t *testing.T) {
	l := newLaunch(t)
	if err := os.Mkdir(filepath.Join(l.dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	l.write("huge", "\x7fELF")
	if err := os.Truncate(filepath.Join(l.dir, "huge"), 5<<30); err != nil {
		t.Fatal(err)
	}
	entry := func(name string) string {
		m, err := facts.Measure(facts.Command{Argv: []string{"./server", name}, Dir: l.dir}, [][]int{{0}})
		if err != nil {
			return err.Error()
		}
		defer m.Close()
		return ""
	}
	for name, want := range map[string]string{"folder": "no regular file", "huge": "more than 4294967296 bytes", "gone": "no such file", "": "no regular file"} {
		if got := entry(name); !strings.Contains(got, want) {
			t.Errorf("%q: %q; want %q", name, got, want)
		}
	}
	if got := entry("main.js"); got != "" {
		t.Error(got)
	}
	if got := l.refusal(nil, "./folder"); !strings.Contains(got, "can not be measured") {
		t.Errorf("a folder as a program: %q", got)
	}
}

// A relative program and its files start in the directory that the server does, and
// the same words in another one are another launch.
func TestARelativeCommandStartsWhereTheServerDoes(t *testing.T) {
	l, other := newLaunch(t), newLaunch(t)
	other.write("main.js", "steal()")
	if l.sum([]int{0}, "./server", "main.js") == other.sum([]int{0}, "./server", "main.js") {
		t.Error("the file of another directory was measured")
	}
	if l.sum(nil, "./server", "main.js") != other.sum(nil, "./server", "main.js") {
		t.Error("the directory itself is in the digest")
	}
	if path, err := facts.Program("./server", l.dir); err != nil || path != filepath.Join(l.dir, "server") {
		t.Errorf("%q, %v", path, err)
	}
	if path, err := facts.Program("./server", t.TempDir()); err == nil {
		t.Errorf("%q is not there", path)
	}
}

// A path that starts with a dot is that path, and no name to look for, also where no
// directory is named.
func TestARelativeProgramIsNotLookedForInPath(t *testing.T) {
	l, path := newLaunch(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(path, "server"), []byte("\x7fELF of PATH"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", path)
	t.Chdir(l.dir)
	want := l.sum(nil, "./server")
	m, err := facts.Measure(facts.Command{Argv: []string{"./server"}}, [][]int{nil})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Sums()[0] != want {
		t.Errorf("%q was measured", m.Files())
	}
	if err := os.Remove(filepath.Join(l.dir, "server")); err != nil {
		t.Fatal(err)
	}
	if found, err := facts.Program("./server", ""); err == nil {
		t.Errorf("found %q", found)
	}
}
