package abi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// TestWhatAPluginMayAnswer has each refused answer beside one that is accepted. The
// schema refuses the same, but what only the manifest or the phase can tell.
func TestWhatAPluginMayAnswer(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	many := func(n int, format string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(list, ",")
	}
	narrow := &abi.Manifest{Name: "acme/narrow", Effects: []string{"deny"}, Codes: whole.Codes}
	tests := []struct {
		name, text, refused string
		phase               abi.Phase
		manifest            *abi.Manifest
		schema              bool // the schema alone does not refuse it
	}{
		{name: "abstains", text: `{"outcome":"abstain"}`},
		{name: "nothing", text: ``, refused: "0 bytes"},
		{name: "no object", text: `[]`, refused: "want an object"},
		{name: "no outcome", text: `{}`, refused: `unknown outcome ""`},
		{name: "allow", text: `{"outcome":"allow"}`, refused: "can not allow"},
		{name: "unknown outcome", text: `{"outcome":"Deny","code":"EXFIL_URL"}`, refused: `unknown outcome "Deny"`},
		{name: "number", text: `{"outcome":0,"code":"EXFIL_URL"}`, refused: "want a string"},
		{name: "twice", text: `{"outcome":"deny","outcome":"abstain","code":"EXFIL_URL"}`, refused: "duplicate", schema: true},
		{name: "trailing", text: `{"outcome":"abstain"} {}`, refused: "after the JSON value"},
		{name: "denies", text: `{"outcome":"deny","code":"EXFIL_URL"}`},
		{name: "asks", text: `{"outcome":"ask","code":"EXFIL_URL"}`},
		{name: "asks of a result", text: `{"outcome":"ask","code":"EXFIL_URL"}`, phase: abi.PhaseResult, refused: "nobody can be asked", schema: true},
		{name: "denies a result", text: `{"outcome":"deny","code":"EXFIL_URL"}`, phase: abi.PhaseResult},
		{name: "denies without a code", text: `{"outcome":"deny"}`, refused: "no code"},
		{name: "undeclared code", text: `{"outcome":"deny","code":"OTHER"}`, refused: `code "OTHER"`, schema: true},
		{name: "no code", text: `{"outcome":"deny","code":"x y"}`, refused: `code "x y"`},
		{name: "undeclared effect", text: `{"outcome":"ask","code":"EXFIL_URL"}`, manifest: narrow, refused: `effect "ask"`, schema: true},
		{name: "declared effect", text: `{"outcome":"deny","code":"EXFIL_URL"}`, manifest: narrow},
		{name: "undeclared labels", text: `{"outcome":"abstain","labels":{"call":["x"]}}`, manifest: narrow, refused: `effect "labels"`, schema: true},
		{name: "empty labels", text: `{"outcome":"abstain","labels":{"call":[]}}`, manifest: narrow},
		{name: "unknown member", text: `{"outcome":"abstain","allow":true}`, refused: `unknown member "allow"`},
		{name: "reason", text: `{"outcome":"abstain","reason":"` + long(1024) + `"}`},
		{name: "long reason", text: `{"outcome":"abstain","reason":"` + long(1025) + `"}`, refused: "1025 characters"},
		{name: "at", text: `{"outcome":"abstain","at":["","/call","/a~1b/~0"]}`},
		{name: "at no pointer", text: `{"outcome":"abstain","at":["call"]}`, refused: "want a JSON Pointer"},
		{name: "at bad escape", text: `{"outcome":"abstain","at":["/a~2"]}`, refused: "want a JSON Pointer"},
		{name: "at cut escape", text: `{"outcome":"abstain","at":["/a~0/b~"]}`, refused: "want a JSON Pointer"},
		{name: "256 at", text: `{"outcome":"abstain","at":[` + many(256, `"/%d"`) + `]}`},
		{name: "257 at", text: `{"outcome":"abstain","at":[` + many(257, `"/%d"`) + `]}`, refused: "257 pointers"},
		{name: "labels", text: `{"outcome":"abstain","labels":{"call":["b","a"],"session":["c","c"]}}`},
		{name: "label of 64", text: `{"outcome":"abstain","labels":{"session":["` + long(64) + `"]}}`},
		{name: "label of 65", text: `{"outcome":"abstain","labels":{"session":["` + long(65) + `"]}}`, refused: "1 to 64"},
		{name: "no label", text: `{"outcome":"abstain","labels":{"session":[""]}}`, refused: "1 to 64"},
		{name: "any label", text: `{"outcome":"abstain","labels":{"session":["*"]}}`, refused: "letters, digits"},
		{name: "label with a colon", text: `{"outcome":"abstain","labels":{"session":["other:x"]}}`, refused: "letters, digits"},
		{name: "label of two lines", text: `{"outcome":"abstain","labels":{"session":["x\n"]}}`, refused: "letters, digits"},
		{name: "label removed", text: `{"outcome":"abstain","labels":{"remove":["x"]}}`, refused: `unknown member "remove"`},
		{name: "32 labels", text: `{"outcome":"abstain","labels":{"call":[` + many(32, `"l%d"`) + `]}}`},
		{name: "33 labels", text: `{"outcome":"abstain","labels":{"call":[` + many(33, `"l%d"`) + `]}}`, refused: "33 labels"},
		{name: "redacts", text: `{"outcome":"abstain","redact":["/result/content/0/text"]}`, phase: abi.PhaseResult},
		{name: "redacts the call", text: `{"outcome":"abstain","redact":["/call/arguments"]}`, phase: abi.PhaseResult, refused: "starts with \"/result/\""},
		{name: "redacts early", text: `{"outcome":"abstain","redact":["/result/content/0/text"]}`, refused: "want result", schema: true},
		{name: "hides", text: `{"outcome":"abstain","hide":["tool"]}`, phase: abi.PhaseList},
		{name: "256 redacted", text: `{"outcome":"abstain","redact":[` + many(256, `"/result/%d"`) + `]}`, phase: abi.PhaseResult},
		{name: "257 redacted", text: `{"outcome":"abstain","redact":[` + many(257, `"/result/%d"`) + `]}`, phase: abi.PhaseResult, refused: "257 pointers"},
		{name: "long pointer", text: `{"outcome":"abstain","redact":["/result/` + long(4096-8) + `"]}`, phase: abi.PhaseResult},
		{name: "longer pointer", text: `{"outcome":"abstain","redact":["/result/` + long(4096-7) + `"]}`, phase: abi.PhaseResult, refused: "at most 4096 characters"},
		{name: "1024 hidden", text: `{"outcome":"abstain","hide":[` + many(1024, `"t%d"`) + `]}`, phase: abi.PhaseList},
		{name: "1025 hidden", text: `{"outcome":"abstain","hide":[` + many(1025, `"t%d"`) + `]}`, phase: abi.PhaseList, refused: "1025 names"},
		{name: "labels of the session in a list", text: `{"outcome":"abstain","labels":{"session":["x"]}}`, phase: abi.PhaseList},
		{name: "labels of a call in a list", text: `{"outcome":"abstain","labels":{"call":["x"]}}`, phase: abi.PhaseList, refused: "labels of a call in phase list", schema: true},
		{name: "hides early", text: `{"outcome":"abstain","hide":["tool"]}`, refused: "want list", schema: true},
		{name: "budget", text: `{"outcome":"abstain","budget":{"calls":0}}`},
		{name: "budget of a result", text: `{"outcome":"abstain","budget":{"calls":2}}`, phase: abi.PhaseResult},
		{name: "budget of a list", text: `{"outcome":"abstain","budget":{"calls":0}}`, phase: abi.PhaseList, refused: "want call or result", schema: true},
		{name: "budget below zero", text: `{"outcome":"abstain","budget":{"calls":-1}}`, refused: "at least 0"},
		{name: "budget of half a call", text: `{"outcome":"abstain","budget":{"calls":1.5}}`, refused: "whole number"},
		{name: "empty budget", text: `{"outcome":"abstain","budget":{}}`, refused: "at least 0"},
		{name: "tags", text: `{"outcome":"abstain","tags":{` + many(16, `"t%d":"x"`) + `}}`},
		{name: "17 tags", text: `{"outcome":"abstain","tags":{` + many(17, `"t%d":"x"`) + `}}`, refused: "at most 16"},
		{name: "tag of a number", text: `{"outcome":"abstain","tags":{"n":1}}`, refused: "want strings"},
		{name: "long tag", text: `{"outcome":"abstain","tags":{"n":"` + long(257) + `"}}`, refused: "256 characters"},
		{name: "huge", text: `{"outcome":"abstain","hide":["` + long(abi.MaxVerdictBytes) + `"]}`, phase: abi.PhaseList, refused: "262144", schema: true},
		{name: "deep", text: `{"outcome":"abstain","tags":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, refused: "nesting"},
	}
	text := schema(t, "verdict")
	accepted, refused := 0, 0
	for _, tt := range tests {
		m, phase := tt.manifest, tt.phase
		if m == nil {
			m = whole
		}
		if phase == "" {
			phase = abi.PhaseCall
		}
		v, err := abi.ParsePluginVerdict([]byte(tt.text), m, "acme/p", phase)
		if tt.refused == "" {
			accepted++
			if err != nil || v.Outcome == abi.Allow || v.Contract != "acme/p" || v.Plugin == nil {
				t.Errorf("%s: %+v, %v", tt.name, v, err)
			}
		} else {
			refused++
			if err == nil || !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("%s: %v; want %q", tt.name, err, tt.refused)
			}
			if v.Outcome != abi.Deny {
				t.Errorf("%s: outcome %s beside an error", tt.name, v.Outcome)
			}
		}
		if ok := fits(t, text, tt.text); ok != (tt.refused == "" || tt.schema) {
			t.Errorf("%s: fits the schema: %v", tt.name, ok)
		}
	}
	if accepted < 15 || refused < 25 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}

func TestAPluginsVerdictIsSaidInHostWords(t *testing.T) {
	v, err := abi.ParsePluginVerdict([]byte(sample(t, "The verdict")), whole, "acme/all", abi.PhaseCall)
	if err != nil {
		t.Fatal(err)
	}
	if v.Reason != "the contract denies it" || v.Plugin.Reason != "for the operator" {
		t.Errorf("reason %q, of the plugin %q", v.Reason, v.Plugin.Reason)
	}
	got := fmt.Sprint(v.At, v.Obligations.CallLabels, v.Obligations.SessionLabels, *v.Obligations.Calls, v.Plugin.Tags)
	if want := "[/call/arguments/body] [acme/all:x] [acme/all:y] 20 [{rule R7}]"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if shown := string(v.Projection(func(s string) string { return s })); strings.Contains(shown, "operator") || strings.Contains(shown, "R7") {
		t.Errorf("the client sees what the plugin wrote: %s", shown)
	}
}

func FuzzParsePluginVerdict(f *testing.F) {
	for _, seed := range []string{`{"outcome":"deny","code":"EXFIL_URL"}`, `{"outcome":"abstain","redact":["/result/a"],"hide":["x"],"budget":{"calls":1},"tags":{"a":"b"},"labels":{"call":["x"]},"at":["/~0"]}`} {
		f.Add([]byte(seed), "call")
	}
	text := schema(f, "verdict")
	f.Fuzz(func(t *testing.T, data []byte, phase string) {
		v, err := abi.ParsePluginVerdict(data, whole, "p", abi.Phase(phase))
		if err != nil {
			if v.Outcome != abi.Deny {
				t.Errorf("outcome %s beside %v", v.Outcome, err)
			}
			return
		}
		if v.Outcome == abi.Allow || !fits(t, text, string(data)) && !strings.Contains(string(data), `\ud`) && !strings.Contains(string(data), `\uD`) {
			t.Errorf("accepts %q", data)
		}
	})
}
