package approval

import (
	"fmt"

	"github.com/callgate/callgate/abi"
)

// wish says what a yes would let happen, behind "may".
func wish(q Question) string {
	a := q.Ask
	of := " of the server " + bare(a.Server)
	switch {
	case a.OfServer():
		return "the server " + bare(a.Server) + " be used as what it says of itself now"
	case a.Kind.IsTool():
		return subject(q) + of + " be called"
	}
	switch a.Kind {
	case abi.KindResource:
		if a.Tool == "resources/subscribe" {
			return subject(q) + of + " be subscribed to"
		}
		return subject(q) + of + " be read"
	case abi.KindPrompt:
		return subject(q) + of + " be fetched"
	case abi.KindCompletion:
		return "the server " + bare(a.Server) + " be asked to complete an argument of " + subject(q)
	case abi.KindSampling:
		return "the server " + bare(a.Server) + " have the client's model answer it"
	case abi.KindElicitation:
		return "the server " + bare(a.Server) + " ask the user for something"
	case abi.KindRoots:
		return "the server " + bare(a.Server) + " be told the client's roots"
	case abi.KindMethod:
		return subject(q) + of + ", which Callgate does not know, be called"
	}
	return subject(q) + of + " be made"
}

// subject names what a call is about.
func subject(q Question) string {
	a, v := q.Ask, q.Arguments
	switch a.Kind {
	case abi.KindTool, "":
		return "the tool " + bare(a.Tool)
	case abi.KindResource:
		list := resources(v)
		if len(list) == 1 {
			return "the resource " + bare(list[0].Str())
		}
		return fmt.Sprintf("%d resources", len(list))
	case abi.KindPrompt:
		return "the prompt " + bare(v.Get("name").Str())
	case abi.KindCompletion:
		ref := v.Get("ref")
		if ref.Get("type").Str() == "ref/resource" {
			return "the resource template " + bare(ref.Get("uri").Str())
		}
		return "the prompt " + bare(ref.Get("name").Str())
	case abi.KindMethod:
		return "the method " + bare(a.Tool)
	}
	return "the " + a.Kind.Noun()
}

// about names what an item is about that is about no destination.
func about(a *abi.AskEvent, item abi.AskItem) string {
	switch {
	case item.Contract == "pin" && item.Code == abi.CodePinServer:
		return "server"
	case a.Kind.FromServer():
		return "request"
	}
	return "call"
}

// resources lists the URIs of a call.
func resources(v abi.Value) []abi.Value {
	uri := v.Get("uri")
	switch {
	case uri.Kind() == abi.Array:
		return uri.Items()
	case uri.Exists():
		return []abi.Value{uri}
	}
	return nil
}

// contents shows all that a call holds.
func (p *prompt) contents(q Question) {
	v := q.Arguments
	switch q.Ask.Kind {
	case abi.KindTool, "":
		p.held("arguments", v)
	case abi.KindResource:
		p.resources(v)
	case abi.KindPrompt:
		p.title("prompt")
		p.place("name", v.Get("name").Str())
		p.held("arguments", v.Get("arguments"))
	case abi.KindSampling:
		p.sampling(v)
	case abi.KindElicitation:
		p.elicitation(v)
	default:
		p.held("params", v)
	}
}

// held shows an object by its members.
func (p *prompt) held(what string, v abi.Value, but ...string) {
	if !v.Exists() {
		p.title("%s: none", what)
		return
	}
	p.title("%s, %d bytes", what, len(v.String()))
	p.members(v, but...)
}

// resources lists every URI, as destinations are.
func (p *prompt) resources(v abi.Value) {
	list := resources(v)
	p.title("resources, %d", len(list))
	for _, uri := range list {
		if uri.IsString() {
			p.place("uri", uri.Str())
			continue
		}
		p.line("uri", canonical(uri))
	}
}

// sampling shows what a server wants of the client's model: what it says to it,
// and the tools that it would run without a call that anybody judges.
func (p *prompt) sampling(v abi.Value) {
	var apart []string
	for _, name := range []string{"tools", "messages"} {
		if v.Get(name).Kind() == abi.Array {
			apart = append(apart, name)
		}
	}
	p.held("params", v, apart...)
	for _, name := range apart {
		list := v.Get(name).Items()
		if name == "tools" {
			p.title("tools that the server brings, and runs without a call: %d", len(list))
		} else {
			p.title("messages to the model, in the server's words: %d", len(list))
		}
		for i, item := range list {
			if i == maxArguments {
				p.title("  {cut: %d more}", len(list)-i)
				break
			}
			p.title("  %s", message(item))
		}
	}
}

// message shows one message to a model: a plain one by role and text.
func message(v abi.Value) string {
	role, content := v.Get("role"), v.Get("content")
	text := content.Get("text")
	if v.Len() == 2 && content.Len() == 2 && role.IsString() && text.IsString() && content.Get("type").Str() == "text" {
		return quoted(role.Str(), maxName) + ": " + quoted(text.Str(), maxArgument)
	}
	return canonical(v)
}

// elicitation shows what a server wants to know of the user: its words, where
// it would send the user, and the fields of its form.
func (p *prompt) elicitation(v abi.Value) {
	var apart []string
	schema := v.Get("requestedSchema")
	fields := schema.Get("properties")
	if fields.Kind() == abi.Object {
		apart = append(apart, "requestedSchema")
	}
	p.held("params", v, apart...)
	if url := v.Get("url"); url.IsString() {
		p.title("page that the user is sent to")
		p.place("url", url.Str())
	}
	if len(apart) == 0 {
		return
	}
	p.title("fields whose values go to the server: %d", fields.Len())
	p.members(fields)
	if schema.Len() > 1 {
		p.title("the form besides its fields")
		p.members(schema, "properties")
	}
}
