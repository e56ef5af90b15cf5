package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzClassify: no answer but a refusal for what a lenient parser would read as another call.
func FuzzClassify(f *testing.F) {
	for _, c := range readCorpus(f) {
		f.Add(c.frame, c.side == FromServer, c.opt.Batches)
	}
	f.Fuzz(func(t *testing.T, raw []byte, server, batches bool) {
		before := bytes.Clone(raw)
		side := FromClient
		if server {
			side = FromServer
		}
		frame := Classify(raw, side, Options{Batches: batches})
		checkFrame(t, frame, side)
		if !bytes.Equal(raw, before) || !bytes.Equal(frame.Raw, raw) {
			t.Fatalf("the frame's bytes changed from %q to %q", before, frame.Raw)
		}
		if frame.Kind == Refused || frame.Kind == Noise {
			return
		}
		stripped, changed, err := StripOwnMeta(raw)
		if frame.Kind != Blank && (err != nil || server && changed != frame.HasOwnMeta) {
			t.Fatalf("%q has own _meta %v, stripped to %q, %v, %v", raw, frame.HasOwnMeta, stripped, changed, err)
		}
		if frame.Kind == Batch || frame.Kind == Blank {
			return
		}
		compact, err := Compact(raw)
		if err != nil {
			t.Fatalf("%q passes, yet does not compact: %v", raw, err)
		}
		if again := Classify(compact, side, Options{Batches: batches}); again.Kind != frame.Kind || again.ID != frame.ID || again.Method != frame.Method {
			t.Fatalf("%q is %v, its compact form %q is %v (%+v)", raw, frame.Kind, compact, again.Kind, again.Problem)
		}
	})
}

// FuzzSplice: bytes outside the edit stay, and a frame stays a frame when a value is replaced by a value.
func FuzzSplice(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,{"b":"c"}]}}}`), 1, 5, []byte(`{"d":null}`), "/a/1/b")
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"":{"~":1}}}}`), 0, 0, []byte(`1`), "//~0")
	f.Add([]byte(`{"a"}`), 2, 1, []byte(``), "x")
	f.Fuzz(func(t *testing.T, raw []byte, start, end int, with []byte, pointer string) {
		out, err := Splice(raw, []Edit{{Span{start, end}, with}})
		inside := start >= 0 && start <= end && end <= len(raw)
		if (err == nil) != inside {
			t.Fatalf("span %d to %d of %d bytes: %v", start, end, len(raw), err)
		}
		if inside && string(out) != string(raw[:start])+string(with)+string(raw[end:]) {
			t.Fatalf("%q became %q", raw, out)
		}
		frame := Classify(raw, FromClient, Options{})
		if frame.Kind != Request || frame.Call == nil || frame.Call.Arguments.IsZero() {
			return
		}
		at, err := Find(raw, frame.Call.Arguments, pointer)
		if err != nil {
			return
		}
		checkSpan(t, raw, at)
		if out, err = Splice(raw, []Edit{{at, with}}); err != nil {
			t.Fatal(err)
		}
		value := jsontext.Value(with)
		if value.IsValid() && value.Kind() == '{' && !bytes.ContainsRune(with, '\r') && !json.Valid(out) {
			t.Fatalf("%q in place of %q gave %q", with, at.In(raw), out)
		}
	})
}

// hasOwn is the plain reading of StripOwnMeta's rule.
func hasOwn(v any, isMeta bool) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if hasOwn(e, false) {
				return true
			}
		}
	case map[string]any:
		for name, e := range v {
			if isMeta && strings.HasPrefix(name, OwnMetaPrefix) || hasOwn(e, strings.EqualFold(name, "_meta")) {
				return true
			}
		}
	}
	return false
}

func FuzzStripOwnMeta(f *testing.F) {
	f.Add([]byte(`{"_meta":{"dev.callgate/x":1,"a":2,"dev\u002ecallgate\/y":{}}}`))
	f.Add([]byte(`[{"\u005fmeta":{ "a" : 1 , "dev.callgate/x" : [ ] } , "_META":{}}]`))
	f.Add([]byte(`{"dev.callgate/x":{"_meta":{"b":1}}}`))
	for _, c := range readCorpus(f) {
		f.Add(c.frame)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, changed, err := StripOwnMeta(raw)
		var v any
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		strict := jsontext.Value(raw).IsValid(jsontext.AllowInvalidUTF8(true))
		if err != nil {
			if strict && !bytes.Contains(raw, []byte("\xff")) && json.Valid(raw) && bytes.Equal(raw, bytes.ToValidUTF8(raw, nil)) {
				t.Fatalf("%q is strict JSON, yet: %v", raw, err)
			}
			return
		}
		if !strict || decoder.Decode(&v) != nil {
			if changed {
				t.Fatalf("%q is not strict JSON, yet it was changed", raw)
			}
			return
		}
		if had := hasOwn(v, false); had != changed {
			t.Fatalf("%q holds own members: %v, changed: %v", raw, had, changed)
		}
		if !changed {
			if !bytes.Equal(out, raw) {
				t.Fatalf("%q became %q without a change", raw, out)
			}
			return
		}
		var w any
		decoder = json.NewDecoder(bytes.NewReader(out))
		decoder.UseNumber()
		if err := decoder.Decode(&w); err != nil || hasOwn(w, false) {
			t.Fatalf("%q became %q (%v)", raw, out, err)
		}
		if again, changed, err := StripOwnMeta(out); changed || err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q became %q and then %q (%v)", raw, out, again, err)
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("{}\r\n\nж😀\rlast"), []byte{0, 3, 1})
	f.Add([]byte("\n"), []byte{})
	f.Add([]byte("abcdefghijklmnop\nq\n"), []byte{6})
	f.Fuzz(func(t *testing.T, text, sizes []byte) {
		var joined []byte
		for _, line := range readAll(t, NewReader(&chunks{text: text, sizes: sizes}, len(text)+1)) {
			if i := bytes.IndexByte(line.Bytes, '\n'); line.TooLong || i >= 0 && i != len(line.Bytes)-1 {
				t.Fatalf("line %q, too long %v", line.Bytes, line.TooLong)
			}
			joined = append(joined, line.Bytes...)
		}
		if !bytes.Equal(joined, text) {
			t.Fatalf("read %q of %q", joined, text)
		}
		const max = 8
		whole := readAll(t, NewReader(bytes.NewReader(text), 0))
		capped := readAll(t, NewReader(&chunks{text: text, sizes: sizes}, max))
		if len(whole) != len(capped) {
			t.Fatalf("%d lines with a cap, %d without", len(capped), len(whole))
		}
		for i := range whole {
			if capped[i].TooLong != (len(whole[i].Bytes) > max) || !bytes.HasPrefix(whole[i].Bytes, capped[i].Bytes) {
				t.Fatalf("line %q with a cap is %q, too long %v", whole[i].Bytes, capped[i].Bytes, capped[i].TooLong)
			}
		}
	})
}

// FuzzScanIDs: the search for ids takes any bytes in any pieces, and finds on a strict frame what the parser finds.
func FuzzScanIDs(f *testing.F) {
	for _, c := range readCorpus(f) {
		f.Add(c.frame, 3)
	}
	f.Fuzz(func(t *testing.T, raw []byte, cut int) {
		all := scanIDs(raw)
		var s idScanner
		cut = min(max(cut, 0), len(raw))
		s.feed(raw[:cut])
		s.feed(raw[cut:])
		pieces := s.finish()
		for _, pair := range [][2][]ID{{all.requests, pieces.requests}, {all.responses, pieces.responses}, {all.unclear, pieces.unclear}} {
			if lexemes(pair[0]) != lexemes(pair[1]) {
				t.Fatalf("%q cut at %d: %v, at once %v", raw, cut, pair[1], pair[0])
			}
			for _, id := range pair[0] {
				if !jsontext.Value(id.Raw).IsValid(jsontext.AllowInvalidUTF8(true)) {
					t.Fatalf("%q gave the id %q", raw, id.Raw)
				}
			}
		}
		frame := Classify(raw, FromClient, Options{})
		if frame.Kind == Request && len(frame.ID.Raw) <= maxScannedText && lexemes(all.requests) != frame.ID.Raw {
			t.Fatalf("%q has the id %s, found %v", raw, frame.ID.Raw, all.requests)
		}
	})
}
