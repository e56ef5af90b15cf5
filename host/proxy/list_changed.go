package proxy

import (
	"slices"
	"strings"
	"sync"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/wire"
)

// listChange is a notification that lists are not any more what they were (MCP, "list
// changed notification").
type listChange struct {
	method     string
	capability string   // of a server, whose listChanged says that it sends it; before 2026-07-28
	filter     string   // of a subscription, by which a client asks for it; from 2026-07-28 on
	kinds      []string // of lists
}

var listChanges = []listChange{
	{"notifications/tools/list_changed", "tools", "toolsListChanged", []string{abi.ListTools}},
	{"notifications/resources/list_changed", "resources", "resourcesListChanged", []string{abi.ListResources, abi.ListTemplates}},
	{"notifications/prompts/list_changed", "prompts", "promptsListChanged", []string{abi.ListPrompts}},
}

// among are the methods of the notifications of which something holds.
func among(holds func(c listChange) bool) map[string]bool {
	out := map[string]bool{}
	for _, c := range listChanges {
		if holds(c) {
			out[c.method] = true
		}
	}
	return out
}

// subscribed are the notifications that a subscription asks for, or that a server lets it
// have.
func subscribed(f wire.Frame) map[string]bool {
	if f.Params.IsZero() {
		return nil
	}
	v, err := abi.Parse(f.Params.In(f.Raw))
	if err != nil {
		return nil
	}
	return among(func(c listChange) bool { return v.Get("notifications").Get(c.filter).True() })
}

// declares notes what a server says in its answer to initialize.
func (c *Conversation) declares(result abi.Value) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.declared = among(func(l listChange) bool { return result.Get("capabilities").Get(l.capability).Get("listChanged").True() })
}

// initialized notes that a client is ready to be told something.
func (c *Conversation) initialized() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = true
}

// declaring says whether an answer is one in which a server has said that it sends some.
func (c *Conversation) declaring(m *Message) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return m.Event != nil && m.Event.Server != nil && len(c.declared) > 0
}

// acknowledges notes what a server lets a subscription have, and says whether that is
// about lists.
func (c *Conversation) acknowledges(f wire.Frame) bool {
	if f.Kind != wire.Notification || f.Method != "notifications/subscriptions/acknowledged" || f.SubscriptionID.IsZero() {
		return false
	}
	gets := subscribed(f)
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.open[wire.ID{Raw: string(f.SubscriptionID.In(f.Raw))}.Key()]
	if r == nil {
		return false
	}
	r.gets = among(func(l listChange) bool { return r.wants[l.method] && gets[l.method] })
	return len(r.gets) > 0
}

// hearing is where a client waits for a notification.
type hearing struct {
	via          *exchange
	subscription string // as JSON; "": it belongs to the session
}

// hearing are the places where the client waits for a notification that the server has
// said it sends.
func (c *Conversation) hearing(method string) []hearing {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []hearing
	if c.ready && c.declared[method] {
		out = append(out, hearing{})
	}
	for _, r := range c.open {
		if r.gets[method] && !r.cancelled {
			out = append(out, hearing{r.via, r.id.Raw})
		}
	}
	slices.SortFunc(out, func(a, b hearing) int { return strings.Compare(a.subscription, b.subscription) })
	return out
}

// frame is a notification for it.
func (h hearing) frame(method string) []byte {
	b := wire.AppendString([]byte(`{"jsonrpc":"2.0","method":`), method)
	if h.subscription != "" {
		b = append(b, `,"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+h.subscription+`}}`...)
	}
	return append(b, "}\n"...)
}

// hearers are the relays whose clients may wait for such notifications, in the order in
// which they came.
type hearers struct {
	mu     sync.Mutex
	relays []*relay
}

func (h *hearers) add(r *relay) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !r.parted && !slices.Contains(h.relays, r) {
		h.relays = append(h.relays, r)
	}
}

func (h *hearers) remove(r *relay) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r.parted = true
	h.relays = slices.DeleteFunc(h.relays, func(one *relay) bool { return one == r })
}

func (h *hearers) all() []*relay {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.relays)
}

// relisted tells clients that lists are not what they were last shown, after a policy
// has come into force before which lists were shown in other ways.
func (k *Keeper) relisted(o *out, before map[string]gate.Way) {
	now := k.changes.Add(1)
	after := k.o.Engine.Ways(k.o.Server)
	for _, r := range k.hearers.all() {
		for _, c := range listChanges {
			to := r.talk.hearing(c.method)
			changed := func(kind string) bool { return r.differs(kind, before[kind], after[kind], now) }
			if len(to) > 0 && slices.ContainsFunc(c.kinds, changed) {
				r.tell(o, c.method, to)
			}
		}
	}
}

// relayed does what is left to do once a frame of the server has gone to the client.
func (r *relay) relayed(m Message) {
	if r.talk.acknowledges(m.Frame) || r.talk.declaring(&m) {
		r.hearers.add(r)
	}
	kind := m.listKind()
	if kind == "" || !r.stale(kind, m.cursor) {
		return
	}
	// Another policy came while the list was on its way.
	o := out{}
	for _, c := range listChanges {
		if slices.Contains(c.kinds, kind) {
			r.tell(&o, c.method, r.talk.hearing(c.method))
		}
	}
	o.send()
}

// tell sends a notification of our own.
func (r *relay) tell(o *out, method string, to []hearing) {
	for _, h := range to {
		rec, ok := r.record(abi.Event{Reload: &abi.ReloadEvent{State: abi.ReloadTold, Digest: r.o.Engine.PolicyDigest(), Why: []string{method}}})
		if !ok {
			return // what can not be kept is not said
		}
		f := frame{bytes: h.frame(method), via: h.via}
		if h.subscription == "" {
			f.lost = func() { r.owe(method) }
		}
		if !r.o.Engine.Durable(rec.Token) {
			f.wait = func() error { return r.o.Engine.Wait(rec.Token) }
			f.fail = func(err error) { r.o.Note("%v", err) }
		}
		o.add(r.toClient, f)
	}
}

// owe keeps a notification until the client of a session listens.
func (r *relay) owe(method string) {
	r.owes.mu.Lock()
	defer r.owes.mu.Unlock()
	if !slices.Contains(r.owes.methods, method) {
		r.owes.methods = append(r.owes.methods, method)
	}
}

// pay sends what has been kept, over a stream that the client has opened.
func (r *relay) pay(x *exchange) {
	r.owes.mu.Lock()
	methods := r.owes.methods
	r.owes.methods = nil
	r.owes.mu.Unlock()
	for _, method := range methods {
		if !x.put(frame{bytes: hearing{}.frame(method)}) {
			r.owe(method)
		}
	}
}

// owed are notifications whose client does not listen.
type owed struct {
	mu      sync.Mutex
	methods []string
}

// part lets go of what was kept for the client of a relay that has ended.
func (r *relay) part() {
	r.hearers.remove(r)
	if r.seen != &r.Keeper.seen {
		r.seen.forget(r.Keeper)
	}
}
