package callgate

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestVerdictsAreWrittenCanonically(t *testing.T) {
	cases := []struct {
		name string
		v    *Verdict
		want string
	}{
		{"abstain", Abstain(), `{"outcome":"abstain"}`},
		{"ask", Ask("A").At("/call/tool"), `{"at":["/call/tool"],"code":"A","outcome":"ask"}`},
		{"all of it", Deny("B").Because("x\"\n\u2028").At("/a", "/b").LabelCall("c").LabelSession("s", "t").Redact("/result/x").Hide("n").Budget(20).Tag("rule", "R7").Tag("rule", "R8"),
			`{"at":["/a","/b"],"budget":{"calls":20},"code":"B","hide":["n"],"labels":{"call":["c"],"session":["s","t"]},"outcome":"deny","reason":"x\"\u000a` + "\u2028" + `","redact":["/result/x"],"tags":{"rule":"R8"}}`},
		{"a budget of none", Abstain().Budget(-3), `{"budget":{"calls":0},"outcome":"abstain"}`},
		{"no UTF-8", Deny("C").Because("\xff"), `{"code":"C","outcome":"deny","reason":"` + "\uFFFD" + `"}`},
	}
	for _, c := range cases {
		if got := string(c.v.json()); got != c.want || !json.Valid([]byte(got)) {
			t.Errorf("%s: %s; want %s", c.name, got, c.want)
		}
	}
}

func TestVerdictsKeepWhatTheHostTakes(t *testing.T) {
	v := Deny("A").Because(strings.Repeat("é", MaxReasonRunes+1))
	for range MaxPointers + 1 {
		v.At("/x")
	}
	v.At("/" + strings.Repeat("y", MaxPointerRunes))
	for i := range MaxTags + 1 {
		v.Tag(strings.Repeat("n", i+1), strings.Repeat("v", MaxTagRunes+1))
	}
	if len(v.at) != MaxPointers || len([]rune(v.reason)) != MaxReasonRunes || len(v.tags) != MaxTags || len(v.tags[0].text) != MaxTagRunes {
		t.Errorf("keeps %d pointers, %d characters of the reason, %d notes, of %d characters", len(v.at), len([]rune(v.reason)), len(v.tags), len(v.tags[0].text))
	}
}

// TestCausesNeverMakeAVerdictTooLong: whatever they are, and whatever else it says
// but for what it redacts or hides.
func TestCausesNeverMakeAVerdictTooLong(t *testing.T) {
	v := Deny("A").Because(strings.Repeat("\x01", 2000))
	for i := range 300 {
		v.At("/"+strings.Repeat("\x01", 1000)).Tag(strings.Repeat("\x02", 255)+string(rune('a'+i%26)), strings.Repeat("\x03", 300))
		if i < MaxLabels {
			v.LabelCall(strings.Repeat("l", 64)).LabelSession(strings.Repeat("l", 64))
		}
	}
	if n := len(v.json()); n > MaxVerdictBytes || len(v.at) != 32 {
		t.Errorf("%d bytes, with %d causes", n, len(v.at))
	}
}

func TestNamesOfNotesThatBecomeOneAreOne(t *testing.T) {
	got := string(Abstain().Tag("\xff", "a").Tag("\xfe", "b").Tag("\ufffd", "c").Tag("\xff\xff", "d").json())
	if want := `{"outcome":"abstain","tags":{"` + "\ufffd" + `":"c","` + "\ufffd\ufffd" + `":"d"}}`; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

func TestARegisteredPluginIsConfiguredAndAsked(t *testing.T) {
	t.Cleanup(func() { registered = Plugin{} })
	limit := int64(0)
	_ = Register(Plugin{
		Configure: func(settings Value) error {
			n, ok := settings.Get("max").Int()
			if !ok {
				return Wrong(settings.Get("max"), "want a whole number")
			}
			if limit = n; n < 0 {
				return errors.New("negative")
			}
			return nil
		},
		Evaluate: func(s Snapshot) *Verdict {
			Log(LogInfo, "asked")
			if n, _ := s.Call().Argument("/n").Int(); n > limit {
				return Deny("TOO_MUCH").At("/call/arguments/n")
			}
			return nil
		},
	})
	for _, c := range []struct{ snapshot, want, wrong string }{
		{`{"call":{"arguments":{"n":4}},"settings":{"max":3}}`, `{"at":["/call/arguments/n"],"code":"TOO_MUCH","outcome":"deny"}`, ""},
		{`{"call":{"arguments":{"n":3}},"settings":{"max":3}}`, `{"outcome":"abstain"}`, ""},
		{`{"settings":{"max":"3"}}`, "", "/settings/max: want a whole number"},
		{`{"settings":{"max":-1}}`, "", "negative"},
		{`[]`, "", "the snapshot is no JSON object"},
		{`{`, "", "the snapshot is no JSON object"},
	} {
		got, err := Try(c.snapshot)
		if got != c.want || (err == nil) != (c.wrong == "") || err != nil && err.Error() != c.wrong {
			t.Errorf("%s: %s, %v; want %s, %s", c.snapshot, got, err, c.want, c.wrong)
		}
	}
	if _, err := Try(`{"settings":{"max":3}}`); err != nil || len(Logged) != 1 || !LogEnabled(LogDebug) {
		t.Errorf("logged %q, %v", Logged, err)
	}
}

func TestConfigureAnswersInTheFormOfTheABI(t *testing.T) {
	t.Cleanup(func() { registered = Plugin{} })
	load(t, `{"settings":{"max":1}}`)
	for want, err := range map[string]error{
		`{"ok":true}`:                            nil,
		`{"error":"no"}`:                         errors.New("no"),
		`{"at":"/settings/max","error":"small"}`: Wrong(Snapshot{}.Settings().Get("max"), "small"),
	} {
		registered.Configure = func(Value) error { return err }
		if got := string(configure()); got != want {
			t.Errorf("%v: %s; want %s", err, got, want)
		}
	}
}
