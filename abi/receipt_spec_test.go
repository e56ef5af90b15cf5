package abi_test

import (
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// The page names every member of a receipt, and no other.
func TestThePageSaysWhatReceiptsHold(t *testing.T) {
	page, err := os.ReadFile("ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Receipts\n")
	section, _, _ = strings.Cut(section, "\n## ")
	said := map[string]bool{}
	for line := range strings.Lines(section) {
		if cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |"); ok && strings.HasPrefix(cell, "`") {
			for _, name := range strings.Split(cell, ", ") {
				said[strings.Trim(name, "`")] = true
			}
		}
	}
	v := abi.Verdict{Outcome: abi.Deny, Plugin: &abi.PluginReceipt{
		Module: "m", Bundle: "b", Settings: "s", Input: "i", Output: "o", Fuel: 1, Class: abi.FailTrap, Detail: "d", Reason: "r", Tags: []abi.Tag{{Name: "n", Text: "t"}},
	}}
	whole, err := abi.Parse(v.JSON())
	if err != nil {
		t.Fatal(err)
	}
	members := whole.Get("plugin").Members()
	for _, m := range members {
		if !said[m.Name] {
			t.Errorf("a receipt has %q, and the page does not say so", m.Name)
		}
	}
	if len(members) == 0 || len(said) != len(members) {
		t.Errorf("%d members, and the page has %d", len(members), len(said))
	}
}
