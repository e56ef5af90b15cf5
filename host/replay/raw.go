package replay

import (
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/wire"
)

// raw feeds one frame as the relay would: {"raw":{"server","from","frame"}},
// with "time" beside it.
func (p *Player) raw(v abi.Value, index uint64) ([]abi.Event, error) {
	at, err := timeOf(v)
	if err != nil {
		return nil, err
	}
	for _, m := range v.Members() {
		if m.Name != "raw" && m.Name != "time" {
			return nil, fmt.Errorf("raw and %q in one object; want one event on each line", m.Name)
		}
	}
	raw := v.Get("raw")
	if err := only("raw", raw, "server", "from", "frame"); err != nil {
		return nil, err
	}
	server, text := raw.Get("server").Str(), raw.Get("frame")
	if k := text.Kind(); k == abi.Object || k == abi.Array {
		text = abi.StringValue(text.String()) // a frame that needs no odd spelling may stand as it is
	}
	if !text.IsString() || server == "" {
		return nil, errors.New("raw: want a server, and a frame as the text that is sent or as JSON")
	}
	if err := named("raw", server); err != nil {
		return nil, err
	}
	talk := p.talks[server]
	if talk == nil {
		talk = proxy.NewConversation(server)
		p.talks[server] = talk
	}
	r := relay{p: p, talk: talk, index: index, at: at}
	switch from := raw.Get("from").Str(); from {
	case "client":
		return r.client(wire.Classify([]byte(text.Str()), wire.FromClient, talk.Options())), nil
	case "server":
		return r.server(wire.Classify([]byte(text.Str()), wire.FromServer, wire.Options{})), nil
	default:
		return nil, fmt.Errorf("raw: from: %q; want client or server", from)
	}
}

// relay does with one frame what the proxy does, without a peer to send it to.
type relay struct {
	p     *Player
	talk  *proxy.Conversation
	index uint64
	at    time.Time
}

// feed gives an event its place and has it judged.
func (r *relay) feed(e abi.Event) []abi.Event {
	e.Seq, e.Time = r.index, r.at
	return r.p.step(e)
}

func (r *relay) server(f wire.Frame) []abi.Event {
	var out []abi.Event
	for _, element := range elements(f) {
		m := r.talk.FromServer(element)
		for _, inside := range r.talk.Inside(m.Frame) {
			_, answers := r.call(proxy.Message{Frame: m.Frame, Event: &inside})
			out = append(out, answers...)
			if v := last(answers); v == nil || v.Enforced() != abi.Allow {
				break
			}
		}
		switch {
		case m.Event == nil:
		case m.Event.Call != nil:
			if text := m.Beside(); text != nil {
				out = append(out, r.feed(*text)...)
			}
			_, answers := r.call(m)
			out = append(out, answers...)
		default:
			out = append(out, r.feed(*m.Event)...)
		}
	}
	return out
}

// client judges the calls of a frame. Of a batch either every element goes out
// or none does, and then what was allowed is taken back.
func (r *relay) client(f wire.Frame) []abi.Event {
	var messages []proxy.Message
	blocked := f.Problem != nil
	for _, element := range elements(f) {
		m := r.talk.Client(element)
		blocked = blocked || m.Frame.Kind == wire.Refused
		messages = append(messages, m)
	}
	var out []abi.Event
	allowed := map[string]bool{}
	for _, m := range messages {
		switch {
		case m.Event == nil:
		case m.Event.Refused != nil:
			out = append(out, r.feed(*m.Event)...)
		case !blocked:
			id, answers := r.call(m)
			v := last(answers)
			blocked = v == nil || v.Enforced() != abi.Allow
			allowed[id] = !blocked
			out = append(out, answers...)
		}
	}
	for _, m := range messages {
		r.talk.Sent(m) // or answered by the relay, which comes to the same
	}
	if !blocked {
		return out
	}
	for _, m := range messages {
		if m.Event != nil && m.Event.Call != nil && allowed[m.Event.Call.ID] {
			r.feed(abi.Event{Refused: &abi.RefusedEvent{
				Server: r.talk.Server, From: "client", Code: proxy.CodeBatchTaken, Call: m.Event.Call.ID,
			}})
		}
		if m.Frame.Kind == wire.Request {
			r.answered(m.Frame.ID)
		}
	}
	return out
}

// call judges one call under an id of its own, since a batch has several at
// one index.
func (r *relay) call(m proxy.Message) (string, []abi.Event) {
	id := fmt.Sprintf("raw-%d", r.p.raws)
	r.p.raws++
	m.Event.Call.ID = id
	answers := r.feed(*m.Event)
	r.talk.Called(m, id)
	return id, answers
}

// answered ends a request that does not go out, as the relay's own answer to
// it does.
func (r *relay) answered(id wire.ID) {
	r.talk.FromServer(wire.Classify(wire.ErrorFrame(id, 0, "", nil), wire.FromServer, wire.Options{}))
}

func elements(f wire.Frame) []wire.Frame {
	if f.Kind == wire.Batch {
		return f.Elements
	}
	return []wire.Frame{f}
}

// last returns the last verdict among the answers: the one that stands.
func last(answers []abi.Event) *abi.Verdict {
	var v *abi.Verdict
	for _, a := range answers {
		if a.Verdict != nil {
			v = a.Verdict
		}
	}
	return v
}
