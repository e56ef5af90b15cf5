package replay

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
)

// short reads one of the short forms: {"call":…} and those of [shortKind],
// {"result":…}, {"tools":…},
// {"server":…}, {"user":…}, {"time":…}, {"session":"new"}, {"facts":…}, {"approval":…},
// {"lapsed":…} and {"raw":…}. A "time" beside another member moves the clock first.
func (p *Player) short(v abi.Value) ([]abi.Event, error) {
	at, err := timeOf(v)
	if err != nil {
		return nil, err
	}
	var events []abi.Event
	kinds := 0
	for _, m := range v.Members() {
		if m.Name == "time" {
			continue
		}
		kinds++
		events, err = p.shortOf(m.Name, m.Value)
		if err != nil {
			return nil, err
		}
	}
	switch {
	case kinds > 1:
		return nil, fmt.Errorf("%d events in one object; want one on each line", kinds)
	case kinds == 0 && at.IsZero():
		return nil, fmt.Errorf("an empty event; want one of %s", shortForms)
	case kinds == 0:
		events = []abi.Event{{}}
	}
	for i := range events {
		events[i].Time = at
	}
	return events, nil
}

// timeOf reads the member "time" of a short form; the zero time: as before.
func timeOf(v abi.Value) (time.Time, error) {
	t := v.Get("time")
	if !t.Exists() {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, t.Str())
	if err != nil || at.IsZero() {
		return time.Time{}, fmt.Errorf("time: %s is not a time; want RFC 3339, such as \"2026-11-29T18:00:00Z\"", t)
	}
	return at, nil
}

const shortForms = "call, resource, prompt, complete, request, method, result, tools, server, user, time, session, facts, approval, lapsed, raw"

func (p *Player) shortOf(kind string, v abi.Value) ([]abi.Event, error) {
	if c, err := shortKind(kind, v); c != nil || err != nil {
		return []abi.Event{{Call: c}}, err
	}
	switch kind {
	case "call":
		return shortCall(v)
	case "result":
		return p.shortResult(v)
	case "tools":
		return shortTools(v)
	case "server":
		return shortServer(v)
	case "user":
		if v.IsString() {
			return []abi.Event{{User: &abi.UserEvent{Text: v.Str()}}}, nil
		}
		return nil, fmt.Errorf("user: want a string")
	case "session":
		return p.shortSession(v)
	case "approval":
		return p.shortApproval(v)
	case "lapsed":
		return p.shortLapsed(v)
	case "facts":
		e, err := abi.EventFrom(abi.ObjectValue(abi.Member{Name: "v", Value: abi.IntValue(abi.EventVersion)}, abi.Member{Name: "facts", Value: v}))
		return []abi.Event{e}, err
	}
	return nil, fmt.Errorf("unknown event %q; want one of %s", kind, shortForms)
}

// shortApproval is a person's answer about the last call: "yes" or "no", which
// every ask accepts, or an object that says through which channel. Where every
// ask is answered already, one more answer changes nothing.
func (p *Player) shortApproval(v abi.Value) ([]abi.Event, error) {
	answer, by := v, "eval"
	if !v.IsString() {
		if err := only("approval", v, "answer", "by"); err != nil {
			return nil, fmt.Errorf("%w; or want \"yes\" or \"no\"", err)
		}
		answer = v.Get("answer")
		if channel := v.Get("by"); channel.Exists() {
			if by = channel.Str(); !slices.Contains(channels(), by) {
				return nil, fmt.Errorf("approval: by: %s is no channel; want one of %s", channel, strings.Join(channels(), ", "))
			}
		}
	}
	yes := answer.Str() == "yes"
	if !yes && answer.Str() != "no" {
		return nil, fmt.Errorf("approval: want \"yes\" or \"no\"")
	}
	if err := p.awaits("approval"); err != nil {
		return nil, err
	}
	return []abi.Event{{Approval: &abi.ApprovalEvent{Call: p.last, Yes: yes, By: by}}}, nil
}

// awaits refuses what is said of the last call's question where there is none.
func (p *Player) awaits(kind string) error {
	switch {
	case p.last == "":
		return fmt.Errorf("%s: nothing was asked: no call before it; put it behind a call that asks", kind)
	case p.asked != p.last && !p.o.Approve:
		return fmt.Errorf("%s: nothing was asked about the last call, or it is answered; put it behind a call that asks", kind)
	}
	return nil
}

// shortLapsed ends the last call's wait for an answer: nobody answered in time
// ("unanswered"), or the client gave the call up ("cancelled").
func (p *Player) shortLapsed(v abi.Value) ([]abi.Event, error) {
	how := v.Str()
	if how != "unanswered" && how != "cancelled" {
		return nil, fmt.Errorf("lapsed: want \"unanswered\" or \"cancelled\"")
	}
	if err := p.awaits("lapsed"); err != nil {
		return nil, err
	}
	return []abi.Event{{Lapsed: &abi.LapsedEvent{Call: p.last, Cancelled: how == "cancelled"}}}, nil
}

// channels are those that a person answers through.
func channels() []string {
	return []string{abi.ChannelTerminal, abi.ChannelElicitation, abi.ChannelWebhook}
}

// shortSession is a new session: "new", or an object that says on what host, and
// who calls.
func (p *Player) shortSession(v abi.Value) ([]abi.Event, error) {
	place, principal := p.o.Place, abi.Principal{}
	if v.Str() != "new" {
		if err := only("session", v, "dir", "home", "platform", "identity", "subject", "issuer"); err != nil {
			return nil, fmt.Errorf("%w, or the string \"new\"", err)
		}
		for _, m := range v.Members() {
			if !m.Value.IsString() {
				return nil, fmt.Errorf("session: %s: want a string", m.Name)
			}
		}
		if v.Get("dir").Exists() || v.Get("home").Exists() || v.Get("platform").Exists() {
			place = abi.Place{Dir: v.Get("dir").Str(), Home: v.Get("home").Str(), Platform: v.Get("platform").Str()}
		}
		principal = abi.Principal{Identity: v.Get("identity").Str(), Subject: v.Get("subject").Str(), Issuer: v.Get("issuer").Str()}
	}
	return []abi.Event{{Session: &abi.SessionEvent{ID: "s-eval", New: true, Place: place, Principal: principal}}}, nil
}

// only checks the member names of a short form.
func only(kind string, v abi.Value, names ...string) error {
	if v.Kind() != abi.Object {
		return fmt.Errorf("%s: want an object with %s", kind, strings.Join(names, ", "))
	}
	for _, m := range v.Members() {
		if !slices.Contains(names, m.Name) {
			return fmt.Errorf("%s: unknown member %q; want %s", kind, m.Name, strings.Join(names, ", "))
		}
	}
	return nil
}

// named checks the name of the server that an event is of.
func named(kind, server string) error {
	if server == "" {
		return fmt.Errorf("%s: want a server", kind)
	}
	if err := abi.CheckServerName(server); err != nil {
		return fmt.Errorf("%s: server: %w", kind, err)
	}
	return nil
}

func shortCall(v abi.Value) ([]abi.Event, error) {
	if err := only("call", v, "server", "tool", "arguments"); err != nil {
		return nil, err
	}
	c := &abi.Call{Kind: abi.KindTool, Server: v.Get("server").Str(), Tool: v.Get("tool").Str(), Arguments: v.Get("arguments")}
	if c.Server == "" || c.Tool == "" {
		return nil, fmt.Errorf("call: want a server and a tool, both not empty")
	}
	if err := named("call", c.Server); err != nil {
		return nil, err
	}
	if k := c.Arguments.Kind(); k != abi.Absent && k != abi.Object {
		return nil, fmt.Errorf("call: arguments: want an object")
	}
	return []abi.Event{{Call: c}}, nil
}

// shortResult is the result of the call before it: as the server sent it, or a string for one block of text.
func (p *Player) shortResult(v abi.Value) ([]abi.Event, error) {
	switch {
	case p.last == "":
		return nil, fmt.Errorf("result: no call before it")
	case p.of.Kind.FromServer():
		return nil, fmt.Errorf("result: the call before it is a request of a server, whose answer is no output")
	}
	if v.IsString() {
		v = TextResult(v.Str())
	}
	if v.Kind() != abi.Object {
		return nil, fmt.Errorf("result: want the result as MCP has it, such as {\"content\":[{\"type\":\"text\",\"text\":\"…\"}]}, or a string")
	}
	return []abi.Event{{Result: &abi.ResultEvent{Call: p.last, Server: p.of.Server, Value: v, Bytes: int64(len(v.Append(nil)))}}}, nil
}

// TextResult is a tool result with one block of text.
func TextResult(text string) abi.Value {
	return abi.ObjectValue(abi.Member{Name: "content", Value: abi.ArrayValue(abi.ObjectValue(
		abi.Member{Name: "type", Value: abi.StringValue("text")},
		abi.Member{Name: "text", Value: abi.StringValue(text)},
	))})
}

func shortTools(v abi.Value) ([]abi.Event, error) {
	if err := only("tools", v, "server", "list"); err != nil {
		return nil, err
	}
	list, err := ToolList(v.Get("list"))
	if err != nil {
		return nil, fmt.Errorf("tools: list: %w", err)
	}
	if err := named("tools", v.Get("server").Str()); err != nil {
		return nil, err
	}
	return []abi.Event{{Tools: &abi.ToolsEvent{Server: v.Get("server").Str(), List: list}}}, nil
}

// shortServer is what a server says of itself.
func shortServer(v abi.Value) ([]abi.Event, error) {
	if err := only("server", v, "server", "result"); err != nil {
		return nil, err
	}
	if v.Get("server").Str() == "" || v.Get("result").Kind() != abi.Object {
		return nil, fmt.Errorf("server: want the name of a server, and its result of initialize or server/discover, such as {\"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}}")
	}
	if err := named("server", v.Get("server").Str()); err != nil {
		return nil, err
	}
	return []abi.Event{{Server: &abi.ServerEvent{Server: v.Get("server").Str(), Result: v.Get("result")}}}, nil
}

// ToolList reads tool definitions: a list of them, or an object with a list
// called tools (a tools/list result, or a recorded server).
func ToolList(v abi.Value) ([]abi.Value, error) {
	if v.Kind() == abi.Object {
		v = v.Get("tools")
	}
	if v.Kind() != abi.Array {
		return nil, fmt.Errorf("want a list of tool definitions, or an object with a list called tools")
	}
	for i, d := range v.Items() {
		if d.Kind() != abi.Object || !d.Get("name").IsString() {
			return nil, fmt.Errorf("[%d]: want a tool definition with a name", i)
		}
	}
	return v.Items(), nil
}
