// Package plugins_test builds the plugins of this directory, which are modules of
// their own, and runs their cases in the sandbox.
package plugins_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/wasm"
)

// names lists the plugins: the directories with a manifest.
func names(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("*/plugin.json")
	if err != nil || len(found) == 0 {
		t.Fatalf("%d plugins: %v", len(found), err)
	}
	for i, f := range found {
		found[i] = filepath.Dir(f)
	}
	return found
}

// build builds a plugin as its manifest says, and appends that.
func build(t *testing.T, name string) ([]byte, *abi.Manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(name, "plugin.json"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := abi.ParseManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "plugin.wasm")
	if m.Build.Lang == "rust" {
		out = buildRust(t, name)
	} else {
		cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, ".")
		cmd.Dir = name
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=-buildvcs=false", "CGO_ENABLED=0")
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	bare, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	module, err := abi.WithManifest(bare, text)
	if err != nil {
		t.Fatal(err)
	}
	return module, m
}

// compileVerb makes this binary the process that compiles.
const compileVerb = "compile-plugin"

// host runs the plugins as callgate does: compiled once, in a process of its own.
var host *wasm.Host

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == compileVerb {
		os.Exit(wasm.CompileMain(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(withHost(m.Run))
}

func withHost(run func() int) int {
	cache, err := os.MkdirTemp("", "callgate-plugins")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(cache)
	rustTarget = filepath.Join(cache, "target")
	if host, err = wasm.New(wasm.Options{CacheDir: filepath.Join(cache, "cache"), Compiler: []string{os.Args[0], compileVerb}}); err != nil {
		panic(err)
	}
	defer host.Close()
	return run()
}

// starter loads a plugin with settings, once for each.
func starter(t *testing.T, module []byte, m *abi.Manifest) func(abi.Value) func(abi.Value) cases.PluginAnswer {
	started := map[string]func(abi.Value) cases.PluginAnswer{}
	return func(settings abi.Value) func(abi.Value) cases.PluginAnswer {
		if old := started[settings.String()]; old != nil {
			return old
		}
		p, err := host.Load(context.Background(), wasm.Source{Name: m.Name, Module: module, Manifest: m, Settings: settings})
		if err != nil {
			class := abi.FailLoad
			if e, ok := err.(*wasm.Error); ok {
				class = e.Class
			}
			return func(abi.Value) cases.PluginAnswer { return cases.PluginAnswer{Class: class, Detail: err.Error()} }
		}
		t.Cleanup(func() { p.Close() })
		started[settings.String()] = func(snapshot abi.Value) cases.PluginAnswer {
			a := p.Evaluate(snapshot)
			return cases.PluginAnswer{Output: a.Output, Fuel: a.Fuel, Class: a.Class, Detail: a.Detail}
		}
		return started[settings.String()]
	}
}

func TestTheCasesOfEveryPluginPass(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			module, m := build(t, name)
			t.Logf("%d bytes", len(module))
			start := starter(t, module, m)
			files, err := filepath.Glob(filepath.Join(name, "cases", "*.yaml"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%d cases files: %v", len(files), err)
			}
			wanted := map[string]bool{}
			for _, file := range files {
				run(t, file, m, start, wanted)
			}
			if !wanted["abstain"] {
				t.Error("no case wants it to abstain")
			}
			for _, c := range m.Codes {
				if !wanted[c.Name] {
					t.Errorf("no case wants the code %s", c.Name)
				}
			}
		})
	}
}

// run runs one file, and notes what its cases want.
func run(t *testing.T, file string, m *abi.Manifest, start func(abi.Value) func(abi.Value) cases.PluginAnswer, wanted map[string]bool) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cases.LoadPlugin(file, data, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Cases {
		for _, s := range c.Steps {
			wanted[s.Want.Outcome], wanted[s.Want.Code] = true, true
		}
	}
	results := cases.RunPlugin(f, m, start)
	if len(results) == 0 {
		t.Errorf("%s: no case ran", file)
	}
	for _, r := range results {
		for _, x := range r.Failures {
			t.Errorf("%s:%d: %s: %s", file, x.Line, r.Name, x.Text)
		}
	}
}

func TestEveryPluginIsDescribed(t *testing.T) {
	for _, name := range names(t) {
		page, err := os.ReadFile(filepath.Join(name, "README.md"))
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := os.ReadFile(filepath.Join(name, "plugin.json"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := abi.ParseManifest(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Name != "callgate/"+name || m.Description == "" || m.License != "MIT" || m.Build.Run == "" {
			t.Errorf("%s: the manifest says name %q, license %q, description %q, build %q", name, m.Name, m.License, m.Description, m.Build.Run)
		}
		var say []string
		for _, c := range m.Codes {
			say = append(say, c.Name)
		}
		for _, s := range m.Settings.Get("properties").Members() {
			say = append(say, s.Name)
		}
		for _, word := range say {
			if !strings.Contains(string(page), "`"+word+"`") {
				t.Errorf("%s/README.md does not say %s", name, word)
			}
		}
	}
}
