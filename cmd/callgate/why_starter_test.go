package main

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

const overStarter = "callgate: 1\ninclude: [starter]\npacks: [auto, sensitive-files]\n"

// TestWhyMendsAboveTheStarter: the starter and packs have longer lists than a
// line of a file may be, and what stands in them is in no file of the operator.
func TestWhyMendsAboveTheStarter(t *testing.T) {
	t.Run("a layer", func(t *testing.T) {
		s := newSession(t, overStarter+"tools: {s/save: {args: [{slot: path, allow: [/srv/work/**]}]}}\n", "")
		if v := s.call("save", `{"path":"/var/x"}`); v.Outcome != abi.Deny {
			t.Fatalf("not denied: %s", v.JSON())
		}
		_, help := s.why()
		if !help.checked || !strings.Contains(help.policy, `allow: ["/srv/work/**", "/var/x"]`) || len(help.notes) > 0 {
			t.Errorf("no checked policy with the path: %+v", help)
		}
	})
	const instead = "servers: {s: {resources: {replace: true, verdict: allow}}}\n"
	tests := []struct {
		name, rules string
		call        func(*testing.T) abi.Event
		want, mend  string
	}{
		{"a rule of the starter", strings.Replace(overStarter, "packs: [auto, sensitive-files]\n", "", 1), func(t *testing.T) abi.Event { return callOf(t, "save", `{"path":"/w/.envrc"}`) },
			"an entry of yours for s/save with replace: true", "tools: {s/save: {replace: true, verdict: allow}}\n"},
		{"a rule of a pack", overStarter, func(t *testing.T) abi.Event { return callOf(t, "save", `{"path":"/w/.ssh/id_rsa"}`) },
			"packs/sensitive-files.yaml", "tools: {s/save: {replace: true, verdict: allow}}\n"},
		{"of a resource", overStarter, func(t *testing.T) abi.Event { return kindCall(t, abi.KindResource, `{"uri":"file:///w/.envrc"}`) },
			"an entry of yours for servers.s.resources with replace: true", instead},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSession(t, tt.rules, "")
			if v := s.step(tt.call(t)); v.Outcome >= abi.Allow || v.Contract != "args" {
				t.Fatalf("not held by a path: %s", v.JSON())
			}
			in, help := s.why()
			notes := strings.Join(help.notes, "\n")
			if help.policy != "" || !strings.Contains(notes, tt.want) || strings.Contains(notes, "change it at") {
				t.Errorf("policy %q, notes %q; want none, and %q", help.policy, notes, tt.want)
			}
			p := loadRules(t, t.TempDir(), tt.rules, "", "callgate: 1\n"+tt.mend)
			if v, err := in.judge(p); err != nil || v == nil || v.Outcome != abi.Allow {
				t.Errorf("under what the note says the call gets %v, %v", v, err)
			}
		})
	}
	if len(tests) == 0 {
		t.Fatal("nothing was tried")
	}
}

// TestWhyNamesThePatternThatDenies: of a long list only what the path matches.
func TestWhyNamesThePatternThatDenies(t *testing.T) {
	s := newSession(t, allowAll+"tools: {s/save: {args: [{slot: path, deny: [/etc/**, \"**/motd\", /usr/**]}]}}\n", "")
	s.call("save", `{"path":"/etc/motd"}`)
	in, help := s.why()
	if text := in.text(help); !strings.Contains(text, "  denied    \"/etc/**\", \"**/motd\" (and 1 that it does not match)\n") {
		t.Errorf("not the two patterns in\n%s", text)
	}
	if got := in.json(help).At("/paths/0/denied_by").String(); got != `["/etc/**","**/motd"]` {
		t.Errorf("denied_by %s", got)
	}
}

// TestWhyShowsWhatWasPutIn: the ledger may keep the whole text, so that nothing
// else shows that another one was sent.
func TestWhyShowsWhatWasPutIn(t *testing.T) {
	rules := allowAll + "redact: [{name: key, pattern: 'k-[0-9]+', in: [arguments]}]\n"
	for _, tt := range []struct{ args, want string }{
		{`{"path":"/w/k-77"}`, "\nreplaced in what goes on to the server\n  /path \"[redacted: key]\" by redact \"key\" (a.yaml:3: redact[0])\n"},
		{`{"path":"/w/x"}`, ""},
	} {
		s := newSession(t, rules, "")
		v := s.call("save", tt.args)
		in, _ := s.whyOf(v.ID)
		text := in.text(mend{})
		if tt.want == "" && strings.Contains(text, "replaced in") || !strings.Contains(text, tt.want) {
			t.Errorf("%s: want %q in\n%s", tt.args, tt.want, text)
		}
	}
}
