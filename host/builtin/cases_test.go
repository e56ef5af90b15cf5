package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// A file testdata/NAME.txtar holds the cases of the contract NAME, testdata/NAME_PART.txtar
// those of a part of it: sections
// "rules X" and "schema X" that cases refer to by X, and "cases" with one JSON
// object a line:
//
//	{"name": …, "rules": "main", "schema": …, "tool": …, "args": {…}, "want": "deny CODE", "at": ["/path"], "twin": {…}}
//
// For a call that is none of a tool, "call" holds the call of an event in place
// of tool and args. The members of twin replace those of the case; the twin must pass. A case that
// is refused must have one.

type archive map[string]abi.Value

func (a archive) find(t *testing.T, kind, name string) abi.Value {
	t.Helper()
	if name == "" {
		return abi.Value{}
	}
	v, ok := a[kind+" "+name]
	if !ok {
		t.Fatalf("no section %q", kind+" "+name)
	}
	return v
}

func TestCases(t *testing.T) {
	for _, spec := range Table() {
		if slices.Contains([]string{"sink", "origin", "label", "flow", "chain"}, spec.Name) {
			continue // they have tests of their own beside them
		}
		parts, err := filepath.Glob("testdata/" + spec.Name + "_*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append([]string{"testdata/" + spec.Name + ".txtar"}, parts...) {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runFile(t, spec, file) })
		}
	}
}

func runFile(t *testing.T, spec contract.Spec, file string) {
	cases, sections := readCases(t, file)
	refused := 0
	for i, c := range cases {
		name := c.Get("name").Str()
		if name == "" {
			t.Fatalf("%s: case %d has no name", file, i)
		}
		t.Run(name, func(t *testing.T) {
			if !runCase(t, spec, sections, c) {
				return
			}
			refused++
			twin := c.Get("twin")
			if !twin.Exists() {
				t.Fatal("a refused case without an allowed twin")
			}
			runTwin(t, spec, sections, c, twin)
		})
	}
	if len(cases) == 0 || refused == 0 {
		t.Fatalf("%s: %d cases, %d refused; want some of both", file, len(cases), refused)
	}
	t.Logf("%d cases, %d refused, each with a twin", len(cases), refused)
}

func readCases(t *testing.T, file string) ([]abi.Value, archive) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile(`(?m)^-- (.+) --$`).Split(string(data), -1)
	names := regexp.MustCompile(`(?m)^-- (.+) --$`).FindAllStringSubmatch(string(data), -1)
	if len(parts) < 2 || strings.TrimSpace(parts[0]) == "" {
		t.Fatalf("%s: no comment that says what it is about, or no sections", file)
	}
	var cases []abi.Value
	sections := archive{}
	for n, name := range names {
		text := parts[n+1]
		if name[1] != "cases" {
			v, err := abi.Parse([]byte(text))
			if err != nil {
				t.Fatalf("%s: %s: %v", file, name[1], err)
			}
			sections[name[1]] = v
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			v, err := abi.Parse([]byte(line))
			if err != nil {
				t.Fatalf("%s: cases: line %d: %v\n%s", file, i+1, err, line)
			}
			cases = append(cases, v)
		}
	}
	return cases, sections
}

// runCase reports whether the case is a refused one.
func runCase(t *testing.T, spec contract.Spec, sections archive, c abi.Value) bool {
	t.Helper()
	got := judgeCase(t, spec, sections, c)
	want, code, _ := strings.Cut(c.Get("want").Str(), " ")
	if got.Outcome.String() != want || got.Code != code {
		t.Fatalf("got %v %s at %q (%s), want %s %s", got.Outcome, got.Code, got.At, got.Reason, want, code)
	}
	if got.Outcome >= abi.Allow {
		return false
	}
	if got.Reason == "" || got.Mend == "" || len(got.At) == 0 || got.Contract != spec.Name {
		t.Errorf("reason %q, mend %q, at %q, contract %q: none may be empty", got.Reason, got.Mend, got.At, got.Contract)
	}
	if at := texts(c.Get("at")); len(at) > 0 {
		for i := range at {
			if strings.HasPrefix(at[i], "+") {
				at[i] = "/call/arguments" + at[i][1:]
			}
		}
		if !slices.Equal(at, got.At) {
			t.Errorf("at %q, want %q", got.At, at)
		}
	}
	if r := c.Get("reason").Str(); !strings.Contains(got.Reason, r) {
		t.Errorf("reason %q, want %q in it", got.Reason, r)
	}
	if r := c.Get("rule").Str(); r != "" && got.Rule != r {
		t.Errorf("rule %q, want %q", got.Rule, r)
	}
	for _, secret := range texts(c.Get("unsaid")) {
		if strings.Contains(got.Reason, secret) || strings.Contains(got.Mend, secret) {
			t.Errorf("reason %q or mend %q repeats %q", got.Reason, got.Mend, secret)
		}
	}
	return true
}

func runTwin(t *testing.T, spec contract.Spec, sections archive, c, twin abi.Value) {
	t.Helper()
	for _, m := range twin.Members() {
		c = c.With(m.Name, m.Value)
	}
	if got := judgeCase(t, spec, sections, c); got.Outcome < abi.Allow {
		t.Errorf("twin: got %v %s at %q (%s), want it to pass", got.Outcome, got.Code, got.At, got.Reason)
	}
}

var caseMembers = []string{
	"name", "rules", "schema", "tool", "args", "want", "at", "reason", "rule", "unsaid", "twin", "dir", "home", "platform", "bytes", "state",
	"changed", "result", "budgets", "protected", "call", "drift", "why", "twice", "server",
	"time", "principal", "capabilities", "launch",
}

func judgeCase(t *testing.T, spec contract.Spec, sections archive, c abi.Value) abi.Verdict {
	t.Helper()
	for _, m := range c.Members() {
		if !slices.Contains(caseMembers, m.Name) {
			t.Fatalf("unknown member %q", m.Name)
		}
	}
	rulesName := c.Get("rules").Str()
	if rulesName == "" {
		rulesName = "main"
	}
	rules := rulesFrom(t, sections.find(t, "rules", rulesName))
	if tool := c.Get("tool").Str(); tool != "" {
		rules.Tool = tool
	}
	call := callFrom(t, c.Get("call"))
	if call != nil {
		rules.Kind, rules.Tool = call.Kind, call.Target()
	}
	judge, err := spec.New(&rules)
	if err != nil {
		t.Fatal(err)
	}
	if judge == nil {
		return contract.Abstain
	}
	s := snapshotFrom(t, c, sections.find(t, "schema", c.Get("schema").Str()))
	s.Call.Tool = rules.Tool
	if s.Result = c.Get("result"); spec.Phase == abi.PhaseResult {
		s.Phase = abi.PhaseResult
	}
	if call != nil {
		call.Bytes = s.Call.Bytes
		s.Call, s.Definition = *call, abi.Definition{}
	}
	first := judge.Judge(s)
	if second := judge.Judge(s); fmt.Sprint(first) != fmt.Sprint(second) {
		t.Fatalf("two verdicts for one snapshot: %v and %v", first, second)
	}
	return first
}

// callFrom reads the call of a case that is none of a tool; nil if it is.
func callFrom(t *testing.T, v abi.Value) *abi.Call {
	t.Helper()
	if !v.Exists() {
		return nil
	}
	e, err := abi.EventFrom(abi.ObjectValue(
		abi.Member{Name: "v", Value: abi.IntValue(abi.EventVersion)}, abi.Member{Name: "call", Value: v.With("server", abi.StringValue("fs"))},
	))
	if err != nil {
		t.Fatal(err)
	}
	return e.Call
}

func snapshotFrom(t *testing.T, c, schema abi.Value) *abi.Snapshot {
	t.Helper()
	s := &abi.Snapshot{Phase: abi.PhaseCall}
	s.Call = abi.Call{Kind: abi.KindTool, Server: "fs", Arguments: c.Get("args"), Bytes: number(t, c.Get("bytes"))}
	s.Definition = abi.Definition{State: abi.PinOK, Schema: schema, Changed: texts(c.Get("changed"))}
	if st := c.Get("state"); st.Exists() {
		states := map[string]abi.PinState{
			"unknown": abi.PinUnknown, "unlisted": abi.PinUnlisted, "late": abi.PinLate, "changed": abi.PinChanged, "unfit": abi.PinUnfit,
			"ok": abi.PinOK, "undefined": 99,
		}
		state, ok := states[st.Str()]
		if !ok {
			t.Fatalf("unknown state %q", st.Str())
		}
		s.Definition.State = state
	}
	s.Definition.Drift, s.Definition.Why, s.Definition.Twice = drift(t, c.Get("drift")), c.Get("why").Str(), c.Get("twice").True()
	if v := c.Get("server"); v.Exists() {
		s.Server = abi.ServerDrift{
			Changed: texts(v.Get("changed")), Drift: drift(t, v.Get("drift")), Why: v.Get("why").Str(), Declined: v.Get("declined").True(),
		}
	}
	s.Session.Place = abi.Place{Dir: "/srv/work", Home: "/home/u", Platform: c.Get("platform").Str()}
	for name, to := range map[string]*string{"dir": &s.Session.Place.Dir, "home": &s.Session.Place.Home} {
		if v := c.Get(name); v.Exists() {
			*to = v.Str()
		}
	}
	if at := c.Get("time").Str(); at != "" {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		s.Time = when
	}
	s.Session.Capabilities = texts(c.Get("capabilities"))
	s.Launch = c.Get("launch")
	p := c.Get("principal")
	s.Session.Principal = abi.Principal{Identity: p.Get("identity").Str(), Subject: p.Get("subject").Str(), Issuer: p.Get("issuer").Str()}
	s.Session.Protected = texts(c.Get("protected"))
	if s.Session.Protected == nil {
		s.Session.Protected = []string{"/home/u/.config/callgate", "/home/u/.claude.json", "/srv/work/policy.yaml"}
	}
	for _, b := range c.Get("budgets").Items() {
		use := abi.BudgetUse{
			Name: b.Get("name").Str(), Rule: b.Get("rule").Str(), Max: number(t, b.Get("max")), Used: number(t, b.Get("used")),
			Charge: number(t, b.Get("charge")), Plugin: b.Get("plugin").True(),
		}
		if w := b.Get("window").Str(); w != "" {
			d, err := time.ParseDuration(w)
			if err != nil {
				t.Fatal(err)
			}
			use.Window = d
			use.Resets = time.Date(2026, 11, 29, 20, 0, 0, 0, time.FixedZone("x", 3600))
		}
		s.Session.Budgets = append(s.Session.Budgets, use)
	}
	return s
}

// drift reads a grade by its name; left out, it is the zero value.
func drift(t *testing.T, v abi.Value) abi.Drift {
	t.Helper()
	for d := abi.DriftInstructions; v.Exists(); d++ {
		if d > abi.DriftNone {
			t.Fatalf("unknown grade %q", v.Str())
		}
		if d.String() == v.Str() {
			return d
		}
	}
	return abi.DriftInstructions
}

func texts(v abi.Value) []string {
	var out []string
	for _, item := range v.Items() {
		out = append(out, item.Str())
	}
	return out
}

func number(t *testing.T, v abi.Value) int64 {
	t.Helper()
	if !v.Exists() {
		return 0
	}
	var n int64
	if _, err := fmt.Sscan(v.Lexeme(), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func outcome(t *testing.T, v abi.Value) abi.Outcome {
	t.Helper()
	o, ok := abi.ParseOutcome(v.Str())
	if v.Exists() && !ok {
		t.Fatalf("unknown outcome %q", v.Str())
	}
	return o
}

func rulesFrom(t *testing.T, v abi.Value) contract.Rules {
	t.Helper()
	r := contract.Rules{Server: "fs", Tool: "tool", DefaultAt: "p.yaml:1: default", UnlistedAt: "p.yaml:2: unlisted", AskFromAt: "p.yaml:3: ask_from"}
	risks := map[string]contract.Risk{"low": 1, "medium": 2, "high": 3, "critical": 4}
	for _, m := range v.Members() {
		switch m.Name {
		case "default":
			r.Default = outcome(t, m.Value)
		case "unlisted":
			r.Unlisted = outcome(t, m.Value)
		case "grant":
			r.Grant = contract.Grant{Set: true, Outcome: outcome(t, m.Value), Rule: "p.yaml:4: tools"}
		case "unknown_server":
			r.Unknown = &contract.Grant{Set: true, Outcome: outcome(t, m.Value), Rule: "p.yaml:5: unknown_server"}
		case "hide":
			r.Hide = "p.yaml:8: hide"
		case "risk":
			r.Risk = risks[m.Value.Str()]
		case "ask_from":
			r.AskFrom = risks[m.Value.Str()]
		case "max_argument_bytes":
			r.MaxArgumentBytes, r.MaxArgumentBytesAt = number(t, m.Value), "p.yaml:7: max_argument_bytes"
		case "undeclared":
			r.Undeclared, r.UndeclaredAt = contract.UndeclaredDeny, "p.yaml:6: undeclared"
		case "capability":
			r.Capability = &contract.Capability{Rule: "p.yaml:40: capability", Envelope: texts(m.Value.Get("envelope")), OnRise: outcome(t, m.Value.Get("on_rise"))}
		case "schedules":
			r.Schedules = schedulesFrom(t, m.Value)
		case "identities":
			r.Identities = identitiesFrom(m.Value)
		case "attest":
			r.Attest = attestFrom(t, m.Value)
		case "args":
			for i, a := range m.Value.Items() {
				r.Args = append(r.Args, argFrom(t, i, a))
			}
		case "results":
			for i, a := range m.Value.Items() {
				r.Results = append(r.Results, argFrom(t, i, a))
			}
		case "redact":
			r.Redact = redactFrom(t, m.Value)
		default:
			t.Fatalf("unknown rule %q", m.Name)
		}
	}
	return r
}
