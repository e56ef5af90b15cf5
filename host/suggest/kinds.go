package suggest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// maxNamed is how many resources or prompts of a server are granted by name.
// Of more, a person has to say what they have in common.
const maxNamed = 64

// otherCall is a recorded call that is none of a tool.
type otherCall struct {
	abi.Call
	gone bool // what it held is not in the ledger
}

// methodName is a method that a policy can name as it is.
var methodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/$-]{0,127}$`)

// permits is what a draft says of one server's calls that are none of a tool.
type permits struct {
	names map[abi.CallKind][]string // of resources, prompts and methods, sorted
	asks  map[abi.CallKind]bool     // every kind that was used; true: a person decides
	left  int                       // calls that nothing is granted for
}

// permits collects what went through without an objection.
func (s *survey) permits(server string) permits {
	p := permits{names: map[abi.CallKind][]string{}, asks: map[abi.CallKind]bool{}}
	for _, c := range s.others {
		v := s.verdicts[c.ID]
		switch {
		case c.Server != server:
			continue
		case !v.made || v.against != "" || v.taint || s.taken[c.ID] || c.gone || !c.Kind.Known(), c.Kind == abi.KindMethod && !methodName.MatchString(c.Method):
			p.left++
			continue
		}
		var names []string
		switch c.Kind {
		case abi.KindResource:
			names = c.URIs
			if c.URI != "" {
				names = append(slices.Clone(names), c.URI)
			}
		case abi.KindPrompt:
			names = []string{c.Name}
		case abi.KindMethod:
			names = []string{c.Method}
		}
		for _, name := range names {
			list := p.names[c.Kind]
			add(&list, name)
			p.names[c.Kind] = list
		}
		// What a server has the client's model write is for a person to decide.
		p.asks[c.Kind] = p.asks[c.Kind] || v.asks || c.Kind == abi.KindSampling
	}
	for kind, list := range p.names {
		slices.Sort(list)
		if p.names[kind] = list; len(list) > maxNamed {
			delete(p.asks, kind)
		}
	}
	return p
}

// write writes the members of an entry of servers:.
func (p *permits) write(b *strings.Builder) {
	for _, kind := range []abi.CallKind{abi.KindResource, abi.KindPrompt, abi.KindCompletion} {
		p.writeKind(b, kind)
	}
	var requests []string
	for _, kind := range []abi.CallKind{abi.KindSampling, abi.KindElicitation, abi.KindRoots} {
		if _, used := p.asks[kind]; used {
			requests = append(requests, string(kind)+": "+p.verdict(kind))
		}
	}
	if len(requests) > 0 {
		b.WriteString("    requests: {" + strings.Join(requests, ", ") + "}\n")
	}
	if _, used := p.asks[abi.KindMethod]; used {
		b.WriteString("    methods:\n")
		for _, name := range p.names[abi.KindMethod] {
			b.WriteString("      " + Quote(name) + ": " + p.verdict(abi.KindMethod) + "\n")
		}
	}
	if p.left > 0 {
		fmt.Fprintf(b, "    # nothing is granted for %s of resources, prompts and the like\n", counted(p.left, "call"))
	}
}

func (p *permits) writeKind(b *strings.Builder, kind abi.CallKind) {
	_, used := p.asks[kind]
	names := p.names[kind]
	switch {
	case len(names) > maxNamed:
		fmt.Fprintf(b, "    # %s were used; say under %ss: which of them are granted\n", counted(len(names), string(kind)), kind)
	case used:
		fmt.Fprintf(b, "    %ss:\n      verdict: %s\n", kind, p.verdict(kind))
	}
	if !used || len(names) == 0 {
		return
	}
	arg := map[abi.CallKind]string{abi.KindResource: "uri", abi.KindPrompt: "name"}[kind]
	b.WriteString("      args:\n        - arg: " + arg + "\n          in: [")
	writeWrapped(b, names, "\n            ")
	b.WriteString("]\n")
	if kind == abi.KindResource {
		b.WriteString("        - slot: path  # keys, passwords and tokens, wherever they are\n          deny: [")
		writeWrapped(b, secretPaths(), "\n            ")
		b.WriteString("]\n")
	}
}

// verdict is what a draft says of a kind that was used.
func (p *permits) verdict(kind abi.CallKind) string {
	if p.asks[kind] {
		return abi.Ask.String()
	}
	return abi.Allow.String()
}
