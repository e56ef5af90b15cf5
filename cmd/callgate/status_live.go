package main

import (
	"fmt"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
	"github.com/callgate/callgate/host/clients"
)

// notesOf says of a live process what is not as its files say, and which labels
// its session holds.
func notesOf(p approval.Process) []string {
	var lines []string
	process := fmt.Sprintf("process %d", p.Info.PID)
	if r := p.Info.Reload; r != nil {
		first := ""
		if len(r.Why) > 0 {
			first = ": " + r.Why[0]
		}
		if n := len(r.Why) - 1; n > 0 {
			first += fmt.Sprintf(" (and %d more)", n)
		}
		switch r.State {
		case abi.ReloadWaits:
			lines = append(lines, process+": a policy that may allow more waits for callgate reload --accept"+first)
		case abi.ReloadFailed:
			lines = append(lines, process+" keeps its old policy, since the files do not load"+first)
		case abi.ReloadFixed:
			lines = append(lines, process+" keeps its old policy, since the files need a restart"+first)
		case abi.ReloadInForce:
		}
		for _, what := range r.Restart {
			lines = append(lines, process+": "+what)
		}
	}
	if len(p.Info.Labels) > 0 {
		lines = append(lines, process+": the session holds "+quoted(p.Info.Labels))
	}
	return lines
}

// processesOf lists the live processes of an entry.
func (s fileState) processesOf(e clients.Entry) []approval.Process {
	var out []approval.Process
	for _, p := range s.running {
		if e.Group != "" && p.Info.Group == e.Group && p.Info.Server == e.Name {
			out = append(out, p)
		}
	}
	return out
}

// unexplained lists the processes that no configuration starts, and of which
// there is something to say.
func unexplained(found []clients.Found, running []approval.Process) []approval.Process {
	explained := map[string]bool{}
	for _, f := range found {
		s := stateOf(f)
		s.running = running
		for _, e := range s.entries {
			for _, p := range s.processesOf(e) {
				explained[p.Info.ID] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(running), func(p approval.Process) bool { return explained[p.Info.ID] || len(notesOf(p)) == 0 })
}

// live is what programs are told of the processes of an entry, absent if none is
// live.
func (s fileState) live(e clients.Entry) abi.Value { return processValues(s.processesOf(e)) }

func processValues(list []approval.Process) abi.Value {
	var values []abi.Value
	for _, p := range list {
		labels := make([]abi.Value, len(p.Info.Labels))
		for i, l := range p.Info.Labels {
			labels[i] = abi.StringValue(l)
		}
		values = append(values, reloadValue(p, "").With("labels", abi.ArrayValue(labels...)))
	}
	if len(values) == 0 {
		return abi.Value{}
	}
	return abi.ArrayValue(values...)
}
