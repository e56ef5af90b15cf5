package scan_test

import (
	"testing"

	"github.com/callgate/callgate/host/wasm/scan"
	"github.com/callgate/callgate/host/wasm/wasmtest"
)

func TestTheSmallestPluginIsAdmitted(t *testing.T) {
	r, err := scan.Module(wasmtest.Plugin().Bytes(), scan.Default())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", r)
}
