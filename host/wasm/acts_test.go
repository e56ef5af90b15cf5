package wasm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// acts are ways to end an evaluation, by the letter of acts.wat.
var acts = []struct {
	act    byte
	class  abi.FailureClass
	detail string // part of it
}{
	{'a', "", ""},
	{'b', abi.FailTrap, "unreachable"},
	{'c', abi.FailFuel, "of 1201500 fuel"},
	{'d', abi.FailDepth, "deeper than 1000"},
	{'e', abi.FailFuel, "of 1201500 fuel"},
	{'f', abi.FailExit, "proc_exit(0)"},
	{'g', abi.FailExit, "proc_exit(1)"},
	{'h', abi.FailProtocol, "0, which is failure"},
	{'i', abi.FailProtocol, "262145 bytes; at most 262144"},
	{'j', abi.FailProtocol, "2 bytes at 16777215, is outside of memory"},
	{'k', abi.FailProtocol, "1 bytes at 4294967295, is outside of memory"},
	{'l', abi.FailProtocol, "no bytes"},
	{'m', abi.FailTrap, "get: path: 8 bytes at 4294967292 are outside of memory"},
	{'n', abi.FailTrap, "get: buffer: 9 bytes at 16777208 are outside of memory"},
	{'o', abi.FailTrap, "get: buffer: 4294967295 bytes at 8 are outside of memory"},
	{'p', abi.FailTrap, "out of bounds memory access"},
	{'q', abi.FailTrap, "integer divide by zero"},
	{'r', abi.FailFuel, "of 1201500 fuel"},
	{'s', "", ""},
	{'t', "", ""},
	{'u', abi.FailLimit, "at most 4194304 an evaluation"},
	{'v', abi.FailFuel, "of 1201500 fuel"},
	{'w', "", ""},
	{'x', "", ""},
	{'y', "", ""},
	{'z', abi.FailTrap, "unreachable"},
}

// act is a snapshot for acts.wat, with 100 KB that nobody reads but u.
func act(letter byte) abi.Value {
	return abi.ObjectValue(
		abi.Member{Name: "act", Value: abi.StringValue(string(letter))},
		abi.Member{Name: "more", Value: abi.StringValue(strings.Repeat("m", 100_000))},
	)
}

// short is an answer without what is long, as text.
func short(a Answer) string {
	return fmt.Sprintf("class %q, detail %q, fuel %d, delivered %d, pages %d, output %.40q, %d lines of log, cut %t",
		a.Class, a.Detail, a.Fuel, a.Delivered, a.Pages, a.Output, len(a.Log), a.LogCut)
}

// TestAnEvaluationEndsInItsClass and leaves nothing to the next, which is the
// same as if it were the first.
func TestAnEvaluationEndsInItsClass(t *testing.T) {
	first := map[byte]string{}
	ways(t, func(t *testing.T, o Options) {
		o.Limits = Limits{Instances: 1, EvaluateFuel: 1_200_000}
		p := load(t, newHost(t, o), Source{Name: "acts", Module: guest(t, "acts")})
		for _, c := range acts {
			a := p.Evaluate(act(c.act))
			if a.Class != c.class || !strings.Contains(a.Detail, c.detail) || (a.Class == "") != (a.Output != nil) {
				t.Errorf("%c: %s; want class %q, %q", c.act, short(a), c.class, c.detail)
			}
			if was, ok := first[c.act]; ok && was != short(a) {
				t.Errorf("%c: %s; another way: %s", c.act, short(a), was)
			}
			first[c.act] = short(a)
			if a := p.Evaluate(act('a')); short(a) != first['a'] {
				t.Errorf("a after %c: %s; first: %s", c.act, short(a), first['a'])
			}
		}
	})
	if len(first) != len(acts) {
		t.Errorf("%d acts; want %d", len(first), len(acts))
	}
}
