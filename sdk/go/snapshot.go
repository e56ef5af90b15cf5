package callgate

import (
	"iter"
	"strings"
)

// Snapshot is what the plugin is asked about. Of it there is what the manifest
// reads; everything else is absent.
type Snapshot struct{}

// At returns what a JSON Pointer leads to; "" is the whole snapshot.
func (Snapshot) At(pointer string) Value { return Value{at: pointer, form: lazy} }

func text(pointer string) string { return Snapshot{}.At(pointer).Text() }

// Phase is one of [PhaseCall], [PhaseResult] and [PhaseList].
func (Snapshot) Phase() string { return text("/phase") }

// Time is when it is decided, in RFC 3339; a replay has the same.
func (Snapshot) Time() string { return text("/time") }

// Settings are the policy's, an object.
func (s Snapshot) Settings() Value { return s.At("/settings") }

// Call is the call that is judged, or whose result is.
func (Snapshot) Call() Call { return Call{} }

// Definition is what a tool says of itself.
func (Snapshot) Definition() Definition { return Definition{} }

// Session is what happened before.
func (Snapshot) Session() Session { return Session{} }

// Result is what the server answered, in phase result.
func (s Snapshot) Result() Value { return s.At("/result") }

// List is what the server lists, in phase list.
func (Snapshot) List() List { return List{} }

// Taint visits what is known of where arguments came from.
func (s Snapshot) Taint() iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		for v := range s.At("/taint").Items() {
			if !yield(Finding{v}) {
				return
			}
		}
	}
}

// Call is a call. What it has depends on its kind; the rest is absent.
type Call struct{}

// Kind is one of [KindTool] and the others.
func (Call) Kind() string { return text("/call/kind") }

// Server is the policy's name of the server.
func (Call) Server() string { return text("/call/server") }

// Tool is the name of the tool.
func (Call) Tool() string { return text("/call/tool") }

// ID names the call in the ledger.
func (Call) ID() string { return text("/call/id") }

// Digest is that of what the call says.
func (Call) Digest() string { return text("/call/digest") }

// Seq counts the calls of the session.
func (Call) Seq() int64 {
	n, _ := Snapshot{}.At("/call/seq").Int()
	return n
}

// Arguments are those of a tool or a prompt, an object.
func (Call) Arguments() Value { return Snapshot{}.At("/call/arguments") }

// Argument is the one that a JSON Pointer from the arguments on leads to.
func (c Call) Argument(pointer string) Value { return c.Arguments().At(pointer) }

// Values is what the caller chose, whatever the kind: the arguments of a tool,
// the params of sampling, elicitation, roots and unknown methods, and the whole
// call of a resource, a prompt and a completion.
func (c Call) Values() Value {
	switch c.Kind() {
	case KindTool, "":
		return c.Arguments()
	case KindResource, KindPrompt, KindCompletion:
		return c.Get("")
	}
	return c.Get("params")
}

// Get returns a member of the call, such as uri, action, name, ref, argument,
// context, task, method or params; "" is the whole call. A client that subscribes
// to several resources at once has a list of them as uri.
func (Call) Get(member string) Value {
	call := Snapshot{}.At("/call")
	if member == "" {
		return call
	}
	return call.Get(member)
}

// Definition is what a tool says of itself.
type Definition struct{}

// Pin is the digest of the definition that was accepted.
func (Definition) Pin() string { return text("/definition/pin") }

// Pinned says whether the definition is the one that was accepted.
func (Definition) Pinned() bool { return Snapshot{}.At("/definition/pinned").Bool() }

// Annotations are the server's own hints.
func (Definition) Annotations() Value { return Snapshot{}.At("/definition/annotations") }

// Schema is the input schema.
func (Definition) Schema() Value { return Snapshot{}.At("/definition/schema") }

// Session is what happened before.
type Session struct{}

// ID names the session.
func (Session) ID() string { return text("/session/id") }

// Labels visits the labels of the session. Those that a plugin gave start with
// the name that the policy gave it, and a colon. [AnyLabel] among them says that
// it may have any other, too.
func (Session) Labels() iter.Seq[string] { return texts(Snapshot{}.At("/session/labels")) }

// Has says whether the session has a label, or may have it.
func (s Session) Has(label string) bool {
	for l := range s.Labels() {
		if l == label || l == AnyLabel {
			return true
		}
	}
	return false
}

// Marked says whether a plugin gave the session a label, or may have: this one or
// another, since none knows the name that the policy gave it.
func (s Session) Marked(label string) bool {
	for l := range s.Labels() {
		if l == AnyLabel || strings.HasSuffix(l, ":"+label) {
			return true
		}
	}
	return false
}

// Count is one of calls, denied and this_tool.
func (Session) Count(name string) int64 {
	n, _ := Snapshot{}.At("/session/counts").Get(name).Int()
	return n
}

// Principal is who uses the session: subject, issuer, identity, actors.
func (Session) Principal() Value { return Snapshot{}.At("/session/principal") }

// Recent is an array of the last calls, newest last: id, outcome, server, tool.
func (Session) Recent() Value { return Snapshot{}.At("/session/recent") }

// Truncated says whether there were more calls than Recent has.
func (Session) Truncated() bool { return Snapshot{}.At("/session/truncated").Bool() }

// List is what a server lists.
type List struct{}

// Kind is tools, resources, resource_templates or prompts.
func (List) Kind() string { return text("/list/kind") }

// Items visits what is listed.
func (List) Items() iter.Seq[Value] { return Snapshot{}.At("/list/items").Items() }

// Finding is what is known of where one value came from.
type Finding struct{ Value }

// At points at the value into the snapshot.
func (f Finding) At() string { return f.Get("at").Text() }

// IsKey says whether it is about the name of the member that At points at.
func (f Finding) IsKey() bool { return f.Get("key").Bool() }

// Origin is one of [OriginTainted] and the others.
func (f Finding) Origin() string { return f.Get("origin").Text() }

// Labels visits the labels of the value, [AnyLabel] among them as in those of the
// session.
func (f Finding) Labels() iter.Seq[string] { return texts(f.Get("labels")) }

// Sources is an array of where it was seen: call, server, tool, pointer, offset,
// length, position.
func (f Finding) Sources() Value { return f.Get("sources") }

// texts visits the strings of an array.
func texts(list Value) iter.Seq[string] {
	return func(yield func(string) bool) {
		for v := range list.Items() {
			if !yield(v.Text()) {
				return
			}
		}
	}
}
