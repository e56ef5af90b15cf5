package abi_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// goConstants reads the constants of a file of the Go SDK, which is a module of its
// own: name to value, iota counted.
func goConstants(t *testing.T) map[string]string {
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

// textConstants reads the constants of a file, each of which is a line, or an entry
// of an enum.
func textConstants(t *testing.T, name string, lines *regexp.Regexp, enums bool) map[string]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range lines.FindAllSubmatch(text, -1) {
		out[string(m[1])] = strings.Trim(string(m[2]), `"`)
	}
	if !enums {
		return out
	}
	for _, m := range regexp.MustCompile(`(?s)\nenum \{([^}]*)\};`).FindAllSubmatch(text, -1) {
		for i, entry := range strings.Split(string(m[1]), ",") {
			name, value, given := strings.Cut(strings.TrimSpace(entry), " = ")
			if !given {
				value = fmt.Sprint(i)
			}
			out[name] = value
		}
	}
	return out
}

// shouted is a name of the ABI's words in the way of C: PhaseCall is PHASE_CALL.
func shouted(name string) string {
	return strings.ToUpper(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "${1}_${2}"))
}

// sdkNames are the constants that every SDK has, by the name in Go.
func sdkNames() map[string]any {
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
	return want
}

func TestEverySDKNamesWhatTheABINames(t *testing.T) {
	isKind := func(w any) bool { _, ok := w.(abi.Kind); return ok }
	plain := func(s string, _ any) string { return shouted(strings.TrimPrefix(s, "Log")) }
	for lang, sdk := range map[string]struct {
		has  map[string]string
		name func(inGo string, value any) string // "": it is no constant
	}{
		"Go": {goConstants(t), func(s string, _ any) string { return s }},
		"C":  {textConstants(t, "../sdk/c/callgate.h", regexp.MustCompile(`(?m)^#define (CG_(?:VERSION|ANY_LABEL|PHASE_\w+|KIND_\w+|ORIGIN_\w+)) (\S+)$`), true), func(s string, _ any) string { return "CG_" + shouted(s) }},
		"Rust": {textConstants(t, "../sdk/rust/src/names.rs", regexp.MustCompile(`(?m)^pub const (\w+): \S+ = (.*);$`), false), func(s string, v any) string {
			if isKind(v) {
				return "" // of an enum, which the probe compares
			}
			return plain(s, v)
		}},
		"AssemblyScript": {textConstants(t, "../sdk/assemblyscript/assembly/names.ts", regexp.MustCompile(`(?m)^export const (\w+)(?:: \w+)? = (.*);$`), false), func(s string, v any) string {
			if isKind(v) {
				return ""
			}
			return plain(s, v)
		}},
	} {
		n := 0
		for inGo, w := range sdkNames() {
			name, value := sdk.name(inGo, w), fmt.Sprint(w)
			if name == "" {
				continue
			}
			if k, ok := w.(abi.Kind); ok {
				value = fmt.Sprint(uint8(k))
			}
			if n++; sdk.has[name] != value {
				t.Errorf("%s: %s is %q in the SDK; the ABI has %q", lang, name, sdk.has[name], value)
			}
		}
		for name := range sdk.has {
			if strings.HasPrefix(name, "CG_FORM_") || name == "CG_MOST_AT" {
				n++ // of the header itself
			}
		}
		if len(sdk.has) != n || n < 29 {
			t.Errorf("%s: the SDK has %d constants, and %d are compared", lang, len(sdk.has), n)
		}
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

// TestEverySDKExportsTheMarker looks for the lines that do it in the others.
func TestEverySDKExportsTheMarker(t *testing.T) {
	for file, line := range map[string]string{
		"../sdk/c/callgate.h":                     "\tCG_EXPORT(%q) void cg_export_marker(void) {}",
		"../sdk/rust/src/lib.rs":                  "extern \"C\" fn %s() {}\n",
		"../sdk/assemblyscript/assembly/index.ts": "export function %s(): void {}\n",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(line, abi.MarkerExport); !strings.Contains(string(text), want) {
			t.Errorf("%s does not have %q", file, want)
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
