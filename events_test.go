package callgate_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
)

const eventsDir = "testdata/events"

// TestRecordedEventsAreAnsweredAsWritten feeds each list of events to the gate
// and compares the answers with those beside it, byte for byte.
func TestRecordedEventsAreAnsweredAsWritten(t *testing.T) {
	p, err := policy.Load(policy.Options{Files: []string{eventsDir + "/policy.yaml"}, Specs: builtin.Table()})
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(eventsDir + "/*.jsonl")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d lists of events: %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			want, err := os.ReadFile(strings.TrimSuffix(name, ".jsonl") + ".want")
			if err != nil {
				t.Fatal(err)
			}
			compareLines(t, answersTo(t, p, name), want)
			for _, outcome := range []string{"allow", "deny"} {
				if !bytes.Contains(want, []byte(`"outcome":"`+outcome+`"`)) {
					t.Errorf("no answer is %s", outcome)
				}
			}
		})
	}
}

func answersTo(t *testing.T, p *policy.Policy, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	player := replay.New(replay.Options{Policy: p, Specs: builtin.Table(), Place: abi.Place{Dir: "/srv", Home: "/home/me"}})
	var out []byte
	index := uint64(0)
	for line := range bytes.Lines(data) {
		answers, _, err := player.Feed(parse(t, string(bytes.TrimSpace(line))), index)
		if err != nil {
			t.Fatalf("line %d: %v", index+1, err)
		}
		for _, a := range answers {
			out = append(a.AppendAnswer(out), '\n')
		}
		index++
	}
	return out
}

func compareLines(t *testing.T, got, want []byte) {
	t.Helper()
	have, wanted := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(have), len(wanted)) {
		a, b := "nothing", "nothing"
		if i < len(have) {
			a = have[i]
		}
		if i < len(wanted) {
			b = wanted[i]
		}
		if a != b {
			t.Errorf("line %d:\ngot  %s\nwant %s", i+1, a, b)
		}
	}
}

// TestEveryKindOfEventIsDescribed: docs/events.md names each kind, and each
// state of a reload.
func TestEveryKindOfEventIsDescribed(t *testing.T) {
	page, err := os.ReadFile("docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	event := reflect.TypeFor[abi.Event]()
	for i := range event.NumField() {
		f := event.Field(i)
		if f.Type.Kind() != reflect.Pointer {
			continue
		}
		kinds++
		if kind := strings.ToLower(f.Name); !bytes.Contains(page, []byte("`"+kind+"`")) {
			t.Errorf("docs/events.md does not name the kind %s", kind)
		}
	}
	if kinds < 20 {
		t.Fatalf("%d kinds", kinds)
	}
	for _, state := range []abi.ReloadState{abi.ReloadFailed, abi.ReloadWaits, abi.ReloadFixed, abi.ReloadInForce, abi.ReloadAccepted, abi.ReloadRestarted, abi.ReloadTold} {
		if !bytes.Contains(page, []byte("`"+state+"`")) {
			t.Errorf("docs/events.md does not name the state %s", state)
		}
	}
}
