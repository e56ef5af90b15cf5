package plural_test

import (
	"testing"

	"github.com/callgate/callgate/host/plural"
)

func TestOneIsNotMany(t *testing.T) {
	for want, got := range map[string]string{
		"1 key": plural.Of(1, "key"), "2 keys": plural.Of(2, "key"), "0 keys": plural.Of(int64(0), "key"),
		"1 entry": plural.Of(uint64(1), "entry"), "0 entries": plural.Of(0, "entry"), "21 entries": plural.Of(21, "entry"),
	} {
		if got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}
