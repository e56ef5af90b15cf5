package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/plural"
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
	if state := stateDir(); state != "" {
		kept = filepath.Join(state, "plugins")
	}
	s := wasm.NewShelf(sandbox(), kept)
	s.Unpack = unpacked
	return s
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

// holdPlugins keeps the plugins of a policy that comes into force.
func holdPlugins(p *policy.Policy) (release func()) {
	refs := p.Plugins()
	if len(refs) == 0 {
		return func() {}
	}
	return shelf().Hold(refs)
}

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

// shownDigest is how much of a digest a line about something else shows; callgate plugin
// ls has all of it.
const shownDigest = len("sha256:") + 12

// pluginText names a plugin of a policy for people.
func pluginText(ref contract.PluginRef) string {
	text := "plugin " + ref.Name + " "
	if b := ref.Bundle; b.Digest != "" {
		b.Digest = b.Digest[:min(len(b.Digest), shownDigest)]
		text += bundleText(b)
	} else {
		text += ref.Digest[:min(len(ref.Digest), shownDigest)]
	}
	if ref.Observe {
		text += " OBSERVES ONLY"
	}
	return text
}

// heardText says what plugins said beside, or as, a verdict.
func heardText(v *abi.Verdict) string {
	var b strings.Builder
	for _, one := range append([]abi.Verdict{*v}, v.Also...) {
		if one.Plugin == nil {
			continue
		}
		loud := "plugin"
		if one.Observed {
			loud = "OBSERVED plugin"
		}
		fmt.Fprintf(&b, "; %s %s: %s", loud, one.Contract, strings.TrimSpace(one.Outcome.String()+" "+one.Code))
	}
	if len(v.Skipped) > 0 {
		fmt.Fprintf(&b, "; not asked: %s", strings.Join(v.Skipped, ", "))
	}
	return b.String()
}

// receiptText writes what is kept of a plugin's evaluation. What the plugin wrote is
// quoted.
func receiptText(line func(name, text string), v abi.Verdict) {
	if v.List != nil {
		line("list", v.List.Kind+" of "+v.List.Server)
	}
	if len(v.Obligations.Hide) > 0 {
		line("hides", quoted(v.Obligations.Hide))
	}
	if len(v.Obligations.Redact) > 0 {
		line("redacts", strings.Join(v.Obligations.Redact, " "))
	}
	if v.Obligations.Calls != nil {
		line("leaves", plural.Of(*v.Obligations.Calls, "call")+" of it")
	}
	if p := v.Plugin; p != nil {
		line("module", p.Module)
		line("fuel", strconv.FormatUint(p.Fuel, 10))
		if p.Class != "" {
			line("failed", string(p.Class)+": "+p.Detail)
		}
		if p.Reason != "" {
			line("it says", quoteShown(p.Reason))
		}
		for _, t := range p.Tags {
			line("it notes", quoteShown(t.Name)+": "+quoteShown(t.Text))
		}
	}
	line("skipped", strings.Join(v.Skipped, " "))
}

// pluginValues are the plugins of a policy for programs; absent: it has none.
func pluginValues(refs []contract.PluginRef) abi.Value {
	var list []abi.Value
	for _, ref := range refs {
		list = append(list, object("name", ref.Name, "file", ref.File, "digest", ref.Digest, "bundle", bundleValue(ref.Bundle), "observe", ref.Observe))
	}
	if list == nil {
		return abi.Value{}
	}
	return abi.ArrayValue(list...)
}
