package proxy_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// The lists of the server, of which the client has seen every kind.
var relistedLists = map[string]string{
	"tools/list":               `{"tools":[{"name":"good"},{"name":"evil"},{"name":"fine"}]}`,
	"resources/list":           `{"resources":[{"uri":"x://good","name":"n"}]}`,
	"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"x://good/{a}","name":"n"}]}`,
	"prompts/list":             `{"prompts":[{"name":"good","description":"tok-123456"},{"name":"evil"}]}`,
}

const relistedPlugin = `plugins: [{name: p, use: ./p.wasm, on: {tools: ["x/*"], lists: ["*"]}%}]` + "\n"

// relisting is a policy that hides tools, and has more.
func relisting(hidden []string, more ...string) string {
	text := "callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\n"
	if len(hidden) > 0 {
		text += "tools: {" + strings.Join(hidden, ": {hide: true}, ") + ": {hide: true}}\n"
	}
	return text + strings.Join(more, "")
}

// hidesPrompts hides the prompt that is evil.
var hidesPrompts = guests{"p": func(v abi.Value) string {
	for _, item := range v.At("/list/items").Items() {
		if v.At("/list/kind").Str() == abi.ListPrompts && item.Get("name").Str() == "evil" {
			return `{"outcome":"abstain","hide":["evil"]}`
		}
	}
	return `{"outcome":"abstain"}`
}}

const (
	relistBudget = "budgets: [{name: b, tools: [fake/other], max: 9}]\n"
	relistRedact = "redact: [{name: token, pattern: \"tok-[0-9]{6}\", in: [results]}]\n"
	relistMisses = "redact: [{name: other, pattern: \"key-[0-9]{6}\", in: [results]}]\n"
)

// relists are reloads, one after the other, with what a client is told of that has seen
// all lists. Of what changes nothing it is told nothing: what comes next comes first.
var relists = []struct {
	name, policy string
	lists        string // that the client asks for again before
	want         string
}{
	{"a budget", relisting(nil, relistBudget), "", ""},
	{"what is not listed is hidden", relisting([]string{"fake/gone"}, relistBudget), "", ""},
	{"a tool is hidden", relisting([]string{"fake/evil"}), "", "tools"},
	{"a tool that was shown again meanwhile", relisting([]string{"fake/evil"}, relistBudget), "", "tools"},
	{"nothing", relisting([]string{"fake/evil"}, relistBudget), "tools/list", ""},
	{"a plugin is added", relisting([]string{"fake/evil"}, strings.Replace(relistedPlugin, "%", "", 1)), "", "resources prompts"},
	{"a budget beside it", relisting([]string{"fake/evil"}, strings.Replace(relistedPlugin, "%", "", 1), relistBudget), "prompts/list", ""},
	{"what redacts nothing", relisting([]string{"fake/evil"}, strings.Replace(relistedPlugin, "%", "", 1), relistMisses), "", ""},
	{"what redacts", relisting([]string{"fake/evil"}, strings.Replace(relistedPlugin, "%", "", 1), relistRedact), "", "prompts"},
	{"its mode", relisting([]string{"fake/evil"}, strings.Replace(relistedPlugin, "%", ", mode: observe", 1), relistRedact), "prompts/list", "prompts"},
	{"it is taken away", relisting([]string{"fake/evil"}, relistRedact), "prompts/list", ""},
	{"a tool is shown", relisting(nil, relistRedact), "", "tools"},
}

// replace has a policy come into force, whatever it allows.
func (r *reloadable) replace(t *testing.T, text string) {
	t.Helper()
	r.write(text)
	if s := r.State(); s.State == abi.ReloadWaits {
		if err := r.Accept(s.Digest); err != nil {
			t.Fatal(err)
		}
	}
	if want := loadPolicy(t, text).Digest(); r.State().InForce != want {
		t.Fatalf("%+v is in force; want %s", r.State(), want)
	}
}

// listening connects a client that may be told of lists.
func listening(t *testing.T, b bridge, modern bool, first, capabilities, wants, acks string) (*wired, *reloadable) {
	t.Helper()
	r := newReloadable(t, first)
	w := &wired{t: t, b: b, plugin: hidesPrompts, reload: r.Reloader}
	w.connect(r.Current().Policy)
	w.hear(modern, capabilities, wants, acks)
	return w, r
}

// hear begins as a client that may be told of lists does.
func (w *wired) hear(modern bool, capabilities, wants, acks string) {
	w.t.Helper()
	if w.modern = modern; modern {
		w.write(`{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{"notifications":` + wants + `,"arguments":{"acks":` + acks + `},` + modernPlain + `}}`)
		w.await(`notifications/subscriptions/acknowledged`)
		return
	}
	result := `{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"serverInfo":{"name":"brain","version":"1"}}`
	w.write(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"arguments":{"lists":` + abi.StringValue(result).String() + `}}}`)
	w.await(`"init"`)
	w.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if w.b.front {
		w.listen()
	}
}

const (
	allDeclared = `{"tools":{"listChanged":true},"resources":{"listChanged":true},"prompts":{"listChanged":true}}`
	allWanted   = `{"toolsListChanged":true,"resourcesListChanged":true,"promptsListChanged":true}`
)

var listChanged = regexp.MustCompile(`"method":"notifications/(\w+)/list_changed"`)

// told are the notifications that the client got, in order.
func (w *wired) told() (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines {
		if m := listChanged.FindStringSubmatch(line[:min(len(line), 200)]); m != nil {
			out = append(out, m[1])
		}
	}
	return out
}

// list asks for a list of the server, and returns the answer.
func (w *wired) list(n int, method string) string {
	w.t.Helper()
	more := ""
	if w.modern {
		more = "," + modernPlain
	}
	id := fmt.Sprintf(`"id":"%d-%s"`, n, method)
	w.write(`{"jsonrpc":"2.0",` + id + `,"method":"` + method + `","params":{"arguments":{"lists":` + abi.StringValue(relistedLists[method]).String() + `}` + more + `}}`)
	return w.await(id)
}

// eras are those in which a bridge can be spoken over.
var eras = map[string]bool{"2025-11-25": false, "2026-07-28": true}

func TestClientsAreToldOfListsThatAReloadChanges(t *testing.T) {
	for _, b := range bridges {
		for era, modern := range eras {
			t.Run(b.name+" "+era, func(t *testing.T) {
				t.Parallel()
				w, r := listening(t, b, modern, relisting(nil), allDeclared, allWanted, allWanted)
				for method := range relistedLists {
					w.list(0, method)
				}
				var want []string
				for i, c := range relists {
					for _, method := range strings.Fields(c.lists) {
						w.list(i, method)
					}
					r.replace(t, c.policy)
					want = append(want, strings.Fields(c.want)...)
					eventually(t, c.name, func() bool { return len(w.told()) >= len(want) })
					if got := w.told(); !slices.Equal(got, want) {
						t.Fatalf("%s: told of %v; want %v", c.name, got, want)
					}
				}
				w.tagged()
				w.noted(want)
			})
		}
	}
	if len(bridges)*len(eras)*len(relists) == 0 || len(relistedLists) != len(abi.ListKinds) {
		t.Fatalf("%d lists; there are %d kinds", len(relistedLists), len(abi.ListKinds))
	}
}

// tagged holds the form of what the client got.
func (w *wired) tagged() {
	w.t.Helper()
	for line := range strings.SplitSeq(w.got(), "\n") {
		m := listChanged.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		want := `{"jsonrpc":"2.0","method":"notifications/` + m[1] + `/list_changed"`
		if w.modern {
			want += `,"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}}`
		}
		if line != want+"}" {
			w.t.Errorf("%s; want %s}", line, want)
		}
	}
	if strings.Contains(w.log(), "list_changed") {
		w.t.Error("the server was told:", w.log())
	}
}

// noted holds the ledger to what the client was told.
func (w *wired) noted(want []string) {
	w.t.Helper()
	var got []string
	for _, e := range ledgerEvents(w.t, w.dir) {
		if e.Reload != nil && e.Reload.State == abi.ReloadTold {
			got = append(got, listChanged.FindStringSubmatch(`"method":"` + strings.Join(e.Reload.Why, " ") + `"`)[1])
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("the ledger has %v; want %v", got, want)
	}
}

// A client is told only of what its server has said that it tells, and what it asked for.
func TestNobodyIsToldWhatTheServerDoesNotDeclare(t *testing.T) {
	tests := []struct {
		name                      string
		modern                    bool
		capabilities, wants, acks string
		want                      string
	}{
		{"all is declared", false, allDeclared, "", "", "tools prompts"},
		{"prompts alone", false, `{"tools":{},"prompts":{"listChanged":true}}`, "", "", "prompts"},
		{"declared as false, or as something else", false, `{"tools":{"listChanged":"yes"},"prompts":{"listChanged":false}}`, "", "", ""},
		{"nothing", false, `{}`, "", "", ""},
		{"all is wanted and acknowledged", true, "", allWanted, allWanted, "tools prompts"},
		{"tools are acknowledged", true, "", allWanted, `{"toolsListChanged":true}`, "tools"},
		{"prompts are wanted", true, "", `{"promptsListChanged":true}`, allWanted, "prompts"},
		{"nothing is wanted", true, "", `{}`, allWanted, ""},
		{"nothing is acknowledged", true, "", allWanted, `{}`, ""},
	}
	for _, b := range bridges {
		for _, c := range tests {
			t.Run(b.name+" "+c.name, func(t *testing.T) {
				t.Parallel()
				w, r := listening(t, b, c.modern, relisting(nil), c.capabilities, c.wants, c.acks)
				for method := range relistedLists {
					w.list(0, method)
				}
				r.replace(t, relisting([]string{"fake/evil"}, relistRedact))
				want := strings.Fields(c.want)
				eventually(t, "the notifications", func() bool { return len(w.told()) >= len(want) })
				// Whoever is told nothing sees it in the next list, and what is hidden is denied.
				if got := w.list(1, "tools/list"); strings.Contains(got, "evil") || !strings.Contains(got, "good") {
					t.Error(got)
				}
				if got := w.told(); !slices.Equal(got, want) {
					t.Errorf("told of %v; want %v", got, want)
				}
				w.noted(want)
			})
		}
	}
	if len(tests) == 0 {
		t.Fatal("no cases")
	}
}

// What a client was shown that Callgate has not seen may be anything: it is told if
// lists are shown in other ways, and only then.
func TestWhoseListsAreNotKnownIsTold(t *testing.T) {
	for _, b := range bridges {
		for era, modern := range eras {
			t.Run(b.name+" "+era, func(t *testing.T) {
				t.Parallel()
				w, r := listening(t, b, modern, relisting(nil), allDeclared, allWanted, allWanted)
				r.replace(t, relisting(nil, relistBudget))
				r.replace(t, relisting([]string{"fake/evil"}))
				r.replace(t, relisting([]string{"fake/evil"}, relistRedact))
				want := []string{"tools", "tools", "resources", "prompts"}
				eventually(t, "the notifications", func() bool { return len(w.told()) >= len(want) })
				if got := w.told(); !slices.Equal(got, want) {
					t.Errorf("told of %v; want %v", got, want)
				}
			})
		}
	}
}

// Each session of a client is told for itself, of what it has seen.
func TestEachSessionIsToldOfItsOwnLists(t *testing.T) {
	tried := 0
	for _, b := range bridges {
		if !b.front {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			first, r := listening(t, b, false, relisting(nil), allDeclared, "", "")
			other := &wired{t: t, b: b, url: first.url, log: first.log, ctx: first.ctx}
			other.write = other.post
			other.hear(false, allDeclared, "", "")
			first.list(0, "tools/list")
			other.write(`{"jsonrpc":"2.0","id":"few","method":"tools/list","params":{"arguments":{"lists":"{\"tools\":[{\"name\":\"good\"}]}"}}}`)
			other.await(`"few"`)
			r.replace(t, relisting([]string{"fake/evil"}))
			r.replace(t, relisting([]string{"fake/evil", "fake/good"}))
			eventually(t, "the notifications", func() bool { return len(first.told()) == 2 && len(other.told()) == 1 })
			first.noted([]string{"tools", "tools", "tools"})
			first.close()
			other.posts.Wait()
		})
		tried++
	}
	if tried == 0 {
		t.Fatal("no bridge has sessions")
	}
}

// Who does not listen is told once it does.
func TestAClientThatDoesNotListenIsToldLater(t *testing.T) {
	tried := 0
	for _, b := range bridges {
		if !b.front {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			r := newReloadable(t, relisting(nil))
			w := &wired{t: t, b: b, reload: r.Reloader}
			w.connect(r.Current().Policy)
			w.b.front = false // it opens no stream
			w.hear(false, allDeclared, "", "")
			w.list(0, "tools/list")
			r.replace(t, relisting([]string{"fake/evil"}))
			r.replace(t, relisting([]string{"fake/evil", "fake/good"}))
			w.listen()
			w.await("notifications/tools/list_changed")
		})
		tried++
	}
	if tried == 0 {
		t.Fatal("no bridge has streams")
	}
}
