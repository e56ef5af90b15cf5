package facts

import (
	"path"
	"strings"
	"testing"
)

// FuzzResolve looks for a world in which a path leads to a place that is still a
// link, or none at all.
func FuzzResolve(f *testing.F) {
	f.Add("/a/b/../c", "/a", "b/c", "/b", "/")
	f.Add("/a", "/a", "../a", "/b/c", "..")
	f.Fuzz(func(t *testing.T, p, from, to, other, target string) {
		if strings.Contains(to+target, "\x00") || len(p+to+target) > maxPath/maxLinks {
			return // no file system has such links, or they lead too far to begin again
		}
		links := map[string]string{path.Clean(from): to, path.Clean(other): target}
		look := func(p string) (string, kind) {
			if to, ok := links[p]; ok {
				return to, isLink
			}
			return "", isNode
		}
		got, ok := resolve(p, look)
		if !ok {
			return
		}
		if !strings.HasPrefix(got, "/") || path.Clean(got) != got {
			t.Fatalf("%q leads to %q", p, got)
		}
		if again, ok := resolve(got, look); !ok || again != got {
			t.Fatalf("%q leads to %q, and that to %q", p, got, again)
		}
	})
}
