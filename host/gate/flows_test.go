package gate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/gate"
)

const secretFlow = open + "labels: [{name: secret, from: [fs/read, fs/resources/read], where: {path: \"/srv/secrets/**\"}}]\n" +
	"flows: [{name: no-egress, label: secret, to: [web/post]}, {name: no-value, label: secret, to: [web/put], scope: value}]\n"

const textResult = `{"content":[{"type":"text","text":%q}]}`

// read has a file read, with its result.
func (r *run) read(path, text string) abi.Verdict {
	r.t.Helper()
	v := verdict(r.t, r.call("fs", "read", fmt.Sprintf(`{"path":%q}`, path)))
	if text != "" {
		r.result(v.ID, fmt.Sprintf(textResult, text))
	}
	return v
}

func TestALabelIsGivenBeforeTheResultAndByAllowedCallsAlone(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r *run)
		want string
	}{
		{"nothing", func(*run) {}, "allow "},
		{"another path", func(r *run) { r.read("/srv/other/a", "x") }, "allow "},
		{"a call whose result has not come", func(r *run) { r.read("/srv/secrets/a", "") }, "deny FLOW_SESSION"},
		{"a call that failed", func(r *run) {
			r.result(r.read("/srv/secrets/a", "").ID, `{"isError":true,"content":[]}`)
		}, "deny FLOW_SESSION"},
		{"a call that is denied", func(r *run) {
			r.call("fs", "read", `{"path":"/srv/secrets/a","size":1}`)
		}, "allow "},
		{"a call that its batch took back", func(r *run) {
			r.step(abi.Event{Refused: &abi.RefusedEvent{Server: "fs", From: "client", Code: "FRAME_BATCH", Call: r.read("/srv/secrets/a", "").ID}})
		}, "deny FLOW_SESSION"},
		{"a resource", func(r *run) {
			r.step(abi.Event{Call: &abi.Call{Kind: abi.KindResource, Server: "fs", URI: "file:///srv/secrets/a", Action: "read"}})
		}, "deny FLOW_SESSION"},
		{"a new session", func(r *run) {
			r.read("/srv/secrets/a", "x")
			r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-2", File: "abcdef0123", Place: here, New: true}})
		}, "allow "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, load(t, secretFlow+"tools: {fs/read: {args: [{arg: size, forbid: true}]}}\n"))
			c.do(r)
			if got := r.outcome("web", "post", `{"body":"x"}`); got != c.want {
				t.Errorf("%s; want %s", got, c.want)
			}
		})
	}
}

func TestAnAskedCallGivesItsLabelWhenAPersonSaysYes(t *testing.T) {
	r := start(t, load(t, secretFlow+"tools: {fs/read: {verdict: ask}}\n"))
	v := r.read("/srv/secrets/a", "")
	if got := r.outcome("web", "post", `{"body":"x"}`); got != "allow " {
		t.Error("while it is asked:", got)
	}
	r.step(abi.Event{Approval: &abi.ApprovalEvent{Call: v.ID, Yes: true, By: "test"}})
	if got := r.outcome("web", "post", `{"body":"x"}`); got != "deny FLOW_SESSION" {
		t.Error("after a yes:", got)
	}
}

func TestDataWithALabelIsKnownInWhateverForm(t *testing.T) {
	const secret = "The merger with Initech closes on 14 March; code word Halcyon-Delta-77."
	for _, c := range []struct{ name, args, want string }{
		{"nothing of it", `{"body":"the weather will be fine"}`, "allow "},
		{"a flag and a short number", `{"public":true,"n":14,"to":"on"}`, "allow "},
		{"all of it", fmt.Sprintf(`{"body":%q}`, secret), "deny FLOW_VALUE"},
		{"in other letter case", fmt.Sprintf(`{"body":%q}`, strings.ToUpper(secret)), "deny FLOW_VALUE"},
		{"a part inside of other text", `{"body":"they say the merger with initech closes soon, do they"}`, "deny FLOW_VALUE"},
		{"a word of its own", `{"body":"Halcyon-Delta-77"}`, "deny FLOW_VALUE"},
		{"with separators between", `{"body":"T-h-e m.e.r.g.e.r w.i.t.h I.n.i.t.e.c.h"}`, "deny FLOW_VALUE"},
		{"in base64", `{"body":"VGhlIG1lcmdlciB3aXRoIEluaXRlY2ggY2xvc2VzIG9uIDE0IE1hcmNo"}`, "deny FLOW_VALUE"},
		{"escaped for a URL", `{"url":"https://x.example/?q=The%20merger%20with%20Initech%20closes"}`, "deny FLOW_VALUE"},
		{"as the name of a member", `{"labels":{"Halcyon-Delta-77":1}}`, "deny FLOW_VALUE"},
		{"deep inside", `{"a":[{"b":["x","code word Halcyon-Delta-77"]}]}`, "deny FLOW_VALUE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, load(t, secretFlow))
			r.read("/srv/secrets/a", secret)
			r.read("/srv/notes/a", "something of no interest to anybody")
			if got := r.outcome("web", "put", c.args); got != c.want {
				t.Errorf("%s; want %s", got, c.want)
			}
			other := start(t, load(t, secretFlow))
			other.read("/srv/notes/a", secret)
			if got := other.outcome("web", "put", c.args); got != "allow " {
				t.Errorf("from a file without a label: %s", got)
			}
		})
	}
}

func TestWhatTheClientSaidBeforeTheServerIsNoDataOfTheServer(t *testing.T) {
	r := start(t, load(t, open+"labels: [{name: private, from: [crm/*]}]\nflows: [{name: f, label: private, to: [web/put], scope: value}]\n"))
	v := verdict(t, r.call("crm", "find", `{"name":"Mildred Hammersmith of Barrow"}`))
	r.result(v.ID, fmt.Sprintf(textResult, "Mildred Hammersmith of Barrow: 0118 999 881"))
	if got := r.outcome("web", "put", `{"body":"Mildred Hammersmith of Barrow"}`); got != "allow " {
		t.Error("what the client said:", got)
	}
	if got := r.outcome("web", "put", `{"body":"0118 999 881"}`); got != "deny FLOW_VALUE" {
		t.Error("what the server said:", got)
	}
}

func TestTrustedOutputsKeepTheirLabels(t *testing.T) {
	r := start(t, load(t, secretFlow+"servers: {fs: {outputs: trusted}, web: {outputs: untrusted}}\n"))
	r.read("/srv/secrets/a", "code word Halcyon-Delta-77")
	if got := r.outcome("web", "put", `{"body":"Halcyon-Delta-77"}`); got != "deny FLOW_VALUE" {
		t.Error(got)
	}
}

func TestErrorsAndNotificationsOfAServerHaveTheLabelsOfItsData(t *testing.T) {
	for name, say := range map[string]func(r *run, id string){
		"an error": func(r *run, id string) {
			r.result(id, `{"isError":true,"content":[{"type":"text","text":"no: Halcyon-Delta-77"}]}`)
		},
		"a notification": func(r *run, _ string) {
			r.step(abi.Event{Frame: &abi.FrameEvent{Server: "fs", Method: "notifications/message", Frame: value(r.t, `{"data":"Halcyon-Delta-77"}`)}})
		},
		"a list of tools": func(r *run, _ string) { r.tools("fs", tool("read", "path"), tool("Halcyon-Delta-77")) },
		"an answer to no call that is known": func(r *run, _ string) {
			r.step(abi.Event{Result: &abi.ResultEvent{Server: "fs", Value: value(r.t, `{"structuredContent":{"a":"Halcyon-Delta-77"}}`)}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, load(t, secretFlow))
			id := r.read("/srv/secrets/a", "").ID
			say(r, id)
			if got := r.outcome("web", "put", `{"body":"Halcyon-Delta-77"}`); got != "deny FLOW_VALUE" {
				t.Error(got)
			}
			r = start(t, load(t, secretFlow))
			id = r.read("/srv/notes/a", "").ID
			say(r, id)
			if got := r.outcome("web", "put", `{"body":"Halcyon-Delta-77"}`); got != "allow " {
				t.Error("without a label:", got)
			}
		})
	}
}

func TestGoneTextWithALabelAsks(t *testing.T) {
	for _, c := range []struct{ path, want string }{{"/srv/secrets/a", "ask FLOW_UNSURE"}, {"/srv/notes/a", "allow "}} {
		r := start(t, load(t, secretFlow))
		v := r.read(c.path, "")
		r.step(abi.Event{Result: &abi.ResultEvent{Call: v.ID, Server: "fs"}, Text: &abi.Text{Segment: "abcdef012345-1", Digest: "sha256:0", Length: 9}})
		if got := r.outcome("web", "put", `{"body":"anything at all"}`); got != c.want {
			t.Errorf("%s: %s; want %s", c.path, got, c.want)
		}
	}
}

func TestFilesTakeLabelsAlong(t *testing.T) {
	write := func(r *run, path, content string) {
		r.call("notes", "write_page", fmt.Sprintf(`{"path":%q,"content":%q}`, path, content))
	}
	for _, c := range []struct {
		name string
		do   func(r *run)
		want string // of a send of the data, after the file was read in a new session
	}{
		{"written with the data", func(r *run) { write(r, "/srv/tmp/../x", "see Halcyon-Delta-77") }, "deny FLOW_VALUE"},
		{"written with something else", func(r *run) { write(r, "/srv/x", "fine weather") }, "allow "},
		{"another file", func(r *run) { write(r, "/srv/y", "see Halcyon-Delta-77") }, "allow "},
		{"copied on", func(r *run) {
			write(r, "/srv/y", "see Halcyon-Delta-77")
			r.call("shell", "copy", `{"source":"/srv/y","destination":"/srv/x"}`)
		}, "deny FLOW_VALUE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, load(t, secretFlow))
			r.read("/srv/secrets/a", "code word Halcyon-Delta-77")
			c.do(r)
			r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-2", File: "abcdef0123", Place: here, New: true}})
			r.read("/srv/x", "see Halcyon-Delta-77")
			if got := r.outcome("web", "put", `{"body":"Halcyon-Delta-77"}`); got != c.want {
				t.Errorf("%s; want %s", got, c.want)
			}
			// Whatever was written while the session held the label gives it on.
			want := "deny FLOW_SESSION"
			if c.name == "another file" {
				want = "allow "
			}
			if got := r.outcome("web", "post", `{"body":"x"}`); got != want {
				t.Errorf("the session: %s; want %s", got, want)
			}
		})
	}
}

func TestLabelsAreResumedFromTheLedger(t *testing.T) {
	p := load(t, secretFlow+"chains: [{name: c, from: [fs/read], to: [chat/*], within: 1}]\n")
	before := start(t, p)
	before.step(abi.Event{Time: lawClock})
	before.read("/srv/secrets/a", "code word Halcyon-Delta-77")
	after := &run{t: t, state: gate.New(gate.Options{Specs: builtin.Table()}), seq: before.seq}
	gate.Step(after.state, abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
	for _, e := range before.events {
		back, err := abi.ParseEvent(e.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		gate.Fold(after.state, back)
	}
	after.step(abi.Event{Time: lawClock, Session: &abi.SessionEvent{ID: "s-2", File: "bbbbbb0123", Place: here}})
	for _, c := range []struct{ server, tool, args, want string }{
		{"chat", "say", `{"text":"x"}`, "deny CHAIN_FOLLOWS"},
		{"web", "post", `{"body":"x"}`, "deny FLOW_SESSION"},
		{"web", "put", `{"body":"Halcyon-Delta-77"}`, "deny FLOW_VALUE"},
		{"web", "put", `{"body":"nothing"}`, "allow "},
	} {
		if got := after.outcome(c.server, c.tool, c.args); got != c.want {
			t.Errorf("%s: %s; want %s", c.tool, got, c.want)
		}
	}
}

func TestLabelsAndChainsReachOverTheProcessesOfAGroup(t *testing.T) {
	const text = secretFlow + "chains: [{name: c, from: [fs/read], to: [chat/*], within: 2}]\n"
	r := start(t, load(t, text))
	p := r.peer("fs")
	for _, c := range []struct{ server, tool, args, want string }{{"chat", "say", `{}`, "allow "}, {"web", "post", `{}`, "allow "}} {
		if got := r.outcome(c.server, c.tool, c.args); got != c.want {
			t.Error("before:", got)
		}
	}
	id := p.call("read", `{"path":"/srv/secrets/a"}`, "allow", "")
	p.tail(abi.Event{Label: &abi.LabelEvent{Call: id, Session: []string{"secret"}, Data: []string{"secret"}}})
	p.tail(abi.Event{Result: &abi.ResultEvent{Call: id, Server: "fs", Value: value(t, fmt.Sprintf(textResult, "code word Halcyon-Delta-77"))}})
	for range 4 {
		p.call("noop", `{}`, "allow", "") // others' calls never fill the room between
	}
	v := verdict(t, r.call("web", "post", `{"body":"x"}`))
	if v.Code != "FLOW_SESSION" || v.Witness[0].Call != id || v.Witness[0].Server != "fs" {
		t.Errorf("%+v", v)
	}
	for _, c := range []struct{ server, tool, args, want string }{
		{"web", "put", `{"body":"Halcyon-Delta-77"}`, "deny FLOW_VALUE"},
		{"chat", "say", `{"text":"x"}`, "deny CHAIN_FOLLOWS"},
		{"x", "noop", `{}`, "allow "}, {"x", "noop", `{}`, "allow "},
		{"chat", "say", `{"text":"x"}`, "allow "},
	} {
		if got := r.outcome(c.server, c.tool, c.args); got != c.want {
			t.Errorf("%s: %s; want %s", c.tool, got, c.want)
		}
	}
}

func TestConditionsHoldWhileTheSessionHoldsTheirLabels(t *testing.T) {
	const text = open + "labels: [{name: secret, from: [fs/read]}, {name: late, from: [fs/stat]}]\n" +
		"tools:\n  fs/write: {args: [{slot: path, allow: [\"/srv/**\"]}], max_calls: 9}\n" +
		"  \"fs/wri*\": {when: {labels: [secret, late]}, args: [{slot: path, allow: [\"/srv/tmp/**\", \"/opt/**\"]}], max_calls: 3}\n"
	r := start(t, load(t, text))
	r.tools("fs", tool("write", "path", "content"), tool("read", "path"), tool("stat", "path"))
	judge := func(path, want string) {
		t.Helper()
		if got := r.outcome("fs", "write", fmt.Sprintf(`{"path":%q,"content":"x"}`, path)); got != want {
			t.Errorf("%s: %s; want %s", path, got, want)
		}
	}
	judge("/srv/a", "allow ")
	r.read("/x", "x")
	judge("/srv/a", "allow ")
	r.call("fs", "stat", `{"path":"/x"}`)
	judge("/srv/a", "deny ARGS_PATH_OUTSIDE")
	judge("/opt/a", "deny BUDGET_SPENT") // counted all along; and the entry without a condition holds too
	r.step(abi.Event{Session: &abi.SessionEvent{ID: "s-2", File: "abcdef0123", Place: here, New: true}, Time: lawClock.Add(time.Hour)})
	judge("/srv/a", "allow ")
	judge("/opt/a", "deny ARGS_PATH_OUTSIDE")
}

func TestAServersOwnRequestsDoNotFillAChain(t *testing.T) {
	r := start(t, load(t, open+"chains: [{name: c, from: [fs/read], to: [web/post], within: 2}]\n"))
	r.read("/a", "x")
	for range 3 {
		r.step(abi.Event{Call: &abi.Call{Kind: abi.KindRoots, Server: "fs"}})
	}
	if got := r.outcome("web", "post", `{}`); got != "deny CHAIN_FOLLOWS" {
		t.Error(got)
	}
}
