package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/wasm"
)

// canaries runs the cases of each plugin that a policy would bring in: those of its
// bundle, or of the folder that its module lies in. A case that fails keeps the policy out, whatever
// the policy itself says of the plugin.
func canaries(now, next *policy.Policy) error {
	in := now.Plugins()
	var errs []error
	tried := map[string]bool{}
	for _, ref := range next.Plugins() {
		known := func(old contract.PluginRef) bool {
			return old.Digest == ref.Digest && old.Bundle.Digest == ref.Bundle.Digest
		}
		key := ref.Digest + ref.Bundle.Digest
		if tried[key] || slices.ContainsFunc(in, known) {
			continue
		}
		tried[key] = true
		if err := canary(ref); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w; mend the plugin, or its cases", ref.Rule, err))
		}
	}
	return errors.Join(errs...)
}

// caseFiles lists the files of cases that lie beside the modules of a policy.
func caseFiles(p *policy.Policy) []string {
	var files []string
	for _, ref := range p.Plugins() {
		if ref.Bundle.Digest != "" {
			continue // its cases are in it
		}
		dir := filepath.Join(filepath.Dir(filepath.FromSlash(ref.File)), plugin.CasesDir)
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // most modules lie in no folder of their own
		}
		for _, e := range entries {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// canary runs the cases of one plugin. A module without a folder of its own has
// none.
func canary(ref contract.PluginRef) error {
	t, err := loadedTarget(ref)
	if err != nil {
		return err
	}
	files, err := t.Cases()
	if err != nil || len(files) == 0 {
		return err
	}
	host, err := wasm.New(sandbox())
	if err != nil {
		return err
	}
	defer host.Close()
	start := func(settings abi.Value) func(abi.Value) cases.PluginAnswer {
		p, err := host.Load(context.Background(), wasm.Source{Name: ref.Name, Module: t.Module.Data, Manifest: t.Module.Manifest, Settings: settings})
		return func(snapshot abi.Value) cases.PluginAnswer {
			var refused *wasm.Error
			switch {
			case errors.As(err, &refused):
				return cases.PluginAnswer{Class: refused.Class, Detail: refused.Detail}
			case err != nil:
				return cases.PluginAnswer{Class: abi.FailHost, Detail: err.Error()}
			}
			a := p.Evaluate(snapshot)
			return cases.PluginAnswer{Output: a.Output, Fuel: a.Fuel, Class: a.Class, Detail: a.Detail}
		}
	}
	for _, f := range files {
		for _, r := range cases.RunPlugin(f.File, t.Module.Manifest, start) {
			if len(r.Failures) > 0 {
				return fmt.Errorf("plugin %q fails its case %q (%s:%d): %s", ref.Name, r.Name, f.Path, r.Failures[0].Line, r.Failures[0].Text)
			}
		}
	}
	return nil
}

// loadedTarget reads again what an entry of a policy has loaded.
func loadedTarget(ref contract.PluginRef) (*plugin.Target, error) {
	if ref.Bundle.Digest != "" {
		b, err := findBundle(ref)
		if err != nil {
			return nil, fmt.Errorf("plugin %q: %w", ref.Name, err)
		}
		return plugin.BundleTarget(ref.File, b), nil
	}
	t, err := plugin.ReadTarget(filepath.FromSlash(ref.File))
	if err == nil && t.Folder != nil && t.Module.File != ref.Digest {
		err = fmt.Errorf("plugin %q: its module has changed since it was read", ref.Name)
	}
	return t, err
}
