package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wasm/scan"
)

// hostiles are the guests of testdata/hostile by what becomes of them. Each says
// in its source what it tries. Those that answer are twins of such that do not,
// or try what does no harm.
var hostiles = []struct{ want, names string }{
	{"refused: abi", "no_marker other_marker"},
	{"refused: command", "command_module"},
	{"refused: export", "hidden_memory no_memory wrong_evaluate"},
	{"refused: feature", "atomics exceptions memory64 multi_memory shared_memory simd tail_call"},
	{"refused: import", "imported_global imported_memory imported_table name_squat_env undeclared_imports wrong_import_type"},
	{"refused: limit", "memory_all memory_min table_huge table_min"},
	{"refused: reserved", "host_reentry reserved_export"},
	{"refused: state", "data_drop elem_drop memory_init ref_global table_fill table_grow table_init table_set"},
	{"configure: it says no", "configure_error"},
	{"configure: depth", "configure_deep start_deep"},
	{"configure: exit", "initialize_exit start_exit"},
	{"configure: out_of_fuel", "configure_loop initialize_loop start_flood start_loop"},
	{"configure: protocol", "configure_bad_ptr configure_huge configure_lies configure_long_error configure_twice configure_verdict configure_zero"},
	{"configure: trap", "initialize_trap start_trap"},
	{"out_of_fuel", "br_table_loop bulk_copy bulk_fill clock_spin division_storm exponential_calls get_long_path get_probe_flood log_flood log_flood_small loop_forever memory_grow memory_grow_huge poll_flood random_flood wasi_flood"},
	{"depth", "deep_recursion indirect_recursion mutual_recursion self_evaluate wide_recursion"},
	{"exit", "exit_after_answer proc_exit_0 proc_exit_1"},
	{"limit", "get_flood"},
	{"trap", "alloc_loop divide_by_zero host_bad_ptr_end host_bad_ptr_log host_bad_ptr_neg host_bad_ptr_wrap null_call oob_call oob_copy_wrap oob_fill oob_load oob_store_offset overflow trap truncate_nan wrong_call"},
	{"protocol", `verdict_bad_pointer verdict_bad_ptr verdict_bad_ptr_end verdict_bad_ptr_grown verdict_bom verdict_case verdict_deep_json verdict_deep_tags
		verdict_dup_escaped verdict_dup_keys verdict_empty verdict_hide_in_call verdict_host_code verdict_huge verdict_huge_budget verdict_invalid_utf8
		verdict_long_reason verdict_loosen verdict_loosen_case verdict_many_pointers verdict_max_spaces verdict_no_code verdict_no_outcome verdict_not_object
		verdict_nul verdict_null verdict_null_outcome verdict_raise_budget verdict_redact_in_call verdict_remove_labels verdict_trailing
		verdict_undeclared_code verdict_undeclared_effect verdict_unknown_effect verdict_zero
		clock_probe nan_probe rand_probe state_leak wasi_bad_ptr wasi_vectors`},
	{"deny BAD", "verdict_bidi_reason"},
	{"abstain", "configure_snapshot grow_and_touch host_bad_ptr_grown host_bad_ptr_zero host_overlap log_invalid_utf8 oob_load_grown start_get verdict_surrogate"},
}

// hostileNames are all names, sorted, with what becomes of them.
func hostileNames(t testing.TB) (names []string, want map[string]string) {
	t.Helper()
	want = map[string]string{}
	for _, h := range hostiles {
		for _, name := range strings.Fields(h.names) {
			names = append(names, name)
			want[name] = h.want
		}
	}
	slices.Sort(names)
	sources, err := filepath.Glob("testdata/hostile/*.wat")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sources {
		sources[i] = strings.TrimSuffix(filepath.Base(s), ".wat")
	}
	if !slices.Equal(sources, names) || len(want) != len(names) {
		t.Fatalf("testdata/hostile has %d guests, the table %d names, %d of them different:\n%v\n%v", len(sources), len(names), len(want), sources, names)
	}
	return names, want
}

func hostile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "hostile", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// hostileABI is what the guests of testdata/hostile are built for. They stay at the
// version they were written at: what they try has nothing to do with it, and so
// they also hold the host to what it owes plugins of 0.1.
const hostileABI = "0.1"

// hostileManifest lets a guest deny, and nothing else.
func hostileManifest(t testing.TB) *abi.Manifest {
	t.Helper()
	m, err := abi.ParseManifest([]byte(`{"schema":"callgate.plugin/v0","name":"test/hostile","version":"1.0.0","abi":"` + hostileABI + `","license":"Apache-2.0",
		"phases":["call"],"kinds":["tool"],"reads":["time","call"],"effects":["ask","deny"],"codes":{"BAD":"it is bad"},"settings":{"type":"object"}}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hostileCall is a call with 100 KB of arguments.
func hostileCall(t testing.TB) *abi.Snapshot {
	t.Helper()
	text := abi.ObjectValue(abi.Member{Name: "text", Value: abi.StringValue(strings.Repeat("many words ", 10_000))})
	return &abi.Snapshot{Phase: abi.PhaseCall, Call: abi.Call{Kind: abi.KindTool, Server: "mail", Tool: "send_email", Arguments: text}}
}

// hostileFuel is little, so that what does not end ends soon.
const hostileFuel = 3_000_000

func hostileLimits() Limits {
	return Limits{EvaluateFuel: hostileFuel, StartFuel: hostileFuel}
}

// becomes says what becomes of a guest, and in full what it did.
func becomes(t testing.TB, h *Host, name string) (is, full string) {
	t.Helper()
	m := hostileManifest(t)
	p, err := h.Load(context.Background(), Source{Name: name, Module: hostile(t, name), Manifest: m})
	if err != nil {
		return refusedAs(t, err), err.Error()
	}
	defer p.Close()
	call := hostileCall(t)
	a := p.Evaluate(call.View(m))
	if again := p.Evaluate(call.View(m)); full == "" && whole(again) != whole(a) {
		t.Errorf("%s: %s; the second time: %s", name, whole(a), whole(again))
	}
	v := Bind(p, m, "hostile", "sha256:m", abi.ObjectValue()).Judge(call)
	is = string(v.Plugin.Class)
	switch {
	case is != "" && (v.Outcome != abi.Deny || v.Code != v.Plugin.Class.Code()):
		t.Errorf("%s: class %s, and it is %v, code %s", name, is, v.Outcome, v.Code)
	case is == "":
		is = strings.TrimSpace(v.Outcome.String() + " " + v.Code)
	}
	return is, fmt.Sprint(whole(a), " ", is, " ", v.Reason)
}

// whole is all of an answer that must be the same everywhere.
func whole(a Answer) string { return fmt.Sprintf("%s %q %v", short(a), a.Output, a.Log) }

// refusedAs is what becomes of a guest that does not load.
func refusedAs(t testing.TB, err error) string {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v; want an *Error", err)
	}
	var problems *scan.Problems
	if errors.As(err, &problems) {
		return "refused: " + string(problems.List[0].Code)
	}
	if e.Class == abi.FailConfigure && e.Why == "" {
		return "configure: it says no"
	}
	return string(e.Class) + ": " + string(e.Why)
}

// TestHostileGuestsEndInTheirClass the same way in both engines, and leave a host
// that answers as before.
func TestHostileGuestsEndInTheirClass(t *testing.T) {
	names, want := hostileNames(t)
	first := map[string]string{}
	for _, e := range engines[:enginesUnderSiege] {
		h := newHost(t, Options{Interpreter: e.interpreter, Limits: hostileLimits()})
		good := load(t, h, Source{Name: "good", Module: guest(t, "acts")})
		before := whole(good.Evaluate(act('a')))
		for _, name := range names {
			is, full := becomes(t, h, name)
			if is != want[name] {
				t.Errorf("%s: %s: %q, %.300s; want %q", e.name, name, is, full, want[name])
			}
			if first[name] == "" {
				first[name] = full
			}
			if full != first[name] {
				t.Errorf("%s: %.500s; the other engine: %.500s", name, full, first[name])
			}
			if after := whole(good.Evaluate(act('a'))); after != before {
				t.Fatalf("%s: a good guest answers %s after it; before %s", name, after, before)
			}
		}
	}
	if len(first) < 100 {
		t.Errorf("%d guests; want 100", len(first))
	}
}
