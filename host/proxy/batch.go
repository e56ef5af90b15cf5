package proxy

import (
	"bytes"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/wire"
)

// batch handles an array of frames: forwarded whole and as received, if every
// element may pass; otherwise nothing of it is, and each request in it is
// answered with its own error.
func (p *stdio) batch(f wire.Frame) {
	var token ledger.Token
	messages := make([]Message, len(f.Elements))
	answers := make([][]byte, len(f.Elements))
	blocked := f.Problem != nil
	for i, element := range f.Elements {
		m := p.talk.Client(element)
		messages[i] = m
		if m.cancels != "" {
			p.cancelled(m.cancels)
		}
		blocked = blocked || m.Frame.Kind == wire.Refused || m.ours
	}
	for i, m := range messages {
		switch {
		case m.Event == nil:
		case m.Event.Refused != nil:
			p.record(*m.Event)
		case blocked:
			// It will not go out whatever the gate says, so it is not asked.
		default:
			answer, sent, t := p.judge(m, false)
			if answer == nil && !bytes.Equal(sent, m.Frame.Raw) {
				answer = p.unedited(m)
			}
			answers[i], blocked, token = answer, answer != nil, max(token, t)
		}
	}
	if !blocked {
		out := frame{bytes: f.Raw, lost: func() { p.unreadAll(messages) }}
		if !p.o.Engine.Durable(token) {
			out.wait = func() error { return p.o.Engine.Wait(token) }
			out.fail = func(error) { p.takeBack(messages, answers) }
		}
		for _, m := range messages {
			p.talk.Sent(m)
		}
		p.toServer.send(out)
		return
	}
	p.takeBack(messages, answers)
}

// unreadAll answers the requests of a batch that the server will never read.
func (p *stdio) unreadAll(messages []Message) {
	for _, m := range messages {
		if answer := p.unread(m); answer != nil {
			answer()
		}
	}
}

// unedited answers an allowed call whose edits a batch, which goes out as it
// was received, can not carry.
func (p *stdio) unedited(m Message) []byte {
	v := abi.Verdict{ID: m.open.call, Contract: "edit", Code: "EDIT_IN_BATCH", Reason: "an edited call can not go out in a batch"}
	p.record(abi.Event{Refused: &abi.RefusedEvent{Server: p.o.Server, From: "client", Code: v.Code, Reason: v.Reason, Call: v.ID}})
	return p.o.Voice.apply(m, &v)
}

// takeBack answers every request of a batch that is not forwarded, and tells
// the gate which allowed calls did not go out.
func (p *stdio) takeBack(messages []Message, answers [][]byte) {
	problem := wire.NewProblem(wire.CodeBatchElement, "")
	var out [][]byte
	for i, m := range messages {
		if m.open != nil {
			if m.open.call != "" && answers[i] == nil {
				p.record(abi.Event{Refused: &abi.RefusedEvent{
					Server: p.o.Server, From: "client", Code: CodeBatchTaken, Reason: problem.Reason, Call: m.open.call,
				}})
			}
			if p.talk.close(m.Frame.ID) == nil {
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
		p.toClient.send(frame{bytes: answer})
	}
}
