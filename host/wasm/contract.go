package wasm

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// bound is a plugin as an entry of a policy binds it.
type bound struct {
	plugin   *Plugin
	manifest *abi.Manifest
	name     string
	receipt  abi.PluginReceipt // what is the same in every evaluation
}

var _ contract.Plugin = (*bound)(nil)

// Bind makes a contract of a plugin. The name is the one that the policy gave it,
// module the digest of its module, and settings those that it was loaded with.
func Bind(p *Plugin, m *abi.Manifest, name, module string, settings abi.Value) contract.Plugin {
	return &bound{plugin: p, manifest: m, name: name, receipt: abi.PluginReceipt{Module: module, Settings: settings.Digest()}}
}

// Manifest implements [contract.Plugin].
func (b *bound) Manifest() *abi.Manifest { return b.manifest }

// Judge implements [contract.Contract]. Whatever goes wrong denies.
func (b *bound) Judge(s *abi.Snapshot) abi.Verdict {
	view := s.View(b.manifest)
	a := b.plugin.Evaluate(view)
	v := abi.Verdict{Contract: b.name, Code: a.Class.Code(), Plugin: &abi.PluginReceipt{}}
	detail := a.Detail
	if a.Class == "" {
		said, err := abi.ParsePluginVerdict(a.Output, b.manifest, b.name, s.Phase)
		if v = said; err != nil {
			a.Class, detail = abi.FailProtocol, err.Error()
			v = abi.Verdict{Contract: b.name, Code: a.Class.Code(), Plugin: &abi.PluginReceipt{}}
		}
	}
	r := b.receipt
	r.Input, r.Fuel, r.Class, r.Detail = view.Digest(), a.Fuel, a.Class, detail
	if len(a.Output) > 0 {
		r.Output = abi.DigestBytes(a.Output)
	}
	r.Reason, r.Tags = v.Plugin.Reason, v.Plugin.Tags
	v.Plugin = &r
	return v
}
