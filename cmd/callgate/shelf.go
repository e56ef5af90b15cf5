package main

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/ledger"
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
