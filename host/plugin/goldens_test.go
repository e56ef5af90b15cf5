package plugin

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/abi/tck"
)

// goldens is where those of every version are.
const goldens = "../../abi/testdata/[0-9]*"

// built builds a copy of a folder, as it is in the tree but for the module.
func built(t *testing.T, from string) *Module {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	m, err := f.Build(context.Background(), &said)
	if err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	return m
}

// TestGuestsOfTextAreBuiltFromTheirSource: wat2wasm always makes the same of it.
func TestGuestsOfTextAreBuiltFromTheirSource(t *testing.T) {
	sources, err := filepath.Glob(goldens + "/*/guest.wat")
	if err != nil || len(sources) < 8 {
		t.Fatalf("%d guests, error %v; want some", len(sources), err)
	}
	if _, err := exec.LookPath("wat2wasm"); err != nil {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatal("no wat2wasm; install wabt")
		}
		t.Skip("no wat2wasm of wabt: what is built from the sources is not known")
	}
	for _, s := range append(sources, "testdata/lax/guest.wat", "testdata/forgets/guest.wat", "floor/guest.wat") {
		f, err := ReadFolder(filepath.Dir(s))
		if err != nil {
			t.Fatal(err)
		}
		have, err := f.Module()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(built(t, f.Dir).Data, have.Data) {
			t.Errorf("%s: not what is built from its source; run abi/testdata/build.sh --compare, or callgate plugin build", have.Path)
		}
	}
	refused, err := filepath.Glob(goldens + "/refused/*.wat")
	if err != nil || len(refused) < 20 {
		t.Fatalf("%d modules to refuse, error %v", len(refused), err)
	}
	for _, s := range refused {
		name := s[:len(s)-len(".wat")] + ".wasm"
		have, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out.wasm")
		if said, err := exec.Command("wat2wasm", "-o", out, s).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		if data, err := os.ReadFile(out); err != nil || !bytes.Equal(data, have) {
			t.Errorf("%s: not what is built from its source, error %v; run abi/testdata/build.sh --compare", name, err)
		}
	}
}

// TestWhatANewPluginAnswersIsInTheGoldens builds the template of today, whose
// bytes and fuel depend on the version of Go, and compares what it answers.
func TestWhatANewPluginAnswersIsInTheGoldens(t *testing.T) {
	f, err := template()
	if err != nil {
		t.Fatal(err)
	}
	now, err := f.Module()
	if err != nil {
		t.Fatal(err)
	}
	suite, err := tck.Load(abi.Version)
	if err != nil {
		t.Fatal(err)
	}
	e, asked := engines(t), 0
	for i := range suite.Guests {
		g := &suite.Guests[i]
		if filepath.Base(g.File) != "go-domains.wasm" {
			continue
		}
		p, err := e.Load(now, g.Settings)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for _, c := range g.Cases {
			asked++
			a, differences := p.Ask(c.Snapshot, nil)
			if a.Class != c.Want.Class || !bytes.Equal(a.Output, c.Want.Output) || len(differences) > 0 {
				t.Errorf("%s: %q %s %q; the golden says %q", c.Name, a.Class, a.Output, differences, c.Want.Output)
			}
		}
	}
	if asked == 0 {
		t.Error("no golden of the template")
	}
}

// TestWhatTheSDKsMakeAnswersWhatTheGoldensDo: the example of each SDK, as it is built
// today, answers what its golden does, which is frozen; fuel may be another.
func TestWhatTheSDKsMakeAnswersWhatTheGoldensDo(t *testing.T) {
	suite, err := tck.Load(abi.Version)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile("../../sdk/testdata/hosts/plugin.json")
	if err != nil {
		t.Fatal(err)
	}
	e, asked := engines(t), 0
	for i := range suite.Guests {
		g := &suite.Guests[i]
		language, ok := strings.CutPrefix(filepath.Dir(g.File), "hosts-")
		if !ok || language == "go" { // which plugins.TestTheExampleIsTheSameInEveryLanguage builds
			continue
		}
		bare, err := os.ReadFile("../../sdk/testdata/hosts/" + language + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		data, err := abi.WithManifest(bare, manifest)
		if err != nil {
			t.Fatal(err)
		}
		now := &Module{Path: language, Data: data}
		if now.Manifest, now.Digest, err = abi.ReadModule(data); err != nil {
			t.Fatal(err)
		}
		p, err := e.Load(now, g.Settings)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range g.Cases {
			asked++
			a, differences := p.Ask(c.Snapshot, nil)
			if a.Class != c.Want.Class || !bytes.Equal(a.Output, c.Want.Output) || len(differences) > 0 {
				t.Errorf("%s: %s: %q %s %q; the golden says %q", language, c.Name, a.Class, a.Output, differences, c.Want.Output)
			}
		}
		p.Close()
	}
	if asked < 30 {
		t.Errorf("asked %d times", asked)
	}
}
