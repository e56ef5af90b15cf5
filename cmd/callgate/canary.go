package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/wasm"
)

// canaries runs the cases of each plugin that a policy would bring in: those of its
// bundle, or of the folder that its module lies in. A case that fails keeps the policy
// out, as do those that never end, whatever the policy itself says of the plugin.
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
		if err := canary(ref, sandbox(), time.Now().Add(canaryTime)); err != nil {
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

// canaryTime is how long the cases of one plugin may take. Until they have ended no
// other change of the policy comes into force.
const canaryTime = time.Minute

// canary runs the cases of one plugin in a sandbox, until a time. A module without a folder of its
// own has none.
func canary(ref contract.PluginRef, o wasm.Options, until time.Time) error {
	t, err := loadedTarget(ref)
	if err != nil {
		return err
	}
	files, err := t.Cases()
	if err != nil || len(files) == 0 {
		return err
	}
	host, err := wasm.New(o)
	if err != nil {
		return err
	}
	defer host.Close()
	c := canaryRun{host: host, name: ref.Name, module: t.Module, until: until}
	defer c.close()
	for _, f := range files {
		results := cases.RunPlugin(f.File, t.Module.Manifest, c.start)
		if c.late {
			return fmt.Errorf("plugin %q: its cases take longer than %s (%s)", ref.Name, canaryTime, f.Path)
		}
		for _, r := range results {
			if len(r.Failures) > 0 {
				return fmt.Errorf("plugin %q fails its case %q (%s:%d): %s", ref.Name, r.Name, f.Path, r.Failures[0].Line, r.Failures[0].Text)
			}
		}
	}
	return nil
}

// canaryRun has the module loaded with the settings of one case at a time: a bundle
// could state thousands of them.
type canaryRun struct {
	host   *wasm.Host
	name   string
	module *plugin.Module
	until  time.Time
	late   bool // it is past until: what is left was not tried

	settings string
	loaded   bool // with these settings, or err says why not
	plugin   *wasm.Plugin
	err      error
}

func (c *canaryRun) close() {
	if c.plugin != nil {
		c.plugin.Close()
	}
	c.plugin, c.loaded = nil, false
}

func (c *canaryRun) start(settings abi.Value) func(abi.Value) cases.PluginAnswer {
	if key := settings.String(); !c.loaded || c.settings != key {
		c.close()
		if c.isLate() {
			return func(abi.Value) cases.PluginAnswer { return cases.PluginAnswer{Class: abi.FailHost} }
		}
		c.settings, c.loaded = key, true
		// As a policy and callgate plugin test have it: the plugin does not see what
		// its manifest does not take.
		if err := policy.CheckSettings(c.module.Manifest, settings); err != nil {
			c.err = &wasm.Error{Plugin: c.name, Class: abi.FailConfigure, Detail: err.Error()}
			return c.ask
		}
		c.plugin, c.err = c.host.Load(context.Background(), wasm.Source{Name: c.name, Module: c.module.Data, Manifest: c.module.Manifest, Settings: settings})
	}
	return c.ask
}

func (c *canaryRun) isLate() bool {
	c.late = c.late || time.Now().After(c.until)
	return c.late
}

func (c *canaryRun) ask(snapshot abi.Value) cases.PluginAnswer {
	var refused *wasm.Error
	switch {
	case c.isLate():
		return cases.PluginAnswer{Class: abi.FailHost}
	case errors.As(c.err, &refused):
		return cases.PluginAnswer{Class: refused.Class, Detail: refused.Detail}
	case c.err != nil:
		return cases.PluginAnswer{Class: abi.FailHost, Detail: c.err.Error()}
	}
	a := c.plugin.Evaluate(snapshot)
	return cases.PluginAnswer{Output: a.Output, Fuel: a.Fuel, Class: a.Class, Detail: a.Detail}
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
