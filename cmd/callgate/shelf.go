package main

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/wasm"
)

// compileVerb is the hidden verb of the process that compiles a module, so that it
// can be killed.
const compileVerb = "compile-plugin"

// shelf holds the plugins of this process. Nothing of it is made before a policy
// names a plugin.
var shelf = sync.OnceValue(func() *wasm.Shelf {
	kept := ""
	if state, err := ledger.StateDir(os.Getenv); err == nil {
		kept = filepath.Join(state, "plugins")
	}
	return wasm.NewShelf(sandbox(), kept)
})

// sandbox says how plugins run in this process.
func sandbox() (o wasm.Options) {
	if self, err := os.Executable(); err == nil {
		o.Compiler = []string{self, compileVerb}
	}
	if cache, err := os.UserCacheDir(); err == nil {
		o.CacheDir = filepath.Join(cache, "callgate", "plugins")
	}
	return o
}

// pluginOf returns the plugin that an entry of a policy binds.
func pluginOf(ref contract.PluginRef) (contract.Plugin, error) { return shelf().Plugin(ref) }

// pluginLoads says why there is none.
func pluginLoads(ref contract.PluginRef) error {
	_, err := pluginOf(ref)
	return err
}

// declaredBy lists the plugins of a policy with the codes that they declare.
func declaredBy(p *policy.Policy) []cases.Plugin {
	var list []cases.Plugin
	for _, ref := range p.Plugins() {
		one := cases.Plugin{Name: ref.Name}
		if plugin, err := pluginOf(ref); err == nil {
			for _, c := range plugin.Manifest().Codes {
				one.Codes = append(one.Codes, c.Name)
			}
		}
		list = append(list, one)
	}
	return list
}
