package gate_test

import (
	"testing"

	"github.com/callgate/callgate/abi"
)

// What a server could read in another way is another call: an answer does not
// hold for it, before the call or after.
func TestAnAnswerHoldsForWhatTheServerReadsTheSame(t *testing.T) {
	tried := 0
	for _, c := range []struct {
		asked, tried, task string
		same               bool
	}{
		{`{"amount":5}`, `{"amount":5}`, ``, true},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, ``, true},
		{`{"a":"\u0041\/"}`, `{"a":"A/"}`, ``, true},
		{`{"amount":1}`, `{"amount":1.0}`, ``, false},
		{`{"amount":1}`, `{"amount":1e0}`, ``, false},
		{`{"amount":9007199254740993}`, `{"amount":9007199254740992}`, ``, false},
		{`{"amount":-0}`, `{"amount":0}`, ``, false},
		{`{"amount":1}`, `{"amount":"1"}`, ``, false},
		{`{"amount":null}`, `{}`, ``, false},
		{`{"to":["a","b"]}`, `{"to":["b","a"]}`, ``, false},
		{`{"a":"\u00e9"}`, `{"a":"e\u0301"}`, ``, false},
		{`{"a":"\ud800"}`, `{"a":"\ud800"}`, ``, true},
		{`{"a":"\ud800"}`, `{"a":"\ud801"}`, ``, false},
		{`{"a":"\ud800"}`, `{"a":"\ufffd"}`, ``, false},
		{`{"A":1}`, `{"a":1}`, ``, false},
		{`{"amount":5}`, `{"amount":5}`, `{"ttl":1}`, false},
		{`{"amount":5}`, `{"amount":5}`, `{}`, false},
		{`{}`, `null`, ``, false},
		{`{}`, `[]`, ``, false},
	} {
		for _, late := range []bool{true, false} {
			r := start(t, load(t, asking))
			r.step(abi.Event{Time: lawClock})
			q := askOf(t, r.call("pay", "transfer", c.asked))
			if late {
				r.lapse(q.Call, false)
				r.answer(q.Call, true)
			}
			second := &abi.Call{Server: "pay", Tool: "transfer", Arguments: value(t, c.tried)}
			if c.task != "" {
				second.Task = value(t, c.task)
			}
			out := r.step(abi.Event{Call: second})
			got := late && verdict(t, out).Outcome == abi.Allow || !late && askOf(t, out).Shared
			if got != c.same {
				t.Errorf("%s, then %s task %s, late %v: the same %v; want %v", c.asked, c.tried, c.task, late, got, c.same)
			}
			tried++
		}
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}
