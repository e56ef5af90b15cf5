package packs_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/redact"
)

// planted are the files of the tree that hold made-up secrets, because they are
// about them.
var planted = []string{"packs/cases/secrets.yaml", "testdata/cases/", "docs/policy.md", "docs/migrate-visor.md", "_test.go", "/testdata/"}

// known are files that really hold one: a list was recorded from a server that was
// started with a password in a URL.
var known = map[string]bool{"testdata/tool-lists/postgres.json": true, "packs/secrets.yaml": true, "packs/compiled/secrets.json": true}

// TestHonestTextHoldsNoSecrets reads everything in this tree, recorded tools, lock
// files, digests and traces of agents too, and holds that the pack finds nothing in
// it.
func TestHonestTextHoldsNoSecrets(t *testing.T) {
	p, err := policy.Load(policy.Options{Files: []string{filepath.Join("cases", "policy", "secrets.yaml")}})
	if err != nil {
		t.Fatal(err)
	}
	set, files, size := p.Redact(), 0, 0
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		for _, part := range planted {
			if strings.Contains(name, part) {
				return nil
			}
		}
		text, err := textOf(path)
		if err != nil {
			return err
		}
		files, size = files+1, size+len(text)
		if after := set.Text(redact.Results, text); after != text && !known[name] {
			t.Errorf("%s: a secret: %.300s", name, difference(text, after))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 || size < 1<<20 {
		t.Errorf("%d files of %d bytes; want the whole tree", files, size)
	}
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
