package proxy

import (
	"bytes"
	"strconv"

	"github.com/callgate/callgate/host/wire"
)

// maxNoise is how much of a line that is no frame is shown.
const maxNoise = 400

// pumpServer reads the server's frames until its output ends.
func (p *stdio) pumpServer() {
	out := wire.NewReader(p.child.out, 0)
	var classifier wire.Classifier
	for {
		line, err := out.Next()
		if err != nil {
			if !eof(err) {
				p.note("read from the server: %v", err)
			}
			return
		}
		f := classifier.ClassifyLine(line, wire.FromServer, wire.Options{})
		switch f.Kind {
		case wire.Noise:
			p.stray(f.Raw)
		case wire.Blank:
		case wire.Batch:
			p.serverBatch(f)
		default:
			p.server(p.talk.FromServer(f))
			p.o.Engine.Settle()
		}
	}
}

// stray shows a line of the server that is no frame, escaped, with a count.
func (p *stdio) stray(raw []byte) {
	n := p.noise.Add(1)
	shown, cut := raw, ""
	if len(shown) > maxNoise {
		shown, cut = shown[:maxNoise], " …"
	}
	p.note("line %d of the server that is no frame: %s%s", n, strconv.QuoteToASCII(string(shown)), cut)
}

// server handles one frame of the server.
func (p *stdio) server(m Message) {
	sent, ok := p.received(m)
	if !ok {
		p.unrelayed(m)
		return
	}
	p.toClient.send(frame{bytes: sent})
}

// unrelayed answers those who wait for a frame of the server that is kept
// back: the client whose requests it answered, the server whose request it was.
func (p *stdio) unrelayed(m Message) {
	for _, id := range m.Answers {
		p.toClient.send(frame{bytes: wire.ErrorFrame(id, rpcGone, refusedByUs(m.Frame.Problem), nil)})
	}
	if m.Frame.Problem == nil {
		return
	}
	for _, id := range m.Frame.Problem.ServerIDs {
		p.toServer.send(frame{bytes: wire.ErrorFrame(id, m.Frame.Problem.RPCCode, refusedByUs(m.Frame.Problem), nil)})
	}
}

func refusedByUs(problem *wire.Problem) string {
	if problem == nil {
		return "callgate: the server's answer was not relayed"
	}
	return "callgate: the server's answer was not relayed: " + problem.Code + ": " + problem.Reason
}

// received keeps what a frame of the server says, before the client sees it,
// and returns the bytes to relay.
func (p *stdio) received(m Message) ([]byte, bool) {
	raw := m.Frame.Raw
	if m.Event != nil {
		r, ok := p.record(*m.Event)
		switch {
		case m.Event.Refused != nil:
			p.note("a frame of the server was not relayed: %s", m.Event.Refused.Code)
			return nil, false
		case !ok && m.open != nil:
			v := unkept("")
			v.Reason = "the call was made, but the ledger can not keep its result, so the result is not shown"
			return p.o.Voice.apply(m, v), true
		case !ok && (m.Frame.Kind == wire.Response || m.Frame.Kind == wire.ErrorResponse):
			return wire.ErrorFrame(m.Frame.ID, rpcGone, "callgate: the ledger can not keep the answer, so it is not shown", nil), true
		case r.Verdict() != nil && m.open != nil:
			if answer := p.o.Voice.apply(m, r.Verdict()); answer != nil {
				return answer, true
			}
		case m.Event.Tools != nil:
			p.keepPins()
		}
	}
	if m.Frame.Kind == wire.Refused {
		return nil, false
	}
	if !m.Frame.HasOwnMeta {
		return raw, true
	}
	clean, _, err := wire.StripOwnMeta(raw)
	if err != nil {
		p.note("a frame of the server was not relayed: its _meta can not be cleaned: %v", err)
		return nil, false
	}
	return clean, true
}

// keepPins stores what a list of tools has pinned. A pin that can not be
// stored still holds for this process.
func (p *stdio) keepPins() {
	pins, added := p.o.Engine.Pins(p.o.Server)
	if !added || p.o.Pins == nil {
		return
	}
	if err := p.o.Pins(pins); err != nil {
		p.note("keep the pins: %v", err)
	}
}

// serverBatch handles an array of the server. One element that is not relayed
// keeps back the whole array, and each request it answered gets an error.
func (p *stdio) serverBatch(f wire.Frame) {
	messages := make([]Message, len(f.Elements))
	whole := f.Problem == nil && !f.HasOwnMeta
	changed := false
	for i, element := range f.Elements {
		messages[i] = p.talk.FromServer(element)
		sent, ok := p.received(messages[i])
		whole = whole && ok
		changed = changed || ok && !bytes.Equal(sent, element.Raw)
	}
	if whole && !changed {
		p.toClient.send(frame{bytes: f.Raw})
		return
	}
	if clean, _, err := wire.StripOwnMeta(f.Raw); err == nil && f.Problem == nil && !changed && allRelayed(messages) {
		p.toClient.send(frame{bytes: clean})
		return
	}
	for i, m := range messages {
		if m.Frame.Kind == wire.Response || m.Frame.Kind == wire.ErrorResponse {
			m.Answers = append(m.Answers, f.Elements[i].ID)
		}
		if m.Frame.Problem == nil {
			m.Frame.Problem = f.Problem
		}
		p.unrelayed(m)
	}
}

func allRelayed(messages []Message) bool {
	for _, m := range messages {
		if m.Frame.Kind == wire.Refused || m.Event != nil && m.Event.Refused != nil {
			return false
		}
	}
	return true
}
