package policy

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/packs"
)

// resourceHits finds what the entries for every tool of a server say of the
// resources that it has: a file is the same file however it is read. Only what
// they refuse holds. A list of what is allowed was written for arguments of tools,
// and would refuse every resource that is no file.
func (y *layer) resourceHits(server string) []hit {
	var list []hit
	for i := range y.keys {
		k := &y.keys[i]
		t := k.tool()
		if k.key.tool != "*" || y.pack == "" && !glob(k.key.server, server) || t.When != nil {
			continue
		}
		refuses := false
		args := make([]arg, len(t.Args)) // as many, so that each keeps its place in the file
		for j, a := range t.Args {
			if a.Arg == "" && a.Allow == nil && (a.Slot == "path" || a.Slot == "url" || a.Slot == "host") {
				args[j], refuses = a, true
			}
		}
		if refuses {
			list = append(list, hit{layer: y, at: k.at, key: key{k.key.server, "*"}, tool: &tool{Args: args}})
		}
	}
	return list
}

// resourceLevels finds what packs say of the resources of a server: those that
// are about every server, and the one that is bound by hand. A pack that is bound
// by fit knows tools, and no resources.
func (p *Policy) resourceLevels(server string) []level {
	hand := p.handBound(server)
	var levels []level
	for _, y := range p.packs {
		if y.pack != hand && !packs.ForAll(y.pack) {
			continue
		}
		if hits := y.kindHits("*", abi.KindResource, methodOf(abi.KindResource)); len(hits) > 0 {
			levels = append(levels, level{hits: hits, fit: true})
		}
	}
	return levels
}
