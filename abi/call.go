package abi

// CallKind names what a call does.
type CallKind string

// The kinds of a call, and the methods of MCP that they stand for. Any other
// kind is denied.
const (
	KindTool        CallKind = "tool"        // tools/call
	KindResource    CallKind = "resource"    // resources/read, resources/subscribe, subscriptions/listen
	KindPrompt      CallKind = "prompt"      // prompts/get
	KindCompletion  CallKind = "completion"  // completion/complete
	KindSampling    CallKind = "sampling"    // sampling/createMessage, of a server
	KindElicitation CallKind = "elicitation" // elicitation/create, of a server
	KindRoots       CallKind = "roots"       // roots/list, of a server
	KindMethod      CallKind = "method"      // a method that Callgate does not know
)

// Kinds lists every kind, tool first.
var Kinds = []CallKind{KindTool, KindResource, KindPrompt, KindCompletion, KindSampling, KindElicitation, KindRoots, KindMethod}

// IsTool says whether the kind is tool, which an empty kind reads as.
func (k CallKind) IsTool() bool { return k == KindTool || k == "" }

// Known says whether the kind is one of [Kinds], or empty.
func (k CallKind) Known() bool {
	for _, known := range Kinds {
		if k == known {
			return true
		}
	}
	return k == ""
}

// FromServer says whether a call of this kind is a request of a server to its
// client. What it holds is the server's text.
func (k CallKind) FromServer() bool {
	return k == KindSampling || k == KindElicitation || k == KindRoots
}

// Noun is what people call a call of this kind, behind "the" or "this".
func (k CallKind) Noun() string {
	switch k {
	case KindTool, "":
		return "tool"
	case KindResource, KindPrompt, KindCompletion, KindMethod:
		return string(k)
	case KindSampling, KindElicitation, KindRoots:
		return string(k) + " request"
	}
	return "call"
}

// Base is the pointer into the snapshot at which the [Call.Values] of a kind
// stand.
func (k CallKind) Base() string {
	switch k {
	case KindTool, "":
		return "/call/arguments"
	case KindSampling, KindElicitation, KindRoots, KindMethod:
		return "/call/params"
	}
	return "/call"
}

// Subject is the pointer into the snapshot that names what a call of this kind
// as a whole is about.
func (k CallKind) Subject() string {
	switch k {
	case KindTool, "":
		return "/call/tool"
	case KindResource:
		return "/call/uri"
	case KindPrompt:
		return "/call/name"
	case KindCompletion:
		return "/call/ref"
	case KindMethod:
		return "/call/method"
	}
	return "/call/kind"
}

// Call is one action of the client that can have an effect or read data, or
// one request of a server to the client. Which members are set depends on Kind:
//
//	tool         Tool, Arguments, Task
//	resource     URI, or URIs of one subscription; Action
//	prompt       Name, Arguments
//	completion   Ref, Argument, Context
//	sampling, elicitation, roots
//	             Params, as the server sent them
//	method       Method, Params
type Call struct {
	Seq       uint64   // position of the call event in its ledger
	ID        string   // unique in a group: six hex digits of the ledger file, then Seq
	Kind      CallKind // "" reads as tool
	Server    string   // the operator's name for the server
	Tool      string   // tool: exact name
	Arguments Value    // tool, prompt: an object, or absent
	Task      Value    // tool: params.task of a task-augmented call
	URI       string   // resource
	URIs      []string // resource: of one subscriptions/listen, instead of URI
	Action    string   // resource: read or subscribe
	Name      string   // prompt
	Ref       Value    // completion: what is completed, a prompt or a URI template
	Argument  Value    // completion: name and value so far
	Context   Value    // completion: arguments that are chosen already
	Method    string   // method
	Params    Value    // sampling, elicitation, roots, method: the params as received
	Digest    string   // SHA-256 of the canonical [Call.Values]
	Bytes     int64    // size of the params as received
	// Continues is the id of the call that this one goes on with: the client's
	// retry of a call that a person has approved and that the server answered
	// with a question of its own. Only the host says so, of its own knowledge.
	Continues string
	// Facts are what the host has found out for the contracts that judge the call:
	// {"links":{PATH:RESOLVED}}, see [Need]; null for a path that could not be
	// resolved. They are no part of what the caller sent.
	Facts Value
}

// Resolved returns what a path leads to. known says whether it was looked at,
// and to is "" if it could not be resolved.
func (c *Call) Resolved(path string) (to string, known bool) {
	v := c.Facts.Get("links").Get(path)
	return v.Str(), v.Exists()
}

// Values returns what rules read of a call, and the pointer into the snapshot
// at which it stands, [CallKind.Base]: the arguments of a tool; of a resource
// {"uri"}, a list of several; of a prompt {"name","arguments"}; of a completion
// {"ref","argument","context"}; else the params. It is absent where the call
// has nothing of it.
func (c *Call) Values() (v Value, base string) {
	base = c.Kind.Base()
	switch c.Kind {
	case KindTool, "":
		return c.Arguments, base
	case KindResource:
		return objectOfSome(Member{"uri", c.uri()}), base
	case KindPrompt:
		return objectOfSome(Member{"arguments", c.Arguments}, Member{"name", textValue(c.Name)}), base
	case KindCompletion:
		return objectOfSome(Member{"argument", c.Argument}, Member{"context", c.Context}, Member{"ref", c.Ref}), base
	}
	return c.Params, base
}

// SetValues makes v what [Call.Values] returns. An absent value takes away all
// that rules read.
func (c *Call) SetValues(v Value) {
	switch c.Kind {
	case KindTool, "":
		c.Arguments = v
	case KindResource:
		uri := v.Get("uri")
		c.URI, c.URIs = uri.Str(), nil
		for _, item := range uri.Items() {
			c.URIs = append(c.URIs, item.Str())
		}
	case KindPrompt:
		c.Name, c.Arguments = v.Get("name").Str(), v.Get("arguments")
	case KindCompletion:
		c.Ref, c.Argument, c.Context = v.Get("ref"), v.Get("argument"), v.Get("context")
	default:
		c.Params = v
	}
}

// Target names what is called: the tool, else the method. The Evidence of a
// result, and the questions about a call, say it for the tool.
func (c *Call) Target() string {
	switch c.Kind {
	case KindTool, "":
		return c.Tool
	case KindResource:
		if c.Action == "subscribe" {
			return "resources/subscribe"
		}
		return "resources/read"
	case KindPrompt:
		return "prompts/get"
	case KindCompletion:
		return "completion/complete"
	case KindSampling:
		return "sampling/createMessage"
	case KindElicitation:
		return "elicitation/create"
	case KindRoots:
		return "roots/list"
	}
	return c.Method
}

// uri is the member uri of a resource's values.
func (c *Call) uri() Value {
	if len(c.URIs) == 0 {
		return textValue(c.URI)
	}
	items := make([]Value, 0, len(c.URIs)+1)
	if c.URI != "" {
		items = append(items, StringValue(c.URI))
	}
	for _, uri := range c.URIs {
		items = append(items, StringValue(uri))
	}
	return arrayOf(items)
}

// textValue is the string s, absent where it is empty.
func textValue(s string) Value {
	if s == "" {
		return Value{}
	}
	return StringValue(s)
}

// objectOfSome makes an object of the members that exist, which are sorted. It
// is absent where none does.
func objectOfSome(members ...Member) Value {
	some := members[:0]
	for _, m := range members {
		if m.Value.Exists() {
			some = append(some, m)
		}
	}
	if len(some) == 0 {
		return Value{}
	}
	return objectOf(some)
}
