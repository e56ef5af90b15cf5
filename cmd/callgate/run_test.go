package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
)

// TestEveryFileOfThePolicyIsOutOfReach: a server that could write a file which
// the policy includes would decide what the next start allows.
func TestEveryFileOfThePolicyIsOutOfReach(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"policy.yaml":     "callgate: 1\ninclude: [base/org.yaml, starter]\n",
		"base/org.yaml":   "callgate: 1\ninclude: [deep.yaml]\n",
		"base/deep.yaml":  "callgate: 1\n",
		"floor.yaml":      "callgate: 1\ninclude: [base/floor.yaml]\n",
		"base/floor.yaml": "callgate: 1\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := policy.Load(policy.Options{Files: []string{"policy.yaml"}, Floor: "floor.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	self, err := builtin.NewSelf(&contract.Rules{Server: "fs", Tool: "write_file"})
	if err != nil {
		t.Fatal(err)
	}
	snapshot := abi.Snapshot{Session: abi.Session{
		Protected: protected(p, filepath.Join(dir, "state")), Place: abi.Place{Dir: filepath.ToSlash(dir), Platform: runtime.GOOS},
	}}
	cases := map[string]abi.Outcome{
		"policy.yaml": abi.Deny, "base/org.yaml": abi.Deny, "base/deep.yaml": abi.Deny, "floor.yaml": abi.Deny, "base/floor.yaml": abi.Deny,
		"state/ledger": abi.Deny, "base/other.yaml": abi.Abstain, "notes.yaml": abi.Abstain, "starter": abi.Abstain, "starter/notes.md": abi.Abstain,
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for path, want := range cases {
		snapshot.Call.Arguments = abi.ObjectValue(abi.Member{Name: "path", Value: abi.StringValue(path)})
		if v := self.Judge(&snapshot); v.Outcome != want {
			t.Errorf("%s: %s %s, want %s", path, v.Outcome, v.Reason, want)
		}
	}
}
