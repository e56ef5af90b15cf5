package wasm

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// A limit that is lowered refuses what worked, one that is raised is a decision
// about what hosts must bear: the file is changed on purpose, with the constant.
func TestLimitsOfTheEngineAreFrozen(t *testing.T) {
	text, err := os.ReadFile("testdata/limits.json")
	if err != nil {
		t.Fatal(err)
	}
	var frozen struct{ Engine map[string]uint64 }
	if err := json.Unmarshal(text, &frozen); err != nil {
		t.Fatal(err)
	}
	now := map[string]uint64{
		"evaluate_fuel": EvaluateFuel, "fuel_per_byte": FuelPerByte, "max_fuel": MaxFuel, "start_fuel": StartFuel, "fuel_slice": FuelSlice,
		"host_call_fuel": HostCallFuel, "host_bytes_per_fuel": HostBytesPerFuel, "call_depth": CallDepth, "memory_pages": MemoryPages,
		"max_memory_pages": MaxMemoryPages, "max_delivered": MaxDelivered, "max_looked_at": MaxLookedAt, "max_output": abi.MaxVerdictBytes,
		"max_log_bytes": MaxLogBytes, "max_log_lines": MaxLogLines, "evaluate_wall_seconds": uint64(EvaluateWall / time.Second),
		"start_wall_seconds": uint64(StartWall / time.Second), "compile_wall_seconds": uint64(CompileWall / time.Second),
		"compile_cpu_seconds":        uint64(CompileCPU / time.Second),
		"compile_quick_milliseconds": uint64(CompileQuick / time.Millisecond),
	}
	if !maps.Equal(now, frozen.Engine) {
		t.Errorf("the limits are %v; testdata/limits.json has %v", now, frozen.Engine)
	}
}

// Authors read what is frozen in the specification.
func TestTheSpecificationHasEveryLimit(t *testing.T) {
	text, err := os.ReadFile("testdata/limits.json")
	if err != nil {
		t.Fatal(err)
	}
	var frozen struct{ Scan, Engine map[string]uint64 }
	if err := json.Unmarshal(text, &frozen); err != nil {
		t.Fatal(err)
	}
	spec, err := os.ReadFile("../../abi/ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(spec), "\n## Limits\n")
	section, _, _ = strings.Cut(section, "\n## ")
	ofScan, ofEngine, _ := strings.Cut(section, "\nOf a plugin that runs:\n")
	for _, c := range []struct {
		text   string
		frozen map[string]uint64
	}{{ofScan, frozen.Scan}, {ofEngine, frozen.Engine}} {
		said := map[string]uint64{}
		for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([\\d,]+) \\| .+ \\|$").FindAllStringSubmatch(c.text, -1) {
			n, err := strconv.ParseUint(strings.ReplaceAll(row[2], ",", ""), 10, 64)
			if err != nil {
				t.Error(err)
			}
			said[row[1]] = n
		}
		if len(said) == 0 || !maps.Equal(said, c.frozen) {
			t.Errorf("ABI.md says %v; testdata/limits.json has %v", said, c.frozen)
		}
	}
}

// Native code of one version is of no use to another.
func TestTheCacheKnowsTheEnginesVersion(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`github\.com/tetratelabs/wazero (v\S+)`).FindSubmatch(mod)
	if m == nil || string(m[1]) != engineVersion {
		t.Errorf("go.mod has %q; engineVersion is %q", m, engineVersion)
	}
}
