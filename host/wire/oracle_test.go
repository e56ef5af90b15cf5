package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
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

// lenientParams are the params of any other request that has a rule.
type lenientParams struct {
	Name           any             `json:"name"`
	URI            any             `json:"uri"`
	TaskID         any             `json:"taskId"`
	RequestState   json.RawMessage `json:"requestState"`
	InputResponses json.RawMessage `json:"inputResponses"`
	Meta           struct {
		Capabilities  json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
		ProgressToken json.RawMessage `json:"progressToken"`
	} `json:"_meta"`
}

type lenientResult struct {
	Type     any             `json:"resultType"`
	Requests json.RawMessage `json:"inputRequests"`
	State    json.RawMessage `json:"requestState"`
}

type lenientAsk struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// checkFrame holds what is true of every answer of Classify, and against the lenient reading of every frame that is not refused.
func checkFrame(t *testing.T, f Frame, side Side) {
	t.Helper()
	if (f.Kind == Refused) != (f.Problem != nil) && f.Kind != Batch {
		t.Fatalf("kind %v with problem %+v", f.Kind, f.Problem)
	}
	for _, s := range []Span{f.IDSpan, f.Params, f.Result, f.Error, f.RequestState, f.InputResponses, f.InputRequests, f.State, f.Capabilities, f.ProgressToken, f.SubscriptionID} {
		checkSpan(t, f.Raw, s)
	}
	for _, ask := range f.Asked {
		checkSpan(t, f.Raw, ask.Value)
		checkSpan(t, f.Raw, ask.Params)
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
		checkFrame(t, f.Elements[i], side)
	}
	switch f.Kind {
	case Refused, Blank, Noise:
	case Batch:
		var elements []json.RawMessage
		if err := json.Unmarshal(f.Raw, &elements); err != nil || len(elements) != len(f.Elements) {
			t.Fatalf("a lenient parser reads %d elements (%v), we read %d", len(elements), err, len(f.Elements))
		}
	default:
		checkLenient(t, f, side)
		line, err := LineOf(f)
		if i := bytes.IndexAny(line, "\r\n"); err != nil || i < len(line)-2 || bytes.Count(line, []byte{'\n'}) != 1 {
			t.Fatalf("%q as a line is %q (%v)", f.Raw, line, err)
		}
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

func checkLenient(t *testing.T, f Frame, side Side) {
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
	if side == FromServer {
		checkLenientResult(t, f, got.Result)
		return
	}
	checkLenientParams(t, f, side, got.Params)
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

// checkLenientParams compares what a client's params ask for.
func checkLenientParams(t *testing.T, f Frame, side Side, params json.RawMessage) {
	t.Helper()
	var got lenientParams
	if f.Method == "" || !lenientInto(t, params, &got) {
		return
	}
	for _, pair := range []struct {
		lenient json.RawMessage
		span    Span
	}{{got.RequestState, f.RequestState}, {got.InputResponses, f.InputResponses}, {got.Meta.Capabilities, f.Capabilities}, {got.Meta.ProgressToken, f.ProgressToken}} {
		sameRaw(t, f, pair.lenient, pair.span)
	}
	rule := ruleOf(f.Method, side)
	if rule == nil || rule.target == noSlot {
		if f.HasTarget {
			t.Fatalf("%q has the target %q", f.Raw, f.Target)
		}
		return
	}
	target := map[slot]any{paramName: got.Name, paramURI: got.URI, paramTaskID: got.TaskID}[rule.target]
	if target != f.Target || !f.HasTarget {
		t.Fatalf("of %q encoding/json reads the target %q, we read %q", f.Raw, target, f.Target)
	}
}

// checkLenientResult compares what a server's result makes a client ask.
func checkLenientResult(t *testing.T, f Frame, result json.RawMessage) {
	t.Helper()
	var got lenientResult
	if !lenientInto(t, result, &got) {
		return
	}
	sameRaw(t, f, got.Requests, f.InputRequests)
	sameRaw(t, f, got.State, f.State)
	checkLenientAsks(t, f, got.Requests)
	if kind, _ := got.Type.(string); kind != f.ResultType && !strings.ContainsRune(kind, '\ufffd') {
		t.Fatalf("of %q encoding/json reads the type %q, we read %q", f.Raw, kind, f.ResultType)
	}
}

// checkLenientAsks compares the requests in a result, which a client runs as if they had come in frames.
func checkLenientAsks(t *testing.T, f Frame, requests json.RawMessage) {
	t.Helper()
	var got map[string]lenientAsk
	if f.ResultType == "input_required" && len(requests) > 0 {
		if err := json.Unmarshal(requests, &got); err != nil || len(got) != len(f.Asked) {
			t.Fatalf("of %q encoding/json reads %v (%v), we read %v", f.Raw, got, err, f.Asked)
		}
	} else { // what is no request is passed over
		var some map[string]json.RawMessage
		_ = lenientInto(t, requests, &some)
		asks := 0
		for name, one := range some {
			r := lenientAsk{}
			if lenientInto(t, one, &r); r.Method != "" {
				asks++
			}
			if got == nil {
				got = map[string]lenientAsk{}
			}
			got[name] = r
		}
		if asks > len(f.Asked) {
			t.Fatalf("of %q encoding/json reads %v, we read %v", f.Raw, got, f.Asked)
		}
	}
	for _, ask := range f.Asked {
		r, ok := got[ask.Key]
		params := string(r.Params)
		if params == "null" {
			params = ""
		}
		if !ok || r.Method != ask.Method || params != string(ask.Params.In(f.Raw)) {
			t.Fatalf("of %q encoding/json reads %v, we read %v", f.Raw, got, ask)
		}
		var sampling struct {
			Tools json.RawMessage `json:"tools"`
		}
		if ask.Method != "sampling/createMessage" || !lenientInto(t, ask.Params.In(f.Raw), &sampling) {
			continue
		}
		if _, err := Find(f.Raw, ask.Params, "/tools"); (err == nil) != (len(sampling.Tools) > 0) {
			t.Fatalf("of %q encoding/json reads the tools %q, we read none", f.Raw, sampling.Tools)
		}
	}
}

// lenientInto reads an object as far as its types fit, as encoding/json does, and reports whether it is one.
func lenientInto(t *testing.T, object json.RawMessage, into any) bool {
	t.Helper()
	if len(object) == 0 || object[0] != '{' {
		return false
	}
	var misfit *json.UnmarshalTypeError
	if err := json.Unmarshal(object, into); err != nil && !errors.As(err, &misfit) {
		t.Fatalf("encoding/json does not read %q: %v", object, err)
	}
	return true
}

func sameRaw(t *testing.T, f Frame, lenient json.RawMessage, span Span) {
	t.Helper()
	if span.IsZero() != (len(lenient) == 0) || !span.IsZero() && !bytes.Equal(lenient, span.In(f.Raw)) {
		t.Fatalf("of %q encoding/json reads %q, we read %q", f.Raw, lenient, span.In(f.Raw))
	}
}
