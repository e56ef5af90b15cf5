package abi

import "time"

// pinned lists the members of a tool definition that its pin covers, sorted.
var pinned = []string{"annotations", "description", "inputSchema", "name", "outputSchema", "title"}

// PinnedPart returns the part of a tool definition that a pin covers: name,
// title, description, schemas and annotations. The order of members does not
// matter, since the form is canonical.
func PinnedPart(definition Value) Value { return part(definition, pinned) }

func part(of Value, names []string) Value {
	members := make([]Member, 0, len(names))
	for _, name := range names {
		if v := of.Get(name); v.Exists() {
			members = append(members, Member{name, v})
		}
	}
	return ObjectValue(members...)
}

// PinDigest returns the pin of a tool definition.
func PinDigest(definition Value) string { return PinnedPart(definition).Digest() }

// ChangedMembers names the pinned members in which two definitions differ,
// sorted.
func ChangedMembers(was, is Value) []string { return changed(pinned, was, is) }

// ChangedIdentity names the members in which two identities of a server differ,
// sorted.
func ChangedIdentity(was, is Value) []string { return changed(announced, was, is) }

func changed(names []string, was, is Value) []string {
	var out []string
	for _, name := range names {
		if !was.Get(name).Equal(is.Get(name)) {
			out = append(out, name)
		}
	}
	return out
}

// announced lists what the pin of a server covers, sorted.
var announced = []string{"description", "instructions", "name", "title", "version"}

// serverInfoMeta is where a result of revision 2026-07-28 has the server's
// Implementation; those before it have it in a member of their own.
const serverInfoMeta = "io.modelcontextprotocol/serverInfo"

// Identity returns what the pin of a server covers: name, title, version and
// description of its serverInfo, and its instructions, of the result of
// initialize or server/discover.
func Identity(result Value) Value {
	return part(serverInfo(result).With("instructions", result.Get("instructions")), announced)
}

func serverInfo(result Value) Value {
	if info := result.Get("serverInfo"); info.Exists() {
		return info
	}
	return result.Get("_meta").Get(serverInfoMeta)
}

// IdentityBeside returns what a result says of a server whose pin is known, and
// the pin to hold it against. A result of server/discover need not say which
// server it is: then that is as pinned. A pin that was made of such a result
// takes it in when it is said for the first time, so that a server of both eras
// is the same in both.
func IdentityBeside(pin, result Value) (said, known Value) {
	said = Identity(result)
	instructions := pin.Get("instructions")
	unsaid := !serverInfo(result).Exists() && result.Get("supportedVersions").Exists()
	switch who := pin.With("instructions", Value{}); {
	case !pin.Exists():
		return said, said
	case unsaid:
		return who.With("instructions", said.Get("instructions")), pin
	case who.Len() == 0:
		return said, said.With("instructions", instructions)
	}
	return said, pin
}

// Pin is what is kept of a tool, or of a server, from one session to the next.
// Exactly one of Definition and Identity is there.
type Pin struct {
	Definition Value     // of a tool, as it was received
	Identity   Value     // of a server; see [Identity]
	At         time.Time // when it was pinned; zero: not known
}

// Digest is that of what the pin covers.
func (p Pin) Digest() string {
	if p.Identity.Exists() {
		return p.Identity.Digest()
	}
	return PinDigest(p.Definition)
}

// Value is the one JSON form of a pin: {"definition": …, "pinned": TIME} or
// {"identity": …, "pinned": TIME}.
func (p Pin) Value() Value {
	var members []Member
	if !p.At.IsZero() {
		members = append(members, Member{"pinned", StringValue(p.At.UTC().Format(time.RFC3339Nano))})
	}
	if p.Identity.Exists() {
		return ObjectValue(append(members, Member{"identity", p.Identity})...)
	}
	return ObjectValue(append(members, Member{"definition", p.Definition})...)
}

// PinFrom reads the form of a pin. A definition by itself is the pin of a tool
// from an unknown time: it has a name, which no form of a pin has.
func PinFrom(v Value) Pin {
	if v.Get("name").Exists() {
		return Pin{Definition: v}
	}
	at, err := time.Parse(time.RFC3339Nano, v.Get("pinned").Str())
	if err != nil {
		at = time.Time{}
	}
	if identity := v.Get("identity"); identity.Kind() == Object {
		return Pin{Identity: identity, At: at}
	}
	return Pin{Definition: v.Get("definition"), At: at}
}

// OfServer says whether a question is about what a server says of itself, and
// about nothing else: then one answer serves every call that waits for it.
func (a *AskEvent) OfServer() bool {
	return len(a.Items) == 1 && a.Items[0].Contract == "pin" && a.Items[0].Code == CodePinServer && a.Identity.Exists()
}

// pins says whether the elements of a list are pins, and not definitions.
func (t *ToolsEvent) pins() bool { return t.Source == ToolsStored || t.Source == ToolsAccepted }

// Definitions returns the tool definitions of a list, wherever it comes from.
func (t *ToolsEvent) Definitions() []Value {
	if !t.pins() {
		return t.List
	}
	out := make([]Value, 0, len(t.List))
	for _, v := range t.List {
		if p := PinFrom(v); p.Definition.Exists() {
			out = append(out, p.Definition)
		}
	}
	return out
}

func (e *Event) readTools(r *reader) error {
	t := &ToolsEvent{Server: r.str("server"), Source: ToolsSource(r.str("source")), List: r.array("list")}
	switch t.Source {
	case "", ToolsListed, ToolsStored, ToolsCalled, ToolsAccepted:
	default:
		r.fail("source: %q; want list, stored, call or accepted", t.Source)
	}
	t.Cursor, t.Paged = r.str("cursor"), r.v.Get("cursor").Exists()
	t.Next, t.More = r.str("next"), r.v.Get("next").Exists()
	for i, d := range t.List {
		switch p := PinFrom(d); {
		case d.Kind() == Object && d.Get("name").IsString():
		case t.pins() && (p.Identity.Exists() || p.Definition.Kind() == Object && p.Definition.Get("name").IsString()):
		case t.pins():
			r.fail("list[%d]: want a pin of a server, or of a tool with a name", i)
		default:
			r.fail("list[%d]: want a tool definition with a name", i)
		}
	}
	e.Tools = t
	return r.done("server", "source", "list", "cursor", "next")
}
