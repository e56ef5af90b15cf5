package plugins_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/wasm"
)

// dialects are what sdk/c says that its header is taken by, beside C without a libc.
var dialects = map[string]string{
	"C++":       "clang++ --target=wasm32 -std=c++17 -Os -nostdlib -fno-exceptions -fuse-ld=lld -Wl,--no-entry -x c++",
	"wasi-libc": "clang --target=wasm32-wasi --sysroot=/usr -std=c11 -Os -mexec-model=reactor -fuse-ld=lld",
}

// TestTheExampleIsTheSameInEveryDialectOfC builds the example of sdk/c in other ways,
// and holds what comes of that to what all languages say.
func TestTheExampleIsTheSameInEveryDialectOfC(t *testing.T) {
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
	for name, command := range dialects {
		said := map[string]int{}
		both := []*guest{all[0], buildC(t, name, command, all[0].manifest)}
		for _, c := range f.Cases {
			for _, s := range c.Steps {
				got := agree(t, both, c.Settings, s.Snapshot.With("settings", c.Settings))
				for _, want := range []string{`"outcome":"abstain"`, `"code":"HOST"`} {
					if strings.Contains(got, want) {
						said[want]++
					}
				}
			}
		}
		if said[`"outcome":"abstain"`] < 10 || said[`"code":"HOST"`] < 10 {
			t.Errorf("%s: the cases lead to %v", name, said)
		}
	}
}

// buildC builds the example in C with one command.
func buildC(t *testing.T, name, command string, m *abi.Manifest) *guest {
	t.Helper()
	out := filepath.Join(t.TempDir(), "plugin.wasm")
	words := append(strings.Fields(command), "examples/hosts.c", "-o", out)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = filepath.Join("..", "sdk", "c")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s\nplugins in C need what .ci/run installs: clang, lld, wasi-libc, libclang-rt-dev-wasm32", name, err, said)
	}
	bare, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	module, err := abi.WithManifest(bare, []byte(m.Text))
	if err != nil {
		t.Fatal(err)
	}
	return &guest{name, module, m, map[string]*wasm.Plugin{}, map[string]error{}}
}
