package abi_test

import (
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestTheLatticeLawsHoldForEveryByte: a guest can send any number, so the laws
// are checked over all of them.
func TestTheLatticeLawsHoldForEveryByte(t *testing.T) {
	if abi.Outcome(0) != abi.Deny || !(abi.Deny < abi.Ask && abi.Ask < abi.Allow && abi.Allow < abi.Abstain) {
		t.Fatal("the order is not deny < ask < allow < abstain with deny at zero")
	}
	checked := 0
	for a := 0; a < 256; a++ {
		x := abi.Outcome(a)
		if a > 3 && (x.Known() != abi.Deny || x.Final() != abi.Deny || x.String() != "deny") {
			t.Errorf("%d does not deny", a)
		}
		if abi.Stricter(x, x) != x.Known() || abi.Stricter(x, abi.Abstain) != x.Known() || abi.Stricter(x, abi.Deny) != abi.Deny {
			t.Errorf("%d: idempotence, unit or zero", a)
		}
		for b := 0; b < 256; b++ {
			y := abi.Outcome(b)
			m := abi.Stricter(x, y)
			if m != abi.Stricter(y, x) || m > x.Known() || m > y.Known() || m != x.Known() && m != y.Known() {
				t.Errorf("%d, %d: %d", a, b, m)
			}
			checked++
		}
	}
	for a := abi.Deny; a <= abi.Abstain; a++ {
		for b := abi.Deny; b <= abi.Abstain; b++ {
			for c := abi.Deny; c <= abi.Abstain; c++ {
				if abi.Stricter(a, abi.Stricter(b, c)) != abi.Stricter(abi.Stricter(a, b), c) {
					t.Error("not associative", a, b, c)
				}
			}
		}
	}
	if checked != 65536 {
		t.Fatalf("%d pairs checked", checked)
	}
}

func TestOnlyAllowLetsACallGo(t *testing.T) {
	for o, want := range map[abi.Outcome]abi.Outcome{abi.Deny: abi.Deny, abi.Ask: abi.Ask, abi.Allow: abi.Allow, abi.Abstain: abi.Deny, 9: abi.Deny} {
		if got := (abi.Verdict{Outcome: o}).Enforced(); got != want {
			t.Errorf("%d: %v; want %v", o, got, want)
		}
	}
	for _, name := range []string{"deny", "ask", "allow", "abstain"} {
		if o, ok := abi.ParseOutcome(name); !ok || o.String() != name {
			t.Error(name)
		}
	}
	if o, ok := abi.ParseOutcome("Allow"); ok || o != abi.Deny {
		t.Error("an unknown name is an outcome")
	}
}
