package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
)

func TestTheConfigurationsOfClientsAreOutOfReach(t *testing.T) {
	home := t.TempDir()
	for name, dir := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_CACHE_HOME": filepath.Join(home, "cache")} {
		t.Setenv(name, dir)
	}
	p, err := policy.Load(policy.Options{Specs: builtin.Table()})
	if err != nil {
		t.Fatal(err)
	}
	list := protected(p, filepath.Join(home, "ledgers"))
	for path, want := range map[string]bool{
		".claude.json": true, ".cursor/mcp.json": true, ".codex/config.toml": true, "state/callgate": true, "ledgers": true,
		"notes/.claude.json": false, ".cursor": false, "work/.mcp.json": false,
	} {
		if got := slices.Contains(list, filepath.Join(home, path)); got != want {
			t.Errorf("%s protected: %v; want %v", path, got, want)
		}
	}
}

// What pins bundles is out of reach as well, before there is any, and so are bundles
// and their signatures; what lies beside them is not.
func TestLocksAndBundlesAreOutOfReach(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	module, err := os.ReadFile("demo_contract.wasm")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"p/policy.yaml": "callgate: 1\ninclude: [../base/base.yaml]\n",
		"base/base.yaml": "callgate: 1\nplugins:\n  - {name: a, use: ../b/a.cgp, on: {tools: [\"*\"]}, with: {word: x}}\n" +
			"  - {name: b, use: \"oci://r.example/b:1\", on: {tools: [\"*\"]}, with: {word: y}}\n",
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := policy.Load(policy.Options{Files: []string{filepath.Join(dir, "p/policy.yaml")}, Specs: builtin.Table(), Bundle: func(policy.Use) (*policy.Opened, error) {
		return &policy.Opened{Module: module, Bundle: contract.Bundle{Digest: "sha256:aa", Name: "acme/a", Version: "1.0.0", Keys: []string{"00000000000000AA"}}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	list := protected(p, filepath.Join(dir, "ledgers"))
	for path, want := range map[string]bool{
		"p/callgate.lock": true, "base/callgate.lock": true, "b/a.cgp": true, "b/a.cgp.minisig": true, "b/a.cgp.00000000000000AA.minisig": true,
		"state/callgate": true, "state/callgate/trust.json": true, "b/callgate.lock": false, "b": false, "p": false, "b/other.cgp": false,
	} {
		if got := slices.Contains(list, filepath.Join(dir, filepath.FromSlash(path))); got != want {
			t.Errorf("%s protected: %v; want %v", path, got, want)
		}
	}
	for _, path := range list {
		if !filepath.IsAbs(path) {
			t.Errorf("%q is protected", path)
		}
	}
}
