package approval

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// sample is a question with one destination.
func sample() Question {
	args, _ := abi.Parse([]byte(`{"to":["a@x.example"],"body":"hi"}`))
	return Question{
		Group: "g", Policy: "strict", Asked: time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC), Held: true, Waiting: 1, Arguments: args,
		Ask: abi.AskEvent{
			Call: "c1", Server: "mail", Tool: "send", Fingerprint: "sha256:f", Risk: "high",
			Items: []abi.AskItem{{Contract: "sink", Code: "TAINTED", Reason: "to[0] came from web/fetch", Finding: &abi.Finding{
				At: "/to/0", Kind: "mail", Identity: "a@x.example", Value: "a@x.example", Origin: abi.OriginTainted,
				Evidence: []abi.Evidence{{Call: "c0", Server: "web", Tool: "fetch", Pointer: "/content/0/text", Offset: 3, Length: 11, Position: abi.Prose, Snippet: "to a@x.example now"}},
			}}},
		},
	}
}

func wants(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v; want none", what, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: error %v; want one with %q", what, err, want)
	}
}

func cases(t *testing.T, n, want int) {
	t.Helper()
	if n == 0 || n < want {
		t.Fatal(strconv.Itoa(n) + " cases ran; want " + strconv.Itoa(want))
	}
}
