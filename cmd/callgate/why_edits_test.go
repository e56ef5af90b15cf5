package main

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestWhyShowsWhatWasRedactedInTheAnswer: also of a call that was allowed, with
// the entries that did it.
func TestWhyShowsWhatWasRedactedInTheAnswer(t *testing.T) {
	rules := allowAll + "redact:\n  - {name: key, pattern: 'k-[0-9]+', in: [results]}\n  - {name: one, pattern: 'p-[0-9]+', with: '[gone]'}\n  - {name: two, pattern: 'q-[0-9]+', with: '[gone]'}\n"
	tests := []struct {
		text string
		want []string // none: nothing is said
		json string
	}{
		{"has k-77 in it", []string{"\nredacted in the result, before the client saw it\n  /content/0/text \"[redacted: key]\" by redact \"key\" (a.yaml:4: redact[0])\n"},
			`[{"at":"/content/0/text","by":["redact \"key\" (a.yaml:4: redact[0])"],"of":"result","with":["[redacted: key]"]}]`},
		{"has p-1", []string{`"[gone]" by redact "one" (a.yaml:5: redact[1]) or redact "two" (a.yaml:6: redact[2])` + "\n"}, `[{"at":"/content/0/text","by":["redact \"one\" (a.yaml:5: redact[1]) or redact \"two\" (a.yaml:6: redact[2])"],"of":"result","with":["[gone]"]}]`},
		{"has nothing", nil, ""},
	}
	for _, tt := range tests {
		s := newSession(t, rules, "")
		other, v := s.call("read", `{"id":"1"}`), s.call("read", `{"id":"2"}`)
		for _, id := range []string{other.ID, v.ID} {
			text := tt.text
			if id == other.ID {
				text = "another one with k-88"
			}
			s.step(abi.Event{Result: &abi.ResultEvent{Call: id, Server: "s", Value: object("content", abi.ArrayValue(object("type", "text", "text", text)))}})
		}
		in, help := s.whyOf(v.ID)
		text := in.text(help)
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: want %q in\n%s", tt.text, want, text)
			}
		}
		if len(tt.want) == 0 && strings.Contains(text, "redacted in") {
			t.Errorf("%s: nothing was redacted in\n%s", tt.text, text)
		}
		if got := in.json(help).Get("redacted"); tt.json == "" && got.Exists() || tt.json != "" && got.String() != tt.json {
			t.Errorf("%s: JSON %s", tt.text, got.String())
		}
	}
	if len(tests) == 0 {
		t.Fatal("nothing was tried")
	}
}
