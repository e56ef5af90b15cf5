package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// What a plugin hid is denied as long as the policy has it and obeys it, and no longer:
// without it nothing would ever show it again.
func TestWhatAPluginHidGoesWithIt(t *testing.T) {
	f := fakes{"p": hides}
	without := strings.Split(binding("p"), "plugins:")[0]
	budget := "budgets: [{name: b, tools: [s/other], max: 9}]\n"
	for _, c := range []struct {
		name, text string
		denied     bool
	}{
		{"it stays", binding("p") + budget, true},
		{"it observes", binding("p observe") + budget, false},
		{"it has gone", without + budget, false},
	} {
		r := startPlugins(t, f, binding("p"))
		r.tools("s", described("good", "fine"), described("evil", "bad"))
		r.lists("s", "prompts/list", `{"prompts":[{"name":"bad"}]}`)
		r.lists("s", "resources/list", `{"resources":[{"uri":"x://bad","name":"n"}]}`)
		r.lists("s", "resources/templates/list", `{"resourceTemplates":[{"uriTemplate":"x://bad/{a}","name":"n"}]}`)
		calls := []abi.Call{
			{Server: "s", Tool: "evil", Arguments: abi.ObjectValue()}, {Server: "s", Kind: abi.KindPrompt, Name: "bad"},
			{Server: "s", Kind: abi.KindResource, URI: "x://bad", Action: "read"}, {Server: "s", Kind: abi.KindResource, URI: "x://bad/b", Action: "read"},
		}
		judge := func(when string, denied bool) {
			for i := range calls {
				v := verdict(t, r.step(abi.Event{Call: &calls[i]}))
				if (v.Code == "PLUGIN_HIDDEN") != denied || (v.Outcome == abi.Allow) == denied {
					t.Errorf("%s, %s: %s", c.name, when, v.JSON())
				}
			}
		}
		judge("before", true)
		p := loadPlugins(t, c.text)
		r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
		judge("after", c.denied)
		if r.state.Hides("s", abi.ListPrompts, "bad") != c.denied || r.state.Hides("s", abi.ListTools, "evil") != c.denied {
			t.Errorf("%s: hidden is something else", c.name)
		}
	}
}
