package proxy

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// listOf is what the gate's answers say of a list as a whole; nil: no plugin judged
// one whose word is enforced.
func listOf(answers []abi.Event) *abi.ListOf {
	for _, a := range answers {
		if a.Verdict == nil || a.Verdict.List == nil {
			continue
		}
		if slices.ContainsFunc(a.Verdict.Also, func(v abi.Verdict) bool { return !v.Observed }) {
			return a.Verdict.List
		}
	}
	return nil
}

// listKind is the kind of list that a frame of the server answers with, "" for none.
func (m *Message) listKind() string {
	switch {
	case m.Event == nil:
		return ""
	case m.Event.Tools != nil:
		return abi.ListTools
	case m.Event.Frame != nil && !m.Event.Frame.Request:
		return abi.ListKinds[m.Event.Frame.Method]
	}
	return ""
}

// hide takes the items out of a list that policy or plugins hide. The cursor stays:
// an empty page is one, too. Where plugins judge a list, what has no name that they
// could hide is not shown.
func (r *relay) hide(m Message, raw []byte) ([]byte, error) {
	kind := m.listKind()
	judged := m.list != nil && !r.o.Engine.Observes()
	drop := func(v abi.Value) bool {
		name, named := abi.ItemName(kind, v)
		return judged && (m.list.All || !named) || named && r.o.Engine.Hides(r.o.Server, kind, name) || kind == abi.ListTools && r.unmirrored(m, v)
	}
	if kind == "" || !judged && (kind != abi.ListTools || !slices.ContainsFunc(m.Event.Tools.List, drop)) {
		return raw, nil
	}
	list, err := wire.Find(raw, wire.Span{End: len(raw)}, "/result/"+abi.ListMember(kind))
	if err != nil {
		return raw, nil // an error in its place, or it lists nothing
	}
	edits, _, err := wire.RemoveItems(raw, list, func(item []byte) bool {
		v, err := abi.Parse(item)
		return err != nil || drop(v)
	})
	if err != nil {
		return nil, err
	}
	return wire.Splice(raw, edits)
}

// unmirrored says whether the arguments of a tool can not be mirrored in headers as
// the server says. A client over HTTP has to leave such a tool out (MCP 2026-07-28,
// "x-mcp-header"); one over stdio does not know of headers, so it is done for it.
func (r *relay) unmirrored(m Message, d abi.Value) bool {
	if !r.mirrors || m.Frame.ResultType == "" {
		return false
	}
	_, err := transport.HeaderParams(d.Get("inputSchema"))
	return err != nil
}
