package proxy

import (
	"crypto/rand"
	"encoding/base32"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// Elicitation came with revision 2025-06-18. What a client of a later revision
// than 2025-11-25 is asked is no request any more.
const (
	firstEliciting = "2025-06-18"
	lastEliciting  = "2025-11-25"
)

// Elicits says whether the client takes our questions: it declared form
// elicitation, in a revision that has it as a request.
func (c *Conversation) Elicits() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elicits && c.revision >= firstEliciting && c.revision <= lastEliciting
}

// speaks says which revision a client speaks whose initialize was not seen. A
// request without the header is of the revision before there was one (MCP
// 2025-06-18, "protocol version header").
func (c *Conversation) speaks(version string) {
	if version == "" {
		version = "2025-03-26"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision = version
}

// started says whether an initialize request was answered.
func (c *Conversation) started() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revision != ""
}

// primed says whether the client knows events without data, which let it come
// back to an answer of which it has seen nothing yet. Clients of before read
// them as broken frames.
func (c *Conversation) primed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revision >= "2025-11-25"
}

// declaresForms reads an initialize request: an elicitation capability without
// members means forms, as before there were other modes.
func declaresForms(f wire.Frame) bool {
	at, err := wire.Find(f.Raw, f.Params, "/capabilities/elicitation")
	if err != nil {
		return false
	}
	v, err := abi.Parse(at.In(f.Raw))
	if err != nil || v.Kind() != abi.Object {
		return false
	}
	return len(v.Members()) == 0 || v.Get("form").Kind() == abi.Object
}

// NewRequest gives a request of our own an id that nobody can guess, and which
// no request of the server has.
func (c *Conversation) NewRequest() wire.ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		raw := make([]byte, 20)
		rand.Read(raw) // never fails, see crypto/rand
		id := wire.ID{Raw: `"callgate-` + strings.ToLower(base32.StdEncoding.EncodeToString(raw)) + `"`}
		if !c.asked[id.Key()] {
			c.ours[id.Key()] = true
			return id
		}
	}
}

// spend notes that an answer to a request of ours counts no more, and says
// whether one was awaited. Its id stays ours, so that nothing which comes late
// is taken for an answer to the server.
func (c *Conversation) spend(id wire.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ours[id.Key()] {
		return false
	}
	c.ours[id.Key()] = false
	return true
}

// isOurs says whether an id is one of ours. It is called with mu held.
func (c *Conversation) isOurs(id wire.ID) bool {
	_, ours := c.ours[id.Key()]
	return ours
}

// elicitation is the request that asks a person through the client.
func elicitation(id wire.ID, prompt string) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id.Raw...)
	b = append(b, `,"method":"elicitation/create","params":{"message":`...)
	b = wire.AppendString(b, prompt)
	return append(b, `,"requestedSchema":{"type":"object","properties":{"approve":{"type":"boolean","title":"Approve this call",`+
		`"description":"Yes lets exactly the call that is shown go to the server"}},"required":["approve"]}}}`+"\n"...)
}

// withdrawal tells the client that a request of ours needs no answer any more.
func withdrawal(id wire.ID) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), id.Raw...)
	return append(b, `,"reason":"the question is settled"}}`+"\n"...)
}

// elicited reads the client's answer to a question. Only an accepted form with
// approve: true is a yes. A client that can not ask has given no answer.
func elicited(f wire.Frame) (yes, answered bool) {
	if f.Kind != wire.Response {
		return false, false
	}
	v, err := abi.Parse(f.Result.In(f.Raw))
	if err != nil {
		return false, true
	}
	return v.Get("action").IsString() && v.Get("action").Str() == "accept" && v.Get("content").Get("approve").True(), true
}

// cancelsOurs says whether a notification of the server gives up a request of
// ours.
func (c *Conversation) cancelsOurs(f wire.Frame) bool {
	at, err := wire.Find(f.Raw, f.Params, "/requestId")
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isOurs(wire.ID{Raw: string(at.In(f.Raw))})
}

// spoofed refuses a frame of the server that speaks of a request of ours.
func (c *Conversation) spoofed(f wire.Frame, via *exchange) Message {
	f.Problem = &wire.Problem{Code: CodeForeignRequest, Reason: "the server uses the id of a request that is not its own", RPCCode: -32600, Drop: true}
	if f.Kind == wire.Request {
		f.Problem.ServerIDs = []wire.ID{f.ID}
	}
	f.Kind = wire.Refused
	return Message{Frame: f, Event: c.refusal(f, "server"), via: via, fromServer: true}
}
