package proxy

import (
	"bytes"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// FromServer takes in one frame, or one element of a batch, of the server.
func (c *Conversation) FromServer(f wire.Frame) Message { return c.server(f, nil) }

// server is FromServer for a frame that came on the stream of an exchange of the
// client.
func (c *Conversation) server(f wire.Frame, via *exchange) Message {
	m := Message{Frame: f, via: via, fromServer: true}
	switch f.Kind {
	case wire.Refused:
		m.Event = c.refusal(f, "server")
		if f.Problem != nil {
			for _, id := range f.Problem.IDs {
				if c.early(id) {
					continue
				}
				if r := c.close(id); r != nil {
					m.Answers = append(m.Answers, Answered{id, r.via})
				}
			}
		}
	case wire.Response, wire.ErrorResponse:
		c.mu.Lock()
		spoofed := c.isOurs(f.ID)
		c.mu.Unlock()
		if spoofed {
			return c.spoofed(f, via)
		}
		c.response(&m)
	case wire.Request:
		c.mu.Lock()
		spoofed := c.isOurs(f.ID)
		if !spoofed && len(c.asked) < maxOpen {
			c.asked[f.ID.Key()] = true
		}
		c.mu.Unlock()
		if spoofed {
			return c.spoofed(f, via)
		}
		if m.Event = c.asks(f); m.Event == nil {
			m.Event = c.text(f, f.Method, f.Params)
		}
	case wire.Notification:
		if f.Method == "notifications/cancelled" {
			if c.cancelsOurs(f) {
				return c.spoofed(f, via)
			}
			m.takesBack = cancelledID(f)
		}
		if m.via == nil && f.Method == "notifications/progress" {
			m.via = c.progressed(f)
		}
		if m.Event = c.tells(f); m.Event == nil {
			m.Event = c.text(f, f.Method, f.Params)
		}
	}
	return m
}

// response makes a result of the answer to a call, and a list of tools of the
// answer to tools/list; any other answer is text of the server.
func (c *Conversation) response(m *Message) {
	f := m.Frame
	if c.early(f.ID) {
		m.Frame.Kind = wire.Refused
		m.Frame.Problem = &wire.Problem{Code: CodeEarlyResponse, Reason: "the server answers a call that it was not sent", RPCCode: -32600, Drop: true}
		m.Event = c.refusal(m.Frame, "server")
		return
	}
	r := c.close(f.ID)
	if r == nil {
		r = c.likely(f.ID)
	}
	if m.answers = r != nil; m.answers {
		m.bare, m.cursor = r.bare, r.cursor
	}
	if r != nil && (m.via == nil || r.via != m.via && r.via != nil && r.via.read()) {
		m.via = r.via
	}
	if p := describes(f, r); p != nil {
		c.close(r.id)
		m.Answers = []Answered{{r.id, r.via}}
		m.Frame.Kind, m.Frame.Problem = wire.Refused, p
		m.Event = c.refusal(m.Frame, "server")
		return
	}
	body := f.Result
	if f.Kind == wire.ErrorResponse {
		body = f.Error
	}
	switch {
	case r == nil:
		m.Event = c.text(f, "", body)
	case r.call != "":
		m.open, m.Frame.Modern = r, r.modern
		m.Event = c.result(f, r)
		c.tasks.add(taskOf(m.Event.Result.Value), m.Event.Result.Call)
	case r.task != "":
		m.open, m.Frame.Modern = r, r.modern
		r.call = c.tasks.call(r.task)
		m.Event = c.result(f, r)
	case r.method == "tools/list" && f.Kind == wire.Response && r.id.Key() == f.ID.Key():
		m.Event = c.tools(f, r)
	default:
		sure := f.Kind == wire.Response && r.id.Key() == f.ID.Key()
		if sure && r.method == "initialize" {
			c.mu.Lock()
			c.revision, c.elicits = f.Version, r.elicits
			c.mu.Unlock()
		}
		m.Event = c.text(f, r.method, body)
		if sure && r.method == "initialize" && m.Event != nil && m.Event.Frame != nil {
			c.declares(m.Event.Frame.Frame)
		}
		if sure && (r.method == "initialize" || r.method == "server/discover") && m.Event != nil && m.Event.Frame != nil {
			m.Event = &abi.Event{Server: &abi.ServerEvent{Server: c.Server, Result: m.Event.Frame.Frame}}
		}
	}
}

// size is how many bytes a frame has. What ends a line is of the transport.
func size(f wire.Frame) int64 { return int64(len(bytes.TrimRight(f.Raw, "\r\n"))) }

func (c *Conversation) result(f wire.Frame, r *request) *abi.Event {
	call := r.call
	if r.unsure {
		call = "" // it must not vouch as that call's result
	}
	res := &abi.ResultEvent{Call: call, Server: c.Server, Bytes: size(f)}
	if f.Kind == wire.ErrorResponse {
		res.Error, _ = abi.Parse(f.Error.In(f.Raw))
	} else {
		res.Value, _ = abi.Parse(f.Result.In(f.Raw))
	}
	return &abi.Event{Result: res}
}

// tools is the event of a page of tool definitions. What has no name cannot be
// called and is left to the client.
func (c *Conversation) tools(f wire.Frame, r *request) *abi.Event {
	result, err := abi.Parse(f.Result.In(f.Raw))
	if err != nil {
		return c.text(f, r.method, f.Result)
	}
	t := &abi.ToolsEvent{Server: c.Server, Cursor: r.cursor, Paged: r.paged, Next: f.NextCursor, More: f.HasNext}
	for _, d := range result.Get("tools").Items() {
		if d.Kind() == abi.Object && d.Get("name").IsString() {
			t.List = append(t.List, d)
		}
	}
	return &abi.Event{Tools: t}
}

// text is the event of any other frame of the server.
func (c *Conversation) text(f wire.Frame, method string, body wire.Span) *abi.Event {
	if body.IsZero() {
		return nil
	}
	v, err := abi.Parse(body.In(f.Raw))
	if err != nil {
		return c.refusal(f, "server")
	}
	return &abi.Event{Frame: &abi.FrameEvent{Server: c.Server, Method: method, Frame: v}}
}
