package wasm

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// TestTheShimIsDeterministic looks at all that wasi.wat answers.
func TestTheShimIsDeterministic(t *testing.T) {
	seen := map[string]string{}
	ways(t, func(t *testing.T, o Options) {
		h := newHost(t, o)
		p := load(t, h, Source{Name: "wasi", Module: guest(t, "wasi")})
		other := load(t, h, Source{Name: "wasi", Module: guest(t, "wasi"), Settings: parse(t, `{"a":1}`)})
		for _, c := range []struct {
			text string
			now  uint64
		}{
			{`{"time":"2026-11-29T18:00:00.5Z"}`, uint64(time.Date(2026, 11, 29, 18, 0, 0, 5e8, time.UTC).UnixNano())},
			{`{"time":"2026-11-29T20:00:00.5+02:00"}`, uint64(time.Date(2026, 11, 29, 18, 0, 0, 5e8, time.UTC).UnixNano())},
			{`{"time":"1969-01-01T00:00:00Z"}`, startClock},
			{`{"time":"2600-01-01T00:00:00Z"}`, startClock},
			{`{"time":"soon"}`, startClock},
			{`{}`, startClock},
		} {
			a, b := p.Evaluate(parse(t, c.text)), other.Evaluate(parse(t, c.text))
			if a.Class != "" || b.Class != "" {
				t.Fatalf("%s: %s; %s", c.text, short(a), short(b))
			}
			out := a.Output
			random, early := fmt.Sprintf("%x", out[:16]), fmt.Sprintf("%x", out[32:40])
			for i := range 2 {
				if now := binary.LittleEndian.Uint64(out[16+8*i:]); now != c.now {
					t.Errorf("%s: clock %d says %d; want %d", c.text, i, now, c.now)
				}
			}
			if was, ok := seen[c.text]; ok && was != random+early {
				t.Errorf("%s: random bytes %s, early %s; another way: %s", c.text, random, early, was)
			}
			seen[c.text] = random + early
			// What comes of the input is the input's; what came of the start is
			// the module's and its settings'.
			if string(out[:16]) != string(b.Output[:16]) || string(out[32:40]) == string(b.Output[32:40]) {
				t.Errorf("%s: %x; with other settings %x", c.text, out, b.Output)
			}
			want := []byte{wasiOK, wasiOK, wasiBadFile, wasiFault, wasiFault, wasiInvalid, wasiOK, 1, 0, 0, 0, wasiOK, wasiNotCapable, wasiNoSystem}
			if string(out[40:]) != string(want) {
				t.Errorf("%s: errors %d; want %d", c.text, out[40:], want)
			}
			lines := []Line{{abi.LogInfo, "a"}, {abi.LogInfo, "b c d"}, {abi.LogWarn, "a"}, {abi.LogInfo, "e"}, {abi.LogWarn, "b c "}}
			if fmt.Sprint(a.Log) != fmt.Sprint(lines) {
				t.Errorf("%s: log %v; want %v", c.text, a.Log, lines)
			}
		}
	})
	if len(seen) != 6 {
		t.Errorf("%d inputs; want 6", len(seen))
	}
	for a, x := range seen {
		for b, y := range seen {
			if a < b && x == y {
				t.Errorf("%s and %s have the same random bytes", a, b)
			}
		}
	}
}

// TestEveryFunctionOfWASIFailsAsWritten for those that the shim has not.
func TestEveryFunctionOfWASIFailsAsWritten(t *testing.T) {
	for name, want := range map[string]uint32{
		"fd_seek": wasiBadFile, "fd_read": wasiBadFile, "fd_prestat_get": wasiBadFile, "path_open": wasiNotCapable, "path_unlink_file": wasiNotCapable,
		"sock_accept": wasiNoSystem, "proc_raise": wasiNoSystem, "clock_res_get": wasiNoSystem,
	} {
		if got := wasiFails(name)(nil, nil); got != want {
			t.Errorf("%s: error %d; want %d", name, got, want)
		}
	}
}

// TestLogsAreBounded in lines and in bytes.
func TestLogsAreBounded(t *testing.T) {
	p := load(t, newHost(t, Options{}), Source{Name: "acts", Module: guest(t, "acts")})
	a := p.Evaluate(act('s'))
	if len(a.Log) != MaxLogLines || !a.LogCut || a.Log[0] != (Line{abi.LogError, "a line\n\uFFFD\x00 of a log"}) {
		t.Errorf("300 lines: %d, cut %t, %q", len(a.Log), a.LogCut, a.Log[0].Text)
	}
	a = p.Evaluate(act('t'))
	if len(a.Log) != 1 || len(a.Log[0].Text) < MaxLogBytes || len(a.Log[0].Text) > MaxLogBytes+8 || !a.LogCut {
		t.Errorf("a long line: %d lines, cut %t", len(a.Log), a.LogCut)
	}
	var l logBuffer
	for range 3 {
		l.write(0, make([]byte, MaxLogBytes))
	}
	for range 2 * MaxLogLines {
		l.write(1, []byte("\n"))
	}
	if lines := l.end(); len(lines) != MaxLogLines || !l.cut || l.bytes > MaxLogBytes || len(l.parts[0]) > MaxLogBytes {
		t.Errorf("what is written: %d lines, %d bytes, cut %t", len(lines), l.bytes, l.cut)
	}
}
