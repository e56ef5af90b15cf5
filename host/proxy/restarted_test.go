package proxy

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/policy"
)

// started opens a process of a group under a policy text, and returns it with the
// events "restarted" of its ledger.
func started(t *testing.T, dir, server, text string) (*Opened, []*abi.ReloadEvent) {
	t.Helper()
	p := policyText(t, text)
	o, err := Open(Opening{Policy: p, Specs: builtin.Table(), Server: server, Group: "g", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	var list []*abi.ReloadEvent
	err = ledger.Read(o.Ledger.Path(), func(line []byte) error {
		e, err := abi.ParseEvent(line)
		if err == nil && e.Reload != nil {
			list = append(list, e.Reload)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return o, list
}

// TestAStartTellsWhatItLets: nobody is asked at a start, so what it may allow
// more than the policy before it is in the ledger, and known as long as the
// session lives.
func TestAStartTellsWhatItLets(t *testing.T) {
	const head = "callgate: 1\npacks: none\n"
	one := head + "settings: {default: deny}\ntools: {s/t: {max_calls: 1}}\n"
	tests := []struct {
		name, first, second string
		want                string // "": nothing is told
	}{
		{"the same", one, one, ""},
		{"other words", one, "# a note\n" + one, ""},
		{"a rule more", one, one + "budgets: [{name: b, tools: [s/t], max: 1}]\n", ""},
		{"a stricter default", head + "settings: {default: ask}\n", head + "settings: {default: deny}\n", ""},
		{"enforced again", head + "settings: {default: ask, mode: observe}\n", head + "settings: {default: ask}\n", ""},
		{"a greater limit", one, strings.Replace(one, "max_calls: 1", "max_calls: 30", 1), "team.yaml:4: tools.s/t.max_calls: 1 → 30"},
		{"a looser default", one, strings.Replace(one, "default: deny", "default: allow", 1), "team.yaml:3: settings.default: deny → allow"},
		{"observed only", one, strings.Replace(one, "default: deny", "default: deny, mode: observe", 1), "team.yaml:3: settings.mode: enforce → observe"},
		{"a rule less", one, head + "settings: {default: deny}\n", "team.yaml:4: tools.s/t.max_calls: removed"},
		{"another directory", one, one + "servers: {s: {cwd: /srv}}\n", "servers.s.cwd"},
	}
	told := 0
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if _, list := started(t, dir, "s", tt.first); len(list) > 0 {
				t.Fatalf("the first start tells %+v", list[0])
			}
			o, list := started(t, dir, "s", tt.second)
			if tt.want == "" {
				if len(list) > 0 || len(o.Engine.Looser()) > 0 || len(o.Engine.looser) > 0 {
					t.Fatalf("it tells %+v, %q", list, o.Engine.Looser())
				}
				return
			}
			told++
			if len(list) != 1 || list[0].State != abi.ReloadRestarted || list[0].Digest != o.Engine.PolicyDigest() || !strings.Contains(strings.Join(list[0].Why, "\n"), tt.want) {
				t.Fatalf("it tells %+v; want %s", list, tt.want)
			}
			again, list := started(t, dir, "s", tt.second)
			if len(list) > 0 || len(again.Engine.looser) > 0 {
				t.Errorf("the same policy again tells %+v", list)
			}
			if got := strings.Join(again.Engine.Looser(), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("the session lives, and knows only %q", got)
			}
			if _, list := started(t, dir, "other", tt.second); len(list) > 0 {
				t.Errorf("another server tells %+v", list[0])
			}
			if o, _ := started(t, t.TempDir(), "s", tt.second); len(o.Engine.Looser()) > 0 {
				t.Error("another group knows of it")
			}
		})
	}
	if told == 0 || told == len(tests) {
		t.Fatalf("%d of %d tell something", told, len(tests))
	}
}

// TestWhatWasInForceLast: of processes that live side by side the last policy
// counts, in whichever file it stands, and one that no build reads is told.
func TestWhatWasInForceLast(t *testing.T) {
	dir := t.TempDir()
	strict := "callgate: 1\npacks: none\nsettings: {default: deny}\n"
	loose := strings.Replace(strict, "deny", "ask", 1)
	first, _ := started(t, dir, "s", loose)
	if _, list := started(t, dir, "s", loose); len(list) > 0 {
		t.Fatalf("the same policy tells %+v", list[0])
	}
	p := policyText(t, strict)
	if _, err := first.Engine.Use(p); err != nil {
		t.Fatal(err)
	}
	if _, list := started(t, dir, "s", loose); len(list) != 1 {
		t.Errorf("the older process came to be stricter, and %d events tell of the start", len(list))
	}
	l := lastPolicy{event: &abi.PolicyEvent{Digest: "sha256:00", Policy: abi.ObjectValue()}}
	if got := l.loosened(p); len(got) != 1 || !strings.Contains(got[0], "can not be read by this build") {
		t.Errorf("of a policy that is none: %q", got)
	}
}

// TestALongPauseHidesNothing: the new policy says how far back events matter, and
// not so of the policy before it.
func TestALongPauseHidesNothing(t *testing.T) {
	for idle, age := range map[string]time.Duration{"1s": 10 * time.Minute, "30m": 90 * 24 * time.Hour} {
		dir := t.TempDir()
		first, _ := started(t, dir, "s", "callgate: 1\npacks: none\nsettings: {default: deny}\n")
		path := first.Ledger.Path()
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
		_, list := started(t, dir, "s", "callgate: 1\npacks: none\nsettings: {default: ask, session_idle: "+idle+"}\n")
		if len(list) != 1 || !strings.Contains(list[0].Why[0], "deny → ask") {
			t.Errorf("session_idle: %s: %+v", idle, list)
		}
	}
}

func policyText(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Load(policy.Options{
		Files: []string{"/p/team.yaml"}, Specs: builtin.Table(), Run: true, Group: true, Read: func(string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
