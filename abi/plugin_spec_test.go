package abi_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callgate/callgate/abi"
)

// schema compiles one of the published schemas.
func schema(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("schema/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fits says whether JSON text fits a schema.
func fits(t testing.TB, s *jsonschema.Schema, text string) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	return err == nil && s.Validate(doc) == nil
}

func spec(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sample returns the JSON sample of a section of the specification.
func sample(t *testing.T, section string) string {
	t.Helper()
	_, text, _ := strings.Cut(spec(t), "\n## "+section+"\n")
	_, text, _ = strings.Cut(text, "```json\n")
	text, _, ok := strings.Cut(text, "\n```")
	if !ok {
		t.Fatalf("ABI.md has no sample in section %q", section)
	}
	return text
}

func TestTheSpecificationNamesWhatTheConstantsName(t *testing.T) {
	text := spec(t)
	named := []string{
		abi.MarkerExport, abi.EvaluateExport, abi.ConfigureExport, abi.InitializeExport, abi.MemoryExport, abi.ManifestSection, abi.ManifestSchema,
		abi.HostModule + "." + abi.HostGet, abi.HostModule + "." + abi.HostLog, abi.HostModule + "." + abi.HostLogEnabled, abi.WASIModule,
		"version " + abi.Version, "262,144 bytes", "up to 1,024 characters", "up to 16 notes", "up to 256 characters each", "up to 256 of up to 4,096", "Up to 32 each",
		"up to 256 pointers below `/result`, of up to 4,096 characters", "up to 1,024 names", "500,000,000",
	}
	for _, v := range abi.Versions {
		named = append(named, fmt.Sprintf("| `%s` | `\"abi\":\"%s\"` | `%s` |", v, v, abi.MarkerOf(v)))
	}
	for _, c := range abi.FailureClasses {
		named = append(named, fmt.Sprintf("| `%s` | `%s` |", c, c.Code()))
	}
	for _, list := range [][]string{abi.Readable, abi.Effects} {
		for _, name := range list {
			named = append(named, "`"+name+"`")
		}
	}
	for _, want := range named {
		if !strings.Contains(text, want) {
			t.Errorf("ABI.md does not say %q", want)
		}
	}
	sizes := []any{abi.MaxVerdictBytes, abi.MaxReasonRunes, abi.MaxTags, abi.MaxTagRunes, abi.MaxPointers, abi.MaxPointerRunes, abi.MaxLabels, abi.MaxHidden, abi.MaxFuel}
	if got := fmt.Sprint(sizes...); got != "262144 1024 16 256 256 4096 32 1024 500000000" {
		t.Errorf("sizes are %s; ABI.md and the schemas say otherwise", got)
	}
	if want := abi.MarkerPrefix + strings.ReplaceAll(abi.Version, ".", "_"); abi.MarkerExport != want || abi.MarkerOf(abi.Version) != want {
		t.Errorf("marker %s, %s of version %s", abi.MarkerExport, abi.MarkerOf(abi.Version), abi.Version)
	}
}

// TestWorkedBytes reads the table of the section on get and asks each pointer.
func TestWorkedBytes(t *testing.T) {
	_, text, _ := strings.Cut(spec(t), "\n## `get`\n")
	text, _, _ = strings.Cut(text, "\n## ")
	snapshot := regexp.MustCompile("For the snapshot `([^`]+)`").FindStringSubmatch(text)
	v := parse(t, snapshot[1])
	if v.String() != snapshot[1] {
		t.Errorf("the snapshot is not canonical: %s", snapshot[1])
	}
	rows := regexp.MustCompile("(?m)^\\| `([^`]*)` \\| `0x([0-9a-f_]+)` \\| (?:`([^`]*)`|none.*) \\|$").FindAllStringSubmatch(text, -1)
	if len(rows) != 6 {
		t.Fatalf("%d rows; want 6", len(rows))
	}
	for _, row := range rows {
		found := v.At(row[1])
		bytes := found.Bytes(nil)
		packed := fmt.Sprintf("%016x", abi.PackKind(found.Kind(), uint32(len(bytes))))
		if want := strings.ReplaceAll(row[2], "_", ""); packed != want || string(bytes) != row[3] {
			t.Errorf("get(%q) = 0x%s %q; ABI.md says 0x%s %q", row[1], packed, bytes, want, row[3])
		}
	}
	ranges := regexp.MustCompile("(?m)^\\| `0x([0-9a-f_]+)` \\| ([0-9,]+) bytes? at ([0-9,]+) \\|$").FindAllStringSubmatch(spec(t), -1)
	if len(ranges) != 2 {
		t.Fatalf("%d ranges; want 2", len(ranges))
	}
	for _, row := range ranges {
		var packed uint64
		var ptr, length uint32
		fmt.Sscanf(strings.ReplaceAll(row[1], "_", ""), "%x", &packed)
		fmt.Sscanf(strings.ReplaceAll(row[2], ",", ""), "%d", &length)
		fmt.Sscanf(strings.ReplaceAll(row[3], ",", ""), "%d", &ptr)
		if p, n := abi.UnpackRange(packed); p != ptr || n != length || abi.PackRange(p, n) != packed {
			t.Errorf("0x%x is %d bytes at %d; ABI.md says %d at %d", packed, n, p, length, ptr)
		}
	}
}

// snapshot is what the sample of the specification shows.
func snapshot() *abi.Snapshot {
	digest := func(c string) string { return "sha256:" + strings.Repeat(c, 64) }
	return &abi.Snapshot{
		Phase: abi.PhaseCall, Time: time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC),
		Call: abi.Call{
			Seq: 17, ID: "a41f09-17", Server: "mail", Tool: "send_email", Digest: digest("9"),
			Arguments: abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue("a@b.example")}),
		},
		Definition: abi.Definition{State: abi.PinOK, Pin: digest("7"), Annotations: abi.ObjectValue(), Schema: abi.ObjectValue()},
		Taint: []abi.Finding{{
			At: "/to", Kind: "mail", Labels: []string{"secret"}, Origin: abi.OriginTainted, Value: "kept out",
			Evidence: []abi.Evidence{{
				Call: "77b2e0-9", Server: "web", Tool: "fetch", Pointer: "/content/0/text", Offset: 118, Length: 13, Position: abi.Prose, Snippet: "kept out",
			}},
		}},
		Session: abi.Session{
			ID: "s-1", Principal: abi.Principal{Subject: "dev"}, Labels: []string{"saw_untrusted"}, Calls: 16, Denied: 1, ThisTool: 2,
			Recent: []abi.Recent{{ID: "77b2e0-9", Server: "web", Tool: "fetch", Outcome: abi.Allow}}, Protected: []string{"/kept/out"},
		},
	}
}

// whole reads everything and may do everything.
var whole = &abi.Manifest{
	Name: "acme/all", Reads: abi.Readable, Effects: abi.Effects, Phases: []abi.Phase{abi.PhaseCall, abi.PhaseResult, abi.PhaseList},
	Codes: []abi.Code{{Name: "EXFIL_URL", Means: "x"}},
}

func TestTheSampleOfASnapshotIsWhatAPluginGets(t *testing.T) {
	got := snapshot().View(whole).String()
	short := regexp.MustCompile(`sha256:(9|7)\d+`).ReplaceAllStringFunc(got, func(s string) string {
		return map[string]string{"9": "sha256:9f4e…", "7": "sha256:77aa…"}[s[7:8]]
	})
	want := sample(t, "The snapshot")
	if short != want {
		t.Errorf("a plugin gets\n%s\nABI.md shows\n%s", short, want)
	}
	if !fits(t, schema(t, "snapshot"), got) {
		t.Errorf("does not fit schema/snapshot.json: %s", got)
	}
	if strings.Contains(got, "kept out") || strings.Contains(got, "/kept/out") {
		t.Errorf("shows what is kept out: %s", got)
	}
}

// TestAPluginGetsWhatItReads asks for every member alone, of every kind and phase.
func TestAPluginGetsWhatItReads(t *testing.T) {
	v := parse(t, `{"x":"y"}`)
	text := schema(t, "snapshot")
	tried := 0
	for _, kind := range abi.Kinds {
		s := snapshot()
		s.Call = abi.Call{Seq: 1, ID: "aa-1", Kind: kind, Server: "s", Digest: s.Call.Digest, Name: "p", URI: "file:///x", Action: "read", Method: "vendor/x", Task: v, Ref: v, Context: v}
		if kind.IsTool() {
			s.Call.Tool = "t"
		}
		s.Call.Argument, s.Call.Arguments, s.Call.Params = v, v, v
		s.Result, s.List = v, parse(t, `{"items":[],"kind":"tools"}`)
		all := s.View(whole)
		for _, member := range append([]string{""}, abi.Readable...) {
			tried++
			m := &abi.Manifest{}
			if member != "" {
				m.Reads = []string{member}
			}
			got := s.View(m)
			if !fits(t, text, got.String()) || parse(t, got.String()).String() != got.String() {
				t.Errorf("%s, reads %q: no canonical snapshot: %s", kind, member, got)
			}
			top, _, part := strings.Cut(member, ".")
			for _, g := range got.Members() {
				switch {
				case g.Name == "abi" || g.Name == "phase" || g.Name == "settings":
				case g.Name != top:
					t.Errorf("%s, reads %q: gets %s", kind, member, g.Name)
				case !part && !g.Value.Equal(all.Get(g.Name)):
					t.Errorf("%s, reads %q: gets %s; want the whole, %s", kind, member, g.Value, all.Get(g.Name))
				}
			}
			if want := all.Get(top).Exists(); want && member != "" && !got.Get(top).Exists() {
				t.Errorf("%s, reads %q: does not get it", kind, member)
			}
		}
	}
	if tried != len(abi.Kinds)*(len(abi.Readable)+1) || tried == 0 {
		t.Errorf("tried %d", tried)
	}
}
