package main

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

func TestWhyGivesNoMoreToWhoTriesAgain(t *testing.T) {
	s := newSession(t, allowAll+"tools: {s/look: {max_calls: 2}}\n", "")
	for range 30 {
		s.call("look", `{"limit":1}`)
	}
	v := s.call("look", `{"limit":1}`)
	if v.Outcome >= abi.Allow || !strings.Contains(v.Reason, "2 of 2 used and 28 more were refused, this call takes 1") || !strings.Contains(v.Mend, "start a new session") {
		t.Fatalf("%s", v.JSON())
	}
	_, help := s.why()
	if !strings.Contains(help.policy, "max_calls: 3\n") || !strings.Contains(help.care, "refused so far: 28 calls, which count in their session") {
		t.Errorf("%+v", help)
	}
}
