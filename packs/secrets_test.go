package packs_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/redact"
)

// planted are the files of the tree that hold made-up secrets, because they are
// about them.
var planted = []string{"packs/cases/secrets.yaml", "testdata/cases/", "docs/policy.md", "docs/migrate-visor.md", "plugins/look-alike/cases/", "plugins/look-alike/src/tests.rs", "_test.go", "/testdata/"}

// known are files that really hold one: a list was recorded from a server that was
// started with a password in a URL, agents set a password and are mailed a link
// with a token that sets one.
var known = map[string]bool{
	"testdata/tool-lists/postgres.json": true, "packs/secrets.yaml": true, "packs/compiled/secrets.json": true,
	"testdata/agentdojo/banking.attack.jsonl.gz": true, "testdata/agentdojo/banking.benign.jsonl.gz": true,
	"testdata/agentdojo/workspace.attack.jsonl.gz": true, "testdata/agentdojo/workspace.benign.jsonl.gz": true,
}

// secretsSet is what a policy redacts that names the pack.
func secretsSet(t *testing.T) *redact.Set {
	t.Helper()
	p, err := policy.Load(policy.Options{Files: []string{filepath.Join("cases", "policy", "secrets.yaml")}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Redact()
}

// TestHonestTextHoldsNoSecrets reads everything in this tree, recorded tools, lock
// files, digests and traces of agents too, and holds that the pack finds nothing in
// it.
func TestHonestTextHoldsNoSecrets(t *testing.T) {
	set, files, size := secretsSet(t), 0, 0
	for _, name := range treeFiles(t) {
		if slices.ContainsFunc(planted, func(part string) bool { return strings.Contains(name, part) }) {
			continue
		}
		text, err := textOf(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		files, size = files+1, size+len(text)
		if after := set.Text(redact.Results, text); after != text && !known[name] {
			t.Errorf("%s: a secret: %.300s", name, difference(text, after))
		}
	}
	if files < 100 || size < 1<<20 {
		t.Errorf("%d files of %d bytes; want the whole tree", files, size)
	}
}

// treeFiles lists the regular files of the tree by their slash paths: what git
// tracks, or where there is no git, all but what was installed. Links are not
// followed, and files that are tracked and gone are left out.
func treeFiles(t *testing.T) (names []string) {
	t.Helper()
	if list, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output(); err == nil {
		for name := range strings.SplitSeq(string(list), "\x00") {
			if info, err := os.Lstat(filepath.Join("..", filepath.FromSlash(name))); name != "" && err == nil && info.Mode().IsRegular() {
				names = append(names, name)
			}
		}
		return names
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "venv"):
			return fs.SkipDir
		case d.Type().IsRegular():
			names = append(names, filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// difference is the first line of a text that another one does not have.
func difference(a, b string) string {
	lines := strings.Split(b, "\n")
	for i, line := range strings.Split(a, "\n") {
		if i >= len(lines) || lines[i] != line {
			return line
		}
	}
	return ""
}

// textOf reads a file, and one that is compressed as what is in it.
func textOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return string(data), err
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	data, err = io.ReadAll(z)
	return string(data), err
}
