package proxy

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// Codes of errors that Callgate itself answers with. They lie outside the
// range that JSON-RPC and MCP keep for themselves (-32768 to -32000).
const (
	rpcDenied = 4031 // a call that is denied where an error is expected, not a result
	rpcGone   = 4032 // the server ended, or answered with a frame that is not relayed
)

// apply is the only place that acts on an outcome. It returns the frame that
// answers the client instead of the server, or nil: forward the call.
func (v Voice) apply(m Message, verdict *abi.Verdict) []byte {
	switch verdict.Enforced() {
	case abi.Allow:
		return nil
	case abi.Ask:
		return v.deny(m, verdict, "a person has to answer: they can run callgate pending, and callgate why "+verdict.ID+"; once they have approved it, make the same call again")
	case abi.Deny:
		if verdict.ID == "" {
			return v.deny(m, verdict, "") // nothing is kept that why could show
		}
		return v.deny(m, verdict, "a person can run callgate why "+verdict.ID)
	default:
		return v.deny(m, &abi.Verdict{ID: verdict.ID, Contract: "gate", Code: "OUTCOME_UNKNOWN"}, "")
	}
}

// Voice writes the text that the model reads. It holds the names that it may
// speak: those that the policy or MCP itself defines, and those that the
// operator gave the servers of this process. Nothing else that a server or a
// caller wrote is ever repeated.
type Voice struct {
	names   func() map[string]bool
	servers []string
}

// mcpNames are the names that MCP defines inside results and calls.
var mcpNames = [...]string{
	"call", "result", "arguments", "content", "structuredContent", "text", "resource", "contents", "uri", "name", "title", "description",
	"messages", "error", "message", "data", "isError", "annotations", "inputSchema", "outputSchema", "params", "id", "method", "jsonrpc", "tool", "server",
}

// NewVoice returns a voice that may speak the names in a policy. They are
// gathered when something is first denied.
func NewVoice(policy abi.Value) Voice {
	return Voice{names: sync.OnceValue(func() map[string]bool { return spoken(policy) })}
}

// Naming returns a voice that may speak the names of these servers, too. They
// are the operator's, of --server or a gateway's configuration: what another
// process of the group says of its name is not among them.
func (v Voice) Naming(servers ...string) Voice {
	v.servers = servers
	return v
}

// server returns the name of a server that may be spoken, or *.
func (v Voice) server(s string) string {
	if slices.Contains(v.servers, s) {
		return s
	}
	return v.word(s)
}

func spoken(policy abi.Value) map[string]bool {
	names := map[string]bool{}
	for _, n := range mcpNames {
		names[n] = true
	}
	policy.Walk("", func(_ string, v abi.Value, _ bool) {
		s := v.Str()
		if len(s) > 64 {
			return
		}
		names[s] = true
		for half := range strings.SplitSeq(s, "/") {
			names[half] = true
		}
	})
	delete(names, "")
	return names
}

// word returns a name that may be spoken, or *.
func (v Voice) word(s string) string {
	if v.names != nil && v.names()[s] {
		return s
	}
	return "*"
}

// Mask shows a JSON Pointer with every segment replaced by * that is neither
// an index nor a name of the policy or of MCP.
func (v Voice) Mask(pointer string) string {
	tokens, _ := abi.Tokens(pointer)
	out := ""
	for _, t := range tokens {
		if _, err := strconv.ParseUint(t, 10, 32); err != nil {
			t = v.word(t)
		}
		out = abi.Join(out, t)
	}
	return out
}

// Sentence says why a call was refused, for the model.
func (v Voice) Sentence(verdict *abi.Verdict) string {
	var b strings.Builder
	b.WriteString("[callgate blocked] ")
	b.WriteString(verdict.Contract + ": " + verdict.Code)
	if reason := v.reason(verdict); reason != "" {
		b.WriteString(": " + reason)
	}
	if len(verdict.At) > 0 {
		at := make([]string, 0, 4)
		for i, p := range verdict.At {
			if i == 4 {
				at = append(at, "…")
				break
			}
			at = append(at, v.Mask(strings.TrimPrefix(p, "/call/arguments")))
		}
		b.WriteString(" (at " + strings.Join(at, ", ") + ")")
	}
	return b.String()
}

// reason returns the verdict's reason made of host words. Where the reason
// names places of earlier outputs, the names in it are masked.
func (v Voice) reason(verdict *abi.Verdict) string {
	if len(verdict.Witness) == 0 {
		return verdict.Reason
	}
	places := make([]string, 0, 4)
	for i, e := range verdict.Witness {
		if i == 4 {
			break
		}
		e.Server, e.Pointer = v.server(e.Server), v.Mask(e.Pointer)
		if e.Tool != "" {
			e.Tool = v.word(e.Tool)
		}
		places = append(places, "a value "+e.String())
	}
	return strings.Join(places, "; ")
}

// deny answers a call that does not go out: with a tool result that the model
// can read, or with an error where the caller expects another shape: a task, a
// resource, a prompt, an answer of the client.
func (v Voice) deny(m Message, verdict *abi.Verdict, mend string) []byte {
	text := v.Sentence(verdict)
	if mend != "" {
		text += "; " + mend
	}
	projection := verdict.Projection(v.Mask)
	if m.open == nil || !m.open.tool {
		return wire.ErrorFrame(m.Frame.ID, rpcDenied, text, projection)
	}
	return wire.ResultFrame(m.Frame.ID, denial(text, projection, m.Frame.Modern))
}

// denial is the body of a tool result that refuses.
func denial(text string, projection []byte, modern bool) []byte {
	b := []byte(`{"content":[{"type":"text","text":`)
	b = wire.AppendString(b, text)
	b = append(b, `}],"isError":true,`...)
	if modern {
		b = append(b, `"resultType":"complete",`...)
	}
	b = append(b, `"_meta":{"dev.callgate/verdict":`...)
	b = append(b, projection...)
	return append(b, "}}"...)
}

// refusal answers a frame that is not relayed, one error for each id that it
// was waiting with; nil if no answer is possible.
func refusal(p *wire.Problem) []byte {
	if p == nil || p.Drop {
		return nil
	}
	if len(p.IDs) == 0 {
		return wire.ErrorFrame(wire.ID{}, p.RPCCode, "callgate: "+p.Code+": "+p.Reason, nil)
	}
	var out []byte
	for _, id := range p.IDs {
		out = append(out, wire.ErrorFrame(id, p.RPCCode, "callgate: "+p.Code+": "+p.Reason, nil)...)
	}
	return out
}
