package builtin

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// TestOriginCases runs testdata/origin.txtar.
func TestOriginCases(t *testing.T) {
	cases, sections := readCases(t, "testdata/origin.txtar")
	refused, passed := 0, 0
	for _, c := range cases {
		want := c.Get("want").Str()
		if want == "abstain" {
			passed++
		} else {
			refused++
		}
		t.Run(c.Get("name").Str(), func(t *testing.T) {
			got := judgeOrigin(t, sections, c)
			if strings.TrimSpace(got.Outcome.String()+" "+got.Code) != want {
				t.Fatalf("got %v %s (%s), want %s", got.Outcome, got.Code, got.Reason, want)
			}
			if want == "abstain" {
				return
			}
			if got.Reason == "" || got.Mend == "" || got.Contract != "origin" || len(got.At) == 0 || got.Rule == "" {
				t.Errorf("something is missing: %+v", got)
			}
			for _, at := range texts(c.Get("at")) {
				if !slices.Contains(got.At, "/call/arguments"+at) {
					t.Errorf("at %q, want %q", got.At, at)
				}
			}
			for _, value := range []string{"password_", "ew_pass", "Mallory", "hunter"} {
				if strings.Contains(got.Reason+got.Mend, value) {
					t.Errorf("reason %q or mend %q repeats the value", got.Reason, got.Mend)
				}
			}
			twin := c.Get("twin")
			if !twin.Exists() {
				t.Fatal("a refused case without an allowed twin")
			}
			for _, m := range twin.Members() {
				c = c.With(m.Name, m.Value)
			}
			if got := judgeOrigin(t, sections, c); got.Outcome < abi.Allow {
				t.Errorf("twin: got %v %s (%s), want it to pass", got.Outcome, got.Code, got.Reason)
			}
		})
	}
	if refused < 10 || passed < 3 {
		t.Fatalf("%d refused, %d passed: the file is not whole", refused, passed)
	}
}

func judgeOrigin(t *testing.T, sections archive, c abi.Value) abi.Verdict {
	t.Helper()
	name := c.Get("rules").Str()
	if name == "" {
		name = "client"
	}
	r := contract.Rules{Server: "mail", Tool: "send"}
	for _, v := range sections.find(t, "rules", name).Items() {
		a := contract.Arg{Rule: "p.yaml:5: args", Arg: v.Get("arg").Str(), Origin: texts(v.Get("origin")), Unknown: abi.Ask, MaxBytes: -1}
		if verdict := v.Get("verdict"); verdict.Exists() {
			a.Outcome = outcome(t, verdict)
			a.Unknown = a.Outcome
		}
		r.Args = append(r.Args, a)
	}
	judge, err := NewOrigin(&r)
	if err != nil || judge == nil {
		t.Fatalf("%v, %v", judge, err)
	}
	s := &abi.Snapshot{Phase: abi.PhaseCall, Call: abi.Call{ID: "a41f09-9", Kind: abi.KindTool, Server: "mail", Tool: "send", Arguments: c.Get("args")}}
	if got := judge.Judge(s); got.Outcome == abi.Allow || got.Outcome == abi.Abstain && len(judge.(contract.Explainer).Wanted(s)) > 0 {
		t.Errorf("what was not looked up passes: %+v", got)
	}
	s.Taint = sinkHistory(t, sections.find(t, "history", c.Get("history").Str())).Explain(s.Call.Arguments, judge.(contract.Explainer).Wanted(s))
	return judge.Judge(s)
}
