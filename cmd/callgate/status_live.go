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
		first := firstOf(r.Why)
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
		if len(r.Looser) > 0 {
			lines = append(lines, process+": "+restarted+firstOf(r.Looser))
		}
	}
	if len(p.Info.Labels) > 0 {
		lines = append(lines, process+": the session holds "+labelNames(p.Info.Labels))
	}
	return lines
}

// restarted is what is said of a session in which a start has let more than the
// policy before it.
const restarted = "a start in this session put a policy into force that may allow more than the one before it, and nobody was asked"

// firstOf adds the first of several reasons to a line.
func firstOf(why []string) string {
	switch n := len(why); n {
	case 0:
		return ""
	case 1:
		return ": " + why[0]
	default:
		return fmt.Sprintf(": %s (and %d more)", why[0], n-1)
	}
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
