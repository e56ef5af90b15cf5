package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatUsersOfPeersMissInPolicies holds what people asked the authors of
// other gateways for against the verbs that answer it. Each row that finds
// something stands beside one with nothing to find.
func TestWhatUsersOfPeersMissInPolicies(t *testing.T) {
	const tools = `[{"name":"send","inputSchema":{"type":"object","properties":{"to":{"type":"string"},"kind":{"enum":["a","b"]}},"required":["to"]}},{"name":"list","inputSchema":{"type":"object","properties":{}}}]`
	run := func(policy, cases string, words ...string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{"p.yaml": "callgate: 1\n" + policy + "\n", "tools.json": tools, "c.yaml": "policy: p.yaml\ncases:\n" + cases} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for i, w := range words {
			words[i] = strings.ReplaceAll(w, "DIR", dir)
		}
		var out bytes.Buffer
		cmd := root(stdio{out: &out, err: os.Stderr})
		cmd.SetArgs(words)
		if err := cmd.Execute(); err != nil {
			out.WriteString(err.Error())
		}
		return out.String()
	}
	check := []string{"check", "--policy", "DIR/p.yaml", "--tools", "mail=DIR/tools.json"}
	test := []string{"test", "--cover", "DIR/c.yaml"}
	lint := []string{"lint", "DIR/p.yaml"}
	const one = "  - name: one\n    steps:\n"
	rows := []struct {
		name, policy, cases, want string
		words                     []string
	}{
		{"a deny that names no tool is found", "settings: {default: allow}\ntools: {mail/Send: {verdict: deny}}", "", `UNKNOWN_TOOL`, check},
		{"a deny that names a tool is not", "settings: {default: allow}\ntools: {mail/send: {verdict: deny}}", "", "0 errors, 0 notes", check},
		{"a rule about arguments that never match is found", "settings: {default: allow}\ntools: {mail/send: {args: [{arg: kind, in: [c]}]}}", "", "DISJOINT", check},
		{"a rule about arguments that match is not", "settings: {default: allow}\npacks: none\ntools: {mail/send: {args: [{arg: kind, in: [a]}]}}", "", "0 errors, 0 notes", check},
		{"a misspelt member of a rule does not load", "tools: {mail/send: {args: [{args: kind, in: [a]}]}}", "", `unknown key "args"; did you mean "arg"?`, check},
		{"a policy that only denies lets the rest pass", "settings: {default: allow}\ntools: {mail/delete: {verdict: deny}}", one + "      - {call: mail/list, args: {}, want: {outcome: allow}}\n      - {call: mail/delete, args: {}, want: {outcome: deny}}\n", "1 passed, 0 failed", test},
		{"a list for one tool is no grant of another", "settings: {default: deny}\ntools: {mail/list: {verdict: allow}}", one + "      - {call: mail/list, args: {}, want: {outcome: allow}}\n      - {call: mail/send, args: {}, want: {outcome: deny}}\n", "1 passed, 0 failed", test},
		{"a default that nobody wrote is told of", "tools: {mail/list: {verdict: allow}}", "", "DEFAULT_ABSENT", lint},
		{"a default that is written is not", "settings: {default: deny}\ntools: {mail/list: {verdict: allow}}", "", "0 errors, 0 warnings", lint},
		{"rules that no test reaches are counted", "settings: {default: allow}\ntools: {mail/send: {args: [{arg: to, match: a}]}}", one + "      - {call: mail/list, args: {}, want: {outcome: allow}}\n", "tools.mail/send.args[0]: never fired", test},
		{"rules that a test reaches are counted too", "settings: {default: allow}\ntools: {mail/send: {args: [{arg: to, match: a}]}}", one + "      - {call: mail/send, args: {to: b}, want: {outcome: deny}}\n", "tools.mail/send.args[0]: fired 1x", test},
	}
	for _, r := range rows {
		if out := run(r.policy, r.cases, append([]string(nil), r.words...)...); !strings.Contains(out, r.want) {
			t.Errorf("%s: want %q in\n%s", r.name, r.want, out)
		}
	}
	if len(rows) == 0 {
		t.Fatal("no rows")
	}
}
