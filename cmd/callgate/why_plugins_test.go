package main

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestWhyShowsWhatPluginsSaidBefore of a call whose newest verdict is of its result:
// what they left of calls and labels stands in the verdict before.
func TestWhyShowsWhatPluginsSaidBefore(t *testing.T) {
	left := int64(2)
	plugin := abi.Verdict{
		Outcome: abi.Abstain, Contract: "watch", Plugin: &abi.PluginReceipt{Module: "sha256:8a", Fuel: 7},
		Obligations: abi.Obligations{Calls: &left, SessionLabels: []string{"watch:seen"}},
	}
	call := abi.Verdict{ID: "aa-1", Outcome: abi.Allow, Contract: "coverage"}
	result := abi.Verdict{ID: "aa-1", Outcome: abi.Allow, Contract: "plugin"}
	for _, tt := range []struct {
		name string
		also []abi.Verdict
		want string // behind the line of the verdict before
	}{
		{"a plugin", []abi.Verdict{plugin}, "\nthen      abstain\ncontract  watch\ngives     \"watch:seen\" to the session\nleaves    2 calls of it\nmodule    sha256:8a\nfuel      7\n"},
		{"none", []abi.Verdict{{Outcome: abi.Abstain, Contract: "label"}}, ""},
	} {
		before := call
		before.Also = tt.also
		in := &incident{event: abi.Event{Verdict: &result}, before: []abi.Verdict{before}}
		_, text, ok := strings.Cut(in.text(mend{}), "\nbefore it, the same id got: allow coverage\n")
		if !ok || text != tt.want {
			t.Errorf("%s: %q; want %q", tt.name, text, tt.want)
		}
	}
}

// TestABudgetOfAPluginIsNotRaised by the policy, whatever the plugin is called, while
// one of the policy is.
func TestABudgetOfAPluginIsNotRaised(t *testing.T) {
	for _, tt := range []struct {
		reason, calls, note string
	}{
		{`budget "max_calls" is spent: 2 of 2 used, this call takes 1, counted per session; it resets when the session ends`, "3", ""},
		{`plugin "max_calls" has left the session no more of these calls`, "", "plugin max_calls says how many calls are left"},
		{`budget "max_calls" is spent: 2 of 2 used, this call takes 1, counted per session; it resets when the session ends; plugin "p" has left the session no more of these calls`, "", "plugin p says"},
		{`budget "mails" is spent: 2 of 2 used, this call takes 1, counted per session; it resets when the session ends`, "", "a budget that several tools share"},
	} {
		w := &mending{}
		helps := w.budget(abi.Verdict{Reason: tt.reason})
		if note := strings.Join(w.notes, "\n"); helps != (tt.note == "") || w.maxCalls != tt.calls || !strings.Contains(note, tt.note) {
			t.Errorf("%s: max_calls %q, %q; want %q, %q", tt.reason, w.maxCalls, note, tt.calls, tt.note)
		}
	}
}
