package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/callgate/callgate/abi"
)

// replacedMain is a process whose program is replaced while it runs, and then
// removed.
func replacedMain(self, module, verb string) int {
	for _, replace := range []func() error{
		func() error { return nil },
		func() error { return os.Rename(module, self) }, // which nobody can run
		func() error { return os.Remove(self) },
	} {
		text, err := os.ReadFile(module)
		if err == nil {
			err = replace()
		}
		if err != nil {
			fmt.Println(err)
			return 3
		}
		h, err := New(Options{Compiler: []string{self, verb}})
		if err != nil {
			fmt.Println(err)
			return 3
		}
		p, err := h.Load(context.Background(), Source{Name: "acts", Module: text})
		if err != nil {
			fmt.Println(err)
			return 4
		}
		if a := p.Evaluate(abi.Value{}); a.Class != abi.FailTrap {
			fmt.Println(short(a))
			return 5
		}
		if err := errors.Join(h.Close(), os.WriteFile(module, text, 0o700)); err != nil {
			return 6
		}
	}
	return 0
}
