package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
)

// TestTheSpecificationNamesEveryLimit keeps limits from being moved by accident.
func TestTheSpecificationNamesEveryLimit(t *testing.T) {
	_, section, ok := strings.Cut(string(read(t, "../../abi/ABI.md")), "\n## Bundles\n")
	if !ok {
		t.Fatal("no section about bundles")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := []struct {
		what string
		n    int
	}{
		{"compressed bytes", bundle.MaxCompressed}, {"bytes of the archive", bundle.MaxContent}, {"files", bundle.MaxEntries}, {"bytes of `plugin.wasm`", bundle.MaxModule},
		{"bytes of `plugin.json`", abi.MaxManifest}, {"bytes of any other file", bundle.MaxText}, {"window of the compression", bundle.MaxWindow},
	}
	for _, r := range rows {
		if row := fmt.Sprintf("| %s | %d |\n", r.what, r.n); !strings.Contains(section, row) {
			t.Errorf("ABI.md has no row %s", row)
		}
	}
	if n := strings.Count(section, "\n| "); n != len(rows)+1 {
		t.Errorf("%d rows in ABI.md; want %d and a head", n, len(rows))
	}
}
