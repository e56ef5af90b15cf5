package abi_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

func TestServerNamesAreWhatPoliciesCanSay(t *testing.T) {
	for _, name := range []string{"gmail", "7", "my server", "a.b_c-d", "a..b", strings.Repeat("a", 64)} {
		if err := abi.CheckServerName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{
		"", "a/b", "../x", "..", ".", "*", "a*", "a?", "a[b]", `a\b`, "-a", "_a", " a", "a\x00", "a\n", "a\x7f", "ä", "а", "a\u200b", "a\xff",
		"@scope/server", "a:b", "a=b", strings.Repeat("a", 65), strings.Repeat("ä", 65),
	} {
		err := abi.CheckServerName(name)
		if err == nil || !strings.Contains(err.Error(), "want letters") || len(err.Error()) > 500 {
			t.Errorf("%q: %v", name, err)
		}
	}
}
