package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
)

// Large calls are few, and come with a pause, as the turns of a conversation
// do: what a path does once it has answered is not part of the answer.
const (
	benchFew   = 10
	benchPause = 20 * time.Millisecond
)

// sample is what one round has measured on one path. What was not measured is 0.
type sample struct {
	P50         float64 `json:"p50_us"`
	P99         float64 `json:"p99_us"`
	CallsPerSec float64 `json:"calls_per_s"`
	Start       float64 `json:"start_ms"` // until the answer to initialize
	Argument    float64 `json:"large_argument_ms,omitzero"`
	Result      float64 `json:"large_result_ms,omitzero"`
	Memory      float64 `json:"memory_mb,omitzero"` // the most that the near end held until after the small calls
}

// measurement is one column: it measures one path in one round.
type measurement func(ctx context.Context, path string, p *benchPeer, s *sample) error

// run measures. Every measurement visits all paths in turn, each time from
// another one on, so that what else the machine does hits all alike.
func (b *bench) run(ctx context.Context) (report *benchReport, err error) {
	peers := map[string]*benchPeer{}
	defer func() {
		for _, p := range peers {
			err = errors.Join(err, p.end())
		}
	}()
	for _, path := range benchPaths() {
		p, _, err := b.startPeer(ctx, path)
		if err != nil {
			return nil, err
		}
		peers[path] = p
		if err := b.settle(p); err != nil {
			return nil, err
		}
	}
	rounds := map[string][]sample{}
	for r := range b.f.rounds {
		for path := range peers {
			rounds[path] = append(rounds[path], sample{})
		}
		for _, measure := range b.measurements() {
			for _, path := range turned(benchPaths(), r) {
				if err := measure(ctx, path, peers[path], &rounds[path][r]); err != nil {
					return nil, err
				}
			}
		}
	}
	return b.report(rounds), nil
}

// settle has a fresh path see the list of tools, as every client does, and
// make some calls: nobody measures a cold start by accident.
func (b *bench) settle(p *benchPeer) error {
	tool, err := p.chooseTool()
	if b.tool == "" {
		b.tool = tool
		if err != nil {
			return err
		}
	}
	for range min(b.f.calls, 100) {
		if _, _, err := p.request(b.call(b.tool, b.arguments)); err != nil {
			return err
		}
	}
	return nil
}

// call is a request's text from its method on.
func (b *bench) call(tool, arguments string) string {
	return string(abi.AppendString([]byte(`"tools/call","params":{"name":`), tool)) + `,"arguments":` + arguments + "}"
}

func turned(list []string, by int) []string {
	by %= len(list)
	return slices.Concat(list[by:], list[:by])
}

// measurements are the columns. Large calls need a tool that takes and gives
// what it is told to, so only the built-in upstream has them.
func (b *bench) measurements() []measurement {
	call := b.call(b.tool, b.arguments)
	out := []measurement{
		func(_ context.Context, _ string, p *benchPeer, s *sample) error {
			took, err := latencies(p, call, b.f.calls, 0)
			s.P50, s.P99 = micros(quantile(took, 50)), micros(quantile(took, 99))
			return err
		},
		func(_ context.Context, _ string, p *benchPeer, s *sample) (err error) {
			s.CallsPerSec, err = p.pipelined(call, b.f.calls)
			s.Memory = float64(p.memory()) / (1 << 20)
			return err
		},
		func(ctx context.Context, path string, _ *benchPeer, s *sample) error {
			p, took, err := b.startPeer(ctx, path)
			if err != nil {
				return err
			}
			s.Start = micros(took) / 1000
			return p.end()
		},
	}
	if !b.builtin {
		return out
	}
	few := min(benchFew, b.f.calls)
	argument, result := b.call(benchMeasure, benchLargeArgument()), b.call(benchMeasure, benchLargeResult())
	return append(out,
		func(_ context.Context, _ string, p *benchPeer, s *sample) error {
			took, err := latencies(p, argument, few, benchPause)
			s.Argument = micros(quantile(took, 50)) / 1000
			return err
		},
		func(_ context.Context, _ string, p *benchPeer, s *sample) error {
			took, err := latencies(p, result, few, benchPause)
			s.Result = micros(quantile(took, 50)) / 1000
			return err
		},
	)
}

// latencies makes calls one after the other and returns their times, sorted.
func latencies(p *benchPeer, call string, n int, pause time.Duration) ([]time.Duration, error) {
	took := make([]time.Duration, n)
	for i := range took {
		time.Sleep(pause)
		var err error
		if _, took[i], err = p.request(call); err != nil {
			return nil, err
		}
	}
	slices.Sort(took)
	return took, nil
}

// quantile returns the smallest value that at least so many in a hundred do
// not exceed, and 0 of nothing.
func quantile[T any](sorted []T, percent int) T {
	var zero T
	if len(sorted) == 0 {
		return zero
	}
	return sorted[(len(sorted)*percent+99)/100-1]
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// median returns the middle of values, the lower one of two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return quantile(sorted, 50)
}

// upstreamName is what is measured, for a person.
func (b *bench) upstreamName() string {
	if b.builtin {
		return "built-in echo server"
	}
	return strings.Join(b.upstream, " ")
}
