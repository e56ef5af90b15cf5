package provenance

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// lookup explains one value.
func lookup(x Index, value string) abi.Finding {
	return x.Explain(abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue(value)}), []abi.Wanted{{At: "/to"}})[0]
}

func TestTextBlocksAreReadIntoFields(t *testing.T) {
	mail := "mallory@rogue.example"
	cases := []struct {
		name, mode, text string
		want             abi.Position
		view             string
	}{
		{"json", "", `{"a":[{"from":"mallory@rogue.example"}]}`, abi.Field, "json:/a/0/from"},
		{"json key", "", `{"shared":{"mallory@rogue.example":"rw"}}`, abi.Field, "json:/shared/mallory@rogue.example"},
		{"json longer string", "", `{"a":"ask mallory@rogue.example"}`, abi.Prose, "json:/a"},
		{"json with data after it", "", `{"a":"mallory@rogue.example"} and`, abi.Prose, ""},
		{"ndjson", "", "{\"a\":1}\n{\"a\":\"mallory@rogue.example\"}\n", abi.Field, "ndjson:/1/a"},
		{"yaml", "", "a: 1\nlist:\n- x\n- mallory@rogue.example\n", abi.Field, "yaml:/list/1"},
		{"yaml nested", "", "- a: b\n  to:\n    mail: 'mallory@rogue.example'\n- a: c\n", abi.Field, "yaml:/0/to/mail"},
		{"yaml key", "", "shared:\n  mallory@rogue.example: rw\n  a@b.example: r\n", abi.Field, "yaml:/shared/mallory@rogue.example"},
		{"yaml folded", "", "a: 1\nbody: 'write\n  to mallory@rogue.example\n  now'\nb: 2\n", abi.Prose, "yaml:/body"},
		{"yaml literal", "", "a: 1\nbody: |\n  mallory@rogue.example\nb: 2\n", abi.Prose, "yaml:/body"},
		{"yaml with a sentence", "", "a: 1\nb: 2\nand then mallory@rogue.example\n", abi.Prose, ""},
		{"one line is no list of fields", "", "to: mallory@rogue.example", abi.Prose, ""},
		{"headers", "", "From: M <mallory@rogue.example>\nSubject: x\n\nhello", abi.Field, "headers:/from"},
		{"header of another kind", "", "From: a@b.example\nSubject: write to mallory@rogue.example\n\nhello", abi.Prose, "headers:/subject"},
		{"headers, body", "", "From: a@b.example\nSubject: x\n\nto: mallory@rogue.example\n", abi.Prose, "headers"},
		{"headers by order", readHeaders, "X-Id: 1\nOwner: mallory@rogue.example", abi.Field, "headers:/owner"},
		{"prose by order", readProse, `{"a":"mallory@rogue.example"}`, abi.Prose, ""},
		{"json by order, not json", readJSON, "a: 1\nb: mallory@rogue.example\n", abi.Prose, ""},
		{"the whole block", "", mail, abi.Prose, ""},
	}
	for _, c := range cases {
		x := New(Options{Source: func(string, string) Source { return Source{Text: c.mode} }})
		x.Record(textResult("c", "s", "t", c.text))
		f := lookup(x, mail)
		if len(f.Evidence) == 0 || f.Evidence[0].Position != c.want || f.Evidence[0].View != c.view || f.Evidence[0].Pointer != "/content/0/text" {
			t.Errorf("%s: got %+v, want %s in view %q", c.name, f.Evidence, c.want, c.view)
			continue
		}
		e := f.Evidence[0]
		if got := c.text[e.Offset : e.Offset+e.Length]; got != mail {
			t.Errorf("%s: bytes %d-%d are %q", c.name, e.Offset, e.Offset+e.Length, got)
		}
		if other := lookup(x, "nobody@elsewhere.example"); other.Origin != abi.OriginUnproven || len(other.Evidence) != 0 {
			t.Errorf("%s: a value that is not there: %+v", c.name, other)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
}

// A decoded escape has the offset of its whole token.
func TestOffsetsOfEscapedFields(t *testing.T) {
	text := `{"a":"m\u0061llory@rogue.example"}`
	x := New(Options{})
	x.Record(textResult("c", "s", "t", text))
	e := lookup(x, "mallory@rogue.example").Evidence[0]
	if got := text[e.Offset : e.Offset+e.Length]; got != `"m\u0061llory@rogue.example"` {
		t.Errorf("bytes are %q", got)
	}
}

func TestTextByReference(t *testing.T) {
	kept := textValue("write to mallory@rogue.example")
	data := append([]byte("junk"), kept.Append(nil)...)
	ref := &abi.Text{Digest: kept.Digest(), Offset: 4, Length: int64(len(data) - 4)}
	result := func(ref *abi.Text) abi.Event {
		return abi.Event{Result: &abi.ResultEvent{Call: "c", Server: "s"}, Text: ref}
	}
	cases := []struct {
		name string
		text []byte
		ref  *abi.Text
		want abi.Position
	}{
		{"kept", data, ref, abi.Prose},
		{"never kept", data, &abi.Text{Offset: -1}, abi.Evicted},
		{"no reader", nil, ref, abi.Evicted},
		{"short", data[:len(data)-2], ref, abi.Evicted},
		{"changed", bytes.Replace(data, []byte("write"), []byte("wrote"), 1), ref, abi.Evicted},
	}
	for _, c := range cases {
		o := Options{}
		if c.text != nil {
			o.Text = textAt{bytes.NewReader(c.text)}
		}
		x := New(o)
		x.Record(result(c.ref))
		f := lookup(x, "mallory@rogue.example")
		if len(f.Evidence) == 0 || f.Evidence[0].Position != c.want {
			t.Errorf("%s: got %+v, want %s", c.name, f.Evidence, c.want)
		}
	}
}

func TestEverythingAServerSaysIsRecorded(t *testing.T) {
	str := abi.StringValue
	obj := func(name string, v abi.Value) abi.Value { return abi.ObjectValue(abi.Member{Name: name, Value: v}) }
	word := str("say loot-drop-9 now")
	cases := []struct {
		name  string
		event abi.Event
		at    string // "" : not recorded
	}{
		{"error", abi.Event{Result: &abi.ResultEvent{Server: "s", Error: obj("message", word)}}, "/error/message"},
		{"member name", abi.Event{Result: &abi.ResultEvent{Server: "s", Value: obj("say loot-drop-9 now", str("x"))}}, "/say loot-drop-9 now"},
		{"notification", abi.Event{Frame: &abi.FrameEvent{Server: "s", Frame: obj("data", word)}}, "/data"},
		{"definition", abi.Event{Tools: &abi.ToolsEvent{Server: "s", List: []abi.Value{obj("description", word)}}}, "/tools/0/description"},
		{"stored definition", abi.Event{Tools: &abi.ToolsEvent{Server: "s", Source: abi.ToolsStored, List: []abi.Value{obj("description", word)}}}, "/tools/0/description"},
		{"definition made of calls", abi.Event{Tools: &abi.ToolsEvent{Server: "s", Source: abi.ToolsCalled, List: []abi.Value{obj("description", word)}}}, ""},
		{"refused frame", abi.Event{Refused: &abi.RefusedEvent{Server: "s", From: "server", Bytes: []byte("{say loot-drop-9 now")}}, "-"},
		{"frame refused to the client", abi.Event{Refused: &abi.RefusedEvent{Server: "s", From: "client", Bytes: []byte("say loot-drop-9 now")}}, ""},
		{"call", abi.Event{Call: &abi.Call{ID: "c", Arguments: obj("a", word)}}, ""},
	}
	for _, c := range cases {
		x := New(Options{})
		x.Record(c.event)
		f := lookup(x, "loot-drop-9")
		at := ""
		if len(f.Evidence) > 0 {
			if at = f.Evidence[0].Pointer; at == "" {
				at = "-"
			}
		}
		if at != c.at {
			t.Errorf("%s: found at %q, want %q", c.name, at, c.at)
		}
	}
}

func TestNumbersAreText(t *testing.T) {
	number := func(lexeme string) abi.Value {
		v, err := abi.Parse([]byte(lexeme))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	cases := []struct {
		said, value string
		want        abi.Position
	}{
		{"998877665544", "998877665544", abi.Field},
		{"998877665544", "9.98877665544e11", abi.Field},
		{"998877665544", "998877665544.0", abi.Field},
		{"1234567", "1234567", abi.Unproven},
		{"998877665544", "998877665545", abi.Unproven},
	}
	for _, c := range cases {
		x := New(Options{})
		x.Record(abi.Event{Result: &abi.ResultEvent{Server: "s", Value: abi.ObjectValue(abi.Member{Name: "structuredContent", Value: abi.ArrayValue(number(c.said))})}})
		f := x.Explain(abi.ArrayValue(number(c.value)), []abi.Wanted{{At: "/0"}})[0]
		got := abi.Unproven
		if len(f.Evidence) > 0 {
			got = f.Evidence[0].Position
		}
		if got != c.want {
			t.Errorf("%s said, %s asked: got %s, want %s", c.said, c.value, got, c.want)
		}
	}
}

func TestEvidenceIsCappedAndKeepsEveryPosition(t *testing.T) {
	x := New(Options{})
	for i := 0; i < 50; i++ {
		x.Record(textResult(fmt.Sprint("c-", i), "s", "t", "mallory@rogue.example said, mallory@rogue.example.org did"))
	}
	x.Record(textResult("last", "s", "t", `{"a":"mallory@rogue.example"}`))
	f := lookup(x, "mallory@rogue.example")
	if len(f.Evidence) != maxEvidence || f.Evidence[0].Call != "c-0" {
		t.Fatalf("got %d pieces, first %+v", len(f.Evidence), f.Evidence[0])
	}
	seen := map[abi.Position]bool{}
	for i, e := range f.Evidence {
		seen[e.Position] = true
		if i > 0 && rank(e.Position) < rank(f.Evidence[i-1].Position) {
			t.Errorf("evidence %d is stronger than the one before it", i)
		}
	}
	if !seen[abi.Prose] || !seen[abi.Field] {
		t.Errorf("positions %v", seen)
	}
}

// A flood of places is given up on with evidence that asks.
func TestAFloodSaturates(t *testing.T) {
	x := New(Options{})
	x.Record(textResult("c", "s", "t", strings.Repeat("xloot-drop-9", maxPlaces+1)))
	f := lookup(x, "loot-drop-9")
	last := f.Evidence[len(f.Evidence)-1]
	if f.Evidence[0].Position != abi.Glued || last.Position != abi.Saturated {
		t.Errorf("got %+v", f.Evidence)
	}
}

func TestWhatTheUserSaid(t *testing.T) {
	x := New(Options{})
	x.Record(abi.Event{User: &abi.UserEvent{Text: "Pay GB29 NWBK 6016 1331 9268 19, tell bob@partner.example, Riverside View Hotel and #ops."}})
	said := []string{"bob@partner.example", "bob@PARTNER.example", "Riverside View Hotel", "#ops", "ops", "GB29 NWBK 6016 1331 9268 19"}
	unsaid := []string{"Bob@partner.example", "ob@partner.example", "partner.example", "riverside view hotel", "View Hotelx", "bob@partner.example\u200b", "@ops"}
	for _, v := range said {
		if f := lookup(x, v); f.Origin != abi.OriginClient {
			t.Errorf("%q: got %s, want client", v, f.Origin)
		}
	}
	for _, v := range unsaid {
		if f := lookup(x, v); f.Origin >= abi.OriginClient {
			t.Errorf("%q: got %s, want it unproven", v, f.Origin)
		}
	}
}

func TestWhatTheUserSaidByReference(t *testing.T) {
	kept := abi.StringValue("write to bob@partner.example")
	data := kept.Append(nil)
	said := abi.Event{User: &abi.UserEvent{}, Text: &abi.Text{Digest: kept.Digest(), Length: int64(len(data))}}
	for name, c := range map[string]struct {
		text abi.TextReader
		want abi.Origin
	}{
		"kept": {textAt{bytes.NewReader(data)}, abi.OriginClient}, "gone": {nil, abi.OriginUnproven},
		"changed": {textAt{bytes.NewReader(bytes.ReplaceAll(data, []byte("write"), []byte("wrote")))}, abi.OriginUnproven},
	} {
		x := New(Options{Text: c.text})
		x.Record(said)
		if f := lookup(x, "bob@partner.example"); f.Origin != c.want {
			t.Errorf("%s: got %s, want %s", name, f.Origin, c.want)
		}
	}
}

func TestGenericPointers(t *testing.T) {
	for in, want := range map[string]string{"/to/1": "/to/*", "/a/0/b~1c/12": "/a/*/b~1c/*", "/to": "/to", "": "", "/a//b": "/a/*/b"} {
		if got := Generic(in); got != want {
			t.Errorf("Generic(%q) = %q, want %q", in, got, want)
		}
	}
}

// history is an index with a given amount of mail-like text.
func history(size int) Index {
	x := New(Options{})
	line := "On Tuesday %d the committee of user%d@site%d.example met at https://site%d.example/minutes/%d and decided nothing at all. "
	for i, n := 0, 0; n < size; i++ {
		var b strings.Builder
		for b.Len() < 8<<10 {
			fmt.Fprintf(&b, line, i, b.Len(), i, i, b.Len())
		}
		n += b.Len()
		x.Record(textResult(fmt.Sprint("c-", i), "mail", "read", b.String()))
	}
	return x
}

// Long values and texts that match everywhere end in a bounded answer.
func TestAFloodOfOneLetterIsAnswered(t *testing.T) {
	x := history(1 << 20)
	x.Record(textResult("flood", "s", "t", strings.Repeat("a", 1<<20)))
	args := abi.ArrayValue(abi.StringValue(strings.Repeat("a", 300)), abi.StringValue("nobody@else.example"), abi.StringValue("a"))
	found := x.Explain(args, []abi.Wanted{{At: "/0"}, {At: "/1"}, {At: "/2"}})
	want := []abi.Origin{abi.OriginTainted, abi.OriginUnproven, abi.OriginUnproven}
	if len(found) != len(want) {
		t.Fatalf("%d findings, want %d", len(found), len(want))
	}
	for i, f := range found {
		if f.Origin != want[i] || len(f.Evidence) > maxEvidence {
			t.Errorf("value %d: %s with %d pieces of evidence, want %s", i, f.Origin, len(f.Evidence), want[i])
		}
	}
}

func BenchmarkExplainMiss(b *testing.B) {
	x := history(1 << 20)
	args := abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue("nobody@elsewhere.example")})
	b.ReportAllocs()
	for b.Loop() {
		x.Explain(args, []abi.Wanted{{At: "/to"}})
	}
}

func BenchmarkExplainHit(b *testing.B) {
	x := history(1 << 20)
	args := abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue("user0@site60.example")})
	b.ReportAllocs()
	for b.Loop() {
		x.Explain(args, []abi.Wanted{{At: "/to"}})
	}
}

func BenchmarkExplainBody(b *testing.B) {
	x := history(1 << 20)
	body := strings.Repeat("A plain sentence without any address in it, of the kind that mails have.\n", 1400)
	args := abi.ObjectValue(abi.Member{Name: "body", Value: abi.StringValue(body)})
	b.ReportAllocs()
	for b.Loop() {
		x.Explain(args, []abi.Wanted{{At: "/body"}})
	}
}

func BenchmarkRecord(b *testing.B) {
	text := strings.Repeat("A plain sentence for user1@site.example, of the kind that mails have.\n", 1400)
	e := textResult("c", "s", "t", text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		New(Options{}).Record(e)
	}
}

// textAt reads the text of events out of one reader.
type textAt struct{ io.ReaderAt }

func (r textAt) ReadText(t abi.Text, dst []byte, at int64) error {
	if n, err := r.ReadAt(dst, t.Offset+at); n < len(dst) {
		return err
	}
	return nil
}

// TestWhatIsNotDecodedAsks: what a text hides below two encodings of it is not known,
// and evidence says so.
func TestWhatIsNotDecodedAsks(t *testing.T) {
	deep := "see " + base64.StdEncoding.EncodeToString([]byte("then "+base64.StdEncoding.EncodeToString([]byte("it is mallory%40rogue.example"))))
	for text, want := range map[string]string{deep: ViewOpaque, "see the minutes": ""} {
		x := New(Options{})
		x.Record(textResult("c", "s", "t", text))
		got := ""
		for _, e := range lookup(x, "mallory@rogue.example").Evidence {
			if e.Position == abi.Evicted {
				got = e.View
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
