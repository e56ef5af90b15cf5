package policy

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// PluginEntry is an entry of `plugins:` for people.
type PluginEntry struct {
	contract.PluginRef
	On    abi.Value // as the file has it
	Floor bool      // it is the floor's
}

// PluginEntries returns all entries of policy and floor, sorted by name.
func (p *Policy) PluginEntries() (list []PluginEntry) {
	for _, y := range p.layers {
		for i := range y.doc.Plugins {
			at := abi.JoinIndex("/plugins", i)
			list = append(list, PluginEntry{PluginRef: y.ref(i), On: y.value.At(at + "/on")})
		}
	}
	if p.floor != nil {
		for _, e := range p.floor.PluginEntries() {
			e.Floor = true
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b PluginEntry) int { return strings.Compare(a.Name, b.Name) })
	return list
}
