package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/wasm"
)

// Cases of strangers hold up the reloads that come after them for a while only, and
// what they state as settings is not all kept.
func TestCanariesEnd(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"lax.wasm", "plugin.json"} {
		data, err := os.ReadFile(filepath.Join("../../host/plugin/testdata/lax", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	module, err := os.ReadFile(filepath.Join(dir, "lax.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	ref := contract.PluginRef{Name: "lax", File: filepath.ToSlash(filepath.Join(dir, "lax.wasm")), Digest: abi.DigestBytes(module)}
	var text strings.Builder
	text.WriteString("cases:\n")
	for i := range 3 {
		fmt.Fprintf(&text, "  - {name: case %d, args: {to: a@example.org}, want: {outcome: deny, code: LAX}}\n", i)
	}
	if err := os.Mkdir(filepath.Join(dir, "cases"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, more string
		left       time.Duration
		want       string // "": the plugin may come in
	}{
		{"in time", "", time.Hour, ""},
		{"late", "", -time.Hour, `plugin "lax": its cases take longer than 1m0s`},
		{"late, and wrong", "  - {name: wrong, args: {to: a}, want: {outcome: abstain}}\n", -time.Hour, "its cases take longer"},
		{"wrong", "  - {name: wrong, args: {to: a@example.org}, want: {outcome: abstain}}\n", time.Hour, `fails its case "wrong"`},
		{"late, and a class that is wanted of it", "  - {name: host, args: {to: a}, want: {class: host}}\n", -time.Hour, "its cases take longer"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "cases", "a.yaml"), []byte(text.String()+c.more), 0o600); err != nil {
			t.Fatal(err)
		}
		err := canary(ref, wasm.Options{}, time.Now().Add(c.left))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}
