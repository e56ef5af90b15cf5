package locked_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/locked"
	"github.com/callgate/callgate/host/policy"
)

// The module of a plain file is refused where its digest is revoked, with or without its
// manifest, and where it can not be known what is.
func TestAPlainModuleThatIsRevokedIsNotServed(t *testing.T) {
	other := map[string]string{"sha256:" + strings.Repeat("0", 64): "other"}
	revoked := func(digest func(w *world) string) func(w *world) {
		return func(w *world) {
			w.trust.Revoked = map[string]string{digest(w): "it leaks"}
			w.saveTrust()
		}
	}
	tests := []struct {
		name  string
		spoil func(w *world)
		want  string // "": it loads
	}{
		{"trusted", func(*world) {}, ""},
		{"another is revoked", func(w *world) { w.trust.Revoked = other; w.saveTrust() }, ""},
		{"its file", revoked(func(w *world) string { return w.opened.FileDigest }), `is revoked by the trust file: "it leaks"`},
		{"the module in it", revoked(func(w *world) string { return w.opened.ModuleDigest }), `is revoked by the trust file: "it leaks"`},
		{"all plain ones are refused", func(w *world) { w.trust.RefusePlain = true; w.saveTrust() }, "it came in no bundle, and the trust file refuses what nobody signed"},
		{"the bundle that it is in, too", revoked(func(w *world) string { return w.opened.Digest }), ""},
		{"nobody is trusted", func(w *world) { w.trust = &bundle.Trust{}; w.saveTrust() }, ""},
		{"no trust file", func(w *world) { w.gone(w.trustFile()) }, ""},
		{"no directory of state", func(w *world) { w.state = "" }, ""},
		{"a trust file that is none", func(w *world) { must(w, os.WriteFile(w.trustFile(), []byte("[]"), 0o600)) }, "plugins[0].use: "},
		{"a trust file that is a folder", func(w *world) { w.gone(w.trustFile()); must(w, os.Mkdir(w.trustFile(), 0o700)) }, "whether it is revoked can not be known"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.put("p.wasm", w.opened.Module)
			w.policy("callgate: 1\nplugins:\n  - {name: p, use: ./p.wasm, on: {tools: [\"*\"]}}\n")
			c.spoil(w)
			o := locked.New(w.state, today)
			p, err := policy.Load(policy.Options{Files: []string{w.in("policy.yaml")}, Bundle: o.Open, Allow: o.Allow})
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "policy.yaml:3:20: ")):
				t.Fatalf("got %v; want %q", err, c.want)
			case err == nil && w.state != "":
				// What says so is watched, there or not, and nothing else is.
				if _, ok := o.Sums()[w.trustFile()]; !ok || !slices.Equal(locked.Files(w.state, p), []string{w.trustFile()}) {
					t.Errorf("it depends on %v, and on %v", o.Sums(), locked.Files(w.state, p))
				}
			}
		})
	}
	if len(tests) == 0 {
		t.Fatal("no cases")
	}
}
