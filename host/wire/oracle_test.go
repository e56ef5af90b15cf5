package wire

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient is what a server on Go's encoding/json reads: any case, the last of equal names.
type lenient struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

type lenientCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      json.RawMessage `json:"_meta"`
	Task      json.RawMessage `json:"task"`
}

// checkFrame holds what is true of every answer of Classify, and against the lenient reading of every frame that is not refused.
func checkFrame(t *testing.T, f Frame) {
	t.Helper()
	if (f.Kind == Refused) != (f.Problem != nil) && f.Kind != Batch {
		t.Fatalf("kind %v with problem %+v", f.Kind, f.Problem)
	}
	for _, s := range []Span{f.Params, f.Result, f.Error} {
		checkSpan(t, f.Raw, s)
	}
	if c := f.Call; c != nil {
		for _, s := range []Span{c.Arguments, c.Meta, c.Task} {
			checkSpan(t, f.Raw, s)
		}
		if f.Kind != Request && (f.Problem == nil || f.Problem.Code != CodeCallWithoutID) {
			t.Fatalf("a call on a frame that is %v with problem %+v", f.Kind, f.Problem)
		}
	}
	for i := range f.Elements {
		checkFrame(t, f.Elements[i])
	}
	switch f.Kind {
	case Refused, Blank, Noise:
	case Batch:
		var elements []json.RawMessage
		if err := json.Unmarshal(f.Raw, &elements); err != nil || len(elements) != len(f.Elements) {
			t.Fatalf("a lenient parser reads %d elements (%v), we read %d", len(elements), err, len(f.Elements))
		}
	default:
		checkLenient(t, f)
	}
}

func checkSpan(t *testing.T, raw []byte, s Span) {
	t.Helper()
	if s.IsZero() {
		return
	}
	text := s.In(raw)
	if !jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true)) || len(bytes.TrimSpace(text)) != len(text) {
		t.Fatalf("span %v of %q holds %q, which is not exactly one value", s, raw, text)
	}
}

func checkLenient(t *testing.T, f Frame) {
	t.Helper()
	var got lenient
	if err := json.Unmarshal(f.Raw, &got); err != nil {
		t.Fatalf("forwarded %q, which encoding/json does not read: %v", f.Raw, err)
	}
	if got.JSONRPC != "2.0" || got.Method != f.Method || string(got.ID) != f.ID.Raw {
		t.Fatalf("of %q encoding/json reads version %q method %q id %s, we read %q and %s", f.Raw, got.JSONRPC, got.Method, got.ID, f.Method, f.ID.Raw)
	}
	for _, pair := range []struct {
		lenient json.RawMessage
		span    Span
	}{{got.Params, f.Params}, {got.Result, f.Result}, {got.Error, f.Error}} {
		if !bytes.Equal(pair.lenient, pair.span.In(f.Raw)) && !pair.span.IsZero() || pair.span.IsZero() && len(pair.lenient) > 0 {
			t.Fatalf("of %q encoding/json reads %q, we read %q", f.Raw, pair.lenient, pair.span.In(f.Raw))
		}
	}
	if f.Call == nil {
		return
	}
	var call lenientCall
	if err := json.Unmarshal(got.Params, &call); err != nil {
		t.Fatalf("forwarded a call %q, whose params encoding/json does not read: %v", f.Raw, err)
	}
	for _, pair := range []struct {
		lenient json.RawMessage
		span    Span
	}{{call.Arguments, f.Call.Arguments}, {call.Meta, f.Call.Meta}, {call.Task, f.Call.Task}} {
		if pair.span.IsZero() != (len(pair.lenient) == 0) || !pair.span.IsZero() && !bytes.Equal(pair.lenient, pair.span.In(f.Raw)) {
			t.Fatalf("of %q encoding/json reads %q, we read %q", f.Raw, pair.lenient, pair.span.In(f.Raw))
		}
	}
	if call.Name != f.Call.Name {
		t.Fatalf("of %q encoding/json reads the tool %q, we read %q", f.Raw, call.Name, f.Call.Name)
	}
}
