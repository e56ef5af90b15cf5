package proxy

import (
	"strings"
	"sync"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/transport"
	"github.com/callgate/callgate/host/wire"
)

// Codes of refusals that need more than one frame to be seen.
const (
	// CodeIDInFlight: a request reuses the id of a request without an answer.
	CodeIDInFlight = "FRAME_ID_IN_FLIGHT"
	// CodeForeignResponse: a response of the client that answers no request of the server.
	CodeForeignResponse = "FRAME_FOREIGN_RESPONSE"
	// CodeForeignRequest: a frame of the server speaks of a request that Callgate made.
	CodeForeignRequest = "FRAME_FOREIGN_REQUEST"
	// CodeEarlyResponse: an answer to a call that the server was not sent yet.
	CodeEarlyResponse = "FRAME_EARLY_RESPONSE"
	// CodeTooManyOpen: more requests without an answer than are kept.
	CodeTooManyOpen = "FRAME_TOO_MANY_OPEN"
	// CodeHTTP: a message whose HTTP request is not served.
	CodeHTTP = "HTTP_REFUSED"
	// CodeUnrelated: a frame of a server that several clients share, for none of them.
	CodeUnrelated = "FRAME_UNRELATED"
	// CodeBatchTaken: an allowed call whose batch was not forwarded.
	CodeBatchTaken = "FRAME_BATCH_TAKEN_BACK"
)

// maxOpen is how many requests may be without an answer, in each direction, and
// maxOpenBytes how long their names may be together.
const (
	maxOpen      = 16384
	maxOpenBytes = 64 << 20
)

// maxRecorded is how much of a refused frame is kept, in bytes.
const maxRecorded = 64 << 10

// Conversation turns frames into events. It knows which requests are open in
// both directions; it decides nothing and does no I/O. It is safe for
// concurrent use by the two pumps.
type Conversation struct {
	Server string

	mu       sync.Mutex
	open     map[string]*request // of the client, by id
	bytes    int                 // what they hold, see [request.size]
	asked    map[string]bool     // of the server, by id
	unsure   map[string]bool     // ids of which more than one answer may come
	noneSure bool                // there were too many of them to keep
	ours     map[string]bool     // ids of our requests to the client; true: an answer is awaited
	revision string              // from the initialize result
	elicits  bool                // the client of that result declared forms
	tasks    *tasks
	declared map[string]bool // what the server says that it sends, see [listChanges]
	ready    bool            // the client has said so
}

// request is a request of the client without an answer. A cancelled one may
// still get one.
type request struct {
	id        wire.ID
	method    string
	via       *exchange // where its answer belongs
	tool      bool      // its answer is a tool result
	task      string    // id of the task that it is about
	token     string    // of its progress, as JSON
	bare      bool      // of 2026-07-28, and without what its client can do
	approved  *bound    // a person approved the call that it is
	call      string    // id of the call event
	cursor    string
	paged     bool
	modern    bool
	cancelled bool
	unsure    bool            // its answer may be that of another request with its id
	elicits   bool            // initialize: the client declares forms
	unsent    bool            // a call that the server has not been given
	wants     map[string]bool // of a subscription, see [listChanges]
	gets      map[string]bool // as the server has acknowledged
}

// size is how many bytes of the client's are kept of a request.
func (r *request) size() int {
	return len(r.id.Raw) + len(r.method) + len(r.task) + len(r.token) + len(r.cursor)
}

// Message is one frame, or element of a batch, and what it means to the gate.
type Message struct {
	Frame wire.Frame
	// Event is a call or a refusal, or from a server a result, a list of tools or
	// any other text. Nil: nothing the gate has to know.
	Event *abi.Event
	// Answers are the requests of the client that this frame of the server ends.
	Answers []Answered
	open    *request
	via     *exchange // at the client: where it came from, or belongs
	ours    bool      // it answers, or was to answer, a request of ours, and goes no further
	fresh   bool      // it is the first answer to it
	cancels string    // id of the call that the client gives up
	// takesBack is the key of the id of the request that a notification gives up.
	takesBack string
	ticket    *ticket // of the request state of ours that it came with

	fromServer bool
	edits      []abi.Edit                   // of what a frame of the server says
	list       *abi.ListOf                  // it is a list that plugins have judged
	beside     []abi.Edit                   // of the text of a request of the server, see [Message.Beside]
	bare       bool                         // it answers a request of 2026-07-28 that does not say what its client can do
	answers    bool                         // a response of the server, to a request that was open
	cursor     string                       // of the page of a list that it is
	changes    uint64                       // how many policies had come before it was judged
	event      *transport.Event             // what carried a request of the server here
	then       func(*abi.Verdict, Recorded) // instead of what becomes of any call that waited
}

// Answered is a request of the client that is open no more.
type Answered struct {
	ID  wire.ID
	via *exchange
}

// NewConversation returns the conversation with a server of that name.
func NewConversation(server string) *Conversation {
	return &Conversation{Server: server, open: map[string]*request{}, asked: map[string]bool{}, unsure: map[string]bool{}, ours: map[string]bool{}, tasks: &tasks{}}
}

// Options returns how frames are to be classified at this point.
func (c *Conversation) Options() wire.Options {
	c.mu.Lock()
	defer c.mu.Unlock()
	return wire.Options{Batches: c.revision == "2024-11-05" || c.revision == "2025-03-26"}
}

// Client takes in one frame, or one element of a batch, of the client.
func (c *Conversation) Client(f wire.Frame) Message { return c.client(f, nil) }

func (c *Conversation) client(f wire.Frame, via *exchange) Message {
	m := Message{Frame: f, via: via}
	switch f.Kind {
	case wire.Refused:
		m.Event = c.refusal(f, "client")
	case wire.Request:
		c.request(&m)
	case wire.Notification:
		switch f.Method {
		case "notifications/cancelled":
			m.cancels, m.takesBack = c.cancel(f), cancelledID(f)
			return m
		case "notifications/initialized":
			c.initialized()
		}
		c.judged(&m)
	case wire.Response, wire.ErrorResponse:
		c.mu.Lock()
		m.ours, m.fresh = c.isOurs(f.ID), c.ours[f.ID.Key()]
		if m.fresh {
			c.ours[f.ID.Key()] = false
		}
		known := c.asked[f.ID.Key()]
		delete(c.asked, f.ID.Key())
		c.mu.Unlock()
		if !known && !m.ours {
			c.refuse(&m, CodeForeignResponse, "the response answers no request of the server", true)
		}
	case wire.Blank:
	default:
		m.Frame.Kind = wire.Refused
		c.refuse(&m, wire.CodeNoShape, "the frame is of no kind that a client may send", false)
	}
	return m
}

// request opens a request of the client, and makes a call of a tools/call.
func (c *Conversation) request(m *Message) {
	f := m.Frame
	key := f.ID.Key()
	r := &request{
		id: f.ID, method: f.Method, via: m.via, cursor: f.Cursor, paged: f.HasCursor, modern: f.Modern,
		bare: f.Modern && f.Capabilities.IsZero(),
		tool: f.Call != nil && f.Call.Task.IsZero(), unsent: isJudged(f.Method), token: string(f.ProgressToken.In(f.Raw)),
	}
	switch {
	case f.Method == "initialize":
		r.elicits = declaresForms(f)
	case f.Method == "subscriptions/listen":
		r.wants = subscribed(f)
	case strings.HasPrefix(f.Method, "tasks/"):
		r.task = f.Target
	}
	c.mu.Lock()
	have := c.open[key]
	busy := have != nil && !have.cancelled
	if have != nil && have.cancelled {
		c.doubt(key)
	}
	full := func() bool { return len(c.open) >= maxOpen || c.bytes+r.size() > maxOpenBytes }
	if full() {
		c.forgetCancelled()
	}
	opens := !busy && !full()
	if opens {
		c.drop(key)
		c.open[key] = r
		c.bytes += r.size()
	}
	c.mu.Unlock()
	if busy {
		c.refuse(m, CodeIDInFlight, "a request with this id has no answer yet; use another id", false)
		return
	}
	if !opens {
		c.refuse(m, CodeTooManyOpen, "too many requests have no answer yet; wait for some", false)
		return
	}
	m.open = r
	if !c.judged(m) {
		c.close(f.ID)
		m.open = nil
	}
}

// judged makes a call of a frame of the client that the gate has to judge. It
// says whether the frame can be read.
func (c *Conversation) judged(m *Message) bool {
	call, err := callOf(m.Frame)
	if err != nil {
		c.refuse(m, wire.CodeNotJSON, "the parameters can not be read", m.Frame.Kind != wire.Request)
		return false
	}
	if call != nil {
		call.Server, call.Bytes = c.Server, int64(m.Frame.Params.End-m.Frame.Params.Start)
		m.Event = &abi.Event{Call: call}
	}
	return true
}

// Called notes the id that a call got.
func (c *Conversation) Called(m Message, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.open != nil {
		m.open.call = id
	}
}

// Sent notes that a request goes to the server now, which may answer it.
func (c *Conversation) Sent(m Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.open != nil {
		m.open.unsent = false
	}
}

// close forgets an open request: it was answered, by whomever. It returns a
// copy, since a server may answer while the call is still being judged.
func (c *Conversation) close(id wire.ID) *request {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.open[id.Key()]
	if r == nil {
		return nil
	}
	c.drop(id.Key())
	closed := *r
	closed.unsure = c.noneSure || c.unsure[id.Key()]
	return &closed
}

// doubt notes that a server may answer two requests under one id: what comes
// can not be told to be the answer of either. It is called with mu held.
func (c *Conversation) doubt(key string) {
	if len(c.unsure) >= maxOpen {
		c.noneSure = true
		return
	}
	c.unsure[key] = true
}

// forgetCancelled makes room for requests that somebody waits for. It is called
// with mu held.
func (c *Conversation) forgetCancelled() {
	for key, r := range c.open {
		if r.cancelled {
			c.doubt(key)
			c.drop(key)
		}
	}
}

// drop takes a request out of those that are open. It is called with mu held.
func (c *Conversation) drop(key string) {
	if r := c.open[key]; r != nil {
		c.bytes -= r.size()
		delete(c.open, key)
	}
}

// cancel notes that a request will not be waited for; its id may be used again.
// It returns the id of the call that the request is.
func (c *Conversation) cancel(f wire.Frame) (call string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.open[cancelledID(f)]
	if r == nil || r.method == "initialize" {
		return ""
	}
	r.cancelled = true
	return r.call
}

// cancelledID is the key of the id that a notification gives up, "" if it has
// none.
func cancelledID(f wire.Frame) string {
	at, err := wire.Find(f.Raw, f.Params, "/requestId")
	if err != nil {
		return ""
	}
	return wire.ID{Raw: string(at.In(f.Raw))}.Key()
}

// askedAs says whether a request of the server that waits for a person, or the
// frame that one is inside of, has the id that a notification gives up.
func (m *Message) askedAs(w *waiting) bool {
	request := w.m.Frame.Kind == wire.Request
	return w.m.fromServer && request == m.fromServer && w.m.Frame.ID.Key() == m.takesBack
}

// drain returns the client's requests without an answer and forgets them.
func (c *Conversation) drain() []*request {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]*request, 0, len(c.open))
	for key, r := range c.open {
		if !r.cancelled {
			out = append(out, r)
		}
		c.drop(key)
	}
	return out
}

// refuse turns a message into a refusal.
func (c *Conversation) refuse(m *Message, code, reason string, drop bool) {
	p := &wire.Problem{Code: code, Reason: reason, RPCCode: -32600, Drop: drop}
	if m.Frame.HasID && !drop {
		p.IDs = []wire.ID{m.Frame.ID}
	}
	m.Frame.Kind, m.Frame.Problem = wire.Refused, p
	m.Event = c.refusal(m.Frame, "client")
}

// refusal is the event of a frame that is not relayed.
func (c *Conversation) refusal(f wire.Frame, from string) *abi.Event {
	return refusedFrame(c.Server, f, from)
}

func refusedFrame(server string, f wire.Frame, from string) *abi.Event {
	r := &abi.RefusedEvent{Server: server, From: from, Size: int64(len(f.Raw)), Bytes: f.Raw[:min(len(f.Raw), maxRecorded)]}
	if f.Problem != nil {
		r.Code, r.Reason, r.Pointer = f.Problem.Code, f.Problem.Reason, f.Problem.Pointer
	}
	if f.Call != nil {
		r.Tool = f.Call.Name
	}
	return &abi.Event{Refused: r}
}
