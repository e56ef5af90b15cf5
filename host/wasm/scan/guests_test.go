package scan_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/callgate/callgate/host/wasm/scan"
	. "github.com/callgate/callgate/host/wasm/wasmtest"
)

// goGuest is an honest guest that takes in much of the standard library. It is
// text here, for a folder with it would be a package of ours.
const goGuest = `package main

import (
	"encoding/json"
	"fmt"
	"regexp"
)

//go:wasmexport callgate_abi_1_0
func abi() {}

//go:wasmexport callgate_evaluate
func evaluate() uint64 {
	var v any
	err := json.Unmarshal([]byte("{}"), &v)
	fmt.Println(v, err, regexp.MustCompile("a+b").MatchString("aab"))
	return 0
}

func main() {}
`

func buildGo(t *testing.T, flags ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	source, out := filepath.Join(dir, "main.go"), filepath.Join(dir, "guest.wasm")
	if err := os.WriteFile(source, []byte(goGuest), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), source)...)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return readFile(t, out)
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAGoGuestFitsWithRoom(t *testing.T) {
	r := reportOf(t, buildGo(t, "-buildmode=c-shared"))
	for _, u := range r.Used {
		// Half of what is admitted, at most.
		if u.Used*2 > u.Max {
			t.Errorf("%s: %d of %d is used by a guest of 20 lines", u.Name, u.Used, u.Max)
		}
	}
	if !r.Initialize || r.Configure || !r.HasName || r.Start != -1 || r.Floats == 0 || r.Manifest != nil || !slices.Equal(r.ABI, []string{scan.Version}) {
		t.Errorf("the report is %+v", r)
	}
	if r.Used[scan.Nesting].Used < 100 || r.Used[scan.DataSegments].Used < 10_000 || r.Used[scan.BranchTargets].Used < 500 {
		t.Errorf("the guest is not what it was: %v", r.Used)
	}
}

func TestAGoCommandIsToldHowToBeBuilt(t *testing.T) {
	found := errorsOf(t, buildGo(t))
	if !slices.ContainsFunc(found, func(p scan.Problem) bool {
		return p.Code == scan.CodeCommand && strings.Contains(p.Text, "go build -buildmode=c-shared with GOOS=wasip1 GOARCH=wasm")
	}) {
		t.Errorf("got %v", found)
	}
}

func TestGuestsOfOtherToolchainsAreAdmitted(t *testing.T) {
	r := engine(t)
	for name, want := range map[string]struct {
		imports, start int
		names          bool
	}{
		"minimal.wasm": {1, -1, true},
		"libc.wasm":    {4, -1, true},
		"text.wasm":    {1, 4, false},
	} {
		module := readFile(t, filepath.Join("testdata/guest", name))
		if !agree(t, r, module) {
			t.Errorf("%s: %v", name, errorsOf(t, module))
			continue
		}
		got := reportOf(t, module)
		if len(got.Imports) != want.imports || got.Start != want.start || got.HasName != want.names {
			t.Errorf("%s: %d imports, start %d, names %v; want %+v", name, len(got.Imports), got.Start, got.HasName, want)
		}
	}
}

// The functions of WASI have the types that wazero, which has them from the
// specification, gives them.
func TestWASIHasItsTypes(t *testing.T) {
	ctx := context.Background()
	host, err := wasi_snapshot_preview1.NewBuilder(engine(t)).Compile(ctx)
	if err != nil {
		t.Fatal(err)
	}
	theirs := map[string]string{}
	for name, f := range host.ExportedFunctions() {
		theirs[name] = letters(f.ParamTypes()) + ">" + letters(f.ResultTypes())
	}
	for _, f := range scan.WASI {
		if got := f.Params + ">" + f.Results; got != theirs[f.Name] {
			t.Errorf("%s is %s; want %s", f.Name, got, theirs[f.Name])
		}
		delete(theirs, f.Name)
	}
	if len(theirs) > 0 || len(scan.WASI) != 46 {
		t.Errorf("%d functions; missing are %v", len(scan.WASI), theirs)
	}
}

func letters(types []api.ValueType) string {
	var s strings.Builder
	for _, t := range types {
		s.WriteByte(map[api.ValueType]byte{api.ValueTypeI32: 'i', api.ValueTypeI64: 'I'}[t])
	}
	return s.String()
}

func TestEachFunctionOfWASILinksWithItsTypeOnly(t *testing.T) {
	for _, f := range slices.Concat(scan.Host, scan.WASI) {
		reportOf(t, changed(importing(f.Module, f.Name, f.Params, f.Results)))
		for _, other := range []string{f.Params + "i", strings.Replace(f.Params+"I", "i", "I", 1)} {
			if found := errorsOf(t, changed(importing(f.Module, f.Name, other, f.Results))); len(found) != 1 || found[0].Code != scan.CodeImport {
				t.Errorf("%s with %s: %v", f.Name, other, found)
			}
		}
	}
}

func TestTheManifestIsFoundAndTakenOff(t *testing.T) {
	plain := Plugin().Bytes()
	section := Custom("callgate.manifest", []byte(`{"a":1}`))
	end := slices.Concat(plain, section)
	front := slices.Concat(Header, section, plain[len(Header):])
	for name, module := range map[string][]byte{"end": end, "front": front} {
		m, err := scan.Manifest(module)
		bare, err2 := scan.Strip(module)
		if string(m) != `{"a":1}` || string(bare) != string(plain) || err != nil || err2 != nil {
			t.Errorf("%s: %q, %x, %v, %v", name, m, bare, err, err2)
		}
		if r := reportOf(t, module); string(r.Manifest) != `{"a":1}` {
			t.Errorf("%s: the report has the manifest %q", name, r.Manifest)
		}
	}
	if m, err := scan.Manifest(plain); m != nil || err != nil {
		t.Errorf("none: %q, %v", m, err)
	}
	if m, err := scan.Manifest(slices.Concat(plain, Custom("callgate.manifest"))); m == nil || len(m) != 0 || err != nil {
		t.Errorf("empty: %q, %v", m, err)
	}
	two := slices.Concat(end, section)
	if _, err := scan.Manifest(two); err == nil || !strings.Contains(err.Error(), "a second section callgate.manifest") {
		t.Errorf("two: %v", err)
	}
	if bare, err := scan.Strip(two); string(bare) != string(plain) || err != nil {
		t.Errorf("two, stripped: %x, %v", bare, err)
	}
	for _, bad := range [][]byte{nil, []byte("no module"), end[:len(end)-1]} {
		if m, err := scan.Manifest(bad); err == nil {
			t.Errorf("%x has the manifest %q", bad, m)
		}
		if b, err := scan.Strip(bad); err == nil {
			t.Errorf("%x is stripped: %x", bad, b)
		}
	}
}
