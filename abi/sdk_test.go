package abi_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// sdkConstants reads the constants of a file of the Go SDK, which is a module of
// its own: name to value, iota counted.
func sdkConstants(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../sdk/go/names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for i, s := range group.Specs {
			spec := s.(*ast.ValueSpec)
			value := fmt.Sprint(i)
			if len(spec.Values) == 1 {
				if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
					value = strings.Trim(lit.Value, `"`)
				}
			}
			for _, name := range spec.Names {
				out[name.Name] = value
			}
		}
	}
	return out
}

func TestTheGoSDKNamesWhatTheABINames(t *testing.T) {
	want := map[string]any{
		"Version": abi.Version, "AnyLabel": abi.AnyLabel,
		"Absent": abi.Absent, "Null": abi.Null, "Bool": abi.Bool, "Number": abi.Number, "String": abi.String, "Array": abi.Array, "Object": abi.Object,
		"RawString": abi.RawString,
		"PhaseCall": abi.PhaseCall, "PhaseResult": abi.PhaseResult, "PhaseList": abi.PhaseList,
		"OriginTainted": abi.OriginTainted, "OriginUnproven": abi.OriginUnproven, "OriginClient": abi.OriginClient, "OriginTrusted": abi.OriginTrusted,
		"LogDebug": abi.LogDebug, "LogInfo": abi.LogInfo, "LogWarn": abi.LogWarn, "LogError": abi.LogError,
		"MaxVerdictBytes": abi.MaxVerdictBytes, "MaxReasonRunes": abi.MaxReasonRunes, "MaxTags": abi.MaxTags, "MaxTagRunes": abi.MaxTagRunes,
		"MaxPointers": abi.MaxPointers, "MaxPointerRunes": abi.MaxPointerRunes, "MaxLabels": abi.MaxLabels, "MaxHidden": abi.MaxHidden,
	}
	for _, k := range abi.Kinds {
		want["Kind"+strings.ToUpper(string(k[:1]))+string(k[1:])] = k
	}
	got := sdkConstants(t)
	for name, w := range want {
		value := fmt.Sprint(w)
		if k, ok := w.(abi.Kind); ok {
			value = fmt.Sprint(uint8(k))
		}
		if got[name] != value {
			t.Errorf("%s is %q in the SDK; the ABI has %q", name, got[name], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("the SDK has %d constants, and %d are compared", len(got), len(want))
	}
}

func TestTheGoSDKImportsAndExportsWhatTheABINames(t *testing.T) {
	data, err := os.ReadFile("../sdk/go/host_wasm.go")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:wasm"); ok {
			got = append(got, rest)
		}
	}
	want := []string{
		"import " + abi.HostModule + " " + abi.HostGet, "import " + abi.HostModule + " " + abi.HostLog, "import " + abi.HostModule + " " + abi.HostLogEnabled,
		"export " + abi.MarkerExport, "export " + abi.EvaluateExport, "export " + abi.ConfigureExport,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the SDK has\n%s\nthe ABI has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestEverySDKNamesWhatTheABINames looks for the lines that say it in the others.
func TestEverySDKNamesWhatTheABINames(t *testing.T) {
	const c, rust, script = "../sdk/c/callgate.h", "../sdk/rust/src/", "../sdk/assemblyscript/assembly/"
	for _, tt := range []struct {
		file, line string
		value      any
	}{
		{c, "#define CG_VERSION %q\n", abi.Version},
		{c, "#define CG_ANY_LABEL %q\n", abi.AnyLabel},
		{c, "\tCG_MAX_VERDICT_BYTES = %d,\n", abi.MaxVerdictBytes},
		{c, "\tCG_MAX_REASON_RUNES = %d,\n", abi.MaxReasonRunes},
		{c, "\tCG_MAX_TAGS = %d,\n", abi.MaxTags},
		{c, "\tCG_MAX_TAG_RUNES = %d,\n", abi.MaxTagRunes},
		{c, "\tCG_MAX_POINTERS = %d,\n", abi.MaxPointers},
		{c, "\tCG_MAX_POINTER_RUNES = %d,\n", abi.MaxPointerRunes},
		{c, "\tCG_MAX_LABELS = %d,\n", abi.MaxLabels},
		{c, "\tCG_MAX_HIDDEN = %d\n", abi.MaxHidden},
		{c, "\tCG_EXPORT(%q) void cg_export_marker(void) {}", abi.MarkerExport},
		{rust + "lib.rs", "pub const VERSION: &str = %q;\n", abi.Version},
		{rust + "lib.rs", "pub const ANY_LABEL: &str = %q;\n", abi.AnyLabel},
		{rust + "lib.rs", "fn %s() {}\n", abi.MarkerExport},
		{rust + "verdict.rs", "pub const MAX_REASON_RUNES: usize = %d;\n", abi.MaxReasonRunes},
		{rust + "verdict.rs", "pub const MAX_TAGS: usize = %d;\n", abi.MaxTags},
		{rust + "verdict.rs", "pub const MAX_TAG_RUNES: usize = %d;\n", abi.MaxTagRunes},
		{rust + "verdict.rs", "pub const MAX_POINTERS: usize = %d;\n", abi.MaxPointers},
		{rust + "verdict.rs", "pub const MAX_POINTER_RUNES: usize = %d;\n", abi.MaxPointerRunes},
		{script + "index.ts", "export const VERSION = %q;\n", abi.Version},
		{script + "index.ts", "export function %s(): void {}\n", abi.MarkerExport},
		{script + "snapshot.ts", "export const ANY_LABEL = %q;\n", abi.AnyLabel},
		{script + "verdict.ts", "export const MAX_REASON_RUNES = %d;\n", abi.MaxReasonRunes},
		{script + "verdict.ts", "export const MAX_TAGS = %d;\n", abi.MaxTags},
		{script + "verdict.ts", "export const MAX_TAG_RUNES = %d;\n", abi.MaxTagRunes},
		{script + "verdict.ts", "export const MAX_POINTERS = %d;\n", abi.MaxPointers},
		{script + "verdict.ts", "export const MAX_POINTER_RUNES = %d;\n", abi.MaxPointerRunes},
	} {
		text, err := os.ReadFile(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		if line := fmt.Sprintf(tt.line, tt.value); !strings.Contains(string(text), line) {
			t.Errorf("%s does not have %q", tt.file, line)
		}
	}
}

// TestProjectLeavesWhatViewGives holds the two ways to a plugin's snapshot
// together.
func TestProjectLeavesWhatViewGives(t *testing.T) {
	n := 0
	for _, kind := range abi.Kinds {
		s := snapshot()
		s.Call.Kind, s.Call.Name, s.Call.Action, s.Call.Method, s.Call.URI = kind, "n", "read", "m", "file:///x"
		s.Call.Params, s.Call.Task = abi.ObjectValue(), abi.ObjectValue()
		s.Result, s.List = abi.ObjectValue(), abi.ObjectValue()
		all := s.View(whole)
		for _, one := range abi.Readable {
			for _, other := range abi.Readable {
				m := &abi.Manifest{Reads: []string{one, other}}
				if got, want := m.Project(all), s.View(m); !got.Equal(want) {
					t.Errorf("%s, %s of a %s: %s; View gives %s", one, other, kind, got, want)
				}
				n++
			}
		}
	}
	if n != len(abi.Kinds)*len(abi.Readable)*len(abi.Readable) {
		t.Errorf("compares %d", n)
	}
}
