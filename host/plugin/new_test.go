package plugin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/wasm"
)

func TestNamesOfNewPluginsAreChecked(t *testing.T) {
	for _, name := range []string{"a", "acme/mailguard", "a.b-c_d", "0/1"} {
		for _, lang := range Langs {
			newFilesAreWhole(t, lang, name)
		}
	}
	for _, name := range []string{"", "A", "../a", "a/../b", "/a", "a/", "a b", "ä"} {
		if _, err := New("go", name); err == nil {
			t.Errorf("%q: it is taken for a name", name)
		}
	}
	if _, err := New("cobol", "a"); err == nil || !strings.Contains(err.Error(), "want one of go") {
		t.Errorf("another language: %v", err)
	}
}

var placeholder = regexp.MustCompile(`\{\{[A-Z]+\}\}`)

// newFilesAreWhole holds what New makes to what every folder has.
func newFilesAreWhole(t *testing.T, lang, name string) {
	t.Helper()
	files, err := New(lang, name)
	if err != nil {
		t.Fatalf("%s, %q: %v", lang, name, err)
	}
	seen := map[string]bool{}
	for _, f := range files {
		if seen[f.Name] || !filepath.IsLocal(f.Name) || len(f.Text) == 0 {
			t.Errorf("%s, %q: %s is there twice, empty, or lies outside", lang, name, f.Name)
		}
		seen[f.Name] = true
		if !strings.HasPrefix(f.Name, "vendor/") && placeholder.Match(f.Text) {
			t.Errorf("%s, %q: %s holds what is to be replaced", lang, name, f.Name)
		}
		if f.Name != ManifestFile {
			continue
		}
		if m, err := abi.ParseManifest(f.Text); err != nil || m.Name != name || m.Build.Lang != lang || m.Build.Run == "" {
			t.Errorf("%s, %q: the manifest is of %v, error %v", lang, name, m, err)
		}
	}
	for _, must := range []string{"README.md", "LICENSE", ManifestFile, ".gitignore", "cases/domains.yaml"} {
		if !seen[must] {
			t.Errorf("%s: a new plugin has no %s", lang, must)
		}
	}
}

// workshop is where template is, until all tests have run.
var workshop string

// template is a new plugin, built once.
var template = sync.OnceValues(func() (*Folder, error) {
	dir := filepath.Join(workshop, "mailguard")
	files, err := New("go", "acme/mailguard")
	if err == nil {
		err = Create(dir, files)
	}
	if err != nil {
		return nil, err
	}
	f, err := ReadFolder(dir)
	if err != nil {
		return nil, err
	}
	var said bytes.Buffer
	if _, err := f.Build(context.Background(), &said); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, said.Bytes())
	}
	return f, nil
})

func TestMain(m *testing.M) {
	var err error
	if workshop, err = os.MkdirTemp("", "template"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(workshop); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// engines are for tests: modules are compiled in this process.
func engines(t *testing.T) *Engines {
	t.Helper()
	e, err := Open(wasm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// block is the fenced block of a document that starts with an info.
func block(t *testing.T, document, info string) string {
	t.Helper()
	_, rest, ok := strings.Cut(document, "```"+info+"\n")
	text, _, closed := strings.Cut(rest, "\n```")
	if !ok || !closed {
		t.Fatalf("no block %q", info)
	}
	return text + "\n"
}

// TestThePageOnPluginsIsTrue holds docs/plugins.md to what a new plugin is.
func TestThePageOnPluginsIsTrue(t *testing.T) {
	page, err := os.ReadFile("../../docs/plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	f, err := template()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(f.Dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(block(t, string(page), "go"), "\n") {
		if !strings.Contains(string(source), line) {
			t.Errorf("main.go of a new plugin has no line %q", line)
		}
	}
	m, err := abi.ParseManifest([]byte(block(t, string(page), "json plugin")))
	if err != nil {
		t.Fatal(err)
	}
	bare, err := f.Module()
	if err != nil {
		t.Fatal(err)
	}
	bare.Manifest = m
	text := []byte(block(t, string(page), "yaml plugin"))
	file, err := cases.LoadPlugin("docs/plugins.md", text, m)
	if err != nil {
		t.Fatal(err)
	}
	all := engines(t).Try(bare, []CasesFile{{"docs/plugins.md", text, file}}, nil)
	if len(all) < 4 {
		t.Errorf("%d cases; want those of the page", len(all))
	}
	for _, r := range all {
		for _, failure := range r.Failures {
			t.Errorf("%s:%d: %s: %s", r.File, failure.Line, r.Name, failure.Text)
		}
	}
}

func TestABuildThatFailsLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a.wasm", "before")
	write("plugin.wasm", "mine")
	for _, run := range []string{"false", "true", "echo no module > plugin.wasm", "echo no module > a.wasm; false"} {
		write(ManifestFile, `{"schema":"callgate.plugin/v0","name":"a","version":"1.0.0","abi":"1.0","phases":["call"],"build":{"run":"`+run+`"}}`)
		f, err := ReadFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Build(context.Background(), io.Discard); err == nil {
			t.Errorf("%s: it is built", run)
		}
		for name, want := range map[string]string{"a.wasm": "before", "plugin.wasm": "mine"} {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
				t.Errorf("%s: %s holds %q, error %v; want %q", run, name, got, err, want)
			}
		}
		if left, err := filepath.Glob(filepath.Join(dir, "*callgate*")); err != nil || len(left) > 0 {
			t.Errorf("%s: %q are left, error %v", run, left, err)
		}
	}
}

// TestANewFolderIsThereWholeOrNotAtAll: a file that can not be written leaves nothing,
// under no name.
func TestANewFolderIsThereWholeOrNotAtAll(t *testing.T) {
	in := t.TempDir()
	good := []File{{"a", []byte("1")}, {"b/c", []byte("2")}}
	bad := append(good, File{"a/d", []byte("3")}) // below a file
	if err := Create(filepath.Join(in, "x"), bad); err == nil {
		t.Error("a file below a file is written")
	}
	if left, err := os.ReadDir(in); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if err := Create(filepath.Join(in, "x")+"/", good); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(in, "x", "b", "c")); err != nil || string(text) != "2" {
		t.Errorf("%q, %v", text, err)
	}
	if err := Create(filepath.Join(in, "x"), good); err == nil || !strings.Contains(err.Error(), "it is there already") {
		t.Errorf("again: %v", err)
	}
	if left, err := os.ReadDir(in); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}
