package scan_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/scan"
	. "github.com/callgate/callgate/host/wasm/wasmtest"
)

// A scan imports nothing of ours; what it calls things is what the ABI does.
func TestNamesAreThoseOfTheABI(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{scan.Version, abi.Version},
		{strings.Join(scan.Versions, " "), strings.Join(abi.Versions, " ")},
		{scan.Marker, abi.MarkerExport},
		{scan.MarkerPrefix, abi.MarkerPrefix},
		{scan.ExportEvaluate, abi.EvaluateExport},
		{scan.HostModule, abi.HostModule},
		{scan.ManifestSection, abi.ManifestSection},
	} {
		if c.got != c.want || c.got == "" {
			t.Errorf("%q is %q in the ABI", c.got, c.want)
		}
	}
}

// Messages about code name functions, whatever their names are made of.
func TestFunctionsAreNamedInMessages(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"main.run", "function 3 (main.run), "},
		{"a;b\n\x1b[1m", `function 3 ("a;b\n\x1b[1m"), `},
		{strings.Repeat("x", 100), `function 3 ("` + strings.Repeat("x", 64) + `"…), `},
		{"", `function 3 (""), `},
	} {
		found := errorsOf(t, changed(func(m *Module) {
			m.Add(Void, Body("\x0b"))
			m.Add(Void, Body("\x1a\x0b"))
			m.Tail = Custom("name", Section(1, Vec(Cat(U(2), Name("other")), Cat(U(3), Name(c.name)))))
		}))
		if len(found) != 1 || !strings.HasPrefix(found[0].Text, c.want) {
			t.Errorf("%q: got %v, want %q", c.name, found, c.want)
		}
	}
	// Without names, and with such as can not be read, it is the number.
	for _, names := range [][]byte{nil, Custom("name", Section(1, []byte("\x05")))} {
		found := errorsOf(t, changed(func(m *Module) { m.Add(Void, Body("\x1a\x0b")); m.Tail = names }))
		if len(found) == 0 || !strings.HasPrefix(found[0].Text, "function 2, offset ") {
			t.Errorf("got %v", found)
		}
	}
}
