package proxy_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/wasm"
	"github.com/callgate/callgate/host/wasm/scan"
)

// witnessed is a way to what a plugin is asked about.
type witnessed struct {
	saw    string // phase and kind, and which list or action
	method string // of the client's request
	params string // of it
	result string // that the server answers with
	asks   string // instead: the method of what the server asks of the client
	old    bool   // 2026-07-28 has it not
	modern bool   // before 2026-07-28 there was none
}

// ways lead to every phase of every kind, by every method that has it.
var ways = []witnessed{
	{saw: "tool", method: "tools/call", params: `"name":"good"`, result: `{"content":[{"type":"text","text":"SECRET"}]}`},
	{saw: "resource read", method: "resources/read", params: `"uri":"x://y"`, result: `{"contents":[{"uri":"x://y","text":"SECRET"}]}`},
	{saw: "resource subscribe", method: "resources/subscribe", params: `"uri":"x://y"`, result: `{"SECRET":1}`, old: true},
	{saw: "resource subscribe", method: "subscriptions/listen", params: `"notifications":{"resourceSubscriptions":["x://y"]}`, modern: true},
	{saw: "prompt", method: "prompts/get", params: `"name":"good"`, result: `{"messages":[{"role":"user","content":{"type":"text","text":"SECRET"}}]}`},
	{saw: "completion", method: "completion/complete", params: `"ref":{"type":"ref/prompt","name":"good"},"argument":{"name":"a","value":"b"}`, result: `{"completion":{"values":["SECRET"]}}`},
	{saw: "method", method: "vendor/x", params: `"a":1`, result: `{"a":"SECRET"}`},
	{saw: "sampling", asks: "sampling/createMessage", params: `{"messages":[{"role":"user","content":{"type":"text","text":"SECRET"}}],"maxTokens":9}`},
	{saw: "elicitation", asks: "elicitation/create", params: `{"mode":"form","message":"SECRET?","requestedSchema":{"type":"object","properties":{}}}`},
	{saw: "roots", asks: "roots/list", params: `{"_meta":{"a":"SECRET"}}`},
	{saw: "method", asks: "vendor/ask", params: `{"a":"SECRET"}`, old: true},
	{saw: "list tool tools", method: "tools/list", params: `"a":1`, result: `{"tools":[{"name":"SECRET","inputSchema":{"type":"object"}}]}`},
	{saw: "list resource resources", method: "resources/list", params: `"a":1`, result: `{"resources":[{"uri":"x://SECRET","name":"n"}]}`},
	{saw: "list resource resource_templates", method: "resources/templates/list", params: `"a":1`, result: `{"resourceTemplates":[{"uriTemplate":"x://SECRET/{a}","name":"n"}]}`},
	{saw: "list prompt prompts", method: "prompts/list", params: `"a":1`, result: `{"prompts":[{"name":"SECRET"}]}`},
}

// sees are the phases in which the guest is asked on this way.
func (c witnessed) sees() []string {
	switch {
	case strings.HasPrefix(c.saw, "list "):
		return []string{c.saw}
	case c.asks != "" || c.modern:
		return []string{"call " + c.saw}
	}
	return []string{"call " + c.saw, "result " + c.saw}
}

// in says whether there is this way in an era.
func (c witnessed) in(modern bool) bool { return modern && !c.old || !modern && !c.modern }

const witnessCapabilities = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{},"elicitation":{},"roots":{}}}`

// goes takes a way, and returns all that the client has got by then.
func (w *wired) goes(n int, c witnessed) string {
	w.t.Helper()
	id, more := fmt.Sprintf(`"way-%d"`, n), ""
	if w.modern {
		more = "," + witnessCapabilities
	}
	switch {
	case c.asks != "" && w.modern:
		asked := `{"resultType":"input_required","inputRequests":{"k":{"method":"` + c.asks + `","params":` + c.params + `}},"requestState":"s"}`
		w.write(sayCall(id, more, `{"jsonrpc":"2.0","id":ID,"result":`+asked+`}`))
	case c.asks != "":
		w.write(sayCall(id, more, fmt.Sprintf(`{"jsonrpc":"2.0","id":"asks-%d","method":%q,"params":%s}`, n, c.asks, c.params), saidDone))
	case c.modern:
		w.write(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + c.method + `","params":{` + c.params + `,"arguments":{"acks":{"SECRET":true}}` + more + `}}`)
	default:
		w.write(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + c.method + `","params":{` + c.params + `,"arguments":{"lists":` + abi.StringValue(c.result).String() + `}` + more + `}}`)
	}
	w.await(id)
	return w.got()
}

// witness loads the guest, which denies what begins with a text.
func (w *wired) witness(denies string) {
	w.t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"guest.wasm", "plugin.json"} {
		data, err := os.ReadFile("testdata/witness/" + name)
		if err != nil {
			w.t.Fatal(err)
		}
		files[name] = data
	}
	module, err := abi.WithManifest(files["guest.wasm"], files["plugin.json"])
	if err != nil {
		w.t.Fatal(err)
	}
	path := w.t.TempDir() + "/witness.wasm"
	if err := os.WriteFile(path, module, 0o600); err != nil {
		w.t.Fatal(err)
	}
	text := strings.Replace(guardedBy(""), "./p.wasm", path, 1)
	text = strings.Replace(text, `lists: ["*"]}}]`, `lists: ["*"]}, with: {denies: "`+denies+`"}}]`, 1)
	p, err := policy.Load(policy.Options{Files: []string{"/policy.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return []byte(text), nil }})
	if err != nil {
		w.t.Fatal(err)
	}
	shelf := wasm.NewShelf(wasm.Options{}, "")
	w.t.Cleanup(shelf.Hold(p.Plugins()))
	w.load = func(ref contract.PluginRef) (contract.Plugin, error) { return shelf.Plugin(ref) }
	w.connect(p)
}

// needed is what plugins have to be asked about: made of the tables of kinds and lists.
func needed() map[string]bool {
	all := map[string]bool{}
	for _, kind := range abi.Kinds {
		all["call "+string(kind)] = false
		if !kind.FromServer() {
			all["result "+string(kind)] = false
		}
	}
	kinds := map[string]abi.CallKind{abi.ListTools: abi.KindTool, abi.ListPrompts: abi.KindPrompt}
	for _, list := range abi.ListKinds {
		kind := kinds[list]
		if kind == "" {
			kind = abi.KindResource
		}
		all["list "+string(kind)+" "+list] = false
	}
	for _, phase := range abi.Phases {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(all)), func(need string) bool { return strings.HasPrefix(need, string(phase)+" ") }) {
			all[string(phase)] = false
		}
	}
	return all
}

var sawIn = regexp.MustCompile(`"name":"saw","text":"([^"]*)"`)

// A real guest is asked in every phase of every kind, over every bridge and in each era,
// after all its exports were called that there are, in order.
func TestAGuestIsReachedInEveryPhaseOnEveryWay(t *testing.T) {
	for _, b := range bridges {
		for era, modern := range eras {
			t.Run(b.name+" "+era, func(t *testing.T) {
				t.Parallel()
				w := &wired{t: t, b: b}
				w.witness("nothing")
				w.greetOver(modern)
				want := []string{}
				for i, c := range ways {
					if !c.in(modern) {
						continue
					}
					if got := w.goes(i, c); !strings.Contains(got, "SECRET") {
						t.Errorf("%s %s: the client sees nothing of it: %s", c.saw, c.method, got)
					}
					w.mu.Lock()
					w.lines = nil
					w.mu.Unlock()
					want = append(want, c.sees()...)
				}
				w.reached(want)
			})
		}
	}
	if len(ways)*len(bridges)*len(eras) == 0 {
		t.Fatal("no ways")
	}
}

// reached holds what the guest saw, by the ledger, to what it has to see.
func (w *wired) reached(want []string) {
	w.t.Helper()
	const marks = "sic"
	calls := []string{scan.ExportEvaluate, scan.ExportConfigure, scan.ExportInitialize} // of which the last two leave marks, and the first reads them
	if called := scan.Called(); !slices.Equal(called, calls) {
		w.t.Errorf("the host calls %v; the guest says so of %v", called, calls)
	}
	all, saw := needed(), map[string]int{}
	for _, m := range sawIn.FindAllStringSubmatch(string(kept(w.t, w.dir)), -1) {
		before, what, _ := strings.Cut(m[1], " ")
		if before != marks {
			w.t.Errorf("%q was called before, want %q: %s", before, marks, m[1])
		}
		saw[strings.TrimSpace(what)]++
		for need := range all {
			all[need] = all[need] || what == need || strings.HasPrefix(what, need+" ")
		}
	}
	for _, what := range want {
		if saw[what] == 0 {
			w.t.Errorf("the guest never saw %q; it saw %v", what, saw)
		}
	}
	for need, was := range all {
		if !was {
			w.t.Errorf("no way leads to %q", need)
		}
	}
}

// What the guest denies is kept back, in every phase, and nothing else is.
func TestWhatAGuestDeniesIsKeptBackOnEveryWay(t *testing.T) {
	denials := []string{"result", "list"}
	for _, kind := range abi.Kinds {
		denials = append(denials, "call "+string(kind))
	}
	tried := 0
	for _, b := range []bridge{bridges[0], bridges[3], bridges[4]} {
		for era, modern := range eras {
			for _, denies := range denials {
				tried++
				t.Run(b.name+" "+era+" "+denies, func(t *testing.T) {
					t.Parallel()
					w := &wired{t: t, b: b}
					w.witness(denies)
					w.greetOver(modern)
					denied := 0
					for i, c := range ways {
						carried := c.asks != "" && (denies == "call tool" || denies == "result" && modern) // by a call of a tool
						if !c.in(modern) || carried {
							continue
						}
						want := slices.ContainsFunc(c.sees(), func(s string) bool { return strings.HasPrefix(s, denies) })
						hidden := denies == "list" && (c.method == "tools/call" || c.asks != "") // so is what was listed at the start
						want = want || hidden
						if got := w.goes(i, c); strings.Contains(got, "SECRET") == want {
							t.Errorf("%s %s%s: denied %v: %s", c.saw, c.method, c.asks, want, got)
						}
						if want {
							denied++
						}
						w.mu.Lock()
						w.lines = nil
						w.mu.Unlock()
					}
					if denied == 0 {
						t.Error("nothing was denied")
					}
				})
			}
		}
	}
	if tried == 0 {
		t.Fatal("no denials")
	}
}
