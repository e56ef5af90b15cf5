package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/redact"
	"github.com/callgate/callgate/packs"
)

// TestPacksOfEveryServerAreThoseThatSayWhatHoldsForAll: a pack with an entry for
// every tool, or with redact:, would bind to servers that it does not know. An
// entry for every tool that names an argument fits the tools that have it.
func TestPacksOfEveryServerAreThoseThatSayWhatHoldsForAll(t *testing.T) {
	all := 0
	for _, name := range packs.Names() {
		data, _ := packs.Compiled(name)
		y, err := compiledPack(data)
		if err != nil {
			t.Fatal(err)
		}
		every := y.value.Get("tools").Get("*")
		forAll := every.Exists() && misfit(compiledTool(every), defined("any")) == "" || y.value.Get("redact").Exists()
		if forAll != packs.ForAll(name) {
			t.Errorf("%s: for every server %v, want %v", name, packs.ForAll(name), forAll)
		}
		if !packs.ForAll(name) {
			continue
		}
		all++
		for _, m := range y.value.Get("tools").Members() {
			if m.Name != "*" || m.Value.Get("verdict").Exists() {
				t.Errorf("%s: entry %s; want one for all tools, without a grant", name, m.Name)
			}
		}
		for _, want := range []struct{ text, err string }{
			{"packs: [auto, " + name + "]", ""},
			{"servers: {s: {pack: " + name + "}}", `is about every server; write packs: [auto, ` + name + `]`},
		} {
			m := memory{"/p/f.yaml": head(want.text)}
			if _, err := Load(Options{Files: []string{"/p/f.yaml"}, Read: m.read}); want.err == "" && err != nil || want.err != "" && (err == nil || !strings.Contains(err.Error(), want.err)) {
				t.Errorf("%s: %v, want %q", want.text, err, want.err)
			}
		}
	}
	if all == 0 {
		t.Fatal("no packs of every server")
	}
}

// TestTheStarterAsksForFilesThatThePackDenies holds the list of the starter to
// that of the pack.
func TestTheStarterAsksForFilesThatThePackDenies(t *testing.T) {
	d := defined("read", "path")
	pack := mustLoad(t, head("packs: [sensitive-files]")).Rules("s", d).Args
	starter := mustLoad(t, head("packs: none", "include: [starter]")).Rules("s", d).Args
	if len(starter) != 1 || starter[0].Slot != "path" || starter[0].Outcome.String() != "ask" {
		t.Fatalf("starter %+v; want one rule about paths that asks", starter)
	}
	var all []string
	for i := range pack {
		if pack[i].Slot != "path" {
			continue
		}
		all = append(all, pack[i].Deny...)
		for _, p := range pack[i].Deny {
			if pack[i].Outcome.String() == "deny" && !slices.Contains(starter[0].Deny, p) {
				t.Errorf("the starter lets %s pass", p)
			}
		}
	}
	for _, p := range starter[0].Deny {
		if !slices.Contains(all, p) {
			t.Errorf("the pack does not know %s", p)
		}
	}
	if len(all) == 0 {
		t.Fatal("no patterns")
	}
}

func TestSecretsAreRedactedWhereThePackIsNamed(t *testing.T) {
	token := "ghp_" + strings.Repeat("aB3", 12)
	for text, want := range map[string]bool{"packs: [auto, secrets]": true, "packs: [secrets]": true, "packs: auto": false, "name: x": false, "packs: [auto]": false, "include: [starter]": false} {
		r := mustLoad(t, head(text)).Redact()
		if got := r.Covers(redact.Results); got != want {
			t.Errorf("%s: covers %v, want %v", text, got, want)
		}
		if r.Covers(redact.Results) == strings.Contains(r.Text(redact.Results, token), token) {
			t.Errorf("%s: the token is there %v", text, !want)
		}
	}
}
