package abi_test

import (
	"reflect"
	"testing"

	"github.com/callgate/callgate/abi"
)

func TestEveryKindHasItsValuesAndItsTarget(t *testing.T) {
	v := parse(t, `{"a":1}`)
	cases := []struct {
		call                 abi.Call
		values, base, target string
	}{
		{abi.Call{Tool: "send", Arguments: v, Task: v}, `{"a":1}`, "/call/arguments", "send"},
		{abi.Call{Kind: abi.KindTool, Tool: "now"}, ``, "/call/arguments", "now"},
		{abi.Call{Kind: abi.KindResource, URI: "file:///x", Action: "read"}, `{"uri":"file:///x"}`, "/call", "resources/read"},
		{abi.Call{Kind: abi.KindResource, URI: "file:///x"}, `{"uri":"file:///x"}`, "/call", "resources/read"},
		{abi.Call{Kind: abi.KindResource, URI: "docs://x", Action: "subscribe"}, `{"uri":"docs://x"}`, "/call", "resources/subscribe"},
		{abi.Call{Kind: abi.KindResource, URIs: []string{"a", "b"}, Action: "subscribe"}, `{"uri":["a","b"]}`, "/call", "resources/subscribe"},
		{abi.Call{Kind: abi.KindPrompt, Name: "p"}, `{"name":"p"}`, "/call", "prompts/get"},
		{abi.Call{Kind: abi.KindPrompt, Name: "p", Arguments: v}, `{"arguments":{"a":1},"name":"p"}`, "/call", "prompts/get"},
		{abi.Call{Kind: abi.KindCompletion, Ref: v, Argument: v}, `{"argument":{"a":1},"ref":{"a":1}}`, "/call", "completion/complete"},
		{abi.Call{Kind: abi.KindCompletion, Ref: v, Argument: v, Context: v}, `{"argument":{"a":1},"context":{"a":1},"ref":{"a":1}}`, "/call", "completion/complete"},
		{abi.Call{Kind: abi.KindSampling, Params: v}, `{"a":1}`, "/call/params", "sampling/createMessage"},
		{abi.Call{Kind: abi.KindElicitation, Params: v}, `{"a":1}`, "/call/params", "elicitation/create"},
		{abi.Call{Kind: abi.KindRoots}, ``, "/call/params", "roots/list"},
		{abi.Call{Kind: abi.KindMethod, Method: "vendor/x", Params: v}, `{"a":1}`, "/call/params", "vendor/x"},
	}
	seen := map[abi.CallKind]bool{}
	for _, c := range cases {
		values, base := c.call.Values()
		if values.String() != c.values || base != c.base || c.call.Target() != c.target {
			t.Errorf("%s: %s at %s, %s; want %s at %s, %s", c.call.Kind, values, base, c.call.Target(), c.values, c.base, c.target)
		}
		back := c.call
		if back.SetValues(abi.Value{}); c.call.Kind != "" {
			if gone, _ := back.Values(); gone.Exists() {
				t.Errorf("%s: %s stays", c.call.Kind, gone)
			}
		}
		if back.SetValues(values); !reflect.DeepEqual(back, c.call) {
			t.Errorf("%s: %+v came back as %+v", c.call.Kind, c.call, back)
		}
		seen[c.call.Kind] = true
	}
	for _, k := range abi.Kinds {
		if !seen[k] || !k.Known() || k.Noun() == "call" || k.Subject() == "" {
			t.Errorf("kind %q: no case, or not known", k)
		}
	}
	if abi.CallKind("tools").Known() || abi.CallKind("Tool").Known() {
		t.Error("a kind that nobody knows is known")
	}
}
