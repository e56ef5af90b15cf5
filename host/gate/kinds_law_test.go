package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
)

// lawURIs are resources that meet in calls, lists and prose.
var lawURIs = []string{"docs://x/1", "https://evil.example/a", "file:///srv/out/a", "file:///etc/passwd"}

// lawOther draws a call of any kind but tool.
func lawOther(t *rapid.T) abi.Event {
	mail, uri := rapid.SampledFrom(lawMails).Draw(t, "mail in it"), rapid.SampledFrom(lawURIs).Draw(t, "uri")
	k := kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "other kind")]
	text := map[abi.CallKind]string{
		abi.KindResource:    `{"uri":"` + uri + `"}`,
		abi.KindPrompt:      `{"name":"p","arguments":{"to":"` + mail + `"}}`,
		abi.KindCompletion:  `{"ref":{"uri":"` + uri + `"},"argument":{"name":"to","value":"` + mail + `"}}`,
		abi.KindSampling:    rapid.SampledFrom([]string{`{"maxTokens":9}`, `{"maxTokens":900,"tools":[]}`, `{"includeContext":"allServers"}`, `{"messages":[{"role":"user","content":{"type":"text","text":"write to ` + mail + `"}}]}`}).Draw(t, "params"),
		abi.KindElicitation: `{"message":"is it ` + mail + `?"}`,
		abi.KindRoots:       `{}`,
		abi.KindMethod:      `{"to":"` + mail + `"}`,
	}[k.kind]
	v, _ := abi.Parse([]byte(text))
	c := &abi.Call{Kind: k.kind, Server: "s"}
	if c.SetValues(v); k.kind == abi.KindMethod {
		c.Method = rapid.SampledFrom([]string{"vendor/x", "vendor/y", "other"}).Draw(t, "method")
	}
	return abi.Event{Call: c}
}

// lawOthers draws a call of another kind and what its server returns for it.
func lawOthers(t *rapid.T) []abi.Event {
	call := lawOther(t)
	if call.Call.Kind.FromServer() {
		return []abi.Event{call}
	}
	text := rapid.SampledFrom([]string{"read " + lawURIs[1], "write to " + lawMails[1], "nothing"}).Draw(t, "returned")
	uri := rapid.SampledFrom(lawURIs).Draw(t, "linked")
	v, _ := abi.Parse([]byte(`{"contents":[{"uri":"` + uri + `","text":"` + text + `"}]}`))
	return []abi.Event{call, {Result: &abi.ResultEvent{Call: "last", Server: "s", Value: v}}}
}

// lawServer draws what a policy says of the kinds of server s.
func lawServer(t *rapid.T) string {
	var keys []string
	for _, k := range kinds {
		if rapid.Bool().Draw(t, string(k.kind)+" said") && !strings.HasPrefix(k.key, "requests") {
			keys = append(keys, strings.Replace(k.key, "%", rapid.SampledFrom(lawTokens).Draw(t, string(k.kind)), 1))
		}
	}
	if rapid.Bool().Draw(t, "requests said") {
		keys = append(keys, fmt.Sprintf("requests: {sampling: {verdict: %s, args: [{arg: maxTokens, max: 100}]}, elicitation: %s}",
			rapid.SampledFrom(lawTokens).Draw(t, "sampling"), rapid.SampledFrom(lawTokens).Draw(t, "elicitation")))
	}
	if rapid.Bool().Draw(t, "server said") {
		keys = append(keys, "verdict: "+rapid.SampledFrom(lawTokens).Draw(t, "server"))
	}
	return "servers: {s: {" + strings.Join(keys, ", ") + "}}\n"
}

// lawKindAddition draws an entry about other kinds of calls, outside
// abi.Loosening.
func lawKindAddition(t *rapid.T) string {
	return "callgate: 1\n" + rapid.SampledFrom([]string{
		"servers: {s: {resources: {verdict: deny}}}\n",
		"servers: {s: {resources: {args: [{slot: path, deny: [\"/etc/**\"]}]}}}\n",
		"servers: {s: {resources: {args: [{slot: path, allow: [\"/srv/**\"]}]}}}\n",
		"servers: {s: {resources: {args: [{arg: uri, match: \"docs://.*\", verdict: ask}]}}}\n",
		"servers: {s: {prompts: {verdict: deny}}}\n",
		"servers: {s: {prompts: {args: [{arg: /arguments/to, forbid: true}]}}}\n",
		"servers: {s: {completions: {verdict: deny}}}\n",
		"servers: {s: {completions: {args: [{arg: /argument/value, max_bytes: 3}]}}}\n",
		"servers: {s: {requests: {sampling: deny}}}\n",
		"servers: {s: {requests: {sampling: {args: [{arg: maxTokens, max: 10}]}}}}\n",
		"servers: {s: {requests: {elicitation: deny, roots: deny}}}\n",
		"servers: {s: {requests: {elicitation: {args: [{arg: message, match: \"[a-z]*\"}]}}}}\n",
		"servers: {s: {methods: {\"vendor/*\": deny}}}\n",
		"servers: {s: {methods: {vendor/x: deny, \"*\": deny}}}\n",
		"servers: {s: {verdict: deny}}\n",
		"tools: {s/send: {hide: true}}\n",
		"tools: {\"*\": {hide: true}}\n",
		"settings: {default: deny}\n",
		"settings: {max_argument_bytes: 5}\n",
	}).Draw(t, "addition for kinds")
}

// TestLawAddingARuleForAKindNeverLoosens: after the same history, a call of any
// kind gets no looser verdict under a policy with one more entry about it, as a
// layer or as a floor.
func TestLawAddingARuleForAKindNeverLoosens(t *testing.T) {
	tightened, allowed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text, addition := lawPolicy(t)+lawServer(t), lawKindAddition(t)
		base := lawLoad(t, text)
		more := lawLoad(t, text, addition)
		if rapid.Bool().Draw(t, "as a floor") {
			more = lawFloor(t, text, addition)
		}
		events := append(lawEvents(t), lawOthers(t)...)
		last := lawOther(t)
		if rapid.Bool().Draw(t, "a tool") {
			last = lawCall(t)
		}
		judge := func(p *policy.Policy) abi.Outcome {
			r := newLawRun(base, builtin.Table(), "aaaaaa00")
			for _, e := range events {
				r.step(e)
			}
			r.step(abi.Event{Policy: &abi.PolicyEvent{Digest: p.Digest(), Policy: p.Value()}})
			o, _ := outcomeOf(r.step(last))
			return o
		}
		was, is := judge(base), judge(more)
		if is < was {
			tightened++
		}
		if is == abi.Allow {
			allowed++
		}
		if is > was {
			t.Fatalf("%v became %v", was, is)
		}
	})
	if tightened == 0 || allowed == 0 {
		t.Errorf("%d calls tightened, %d allowed: want some of both", tightened, allowed)
	}
}

// lawFloor loads a policy above a floor.
func lawFloor(t *rapid.T, text, floor string) *policy.Policy {
	p, err := policy.Load(policy.Options{
		Specs: builtin.Table(), Files: []string{"/0.yaml"}, Floor: "/1.yaml",
		Read: func(path string) ([]byte, error) { return []byte([]string{text, floor}[path[1]-'0']), nil },
	})
	if err != nil {
		t.Fatalf("%v\n%s\n---\n%s", err, text, floor)
	}
	return p
}

// TestLawUnknownKindsDeny: whatever a policy says and whatever was before.
func TestLawUnknownKindsDeny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newLawRun(lawLoad(t, lawPolicy(t)+lawServer(t)), builtin.Table(), "aaaaaa00")
		for _, e := range lawEvents(t) {
			r.step(e)
		}
		e := lawOther(t)
		e.Call.Kind += abi.CallKind(rapid.SampledFrom([]string{"s", " ", "/x", "\x00"}).Draw(t, "suffix"))
		if o, judged := outcomeOf(r.step(e)); !judged || o != abi.Deny {
			t.Fatalf("%q: %v", e.Call.Kind, o)
		}
	})
}
