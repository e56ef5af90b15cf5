package packs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/callgate/callgate/packs"
)

func TestEveryPackHasItsLineInTheDocs(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "docs", "packs.md"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| [^|]+ \\|$").FindAllStringSubmatch(string(data), -1) {
		listed = append(listed, m[1])
	}
	if names := packs.Names(); len(names) == 0 || !slices.Equal(listed, names) {
		t.Errorf("docs/packs.md lists %q; the packs are %q", listed, names)
	}
}
