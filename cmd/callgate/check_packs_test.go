package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckSaysWhichPackIsTheServersOwn: several packs fit a server that borrows
// common names, and one of them is worth binding by hand.
func TestCheckSaysWhichPackIsTheServersOwn(t *testing.T) {
	const byHand = "; bind it by hand with servers: {"
	tests := []struct{ list, by, own, other string }{
		{"sqlite.json", "", "pack sqlite binds to s by fit: only what restricts counts" + byHand, "pack supabase binds to s by fit: only what restricts counts ("},
		{"github-official.json", "", "pack github binds to s by fit: only what restricts counts" + byHand, "pack gitlab binds to s by fit: only what restricts counts ("},
		{"github-official.json", "servers: {s: {pack: github}}\n", "pack github binds to s by hand: everything in it counts (", "pack gitlab binds to s by fit: only what restricts counts ("},
		{"playwright.json", "", "pack playwright binds to s by fit: only what restricts counts" + byHand, "0 errors, 1 note"},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "policy.yaml")
		if err := os.WriteFile(path, []byte("callgate: 1\ninclude: [starter]\n"+tt.by), 0o600); err != nil {
			t.Fatal(err)
		}
		var f checkFlags
		f.files = []string{path}
		f.tools = []string{"s=" + filepath.Join("../../testdata/mcp-tools", tt.list)}
		var out bytes.Buffer
		if err := check(&out, f); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{tt.own, tt.other} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", tt.list, want, out.String())
			}
		}
		if strings.Count(out.String(), byHand) > 1 || strings.Contains(out.String(), "builtin/starter.yaml") {
			t.Errorf("%s: more than one pack to bind, or the starter's own notes, in\n%s", tt.list, out.String())
		}
	}
	if len(tests) == 0 {
		t.Fatal("nothing was tried")
	}
}
