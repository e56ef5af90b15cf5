package wasm

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// smithed is what a module of testdata/smith.txt comes to: its class or answer, and
// its fuel.
func smithed(t *testing.T, h *Host, module []byte) string {
	t.Helper()
	src := Source{Name: "smith", Module: module}
	view := parse(t, `{"time":"2026-11-29T18:00:01Z","call":{"arguments":{"body":"xyz"}}}`)
	p, err := h.Load(context.Background(), src)
	var e *Error
	if errors.As(err, &e) {
		return fmt.Sprintf("%s: %s", e.Class, e.Why)
	}
	defer p.Close()
	a := p.Evaluate(view)
	if again := p.Evaluate(view); whole(again) != whole(a) {
		t.Errorf("%s; the second time: %s", whole(a), whole(again))
	}
	if fresh := p.Fresh(src, view); whole(fresh) != whole(a) {
		t.Errorf("%s; in a fresh instance: %s", whole(a), whole(fresh))
	}
	return fmt.Sprintf("%s %d %d %x", a.Class, p.Began().Fuel, a.Fuel, abi.DigestBytes(a.Output)[7:15])
}

// TestModulesOfWasmSmithComeToWhatTheyDid in both engines, whatever the slices: the
// file has modules that wasm-smith made and the scan admits, each behind what it came
// to. It must not change, since receipts are replayed.
func TestModulesOfWasmSmithComeToWhatTheyDid(t *testing.T) {
	file, err := os.Open("testdata/smith.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var hosts []*Host
	for _, slice := range []uint64{FuelSlice, 777} {
		for _, e := range engines {
			hosts = append(hosts, newHost(t, Options{Interpreter: e.interpreter, Limits: Limits{EvaluateFuel: 100_000, StartFuel: 100_000, FuelSlice: slice}}))
		}
	}
	classes, count := map[string]int{}, 0
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for ; lines.Scan(); count++ {
		want, text, _ := strings.Cut(lines.Text(), "\t")
		module, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		for n, h := range hosts {
			if got := smithed(t, h, module); got != want {
				t.Errorf("module %d, host %d: %q; want %q", count, n, got, want)
			}
		}
		class, _, _ := strings.Cut(want, " ")
		classes[class]++
	}
	if lines.Err() != nil || count < 60 || classes[""] < 20 || classes[string(abi.FailTrap)] < 10 {
		t.Errorf("%v: %d modules, %v; want 60 and many that answer", lines.Err(), count, classes)
	}
}
