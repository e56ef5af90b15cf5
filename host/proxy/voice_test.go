package proxy

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

func TestVoiceSpeaksTheNamesThatTheOperatorGave(t *testing.T) {
	policy, err := abi.Parse([]byte(`{"tools":{"*/read_email":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	say := func(v Voice, server, pointer string) string {
		return v.Sentence(&abi.Verdict{Contract: "sink", Code: "SINK_TAINTED", Witness: []abi.Evidence{{Server: server, Tool: "read_email", Call: "a-1", Pointer: pointer, Length: 3}}})
	}
	plain := NewVoice(policy)
	for _, c := range []struct {
		voice       Voice
		server      string
		pointer     string
		has, hasNot string
	}{
		{plain, "inbox", "/content/0/text", "*/read_email", "inbox"},
		{plain.Naming("inbox"), "inbox", "/content/0/text", "inbox/read_email", "*/"},
		{plain.Naming("inbox"), "other words", "/content/0/text", "*/read_email", "other"},
		{plain.Naming("inbox"), "inbox", "/structuredContent/inbox", "/structuredContent/*", "/inbox,"},
	} {
		if got := say(c.voice, c.server, c.pointer); !strings.Contains(got, c.has) || strings.Contains(got, c.hasNot) {
			t.Errorf("%s %s: %s", c.server, c.pointer, got)
		}
	}
}
