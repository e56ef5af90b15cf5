package plugin

import (
	"context"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm"
)

// Ran is one evaluation. With a Class there is no verdict.
type Ran struct {
	wasm.Answer
	Verdict abi.Verdict
}

// Run asks a module about one snapshot, as [ParseInput] makes it. An error says
// why the module does not load.
func Run(o wasm.Options, m *Module, view, settings abi.Value) (*Ran, error) {
	if err := checkSettings(m, settings); err != nil {
		return nil, err
	}
	h, err := wasm.New(o)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	p, err := h.Load(context.Background(), wasm.Source{Name: m.Manifest.Name, Module: m.Data, Manifest: m.Manifest, Settings: settings})
	if err != nil {
		return nil, err
	}
	r := &Ran{Answer: p.Evaluate(view)}
	if r.Class != "" {
		return r, nil
	}
	if r.Verdict, err = abi.ParsePluginVerdict(r.Output, m.Manifest, lastSegment(m.Manifest.Name), abi.Phase(view.Get("phase").Str())); err != nil {
		r.Class, r.Detail = abi.FailProtocol, err.Error()
	}
	return r, nil
}
