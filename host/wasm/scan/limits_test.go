package scan_test

import (
	"encoding/json"
	"maps"
	"os"
	"testing"

	"github.com/callgate/callgate/host/wasm/scan"
	"github.com/callgate/callgate/host/wasm/wasmtest"
)

// A limit that is lowered refuses plugins that were built under it, and one
// that is raised is a decision about what hosts must bear: the file is changed
// on purpose, with the constant.
func TestLimitsAreFrozen(t *testing.T) {
	text, err := os.ReadFile("../testdata/limits.json")
	if err != nil {
		t.Fatal(err)
	}
	var frozen struct{ Scan map[string]uint64 }
	if err := json.Unmarshal(text, &frozen); err != nil {
		t.Fatal(err)
	}
	r, err := scan.Module(wasmtest.Plugin().Bytes(), scan.Default())
	if err != nil {
		t.Fatal(err)
	}
	now := map[string]uint64{}
	for _, u := range r.Used {
		now[u.Name] = u.Max
	}
	if len(now) < 20 || !maps.Equal(now, frozen.Scan) {
		t.Errorf("the limits are %v; testdata/limits.json has %v", now, frozen.Scan)
	}
}
