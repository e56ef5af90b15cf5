package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// requests are the requests of a server that are judged, by method.
var requests = []abi.CallKind{abi.KindSampling, abi.KindElicitation, abi.KindRoots}

// shortKind reads the short form of a call that is none of a tool; nil if the
// word names none:
//
//	{"resource":{"server","uri","action"}}     uri may be a list; action: read, or subscribe
//	{"prompt":{"server","name","arguments"}}
//	{"complete":{"server","ref","argument","context"}}
//	{"request":{"server","method","params"}}   of the server: sampling/createMessage, …
//	{"method":{"server","name","params"}}      one that Callgate does not know
func shortKind(word string, v abi.Value) (c *abi.Call, err error) {
	switch word {
	case "resource":
		c, err = shortResource(v)
	case "prompt":
		c = &abi.Call{Kind: abi.KindPrompt, Name: v.Get("name").Str(), Arguments: v.Get("arguments")}
		err = only(word, v, "server", "name", "arguments")
		if k := c.Arguments.Kind(); err == nil && (c.Name == "" || k != abi.Absent && k != abi.Object) {
			err = errors.New("prompt: want a server and a name, and arguments that are an object")
		}
	case "complete":
		c = &abi.Call{Kind: abi.KindCompletion, Ref: v.Get("ref"), Argument: v.Get("argument"), Context: v.Get("context")}
		err = only(word, v, "server", "ref", "argument", "context")
		if err == nil && (c.Ref.Kind() != abi.Object || c.Argument.Kind() != abi.Object) {
			err = errors.New("complete: want a server, and ref and argument as objects")
		}
	case "request":
		c, err = shortRequest(v)
	case "method":
		c = &abi.Call{Kind: abi.KindMethod, Method: v.Get("name").Str(), Params: v.Get("params")}
		if err = only(word, v, "server", "name", "params"); err == nil && c.Method == "" {
			err = errors.New("method: want a server and the name of the method")
		}
	default:
		return nil, nil
	}
	if err == nil {
		err = named(word, v.Get("server").Str())
	}
	if err != nil {
		return nil, err
	}
	c.Server = v.Get("server").Str()
	return c, nil
}

func shortResource(v abi.Value) (*abi.Call, error) {
	if err := only("resource", v, "server", "uri", "action"); err != nil {
		return nil, err
	}
	c := &abi.Call{Kind: abi.KindResource, URI: v.Get("uri").Str(), Action: "read"}
	for _, uri := range v.Get("uri").Items() {
		if !uri.IsString() {
			return nil, fmt.Errorf("resource: uri: %s; want text, or a list of it", uri)
		}
		c.URIs = append(c.URIs, uri.Str())
	}
	if c.URI == "" && len(c.URIs) == 0 {
		return nil, errors.New("resource: want a server and a uri, or a list of them")
	}
	if action := v.Get("action"); action.Exists() {
		if c.Action = action.Str(); c.Action != "read" && c.Action != "subscribe" {
			return nil, fmt.Errorf("resource: action: %s; want read or subscribe", action)
		}
	}
	return c, nil
}

func shortRequest(v abi.Value) (*abi.Call, error) {
	if err := only("request", v, "server", "method", "params"); err != nil {
		return nil, err
	}
	var known []string
	for _, kind := range requests {
		c := &abi.Call{Kind: kind, Params: v.Get("params")}
		if c.Target() == v.Get("method").Str() {
			return c, nil
		}
		known = append(known, c.Target())
	}
	return nil, fmt.Errorf("request: method: %s; want one of %s", v.Get("method"), strings.Join(known, ", "))
}

// Returned is what a server returns for a call of a kind whose short form word
// is, with one text in it.
func Returned(word, text string) abi.Value {
	block := abi.ObjectValue(abi.Member{Name: "type", Value: abi.StringValue("text")}, abi.Member{Name: "text", Value: abi.StringValue(text)})
	list := func(name string, items ...abi.Value) abi.Value {
		return abi.ObjectValue(abi.Member{Name: name, Value: abi.ArrayValue(items...)})
	}
	switch word {
	case "resource":
		return list("contents", block.With("type", abi.Value{}))
	case "prompt":
		return list("messages", abi.ObjectValue(abi.Member{Name: "role", Value: abi.StringValue("user")}, abi.Member{Name: "content", Value: block}))
	case "complete":
		return abi.ObjectValue(abi.Member{Name: "completion", Value: list("values", abi.StringValue(text))})
	}
	return TextResult(text)
}

// CallForms are the short forms of calls.
func CallForms() []string { return slices.Clone(callForms) }

var callForms = []string{"call", "resource", "prompt", "complete", "request", "method"}
