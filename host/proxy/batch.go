package proxy

import (
	"bytes"
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/wire"
)

// batch handles an array of frames: forwarded whole and as received, if every
// element may pass; otherwise nothing of it is, and each request in it is
// answered with its own error.
func (r *relay) batch(f wire.Frame, via *exchange) {
	var token ledger.Token
	messages := make([]Message, len(f.Elements))
	answers := make([][]byte, len(f.Elements))
	blocked := f.Problem != nil
	for i, element := range f.Elements {
		m := r.talk.client(element, via)
		messages[i] = m
		if m.cancels != "" {
			r.cancelled(m.cancels)
		}
		blocked = blocked || m.Frame.Kind == wire.Refused || m.ours
	}
	for i, m := range messages {
		switch {
		case m.Event == nil:
		case m.Event.Refused != nil:
			r.record(*m.Event)
		case blocked:
			// It will not go out whatever the gate says, so it is not asked.
		default:
			answer, sent, t := r.judge(m, false)
			if answer == nil && !bytes.Equal(sent, m.Frame.Raw) {
				answer = r.unedited(m)
			}
			answers[i], blocked, token = answer, answer != nil, max(token, t)
		}
	}
	if !blocked {
		out := frame{bytes: f.Raw, via: via, of: r.about(Message{Frame: f, via: via}), lost: func() { r.unreadAll(messages) }}
		if !r.o.Engine.Durable(token) {
			out.wait = func() error { return r.o.Engine.Wait(token) }
			out.fail = func(error) { r.takeBack(messages, answers, via) }
		}
		for _, m := range messages {
			r.talk.Sent(m)
		}
		r.toServer.send(out)
		return
	}
	r.takeBack(messages, answers, via)
}

// unreadAll answers the requests of a batch that the server will never read.
func (r *relay) unreadAll(messages []Message) {
	for _, m := range messages {
		if answer := r.unread(m); answer != nil {
			answer()
		}
	}
}

// unedited answers an allowed call whose edits a batch, which goes out as it
// was received, can not carry.
func (r *relay) unedited(m Message) []byte {
	v := abi.Verdict{ID: m.open.call, Contract: "edit", Code: "EDIT_IN_BATCH", Reason: "an edited call can not go out in a batch"}
	r.record(abi.Event{Refused: &abi.RefusedEvent{Server: r.o.Server, From: "client", Code: v.Code, Reason: v.Reason, Call: v.ID}})
	return r.voice().apply(m, &v)
}

// takeBack answers every request of a batch that is not forwarded, and tells
// the gate which allowed calls did not go out.
func (r *relay) takeBack(messages []Message, answers [][]byte, via *exchange) {
	problem := wire.NewProblem(wire.CodeBatchElement, "")
	var out [][]byte
	for i, m := range messages {
		if m.open != nil {
			if m.open.call != "" && answers[i] == nil {
				r.record(abi.Event{Refused: &abi.RefusedEvent{
					Server: r.o.Server, From: "client", Code: CodeBatchTaken, Reason: problem.Reason, Call: m.open.call,
				}})
			}
			if r.talk.close(m.Frame.ID) == nil {
				continue // answered already, as the server has ended
			}
		}
		switch {
		case answers[i] != nil:
			out = append(out, answers[i])
		case m.Frame.Kind == wire.Refused:
			if a := refusal(m.Frame.Problem); a != nil {
				out = append(out, a)
			}
		case m.Frame.Kind == wire.Request:
			out = append(out, wire.ErrorFrame(m.Frame.ID, problem.RPCCode, "callgate: "+problem.Code+": "+problem.Reason, nil))
		}
	}
	if answer := wire.BatchFrame(out); answer != nil {
		r.toClient.send(frame{bytes: answer, via: via, ends: len(out)})
	}
}

// replaced is a batch with other elements in the places of those that differ.
func replaced(f wire.Frame, elements [][]byte) ([]byte, error) {
	var edits []wire.Edit
	array := wire.Span{Start: bytes.IndexByte(f.Raw, '['), End: bytes.LastIndexByte(f.Raw, ']') + 1}
	i := 0
	for at, err := range wire.Items(f.Raw, array) {
		if err != nil {
			return nil, err
		}
		if i < len(elements) && !bytes.Equal(elements[i], at.In(f.Raw)) {
			edits = append(edits, wire.Edit{Span: at, With: bytes.TrimRight(elements[i], "\r\n")})
		}
		i++
	}
	if i != len(elements) {
		return nil, fmt.Errorf("it has %d elements, and %d are to be relayed", i, len(elements))
	}
	if edits == nil {
		return f.Raw, nil
	}
	return wire.Splice(f.Raw, edits)
}
