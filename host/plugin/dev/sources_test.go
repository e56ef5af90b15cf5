package dev

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// put writes files below a directory.
func put(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const manifest = `{"schema":"callgate.plugin/v0","name":"acme/guard","version":"1.0.0","abi":"1.0","phases":["call"],"build":{"run":"true"}}`

func TestSourcesAreWhatABuildDependsOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "odd [name]*")
	sources := []string{
		".cargo/config.toml", ".gitignore", "LICENSE", "cases/a.yaml", "docs/keep.tmp2", "fixtures/module.wasm", "lib/guard", "lib/out.o2", "lib/sub/only-top", "main.go", "plugin.json",
		"src/main.rs", "target.rs", "vendor/callgate/callgate.h",
	}
	others := []string{
		".git/HEAD", "node_modules/a/index.js", "vendor/node_modules/b.js", "target/x.o", "crate/target/y.o", "guard", "guard.wasm", "plugin.wasm", "plugin.wasm.callgate-before", ".callgate-123",
		"main.go~", ".main.go.swp", ".#main.go", "#main.go#", "4913", "guard-1.0.0.cgp", "guard-1.0.0.cgp.minisig", "lib/out.o", "only-top", "build/a", "lib/build/b", "gen/x.h",
	}
	put(t, dir, append(slices.Clone(sources), others...)...)
	text := "# objects\n*.o\n/only-top\nbuild/\ngen/*.h\r\n!main.go\n**/main.go\n\n[\nkeep.tmp2/\n"
	for name, text := range map[string]string{ignoreFile: text, "plugin.json": manifest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("main.go", filepath.Join(dir, "zlink.go")); err == nil {
		sources = append(sources, "zlink.go")
	}
	list, err := Sources(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range list {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	slices.Sort(got)
	slices.Sort(sources)
	if !slices.Equal(got, sources) {
		t.Errorf("got %q\nwant %q", got, sources)
	}
}

func TestTooManySourcesAreSaid(t *testing.T) {
	dir := t.TempDir()
	names := make([]string, maxSources)
	for i := range names {
		names[i] = "many/" + strconv.Itoa(i)
	}
	put(t, dir, names...)
	if list, err := Sources(dir); err != nil || len(list) != maxSources {
		t.Errorf("%d files, error %v; want all", len(list), err)
	}
	put(t, dir, "one-more")
	if list, err := Sources(dir); err == nil || !strings.Contains(err.Error(), ignoreFile) || len(list) != maxSources {
		t.Errorf("%d files, error %v; want what to do", len(list), err)
	}
	if err := os.WriteFile(filepath.Join(dir, ignoreFile), []byte("many/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if list, err := Sources(dir); err != nil || len(list) != 2 {
		t.Errorf("%q, error %v; want two files", list, err)
	}
}

func TestAFolderThatIsNotThereHasNoSources(t *testing.T) {
	if list, err := Sources(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Errorf("%q", list)
	}
}
