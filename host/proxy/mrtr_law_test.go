package proxy

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/wire"
)

// retry is what a client makes of a call to make it again: members that are
// there keep their place, the others come last, as in an object literal of
// JavaScript, or first.
func retry(call, state, answer string, first bool) string {
	const id = `"id":"r1"`
	out := strings.Replace(call, `"id":"c1"`, id, 1)
	for _, m := range []struct{ name, value string }{{answersMember, answer}, {stateMember, state}} {
		at, err := wire.Find([]byte(out), wire.Span{End: len(out)}, "/params/"+m.name)
		if err == nil {
			out = out[:at.Start] + m.value + out[at.End:]
			continue
		}
		params, err := wire.Find([]byte(out), wire.Span{End: len(out)}, "/params")
		if err != nil {
			return out
		}
		member := `"` + m.name + `":` + m.value
		if first {
			out = out[:params.Start+1] + member + "," + out[params.Start+1:]
		} else {
			out = out[:params.End-1] + "," + member + out[params.End-1:]
		}
	}
	return out
}

// aCall draws a call with members in any order, white space and escapes,
// answers to questions of the server, and a state of its own.
func aCall(t *rapid.T) string {
	gap := func() string { return rapid.SampledFrom([]string{"", "", " ", "\t", "  "}).Draw(t, "gap") }
	member := func(name, value string) string { return gap() + `"` + name + `"` + gap() + ":" + gap() + value }
	members := []string{
		member("name", `"s\u0065nd"`),
		member("arguments", rapid.SampledFrom([]string{"{}", `{"to": "bob","n":1e400,"s":"\ud800"}`, `{"requestState":"cg1.x","inputResponses":{"callgate.approval":{}}}`}).Draw(t, "arguments")),
		member("_meta", `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","x": [ ]}`),
	}
	if rapid.Bool().Draw(t, "more") {
		members = append(members, member("x\\u0022}", `{"a": [1,{"b":"},{"}]}`))
	}
	if rapid.Bool().Draw(t, "answers") {
		members = append(members, member(answersMember, rapid.SampledFrom([]string{`{}`, `{ }`, `{"who": {"action":"accept","content":{"n":1.0}}}`, `{"a":{}, "b\u0020":{} }`}).Draw(t, "of the server")))
	}
	if rapid.Bool().Draw(t, "state") {
		members = append(members, member(stateMember, rapid.SampledFrom([]string{`""`, `"theirs"`, `"\u0063g2.\/\ud800"`}).Draw(t, "of the server")))
	}
	members = rapid.Permutation(members).Draw(t, "members")
	return `{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{` + strings.Join(members, ",") + "}}\n"
}

// TestAnApprovedCallIsTheCallAsItWasMade holds what the server gets against what
// the client sent at first: all bytes are the same apart from the id, which a
// retry must change. (White space that a client puts around members which only
// the retry has may stay; these clients put none.)
func TestAnApprovedCallIsTheCallAsItWasMade(t *testing.T) {
	clock := newClock()
	s := newTestSealer(t, clock.now)
	rapid.Check(t, func(t *rapid.T) {
		call := aCall(t)
		f := fromClient(t, call)
		state, answers, err := serversPart(f, ticket{})
		if err != nil {
			t.Fatal(err)
		}
		digest, err := callDigest(f)
		if err != nil {
			t.Fatal(err)
		}
		asked := s.seal(ticket{kind: questionTicket, bound: bound{digest: digest}, state: state, answers: answers}, time.Minute)

		const yes = `"callgate.approval":{"action":"accept","content":{"approve":true}}`
		answer := "{" + yes + "}"
		if merges := rapid.Bool().Draw(t, "merges"); merges && strings.Contains(answers, ":") {
			body := strings.TrimSuffix(answers, "}")
			last := strings.TrimRight(body, " ")
			answer = last + "," + yes + body[len(last):] + "}"
			if rapid.Bool().Draw(t, "in front") {
				answer = "{" + yes + "," + strings.TrimPrefix(answers, "{")
			}
		}
		again := fromClient(t, retry(call, `"`+asked+`"`, answer, rapid.Bool().Draw(t, "first")))
		ticket, err := s.open(stateIn(again))
		if err != nil {
			t.Fatal(err)
		}
		if d, err := callDigest(again); err != nil || d != ticket.digest {
			t.Fatalf("the retry is another call: %v", err)
		}
		if yes, _ := approvalIn(again, ticket); !yes {
			t.Fatalf("the answer in %s is no yes", again.Raw)
		}
		got, err := withoutOurs(again, ticket)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(call, `"id":"c1"`, `"id":"r1"`, 1)
		if string(got) != want {
			t.Fatalf("want\n%s got\n%s from\n%s", want, got, again.Raw)
		}
	})
}
