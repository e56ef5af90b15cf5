//go:build !windows

package facts

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestLinksAgreeWithTheSystem compares with [filepath.EvalSymlinks] on trees of
// directories, files and links, which are made up and the same in each run.
func TestLinksAgreeWithTheSystem(t *testing.T) {
	compared, found := 0, 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		names := grow(t, r, root)
		for range 200 {
			p := root
			for range 1 + r.IntN(5) {
				p += "/" + names[r.IntN(len(names))]
			}
			want, err := filepath.EvalSymlinks(p)
			got := Links([]abi.Need{{Path: p}}).Get("links").Get(p)
			compared++
			switch {
			case err == nil:
				found++
				if got.Str() != want {
					t.Fatalf("seed %d: %s leads to %s, and the system says %s", seed, p, got, want)
				}
			case errors.Is(err, fs.ErrNotExist):
				// What does not exist stands below what does: its parent, resolved.
				if got.IsString() && !strings.HasPrefix(got.Str(), "/") {
					t.Fatalf("seed %d: %s leads to %s", seed, p, got)
				}
			case got.IsString():
				t.Fatalf("seed %d: %s leads to %s, and the system says %v", seed, p, got, err)
			}
		}
	}
	if compared == 0 || found < 200 {
		t.Fatalf("%d paths compared, %d of them exist", compared, found)
	}
}

// grow makes directories, files and links with few names, so that many paths of
// them exist, and returns the names.
func grow(t *testing.T, r *rand.Rand, root string) []string {
	t.Helper()
	names := []string{"a", "b", "c", "..", "."}
	dirs := []string{root}
	for range 40 {
		dir := dirs[r.IntN(len(dirs))]
		p := filepath.Join(dir, names[r.IntN(3)])
		if _, err := os.Lstat(p); err == nil {
			continue
		}
		var err error
		switch r.IntN(4) {
		case 0:
			err = os.WriteFile(p, nil, 0o600)
		case 1:
			target := names[r.IntN(len(names))] + "/" + names[r.IntN(len(names))]
			err = os.Symlink(target, p)
		case 2:
			err = os.Symlink(dirs[r.IntN(len(dirs))], p)
		default:
			err = os.Mkdir(p, 0o700)
			dirs = append(dirs, p)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func TestAParentThatIsALinkMovesWhatIsNew(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"srv", "other"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(root, "other"), filepath.Join(root, "srv", "link")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/srv/link/new/file": "/other/new/file", "/srv/new/file": "/srv/new/file", "/srv/link/../file": "/file",
	} {
		got := Links([]abi.Need{{Path: root + path, Roots: []string{root + "/srv", root}}}).Get("links").Get(root + path)
		if got.Str() != root+want {
			t.Errorf("%s leads to %s, want %s", path, got, root+want)
		}
	}
}
