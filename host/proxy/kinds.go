package proxy

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// plainMethods are the methods of MCP that read or change nothing that a policy
// speaks of: they are relayed, and what a server answers is recorded.
var plainMethods = map[string]bool{
	"initialize": true, "ping": true, "server/discover": true, "logging/setLevel": true,
	"tools/list": true, "resources/list": true, "resources/templates/list": true, "resources/unsubscribe": true, "prompts/list": true,
	"tasks/get": true, "tasks/result": true, "tasks/list": true, "tasks/cancel": true, "tasks/update": true,
	"notifications/initialized": true, "notifications/progress": true, "notifications/cancelled": true, "notifications/roots/list_changed": true,
	"notifications/tasks/status": true, "notifications/elicitation/complete": true,
}

// isJudged says whether the gate judges a frame of the client with a method.
func isJudged(method string) bool { return !plainMethods[method] }

// callOf makes a call of a frame of the client, or nil if there is nothing to
// judge.
func callOf(f wire.Frame) (*abi.Call, error) {
	if !isJudged(f.Method) {
		return nil, nil
	}
	params := abi.Value{}
	var err error
	if f.Call != nil {
		return toolCall(f)
	}
	if !f.Params.IsZero() {
		if params, err = abi.Parse(f.Params.In(f.Raw)); err != nil {
			return nil, err
		}
	}
	switch f.Method {
	case "resources/read":
		return &abi.Call{Kind: abi.KindResource, URI: f.Target, Action: "read"}, nil
	case "resources/subscribe":
		return &abi.Call{Kind: abi.KindResource, URI: f.Target, Action: "subscribe"}, nil
	case "subscriptions/listen":
		return listenCall(params), nil
	case "prompts/get":
		return &abi.Call{Kind: abi.KindPrompt, Name: f.Target, Arguments: params.Get("arguments")}, nil
	case "completion/complete":
		return &abi.Call{Kind: abi.KindCompletion, Ref: params.Get("ref"), Argument: params.Get("argument"), Context: params.Get("context")}, nil
	}
	return &abi.Call{Kind: abi.KindMethod, Method: f.Method, Params: params}, nil
}

func toolCall(f wire.Frame) (*abi.Call, error) {
	call := &abi.Call{Kind: abi.KindTool, Tool: f.Call.Name}
	var err error
	if !f.Call.Arguments.IsZero() {
		if call.Arguments, err = abi.Parse(f.Call.Arguments.In(f.Raw)); err != nil {
			return nil, err
		}
	}
	if !f.Call.Task.IsZero() {
		call.Task, err = abi.Parse(f.Call.Task.In(f.Raw))
	}
	return call, err
}

// listenCall makes a call of the resources that a subscription is for; nil if it
// is for none.
func listenCall(params abi.Value) *abi.Call {
	call := &abi.Call{Kind: abi.KindResource, Action: "subscribe"}
	for _, uri := range params.Get("notifications").Get("resourceSubscriptions").Items() {
		call.URIs = append(call.URIs, uri.Str())
	}
	if call.URIs == nil {
		return nil
	}
	return call
}

// requestKinds are the requests of a server that the gate judges.
var requestKinds = map[string]abi.CallKind{
	"sampling/createMessage": abi.KindSampling, "elicitation/create": abi.KindElicitation, "roots/list": abi.KindRoots,
}

// plainRequests are the requests of a server that ask for nothing that a policy
// speaks of. A task of the client is one that the client let the server have.
var plainRequests = map[string]bool{"ping": true, "tasks/get": true, "tasks/result": true, "tasks/list": true, "tasks/cancel": true}

// asks makes a call of a request of the server; nil if it is none that is judged.
func (c *Conversation) asks(f wire.Frame) *abi.Event { return c.asksFor(f.Method, f.Params, f) }

// asksFor is asks for a request in a frame.
func (c *Conversation) asksFor(method string, params wire.Span, f wire.Frame) *abi.Event {
	if plainRequests[method] {
		return nil
	}
	call := &abi.Call{Kind: requestKinds[method], Server: c.Server, Bytes: int64(params.End - params.Start)}
	v := abi.Value{}
	if !params.IsZero() {
		var err error
		if v, err = abi.Parse(params.In(f.Raw)); err != nil {
			return c.refusal(f, "server")
		}
	}
	if call.Kind == "" {
		// What it holds is the server's text, and not what the client says in a call
		// of its own: it is recorded beside the call, of which it is the digest.
		call.Kind, call.Method, call.Digest = abi.KindMethod, method, v.Digest()
		return &abi.Event{Call: call}
	}
	call.Params = v
	return &abi.Event{Call: call}
}

// Beside is the text of a request of the server that its call does not hold; nil
// if the call holds all of it.
func (m *Message) Beside() *abi.Event {
	if !m.fromServer || m.Event == nil || m.Event.Call == nil || m.Event.Call.Kind != abi.KindMethod || m.Frame.Params.IsZero() {
		return nil
	}
	v, err := abi.Parse(m.Frame.Params.In(m.Frame.Raw))
	if err != nil {
		return nil // then it is no call either
	}
	return &abi.Event{Frame: &abi.FrameEvent{Server: m.Event.Call.Server, Method: m.Frame.Method, Request: true, Frame: v}}
}

// Inside returns the calls of the requests that a frame of the server makes
// besides being what it is, in order. They are judged before it: if one is not
// allowed, the client sees nothing of the frame.
func (c *Conversation) Inside(f wire.Frame) []abi.Event {
	if f.Kind == wire.Refused {
		return nil
	}
	var out []abi.Event
	for _, ask := range f.Asked {
		if e := c.asksFor(ask.Method, ask.Params, f); e != nil && e.Call != nil {
			out = append(out, *e) // any other is recorded with the frame
		}
	}
	return out
}

// unask forgets a request of the server: it was answered, and not by the client.
func (c *Conversation) unask(id wire.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.asked, id.Key())
}

// tells makes a result of a notification that brings one: of a task. Nil: it
// brings none.
func (c *Conversation) tells(f wire.Frame) *abi.Event {
	if f.Method != "notifications/tasks" && f.Method != "notifications/tasks/status" || f.Params.IsZero() {
		return nil
	}
	v, err := abi.Parse(f.Params.In(f.Raw))
	if err != nil {
		return nil // it is text all the same, and refused as such
	}
	return &abi.Event{Result: &abi.ResultEvent{
		Call: c.tasks.call(v.Get("taskId").Str()), Server: c.Server, Value: v, Bytes: size(f),
	}}
}

// taskOf returns the id of the task that a call was answered with, "" if it was
// answered with something else.
func taskOf(result abi.Value) string {
	if task := result.Get("task").Get("taskId"); task.IsString() {
		return task.Str() // 2025-11-25
	}
	if result.Get("resultType").Str() == "task" {
		return result.Get("taskId").Str() // the tasks extension of 2026-07-28
	}
	return ""
}

// progressed returns where the request is from whose progress a notification
// tells, nil if it is not known.
func (c *Conversation) progressed(f wire.Frame) *exchange {
	token := string(f.ProgressToken.In(f.Raw))
	if token == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.open {
		if r.token == token {
			return r.via
		}
	}
	return nil
}
