package proxy

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/wire"
)

// TestWhatIsNoUnknownMethodIsNamedNowhereUnderMethods: a rule of methods: about
// a method that is judged as something else, or not at all, would do nothing.
func TestWhatIsNoUnknownMethodIsNamedNowhereUnderMethods(t *testing.T) {
	known := policy.KnownMethods()
	for _, method := range known {
		if requestKinds[method] != "" || plainMethods[method] || method == "tools/call" {
			continue // tools/call is told by what it calls
		}
		if call, err := callOf(wire.Frame{Method: method}); err != nil || call != nil && call.Kind == abi.KindMethod {
			t.Errorf("%s: methods: could name it, and is refused", method)
		}
	}
	if call, _ := callOf(wire.Frame{Method: "vendor/x"}); call == nil || call.Kind != abi.KindMethod || slices.Contains(known, "vendor/x") {
		t.Error("an unknown method is one of methods:")
	}
	for method := range plainMethods {
		if !slices.Contains(known, method) {
			t.Errorf("%s is relayed without a look, and methods: could name it", method)
		}
	}
	for method := range requestKinds {
		if !slices.Contains(known, method) {
			t.Errorf("%s is a kind of its own, and methods: could name it", method)
		}
	}
	if len(known) == 0 || len(plainMethods) == 0 || len(requestKinds) == 0 {
		t.Fatal("nothing is known")
	}
}
