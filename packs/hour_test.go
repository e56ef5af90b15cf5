package packs_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
)

// own is what somebody adds who works in one repository and one channel.
const own = `callgate: 1
include: [starter]
tools:
  github/*: {sink: {trusted: [acme, shop]}}
  slack/slack_*: {sink: {trusted: [C024BE91L]}}
`

// TestAnHourOfHonestWorkAsksLittle replays what a developer does in an hour with
// seven servers under the starter policy, and holds the page of packs to what was
// counted. What an attacker has an agent do in such an hour is beside it.
func TestAnHourOfHonestWorkAsksLittle(t *testing.T) {
	hour := played(t, "hour.yaml", "", nil)
	calls, asks, denies := 0, 0, 0
	for _, s := range hour.file.Cases[0].Steps {
		if s.Event.Get("call").Exists() {
			calls++
			asks += count(s.Want.Outcome == "ask")
			denies += count(s.Want.Outcome == "deny")
		}
	}
	for _, x := range hour.failures {
		t.Error(x)
	}
	if calls < 150 || asks == 0 || denies != 0 {
		t.Fatalf("%d calls, of which %d ask and %d are denied", calls, asks, denies)
	}
	path := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(path, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	fewer := 0
	unanswered := func(s cases.Step) bool { return s.Event.Get("approval").Exists() }
	for _, x := range played(t, "hour.yaml", path, unanswered).failures {
		if !strings.Contains(x, `outcome "allow"; want "ask"`) {
			t.Error("with more trust:", x)
		}
		fewer++
	}
	page, err := os.ReadFile(filepath.Join("..", "docs", "packs.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d calls, of which %d ask and none is refused; with the own repository and channel under `trusted:` %d ask", calls, asks, asks-fewer)
	if !strings.Contains(string(page), want) {
		t.Errorf("docs/packs.md does not say %q", want)
	}
}

func TestAPoisonedHourIsRefused(t *testing.T) {
	p := played(t, "poisoned.yaml", "", nil)
	for _, x := range p.failures {
		t.Error(x)
	}
	if seen := outcomes(p.file); !seen["deny"] || !seen["ask"] || !seen["allow"] {
		t.Errorf("wants only %v", seen)
	}
}

// carriedFlow is the policy that the threat model shows for data in addresses.
func carriedFlow(t *testing.T) string {
	page, err := os.ReadFile(filepath.Join("..", "docs", "threat-model.md"))
	_, below, _ := strings.Cut(string(page), "**What an address carries**")
	_, below, _ = strings.Cut(below, "```yaml\n")
	text, _, ok := strings.Cut(below, "```")
	path := filepath.Join(t.TempDir(), "flow.yaml")
	if err != nil || !ok || os.WriteFile(path, []byte(text), 0o600) != nil {
		t.Fatal("docs/threat-model.md shows no policy for what an address carries")
	}
	return path
}

// TestWhatAnAddressCarries holds what passes under the starter to what is said of
// it, and that the flow of the threat model asks about most of it.
func TestWhatAnAddressCarries(t *testing.T) {
	p := played(t, "carried.yaml", "", nil)
	for _, x := range p.failures {
		t.Error(x)
	}
	asked := 0
	for _, x := range played(t, "carried.yaml", carriedFlow(t), func(cases.Step) bool { return false }).failures {
		if !strings.Contains(x, `outcome "ask"; want "allow"`) {
			t.Error("with the flow:", x)
		}
		asked++
	}
	if asked < 10 {
		t.Errorf("the flow asks about %d more calls; want 10", asked)
	}
	more := 0
	for _, x := range played(t, "hour.yaml", carriedFlow(t), func(cases.Step) bool { return false }).failures {
		more += count(strings.Contains(x, `outcome "ask"; want "allow" (flow `))
	}
	if more != 6 {
		t.Errorf("the flow asks %d times more in an honest hour; docs/threat-model.md says six", more)
	}
}

type playedFile struct {
	file     *cases.File
	failures []string
}

// played runs a cases file of testdata, with the servers that it names. Under
// another policy, if one is named, it leaves out some steps.
func played(t *testing.T, name, policyFile string, without func(cases.Step) bool) playedFile {
	t.Helper()
	path := filepath.Join("testdata", name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cases.Load(path, data)
	if err != nil {
		t.Fatal(err)
	}
	files := f.Policies
	if policyFile != "" {
		files = []string{policyFile}
		for i := range f.Cases {
			f.Cases[i].Steps = slices.DeleteFunc(f.Cases[i].Steps, without)
		}
	}
	p, err := policy.Load(policy.Options{Files: files, Specs: builtin.Table()})
	if err != nil {
		t.Fatal(err)
	}
	out, tools := playedFile{file: f}, recorded(t)
	maps.DeleteFunc(tools, func(server string, _ []abi.Value) bool { return !strings.Contains(string(data), "{call: "+server+"/") })
	place := abi.Place{Dir: "/srv/shop", Home: "/home/me", Platform: "linux"}
	for _, r := range cases.Run(f, replay.Options{Policy: p, Specs: builtin.Table(), Tools: tools, Place: place}) {
		for _, x := range r.Failures {
			out.failures = append(out.failures, fmt.Sprintf("%s:%d: %s", path, x.Line, x.Text))
		}
	}
	return out
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
