package plugin

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// notCopied are the parts of sdk/LANG that a plugin does not need.
var notCopied = regexp.MustCompile(`^(README\.md|package-lock\.json|\.gitignore|go\.mod|examples|testdata|node_modules|target|Cargo\.lock|.*_test\.go)(/|$)|^tests/`)

// TestTheSDKOfANewPluginIsTheOneInTheTree compares, in both directions: a file
// that is new in the SDK has to be copied, too.
func TestTheSDKOfANewPluginIsTheOneInTheTree(t *testing.T) {
	for lang, dir := range sdkFolders {
		files, err := New(lang, "a")
		if err != nil {
			t.Fatal(err)
		}
		copied := map[string][]byte{}
		for _, f := range files {
			if name, ok := strings.CutPrefix(f.Name, dir); ok && name != "modules.txt" {
				copied[name] = f.Text
			}
		}
		here := filepath.Join("..", "..", "sdk", lang)
		compared := 0
		for name, text := range copied {
			from := filepath.Join(here, filepath.FromSlash(name))
			if name == "LICENSE" {
				from = filepath.Join("..", "..", "LICENSE")
			}
			want, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			if name == "Cargo.toml" { // all but what needs more than the folder has
				want, _, _ = bytes.Cut(want, copyEnds)
				if len(want) == 0 || bytes.Contains(want, []byte("dependencies")) || bytes.Contains(want, []byte("[[example]]")) {
					t.Errorf("the copy of %s has too much, or nothing:\n%s", from, want)
				}
			}
			if !bytes.Equal(text, want) {
				t.Errorf("%s: a new plugin's %s is not %s; run go generate ./host/plugin", lang, name, from)
			}
			compared++
		}
		if compared < 2 {
			t.Errorf("%s: %d files; want an SDK and its license", lang, compared)
		}
		err = fs.WalkDir(os.DirFS(here), ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || name == ".":
				return err
			case notCopied.MatchString(name) && d.IsDir():
				return fs.SkipDir
			case d.IsDir() || notCopied.MatchString(name) || copied[name] != nil || strings.HasPrefix(path.Base(name), "."):
				return nil
			}
			t.Errorf("sdk/%s/%s is not copied to a new plugin; see sdk/sdk.go", lang, name)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheCompilerOfANewPluginIsThatOfTheSDK holds the two locks together.
func TestTheCompilerOfANewPluginIsThatOfTheSDK(t *testing.T) {
	files, err := New("assemblyscript", "a")
	if err != nil {
		t.Fatal(err)
	}
	tested, err := os.ReadFile("../../sdk/assemblyscript/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`"integrity": "[^"]+"|"version": "[\d.]+[^"]*",\n\s+"integrity"`)
	want := pinned.FindAllString(string(tested), -1)
	for _, f := range files {
		if f.Name != "package-lock.json" {
			continue
		}
		if got := pinned.FindAllString(string(f.Text), -1); len(want) < 3 || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the lock of a new plugin pins\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		return
	}
	t.Error("no package-lock.json")
}
