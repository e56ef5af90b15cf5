package scan_test

import (
	"errors"
	"testing"

	"github.com/callgate/callgate/host/wasm/scan"
	. "github.com/callgate/callgate/host/wasm/wasmtest"
)

// problems is what a scan with the default limits says.
func problems(t *testing.T, module []byte) (*scan.Report, []scan.Problem) {
	t.Helper()
	r, err := scan.Module(module, scan.Default())
	if err == nil {
		return r, nil
	}
	var p *scan.Problems
	if !errors.As(err, &p) || len(p.List) == 0 || p.Error() == "" || r != nil {
		t.Fatalf("the error is %#v, beside the report %v", err, r)
	}
	return nil, p.List
}

// changed is the smallest plugin with a change.
func changed(change func(*Module)) []byte {
	m := Plugin()
	change(m)
	return m.Bytes()
}

// repeat is n elements.
func repeat(n int, element []byte) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = element
	}
	return all
}
