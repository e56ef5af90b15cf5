package proxy

import (
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// Since revision 2026-07-28 a server sends no requests. What it wants to know
// it says in the result of the client's own request, and the client makes that
// request again, with the answers (MCP 2026-07-28, "input required results").
// So do we.

// approvalKey is the name of our question among those of a result.
const approvalKey = "callgate.approval"

// Members of the params of a client's retry.
const (
	answersMember = "inputResponses"
	stateMember   = "requestState"
)

// approvalSchema is the form of our question.
const approvalSchema = `{"type":"object","properties":{"approve":{"type":"boolean","title":"Approve this call",` +
	`"description":"Yes lets exactly the call that is shown go to the server"}},"required":["approve"]}`

// inputRequired answers a request with our question. It carries no ttlMs: the
// answer to a retry is not to be cached.
func inputRequired(id wire.ID, state, prompt string) []byte {
	b := []byte(`{"resultType":"input_required","inputRequests":{"` + approvalKey + `":{"method":"elicitation/create","params":{"mode":"form","message":`)
	b = wire.AppendString(b, prompt)
	b = append(b, `,"requestedSchema":`+approvalSchema+`}}},"requestState":`...)
	b = wire.AppendString(b, state)
	return wire.ResultFrame(id, append(b, '}'))
}

// formsDeclared says whether the client takes a form in answer to this one
// request, which is all that a modern client says of itself.
func formsDeclared(f wire.Frame) bool {
	v, err := abi.Parse(f.Capabilities.In(f.Raw))
	return err == nil && takesForms(v.Get("elicitation"))
}

// takesForms reads an elicitation capability. One without members means forms,
// as before there were other modes.
func takesForms(v abi.Value) bool {
	return v.Kind() == abi.Object && (len(v.Members()) == 0 || v.Get("form").Kind() == abi.Object)
}

// approvalIn reads what the retry of a call says to the question that its ticket
// stands for. Without such a ticket nothing was asked, and whatever stands under
// our name in a request is no answer: neither what a client fills in before it
// is asked, nor what it answers to a server that uses the name.
func approvalIn(f wire.Frame, t ticket) (yes, answered bool) {
	if t.kind != questionTicket {
		return false, false
	}
	answers, err := abi.Parse(f.InputResponses.In(f.Raw))
	if err != nil {
		return false, false
	}
	v := answers.Get(approvalKey)
	return approves(v), v.Exists()
}

// approves reads the result of an elicitation of ours: only an accepted form
// with approve: true is a yes.
func approves(v abi.Value) bool {
	return v.Get("action").Str() == "accept" && v.Get("content").Get("approve").True()
}

// callDigest is the digest of what a request asks for: of its params, without
// what may change between a call and its retry. That is what the retry adds,
// and _meta, whose progress token belongs to one request. It is taken of values
// and not of bytes, since a client may write the members in another order, but
// of numbers as they are written: as doubles, 9007199254740993 and
// 9007199254740992 would be the same.
func callDigest(f wire.Frame) (string, error) {
	v := abi.ObjectValue()
	if !f.Params.IsZero() {
		var err error
		if v, err = abi.Parse(f.Params.In(f.Raw)); err != nil {
			return "", fmt.Errorf("params of %q: %w", f.Method, err)
		}
	}
	none := abi.Value{}
	return v.With(answersMember, none).With(stateMember, none).With("_meta", none).Digest(), nil
}

// stateIn returns the request state of a client's request: its text, for
// [sealer.open]; empty if there is none.
func stateIn(f wire.Frame) string {
	v, err := abi.Parse(f.RequestState.In(f.Raw))
	if err != nil {
		return ""
	}
	return v.Str()
}

// stateOf returns the request state in a server's result, JSON as received, as
// it stands in a ticket; empty if there is none.
func stateOf(f wire.Frame) string { return string(f.State.In(f.Raw)) }

// serversPart returns what of a request belongs to the server behind the
// exchange that a ticket, the opened state of that request, stands for: the
// server's own requestState and the inputResponses to its own questions. JSON,
// empty for a member that the server is not sent. Without a ticket the whole is
// the server's.
func serversPart(f wire.Frame, t ticket) (state, answers string, err error) {
	state = string(f.RequestState.In(f.Raw))
	if t.kind != noTicket {
		state = t.state
	}
	given := f.InputResponses.In(f.Raw)
	if t.kind != questionTicket {
		return state, string(given), nil
	}
	if len(given) == 0 {
		return state, t.answers, nil
	}
	// Answers to other questions than ours stay: they are the server's. A client
	// sends those to the last questions only, so what the call came with before
	// we asked is in the ticket.
	left := 0
	all := wire.Span{End: len(given)}
	for e, err := range wire.Members(given, all) {
		if err != nil {
			return "", "", err
		}
		if e.Name != approvalKey {
			left++
		}
	}
	if left == 0 {
		return state, t.answers, nil
	}
	given, err = set(given, all, wire.Member{Name: approvalKey})
	return state, string(given), err
}

// withoutOurs returns a request as the server is to see it: with its own part
// of the exchange, and every other byte as the client wrote it. Of the values of
// the two members themselves, white space goes if there are line ends in it. On
// an error nothing may be sent.
func withoutOurs(f wire.Frame, t ticket) ([]byte, error) {
	state, answers, err := serversPart(f, t)
	if err != nil {
		return nil, err
	}
	var changes []wire.Member
	members := []struct {
		name, to string
		is       wire.Span
	}{{answersMember, answers, f.InputResponses}, {stateMember, state, f.RequestState}}
	for _, c := range members {
		if c.to == string(c.is.In(f.Raw)) {
			continue
		}
		m := wire.Member{Name: c.name}
		if c.to != "" { // nil takes the member out
			m.Value = []byte(c.to)
		}
		changes = append(changes, m)
	}
	if len(changes) == 0 {
		return f.Raw, nil
	}
	return set(f.Raw, f.Params, changes...)
}

// wrapState returns a server's input-required result with a state of ours in
// the place of its own, which is in the ticket. Every other byte stays.
func wrapState(f wire.Frame, state string) ([]byte, error) {
	return set(f.Raw, f.Result, wire.Member{Name: stateMember, Value: wire.AppendString(nil, state)})
}

// set returns a text with changes to the members of one object in it.
func set(raw []byte, object wire.Span, changes ...wire.Member) ([]byte, error) {
	edits, err := wire.EditMembers(raw, object, changes...)
	if err != nil {
		return nil, err
	}
	return wire.Splice(raw, edits)
}
