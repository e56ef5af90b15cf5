package packs_test

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/packs"
)

func TestEveryNameHasASource(t *testing.T) {
	names := packs.Names()
	if len(names) == 0 {
		t.Fatal("no packs")
	}
	if !slices.IsSorted(names) {
		t.Errorf("names are not sorted: %q", names)
	}
	for _, name := range names {
		if data, ok := packs.Source(name); !ok || len(data) == 0 {
			t.Errorf("pack %q has no source", name)
		}
	}
	if _, ok := packs.Source("no-such-pack"); ok {
		t.Error("an unknown pack has a source")
	}
}
