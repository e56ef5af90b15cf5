package meter_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/wasm/meter"
	"github.com/tetratelabs/wazero/api"
)

// act calls an export, or reads one.
func (s *script) act(c command) {
	mod := s.last
	if c.Action.Module != "" {
		mod = s.modules[c.Action.Module]
	}
	if mod == nil {
		return
	}
	if c.Action.Type == "get" {
		s.compare(c, []uint64{mod.ExportedGlobal(c.Action.Field).Get()})
		return
	}
	var args []uint64
	for _, a := range c.Action.Args {
		n, ok := a.bits()
		if !ok && strings.HasPrefix(a.Type, "f") {
			n, ok = nan(a), true
		}
		if !ok {
			return
		}
		args = append(args, n)
	}
	s.deeper(mod)
	res, err := mod.ExportedFunction(c.Action.Field).Call(context.Background(), args...)
	switch {
	case c.Type == "assert_exhaustion":
		s.tally.depth++
		if d := mod.ExportedGlobal(meter.ExportDepth).Get(); err == nil || int32(d) != meter.DepthExceeded {
			s.t.Errorf("line %d: %s: %v, %v; want the guard", c.Line, c.Action.Field, res, err)
		}
	case c.Type == "assert_trap":
		s.tally.traps++
		if err == nil || !strings.Contains(err.Error(), trapText(c.Text)) {
			s.t.Errorf("line %d: %s: %v, %v; want %s", c.Line, c.Action.Field, res, err, c.Text)
		}
	case err != nil:
		s.t.Errorf("line %d: %s: %v", c.Line, c.Action.Field, err)
	default:
		s.compare(c, res)
	}
}

// deeper puts the depth back to what a host sets before a call: after a trap
// it is where the trap was.
func (s *script) deeper(mod api.Module) {
	if g, ok := mod.ExportedGlobal(meter.ExportDepth).(api.MutableGlobal); ok {
		g.Set(0)
	}
}

func nan(v value) uint64 {
	if v.Type == "f32" {
		return uint64(math.Float32bits(float32(math.NaN())))
	}
	return math.Float64bits(math.NaN())
}

// trapText is what the engine says where the specification says text.
func trapText(text string) string {
	switch {
	case strings.HasPrefix(text, "indirect call"):
		return "indirect call type mismatch"
	case strings.HasPrefix(text, "undefined"), strings.HasPrefix(text, "uninitialized"), text == "out of bounds table access":
		return "invalid table access"
	case text == "invalid conversion to integer", text == "integer overflow", text == "integer divide by zero", text == "unreachable":
		return text
	}
	return "out of bounds memory access"
}

// compare compares results with what is expected; a NaN is any NaN.
func (s *script) compare(c command, got []uint64) {
	if c.Type != "assert_return" {
		return
	}
	if strings.Contains(c.Action.Field, "memory.grow") {
		return // the memory has no room, see rewritten
	}
	s.tally.calls++
	if len(got) != len(c.Expected) {
		s.t.Errorf("line %d: %s: %d results; want %d", c.Line, c.Action.Field, len(got), len(c.Expected))
		return
	}
	for i, want := range c.Expected {
		if strings.HasSuffix(want.Type, "32") {
			got[i] = uint64(uint32(got[i])) // the upper half says nothing
		}
		n, ok := want.bits()
		isNaN := want.Type == "f32" && math.IsNaN(float64(math.Float32frombits(uint32(got[i])))) ||
			want.Type == "f64" && math.IsNaN(math.Float64frombits(got[i]))
		text, _ := want.Value.(string)
		switch {
		case ok && got[i] == n, strings.HasPrefix(text, "nan") && isNaN, strings.HasSuffix(want.Type, "ref") && !ok:
		default:
			s.t.Errorf("line %d: %s: result %d is %#x; want %s", c.Line, c.Action.Field, i, got[i], text)
		}
	}
}

// dropped are the tests of mistakes in code that can not be reached. The pass
// drops such code, and the mistakes with it.
const dropped = "unreached-invalid"

// refused: what the engine refuses it does not take after the pass.
func (s *script) refused(c command) {
	if !strings.HasSuffix(c.Filename, ".wasm") {
		return
	}
	b, err := os.ReadFile(filepath.Join(s.dir, c.Filename))
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.runtime.CompileModule(context.Background(), b); err == nil {
		return // the engine does not keep to the text
	}
	out, _, err := s.rewritten(c)
	if err == nil {
		_, err = s.runtime.CompileModule(context.Background(), out)
	}
	s.tally.invalid++
	if err == nil && !strings.HasPrefix(c.Filename, dropped) {
		s.t.Errorf("line %d: %s is taken: %s", c.Line, c.Filename, c.Text)
	}
}
