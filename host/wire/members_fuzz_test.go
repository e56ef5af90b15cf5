package wire

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// pairsOf lists the members of an object as their names and the bytes of their values.
func pairsOf(t *testing.T, raw []byte, object Span) (names []string, texts [][2]string) {
	t.Helper()
	for e, err := range Members(raw, object) {
		if err != nil {
			t.Fatalf("%q at %v: %v", raw, object, err)
		}
		checkSpan(t, raw, e.Key)
		checkSpan(t, raw, e.Value)
		names = append(names, e.Name)
		texts = append(texts, [2]string{string(e.Key.In(raw)), string(e.Value.In(raw))})
	}
	return names, texts
}

// spliceWithin makes edits that must stay within the brackets at around, in a text that is strict JSON, and returns the text and the new place.
func spliceWithin(t *testing.T, raw []byte, around Span, edits []Edit) ([]byte, Span) {
	t.Helper()
	before := bytes.Clone(raw)
	out, err := Splice(raw, edits)
	if err != nil {
		t.Fatalf("edits %v of %q: %v", edits, raw, err)
	}
	head, tail := raw[:around.Start+1], raw[around.End-1:]
	if !bytes.Equal(raw, before) || !bytes.HasPrefix(out, head) || !bytes.HasSuffix(out, tail) {
		t.Fatalf("edits %v of %q at %v changed what is around: %q", edits, raw, around, out)
	}
	if !jsontext.Value(out).IsValid(jsontext.AllowInvalidUTF8(true)) {
		t.Fatalf("edits %v of %q at %v made %q, which is not strict JSON", edits, raw, around, out)
	}
	return out, Span{around.Start, len(out) - len(raw) + around.End}
}

// checkEditMembers holds EditMembers against the plain reading: the members in order, without those that go, with the values that are set, and behind
// them those that are added. It reports whether anything changed.
func checkEditMembers(t *testing.T, raw []byte, object Span, changes []Member) bool {
	t.Helper()
	edits, err := EditMembers(raw, object, changes...)
	if err != nil {
		t.Fatalf("%v of %q at %v: %v", changes, raw, object, err)
	}
	out, at := spliceWithin(t, raw, object, edits)
	names, want := pairsOf(t, raw, object)
	present := map[string]int{}
	for i, name := range names {
		present[name] = i
	}
	gone := map[int]bool{}
	var added [][2]string
	for _, m := range changes {
		i, ok := present[m.Name]
		switch {
		case ok && m.Value == nil:
			gone[i] = true
		case ok:
			want[i][1] = lineText(t, m.Value)
		case m.Value != nil:
			added = append(added, [2]string{string(AppendString(nil, m.Name)), lineText(t, m.Value)})
		}
	}
	_, got := pairsOf(t, out, at)
	stays := 0
	for i, pair := range want {
		if gone[i] {
			continue
		}
		if stays >= len(got) || got[stays] != pair {
			t.Fatalf("%v of %q gave %q; %v is not where it was", changes, raw, out, pair)
		}
		stays++
	}
	if len(got) != stays+len(added) {
		t.Fatalf("%v of %q gave %q; want %d members", changes, raw, out, stays+len(added))
	}
	for i, pair := range added {
		if got[stays+i] != pair {
			t.Fatalf("%v of %q gave %q; want %v behind the rest", changes, raw, out, pair)
		}
	}
	if len(gone) == 0 && len(added) == 0 && len(changes) == 0 && !bytes.Equal(out, raw) {
		t.Fatalf("%q became %q without a change", raw, out)
	}
	return len(edits) > 0
}

// lineText is the bytes that a value is written with.
func lineText(t *testing.T, value []byte) string {
	t.Helper()
	if bytes.ContainsAny(value, "\r\n") {
		compact, err := Compact(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(compact)
	}
	return string(bytes.Trim(value, " \t"))
}

// checkRemoveItems takes out the items whose bit of mask is set and holds the rest against the items that were there.
func checkRemoveItems(t *testing.T, raw []byte, array Span, mask uint64) {
	t.Helper()
	var want []string
	i, dropped := 0, 0
	for s, err := range Items(raw, array) {
		if err != nil {
			t.Fatalf("%q at %v: %v", raw, array, err)
		}
		checkSpan(t, raw, s)
		if mask>>(i%64)&1 == 0 {
			want = append(want, string(s.In(raw)))
		} else {
			dropped++
		}
		i++
	}
	at := 0
	edits, n, err := RemoveItems(raw, array, func([]byte) bool { at++; return mask>>((at-1)%64)&1 != 0 })
	if err != nil || n != dropped || dropped == 0 && len(edits) > 0 {
		t.Fatalf("%q at %v: dropped %d with %d edits (%v), want %d", raw, array, n, len(edits), err, dropped)
	}
	out, within := spliceWithin(t, raw, array, edits)
	i = 0
	for s, err := range Items(out, within) {
		if err != nil || i >= len(want) || string(s.In(out)) != want[i] {
			t.Fatalf("%q became %q (%v); item %d is %q", raw, out, err, i, s.In(out))
		}
		i++
	}
	if i != len(want) {
		t.Fatalf("%q became %q; want %d items", raw, out, len(want))
	}
}

// FuzzEditMembers edits whatever object or array a pointer finds in a strict text.
func FuzzEditMembers(f *testing.F) {
	f.Add([]byte(`{"a":1 , "b":[1, {} ,3],"\u0063":{}}`), "", "a", []byte(`null`), "c", uint64(0))
	f.Add([]byte(`{"a":1 , "b":[1, {} ,3],"\u0063":{}}`), "/b", "", []byte(``), "", uint64(5))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s"}}`), "/result", "requestState", []byte(`"cg1.x"`), "resultType", uint64(0))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b"}]}}`), "/result/tools", "", []byte("{\n}"), "x", uint64(3))
	f.Add([]byte("[{\n}]"), "/0", "\u2028", []byte("[\r\n]"), "", uint64(1))
	f.Fuzz(func(t *testing.T, raw []byte, pointer, name string, value []byte, gone string, mask uint64) {
		if _, err := Compact(raw); err != nil {
			return
		}
		at, err := Find(raw, Span{0, len(raw)}, pointer)
		if err != nil {
			return
		}
		text := at.In(raw)
		if text[0] == '[' {
			checkRemoveItems(t, raw, at, mask)
		}
		changes := []Member{{Name: gone}}
		if name != gone {
			changes = append(changes, Member{Name: name, Value: value})
		}
		_, err = EditMembers(raw, at, changes...)
		_, valueErr := Compact(value)
		good := text[0] == '{' && bytes.Equal([]byte(name), bytes.ToValidUTF8([]byte(name), []byte("\ufffd"))) && bytes.Equal([]byte(gone), bytes.ToValidUTF8([]byte(gone), []byte("\ufffd")))
		if len(changes) == 2 && value != nil {
			good = good && valueErr == nil
		}
		if good != (err == nil) {
			t.Fatalf("%v of %q at %v: %v", changes, raw, at, err)
		}
		if err == nil {
			checkEditMembers(t, raw, at, changes)
		}
	})
}
