package abi_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestManifests changes one member at a time of the manifest that the
// specification shows.
func TestManifests(t *testing.T) {
	base := parse(t, sample(t, "The manifest"))
	text := schema(t, "manifest")
	tests := []struct {
		member, value string // "" takes it away
		refused       string
		schema        bool // the schema alone does not refuse it
	}{
		{member: "name", value: `"no-exfil"`},
		{member: "name", value: `"Acme/x"`, refused: "name"},
		{member: "name", value: `"acme/../x"`, refused: "name"},
		{member: "name", value: `"acme/a..b"`, refused: "name", schema: true},
		{member: "name", value: `"acme//x"`, refused: "name"},
		{member: "name", value: `"аcme/x"`, refused: "name"},
		{member: "name", refused: "name"},
		{member: "version", value: `"1.0.0-rc.1+b"`},
		{member: "version", value: `"v1.0.0"`, refused: "version"},
		{member: "version", value: `"01.0.0"`, refused: "version"},
		{member: "abi", value: `"0.1"`},
		{member: "abi", value: `"1.1"`, refused: `abi: "1.1"; this callgate speaks 1.0 and 0.1`},
		{member: "abi", value: `"2.0"`, refused: "speaks 1.0 and 0.1"},
		{member: "abi", value: `"0.2"`, refused: "speaks 1.0 and 0.1"},
		{member: "abi", value: `"1"`, refused: "abi"},
		{member: "abi", value: `"1.0.0"`, refused: "abi"},
		{member: "abi", value: `1.0`, refused: "abi"},
		{member: "abi", refused: "abi"},
		{member: "schema", value: `"callgate.plugin/v1"`, refused: "schema"},
		{member: "phases", value: `["call","result","list"]`},
		{member: "phases", value: `[]`, refused: "phases"},
		{member: "phases", value: `["call","call"]`, refused: "twice"},
		{member: "phases", value: `["Call"]`, refused: "phases"},
		{member: "kinds"},
		{member: "kinds", value: `["method"]`},
		{member: "kinds", value: `["tools"]`, refused: "kinds"},
		{member: "reads", value: `["session.labels"]`},
		{member: "reads", value: `["session.place"]`, refused: "reads"},
		{member: "effects", value: `[]`},
		{member: "effects", value: `["allow"]`, refused: "effects"},
		{member: "codes", value: `{"A":"x"}`},
		{member: "codes", value: `{"A":""}`, refused: "codes"},
		{member: "codes", value: `{"a":"x"}`, refused: "codes"},
		{member: "codes", value: `{"PLUGIN_TRAP":"x"}`, refused: "codes"},
		{member: "codes", value: `["A"]`, refused: "codes"},
		{member: "codes", value: `{"A":1}`, refused: "codes"},
		{member: "settings"},
		{member: "settings", value: `true`, refused: "settings"},
		{member: "limits", value: `{"memory_mib":256}`},
		{member: "limits", value: `{"memory_mib":257}`, refused: "memory_mib"},
		{member: "limits", value: `{"fuel":500000001}`, refused: "fuel"},
		{member: "limits", value: `{"fuel":-1}`, refused: "fuel"},
		{member: "limits", value: `{"depth":9}`, refused: "depth"},
		{member: "build"},
		{member: "build", value: `{"cmd":"x"}`, refused: "cmd"},
		{member: "imports", value: `[]`, refused: `unknown member "imports"`},
	}
	accepted := 0
	for _, tt := range tests {
		v := base.With(tt.member, abi.Value{})
		if tt.value != "" {
			v = base.With(tt.member, parse(t, tt.value))
		}
		m, err := abi.ParseManifest([]byte(v.String()))
		switch {
		case tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)):
			t.Errorf("%s: %s: %v; want %q", tt.member, tt.value, err, tt.refused)
		case tt.refused == "" && err != nil:
			t.Errorf("%s: %s: %v", tt.member, tt.value, err)
		case tt.refused == "":
			accepted++
			if m.Text != v.String() {
				t.Errorf("%s: %s: other bytes are kept", tt.member, tt.value)
			}
		}
		if ok := fits(t, text, v.String()); ok != (tt.refused == "" || tt.schema) {
			t.Errorf("%s: %s: fits the schema: %v", tt.member, tt.value, ok)
		}
	}
	if accepted < 10 {
		t.Errorf("%d accepted", accepted)
	}
	if _, err := abi.ParseManifest([]byte(strings.Replace(base.String(), `"abi":"1.0"`, `"abi":"1.0","abi":"1.0"`, 1))); err == nil {
		t.Error("takes a member that is there twice")
	}
}

func TestWhatAManifestCovers(t *testing.T) {
	m, err := abi.ParseManifest([]byte(sample(t, "The manifest")))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		what      string
		got, want bool
	}{
		{"phase call", m.Has(abi.PhaseCall), true},
		{"phase list", m.Has(abi.PhaseList), false},
		{"tools", m.Judges(abi.KindTool), true},
		{"calls without a kind", m.Judges(""), true},
		{"prompts", m.Judges(abi.KindPrompt), false},
		{"tools if nothing is said", (&abi.Manifest{}).Judges(abi.KindTool), true},
		{"prompts if nothing is said", (&abi.Manifest{}).Judges(abi.KindPrompt), false},
		{"deny", m.May("deny"), true},
		{"ask", m.May("ask"), false},
		{"arguments", m.Sees("call.arguments"), true},
		{"a part of the call", m.Sees("call"), true},
		{"the tool", m.Sees("call.tool"), false},
		{"labels below the session", (&abi.Manifest{Reads: []string{"session"}}).Sees("session.labels"), true},
		{"its code", m.Declares("EXFIL_URL"), true},
		{"another code", m.Declares("EXFIL"), false},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: %v", tt.what, tt.got)
		}
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(`{"schema":"callgate.plugin/v0","name":"a","version":"1.0.0","abi":"1.0","phases":["call"],"codes":{"A":"b"},"limits":{"fuel":1}}`))
	text := schema(f, "manifest")
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := abi.ParseManifest(data); err == nil && !fits(t, text, string(data)) && !strings.Contains(strings.ToLower(string(data)), `\ud`) {
			t.Errorf("accepts %q, which the schema refuses", data)
		}
	})
}
