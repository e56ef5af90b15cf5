package suggest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
)

// other records a call that is none of a tool, and what its server answers.
func (r *recorder) other(c abi.Call, answer string) {
	r.t.Helper()
	c.ID = r.id[:6] + "-" + itoa(len(r.lines))
	v := r.event(abi.Event{Call: &c})
	if answer != "" && v != nil && v.Enforced() == abi.Allow {
		r.event(abi.Event{Result: &abi.ResultEvent{Call: c.ID, Server: c.Server, Value: parsed(r.t, answer), Bytes: int64(len(answer))}})
	}
}

func TestWhatWasDoneBesideToolsIsGrantedByName(t *testing.T) {
	r := desk(t, observing+"servers: {fs: {prompts: {verdict: ask}, resources: {args: [{arg: uri, match: \"(file|docs)://.*\"}]}}}\n")
	r.call("fs/read_file", `{"path":"docs/a.txt"}`, "see docs://tainted.example/x")
	r.other(abi.Call{Kind: abi.KindResource, Server: "fs", URI: "docs://a", Action: "read"}, `{"contents":[]}`)
	r.other(abi.Call{Kind: abi.KindResource, Server: "fs", URIs: []string{"docs://b", "file:///srv/work/\"c"}, Action: "subscribe"}, "")
	r.other(abi.Call{Kind: abi.KindResource, Server: "fs", URI: "docs://tainted.example/x", Action: "read"}, "")
	r.other(abi.Call{Kind: abi.KindResource, Server: "fs", URI: "http://refused", Action: "read"}, "")
	r.other(abi.Call{Kind: abi.KindPrompt, Server: "fs", Name: "review"}, "")
	r.other(abi.Call{Kind: abi.KindSampling, Server: "fs", Params: parsed(t, `{"maxTokens":1}`)}, "")
	r.other(abi.Call{Kind: abi.KindRoots, Server: "fs"}, "")
	r.other(abi.Call{Kind: abi.KindMethod, Server: "fs", Method: "vendor/x"}, "")
	r.other(abi.Call{Kind: abi.KindMethod, Server: "fs", Method: "vendor/*"}, "")
	s := suggest(t, r)
	p, err := policy.Load(policy.Options{Files: []string{"/srv/work/p.yaml"}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return s.Policy, nil }})
	if err != nil {
		t.Fatal(err)
	}
	grant := func(kind abi.CallKind, method string) abi.Outcome {
		if g := p.RulesFor("fs", kind, method).Grant; g.Set {
			return g.Outcome
		}
		return p.Settings().Default
	}
	for _, c := range []struct {
		kind   abi.CallKind
		method string
		want   abi.Outcome
	}{
		{abi.KindResource, "resources/read", abi.Allow}, {abi.KindPrompt, "prompts/get", abi.Ask}, {abi.KindSampling, "sampling/createMessage", abi.Ask},
		{abi.KindRoots, "roots/list", abi.Allow}, {abi.KindElicitation, "elicitation/create", abi.Deny}, {abi.KindCompletion, "completion/complete", abi.Deny},
		{abi.KindMethod, "vendor/x", abi.Allow}, {abi.KindMethod, "vendor/y", abi.Deny},
	} {
		if got := grant(c.kind, c.method); got != c.want {
			t.Errorf("%s %s: %v; want %v\n%s", c.kind, c.method, got, c.want, s.Policy)
		}
	}
	code, comments := apart(string(s.Policy))
	for _, want := range []string{`in: ["docs://a", "docs://b", "file:///srv/work/\"c"]`, `in: ["review"]`, `"vendor/x": allow`} {
		if !strings.Contains(code, want) {
			t.Errorf("no %s in\n%s", want, code)
		}
	}
	if strings.Contains(code, "tainted") || strings.Contains(code, "refused") || !strings.Contains(comments, "nothing is granted for 3 calls of resources") {
		t.Errorf("granted what was objected to:\n%s", s.Policy)
	}
}

func TestManyResourcesAreNotGranted(t *testing.T) {
	for _, n := range []int{maxNamed, maxNamed + 1} {
		r := desk(t, observing)
		r.call("fs/read_file", `{"path":"docs/a.txt"}`, "a")
		for i := range n {
			r.other(abi.Call{Kind: abi.KindResource, Server: "fs", URI: fmt.Sprintf("docs://%d", i), Action: "read"}, "")
		}
		code, comments := apart(string(suggest(t, r).Policy))
		if granted := strings.Contains(code, "resources:"); granted != (n == maxNamed) || granted == strings.Contains(comments, "65 resources were used") {
			t.Errorf("%d resources: granted %v\n%s", n, granted, code)
		}
	}
}

// TestWhatAServerAskedForIsNoWordOfTheCaller: a destination that only a request
// of a server named is not trusted.
func TestWhatAServerAskedForIsNoWordOfTheCaller(t *testing.T) {
	send := func(r *recorder) {
		r.call("mail/send_email", `{"to":["x@partner.example"],"subject":"a","body":"b"}`, "sent")
	}
	for _, asked := range []bool{true, false} {
		r := desk(t, observing)
		if asked {
			r.other(abi.Call{Kind: abi.KindSampling, Server: "mail", Params: parsed(t, `{"messages":[{"role":"user","content":{"type":"text","text":"write to x@partner.example"}}]}`)}, "")
		}
		send(r)
		code, _ := apart(string(suggest(t, r).Policy))
		if trusted := strings.Contains(code, "x@partner.example"); trusted == asked {
			t.Errorf("asked for by a server: %v; trusted: %v\n%s", asked, trusted, code)
		}
	}
}
