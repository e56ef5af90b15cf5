package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/plural"
)

// benchReport is everything that was measured; its JSON is `bench --json`.
type benchReport struct {
	Version   string        `json:"version"`
	Go        string        `json:"go"`
	OS        string        `json:"os"`
	Arch      string        `json:"arch"`
	CPUs      int           `json:"cpus"`
	Upstream  string        `json:"upstream"`
	Tool      string        `json:"tool"`
	Calls     int           `json:"calls"`
	Window    int           `json:"window"`
	RoundsRun int           `json:"rounds"`
	Paths     []benchPath   `json:"paths"`
	Targets   []benchTarget `json:"targets"`
}

// benchPath is what was measured on one path: medians over the rounds. Ratios
// are medians of the ratios within a round.
type benchPath struct {
	Name string `json:"name"`
	sample
	StartAdded   float64  `json:"start_added_ms"`
	P50ByRelay   float64  `json:"p50_by_relay"`
	P50ByFsync   float64  `json:"p50_by_fsync"`
	CallsByFsync float64  `json:"calls_by_fsync"`
	MemoryLast   float64  `json:"memory_last_mb,omitzero"` // in the last round; memory_mb is of the first
	Rounds       []sample `json:"rounds"`
}

// benchTarget is what Callgate wants to reach.
type benchTarget struct {
	Name string `json:"name"`
	Got  string `json:"got"`
	Met  bool   `json:"met"`
}

func (b *bench) report(rounds map[string][]sample) *benchReport {
	r := &benchReport{
		Version: version(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
		Upstream: b.upstreamName(), Tool: b.tool, Calls: b.f.calls, Window: benchWindow, RoundsRun: b.f.rounds,
	}
	over := func(path string, of func(i int, s sample) float64) float64 {
		var values []float64
		for i, s := range rounds[path] {
			values = append(values, of(i, s))
		}
		return median(values)
	}
	for _, name := range benchPaths() {
		r.Paths = append(r.Paths, benchPath{
			Name: name, Rounds: rounds[name], MemoryLast: rounds[name][b.f.rounds-1].Memory,
			sample: sample{
				P50:         over(name, func(_ int, s sample) float64 { return s.P50 }),
				P99:         over(name, func(_ int, s sample) float64 { return s.P99 }),
				CallsPerSec: over(name, func(_ int, s sample) float64 { return s.CallsPerSec }),
				Start:       over(name, func(_ int, s sample) float64 { return s.Start }),
				Argument:    over(name, func(_ int, s sample) float64 { return s.Argument }),
				Result:      over(name, func(_ int, s sample) float64 { return s.Result }),
				Memory:      rounds[name][0].Memory,
			},
			StartAdded:   over(name, func(i int, s sample) float64 { return s.Start - rounds[pathDirect][i].Start }),
			P50ByRelay:   over(name, func(i int, s sample) float64 { return s.P50 / rounds[pathRelay][i].P50 }),
			P50ByFsync:   over(name, func(i int, s sample) float64 { return s.P50 / rounds[pathFsync][i].P50 }),
			CallsByFsync: over(name, func(i int, s sample) float64 { return s.CallsPerSec / rounds[pathFsync][i].CallsPerSec }),
		})
	}
	r.Targets = r.targets()
	return r
}

func (r *benchReport) path(name string) benchPath {
	for _, p := range r.Paths {
		if p.Name == name {
			return p
		}
	}
	return benchPath{}
}

// targets compares with what Callgate wants to reach. The numbers are about
// the machine they were set on: two cores and a local disk.
func (r *benchReport) targets() []benchTarget {
	gate, memory := r.path(pathGate), r.path(pathMemory)
	out := []benchTarget{
		{"p50 with the ledger in memory ≤ 1.25 × relay", fmt.Sprintf("%.2f ×", memory.P50ByRelay), memory.P50ByRelay <= 1.25},
		{"p50 with the real ledger ≤ 1.15 × relay+fsync", fmt.Sprintf("%.2f ×", gate.P50ByFsync), gate.P50ByFsync <= 1.15},
		{
			"pipelined durable calls ≥ 10000/s or 2 × relay+fsync", fmt.Sprintf("%.0f/s, %.1f ×", gate.CallsPerSec, gate.CallsByFsync),
			gate.CallsPerSec >= 10000 || gate.CallsByFsync >= 2,
		},
	}
	if memory.Argument > 0 {
		out = append(out,
			benchTarget{"100 KB argument, ledger in memory ≤ 2 ms", fmt.Sprintf("%.2f ms", memory.Argument), memory.Argument <= 2},
			benchTarget{"100 KB result, ledger in memory ≤ 2 ms", fmt.Sprintf("%.2f ms", memory.Result), memory.Result <= 2},
		)
	}
	out = append(out, benchTarget{"start-up added ≤ 15 ms", fmt.Sprintf("%.1f ms", gate.StartAdded), gate.StartAdded <= 15})
	if gate.Memory > 0 {
		out = append(out, benchTarget{"memory after the small calls of the first round ≤ 30 MB", fmt.Sprintf("%.1f MB", gate.Memory), gate.Memory <= 30})
	}
	return out
}

func (r *benchReport) writeJSON(w io.Writer) error {
	return json.MarshalWrite(w, r, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
}

// writeTable prints the report for a person.
func (r *benchReport) writeTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, tool %s: medians of %s of %s, pipelined %d deep; callgate %s, %s, %s/%s, %s\n\n",
		r.Upstream, r.Tool, plural.Of(r.RoundsRun, "round"), plural.Of(r.Calls, "call"), r.Window, r.Version, r.Go, r.OS, r.Arch, plural.Of(r.CPUs, "CPU"))
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "path\tp50 µs\tp99 µs\t× relay\t× fsync\tcalls/s\t× fsync\tstart ms\tadded\tlarge arg ms\tlarge result ms\tmemory MB\tat end\t")
	for _, p := range r.Paths {
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.2f\t%.2f\t%.0f\t%.2f\t%.1f\t%.1f\t%s\t%s\t%s\t%s\t\n", p.Name, p.P50, p.P99, p.P50ByRelay, p.P50ByFsync,
			p.CallsPerSec, p.CallsByFsync, p.Start, p.StartAdded, known("%.2f", p.Argument), known("%.2f", p.Result), known("%.1f", p.Memory), known("%.1f", p.MemoryLast))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	b.WriteString("\n")
	for _, target := range r.Targets {
		state := "met"
		if !target.Met {
			state = "missed"
		}
		fmt.Fprintf(&b, "%-6s  %s: %s\n", state, target.Name, target.Got)
	}
	_, err := io.WriteString(w, printable(b.String()))
	return err
}

// known shows a number, or a dash for one that was not measured.
func known(format string, v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf(format, v)
}
