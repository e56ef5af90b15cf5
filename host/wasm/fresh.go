package wasm

import (
	"fmt"

	"github.com/callgate/callgate/abi"
)

// Fresh asks an instance that was started for this alone: what src was loaded
// with goes through the start function, _initialize and configure again, and
// nothing is put back. Its answer is that of [Plugin.Evaluate], or there is a
// defect in how memory is put back. It is for tests of plugins, and slow.
func (p *Plugin) Fresh(src Source, snapshot abi.Value) Answer {
	if !p.enter() {
		return Answer{Class: abi.FailHost, Detail: "the plugin is closed"}
	}
	defer p.leave()
	i, err := p.instantiate()
	if err == nil {
		defer i.close()
		err = i.configure(&src)
	}
	if err != nil {
		return Answer{Class: abi.FailConfigure, Detail: err.Error()}
	}
	i.run.begin(snapshot, p.fuel, p.host.limits.EvaluateWall, func() [32]byte { return seed(snapshot.Append(nil)) })
	packed, err := i.call(i.evaluator)
	var output []byte
	if err == nil {
		output, err = i.result(packed)
	}
	return i.answer(output, err)
}

// Differs says in what another answer to the same question differs, "" for
// nothing that matters.
func (a *Answer) Differs(from *Answer) string {
	switch {
	case a.Class != from.Class:
		return fmt.Sprintf("class %q instead of %q (%s%s)", a.Class, from.Class, a.Detail, from.Detail)
	case string(a.Output) != string(from.Output):
		return "it answers other bytes"
	case a.Fuel != from.Fuel:
		return fmt.Sprintf("%d fuel instead of %d", a.Fuel, from.Fuel)
	case a.Delivered != from.Delivered:
		return fmt.Sprintf("it reads %d bytes instead of %d", a.Delivered, from.Delivered)
	case a.Pages != from.Pages:
		return fmt.Sprintf("%d pages of memory instead of %d", a.Pages, from.Pages)
	}
	return ""
}
