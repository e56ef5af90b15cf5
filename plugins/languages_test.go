package plugins_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/wasm"
)

// languages are what the plugins of sdk/testdata are written in.
var languages = map[string][]string{
	"hosts": {"assemblyscript", "c", "go", "rust", "wat"},
	"probe": {"assemblyscript", "c", "go", "rust"},
	"walk":  {"assemblyscript", "c", "go", "rust"},
}

// goSources are where those in Go are built from.
var goSources = map[string]string{"hosts": "./examples/hosts", "probe": "./testdata/probe", "walk": "./testdata/walk"}

// guest is one plugin in one language.
type guest struct {
	lang     string
	module   []byte
	manifest *abi.Manifest
	loaded   map[string]*wasm.Plugin
	refused  map[string]error
}

// guests reads a plugin in all its languages.
func guests(t *testing.T, name string) []*guest {
	t.Helper()
	dir := filepath.Join("..", "sdk", "testdata", name)
	text, err := os.ReadFile(filepath.Join(dir, "plugin.json"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := abi.ParseManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	var list []*guest
	for _, lang := range languages[name] {
		file := filepath.Join(dir, lang+".wasm")
		if lang == "go" {
			file = buildGo(t, goSources[name])
		}
		bare, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		module, err := abi.WithManifest(bare, text)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		list = append(list, &guest{lang, module, m, map[string]*wasm.Plugin{}, map[string]error{}})
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*.wasm")); err != nil || len(files) != len(list)-1 {
		t.Fatalf("%s has %q, %v; want one of each of %q but Go", dir, files, err, languages[name])
	}
	return list
}

// buildGo builds a package of the SDK's module.
func buildGo(t *testing.T, pkg string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "plugin.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Dir = filepath.Join("..", "sdk", "go")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=-buildvcs=false", "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return out
}

// load loads a guest with settings, once.
func (g *guest) load(t *testing.T, settings abi.Value) (*wasm.Plugin, error) {
	t.Helper()
	key := settings.String()
	if g.loaded[key] == nil && g.refused[key] == nil {
		p, err := host.Load(context.Background(), wasm.Source{Name: g.lang, Module: g.module, Manifest: g.manifest, Settings: settings})
		if err != nil {
			g.refused[key] = err
			return nil, err
		}
		t.Cleanup(func() { p.Close() })
		g.loaded[key] = p
	}
	return g.loaded[key], g.refused[key]
}

// says is all that a guest has to say of a snapshot, without its fuel.
func (g *guest) says(t *testing.T, settings, snapshot abi.Value) string {
	t.Helper()
	p, err := g.load(t, settings)
	if err != nil {
		var e *wasm.Error
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		_, detail, _ := strings.Cut(err.Error(), g.lang)
		return fmt.Sprintf("%s %s", e.Class, detail)
	}
	a := p.Evaluate(snapshot)
	lines := []string{string(a.Output), string(a.Class), a.Detail}
	for _, l := range a.Log {
		lines = append(lines, fmt.Sprint(l.Level, " ", l.Text))
	}
	return strings.Join(lines, "\n")
}

// agree has all guests judge a snapshot, and returns what they say.
func agree(t *testing.T, all []*guest, settings, snapshot abi.Value) string {
	t.Helper()
	first := all[0].says(t, settings, snapshot)
	for _, g := range all[1:] {
		if got := g.says(t, settings, snapshot); got != first {
			t.Errorf("%s\nwith %s:\n%s", snapshot, settings, difference(all[0].lang, first, g.lang, got))
		}
	}
	return first
}

// difference shows the first line in which two texts differ.
func difference(one, a, other, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		l, r := "nothing", "nothing"
		if i < len(x) {
			l = fmt.Sprintf("%q", x[i])
		}
		if i < len(y) {
			r = fmt.Sprintf("%q", y[i])
		}
		if l != r {
			return fmt.Sprintf("line %d: %s: %s\n%s: %s", i, one, l, other, r)
		}
	}
	return "nothing differs"
}

func TestTheExampleIsTheSameInEveryLanguage(t *testing.T) {
	t.Parallel()
	all := guests(t, "hosts")
	file := filepath.Join("..", "sdk", "testdata", "hosts", "cases.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cases.LoadPlugin(file, data, all[0].manifest)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Cases) < 50 {
		t.Fatalf("%d cases", len(f.Cases))
	}
	for _, g := range all {
		wanted := map[string]bool{}
		run(t, file, g.manifest, starter(t, g.module, g.manifest), wanted)
		if !wanted["abstain"] || !wanted["HOST"] {
			t.Errorf("the cases want %v", wanted)
		}
	}
	for _, c := range f.Cases {
		for _, s := range c.Steps {
			snapshot := s.Snapshot.With("settings", c.Settings)
			agree(t, all, c.Settings, snapshot)
		}
	}
}

func TestTheExampleIsTheSameForGeneratedURLs(t *testing.T) {
	t.Parallel()
	all := guests(t, "hosts")
	settings := parse(t, `{"hosts":["corp.example","a-1.test","x"]}`)
	r := rand.New(rand.NewPCG(8, 1))
	abstain, deny := 0, 0
	for range 200 {
		said := agree(t, all, settings, snapshotOf(t, `{"url":`+quote(url(r))+`}`).With("settings", settings))
		switch {
		case strings.Contains(said, `"outcome":"abstain"`):
			abstain++
		case strings.Contains(said, `"code":"HOST"`):
			deny++
		}
	}
	if abstain+deny != 200 || abstain < 40 || deny < 40 {
		t.Errorf("%d abstain and %d deny of 200", abstain, deny)
	}
}

func TestEveryViewFindsTheSame(t *testing.T) {
	t.Parallel()
	all := guests(t, "probe")
	seen := map[string]bool{}
	for i := range uint64(200) {
		said := agree(t, all, abi.ObjectValue(), probed(t, rand.New(rand.NewPCG(i, 2))))
		if !strings.HasPrefix(said, "{") {
			t.Errorf("%d: %q", i, said)
		}
		for line := range strings.Lines(said) {
			if words := strings.Fields(line); len(words) > 1 {
				seen[words[1]] = true
			}
		}
	}
	for _, word := range []string{"all", "open", "at", "within", "argument", "int", "get", "index", "label", "finding", "item"} {
		if !seen[word] {
			t.Errorf("no snapshot has anything for %q: %v", word, slices.Sorted(maps.Keys(seen)))
		}
	}
}

func parse(t *testing.T, text string) abi.Value {
	t.Helper()
	v, err := abi.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func snapshotOf(t *testing.T, arguments string) abi.Value {
	return parse(t, `{"abi":"1.0","call":{"arguments":`+arguments+`},"phase":"call","settings":{}}`)
}
