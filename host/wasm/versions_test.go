package wasm

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// told is the golden that notes which ABI it is spoken to in, with another marker
// and another manifest.
func told(t *testing.T, marker, manifest string) Source {
	t.Helper()
	data, err := os.ReadFile("../../abi/testdata/1.0/told/told.wasm")
	if err != nil {
		t.Fatal(err)
	}
	now := []byte(abi.MarkerOf("1.0"))
	if bytes.Count(data, now) != 1 || bytes.Count(data, []byte(`"abi": "1.0"`)) != 1 {
		t.Fatal("the golden has not one marker and one manifest")
	}
	data = bytes.Replace(data, now, []byte(abi.MarkerOf(marker)), 1)
	data = bytes.Replace(data, []byte(`"abi": "1.0"`), []byte(`"abi": "`+manifest+`"`), 1)
	m, _, err := abi.ReadModule(data)
	if err != nil {
		t.Fatal(err)
	}
	return Source{Name: "told", Module: data, Manifest: m}
}

func TestAPluginIsSpokenToInItsOwnABI(t *testing.T) {
	h := newHost(t, Options{})
	for _, version := range abi.Versions {
		src := told(t, version, version)
		p := load(t, h, src)
		a := p.Evaluate((&abi.Snapshot{Phase: abi.PhaseCall}).View(src.Manifest))
		if want := `"tags":{"configure":"` + version + `   ","evaluate":"` + version + `   "}`; a.Class != "" || !strings.Contains(string(a.Output), want) {
			t.Errorf("%s: %q %s; want %s", version, a.Class, a.Output, want)
		}
	}
}

func TestMarkerAndManifestHaveToAgree(t *testing.T) {
	h := newHost(t, Options{})
	for _, c := range []struct{ marker, manifest, want string }{
		{"0.1", "1.0", `the module is built for ABI 0.1, and its manifest says "1.0"`},
		{"1.0", "0.1", `the module is built for ABI 1.0, and its manifest says "0.1"`},
		{"1.1", "1.0", "the module is built for ABI 1.1; this host speaks 1.0 and 0.1"},
		{"2.0", "1.0", "the module is built for ABI 2.0; this host speaks 1.0 and 0.1"},
	} {
		src := told(t, c.marker, c.manifest)
		if _, err := h.Load(context.Background(), src); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with a manifest of %s: %v; want %q", c.marker, c.manifest, err, c.want)
		}
		if _, problems := Inspect(src.Module, src.Manifest); !strings.Contains(problems.Error(), c.want) {
			t.Errorf("%s with a manifest of %s: inspected: %v; want %q", c.marker, c.manifest, problems, c.want)
		}
	}
}
