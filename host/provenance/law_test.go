package provenance

import (
	"reflect"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"pgregory.net/rapid"
)

// words are what generated texts and values are made of: addresses, parts of
// them, and the things that glue, hide or separate.
var words = []string{
	"mallory@rogue.example", "rogue.example", "mallory", "@", "https://rogue.example/in", "/in", "?d=1", "GB29NWBK60161331926819",
	"+14155550132", "#loot-drop", "loot-drop", "general", " ", "\n", "\u200b", "ｍ", "а", "é", "e\u0301", ".", ",", ";", "<", ">", "\"",
	"&#64;", "%40", "{", "}", "[", "]", ":", "- ", "key: ", "From: ", "\r\n", "\\u0061", "=40", "\xff", "中文", "ﷺ", "İ", "Bob ", "œ", "⑴", "각", "│", "٤",
}

func genText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12).Draw(t, label), "")
}

func TestFoldWorksCodePointByCodePoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := strings.ToValidUTF8(genText(t, "a"), ""), rapid.String().Draw(t, "b")
		if got, want := Fold(a+b), Fold(a)+Fold(b); got != want {
			t.Fatalf("Fold(%q+%q) = %q, want %q", a, b, got, want)
		}
		if once := Fold(a + b); Fold(once) != once {
			t.Fatalf("Fold(%q) = %q, folded again %q", a+b, once, Fold(once))
		}
		if got, want := bare(a+b), string(appendAlnum(nil, []byte(Fold(a+b)))); got != want {
			t.Fatalf("bare(%q) = %q, want %q", a+b, got, want)
		}
	})
}

func TestCursorFindsTheBytesOfAnImage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, value, after := genText(t, "before"), rapid.SampledFrom(words[:9]).Draw(t, "value"), genText(t, "after")
		raw := strings.ToValidUTF8(before, "?") + value + after
		at := len(Fold(strings.ToValidUTF8(before, "?")))
		c := cursor{raw: raw}
		from := c.start(at)
		to := c.end(at + len(Fold(value)))
		if Fold(raw[from:to]) != Fold(value) {
			t.Fatalf("bytes %d-%d of %q are %q, want %q", from, to, raw, raw[from:to], value)
		}
		if bare(value) == "" {
			return
		}
		at = len(bare(strings.ToValidUTF8(before, "?")))
		c = cursor{raw: raw, bare: true}
		from = c.start(at)
		to = c.end(at + len(bare(value)))
		if bare(raw[from:to]) != bare(value) {
			t.Fatalf("bytes %d-%d of %q are %q, want the letters of %q", from, to, raw, raw[from:to], value)
		}
	})
}

// More text of servers never makes a destination trusted, and the same events
// always give the same answer.
func TestMoreTextNeverVouches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := genText(t, "value")
		args := abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue(value)})
		wanted := []abi.Wanted{{At: "/to", Trusted: []string{"alice@corp.example", "*@corp.example"}}, {At: "/gone"}}
		x, same := New(Options{}), New(Options{})
		n := rapid.IntRange(0, 4).Draw(t, "n")
		for i := 0; i <= n; i++ {
			before := x.Explain(args, wanted)
			text := genText(t, "text")
			if rapid.Bool().Draw(t, "quote") {
				text += value
			}
			e := textResult("c", "s", "t", text)
			if rapid.Bool().Draw(t, "structured") {
				e.Result.Value = abi.ObjectValue(abi.Member{Name: "structuredContent", Value: abi.StringValue(text)})
			}
			x.Record(e)
			same.Record(e)
			after := x.Explain(args, wanted)
			if !reflect.DeepEqual(after, same.Explain(args, wanted)) {
				t.Fatalf("two answers for %q", value)
			}
			for j := range after {
				if after[j].Origin > before[j].Origin || after[j].Origin >= abi.OriginClient {
					t.Fatalf("%q was %s, is %s after %q", value, before[j].Origin, after[j].Origin, text)
				}
			}
		}
	})
}

// Whatever stands in a text as a whole word is found, wherever it stands.
func TestNoTextHidesAWholeWord(t *testing.T) {
	values := []string{"mallory@rogue.example", "https://rogue.example/in", "GB29NWBK60161331926819", "loot-drop-9", "/srv/loot/out.txt"}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom(values).Draw(t, "value")
		text := genText(t, "before") + " | " + value + " | " + genText(t, "after")
		x := New(Options{})
		x.Record(textResult("c", "s", "t", text))
		f := x.Explain(abi.ObjectValue(abi.Member{Name: "to", Value: abi.StringValue(value)}), []abi.Wanted{{At: "/to"}})
		if f[0].Origin != abi.OriginTainted || rank(f[0].Evidence[0].Position) > rank(abi.Field) {
			t.Fatalf("%q in %q: got %+v", value, text, f)
		}
	})
}

func FuzzCanonicalise(f *testing.F) {
	for _, c := range append(append(addressCases(), hiddenCases()...), otherCases()...) {
		f.Add(c.value)
	}
	for _, s := range []string{"mailto:?bcc=a@b.example,c@d.example", "\"", "<", "a@[", "http://[::", "//", "@@", "00", "((a@b.example", "%", "http://0x/", "\xff@b.example"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		entities, _ := Canonicalise(s)
		if len(entities) == 0 || len(entities) > maxEntities {
			t.Fatalf("%q: %d entities", s, len(entities))
		}
		again, _ := Canonicalise(s)
		if !reflect.DeepEqual(entities, again) {
			t.Fatalf("%q: two readings", s)
		}
		clean := oddity(strings.Trim(s, " \t")) == ""
		for _, e := range entities {
			e.forms()
			if !clean && e.Spoiled == "" && !e.embedded {
				t.Fatalf("%q: %+v is not spoiled", s, e)
			}
			// A canonical identity is a fixed point. Its kind may change where the
			// surroundings told it (/@x is a path, and an address in a list): then it
			// is compared as two kinds, which never match.
			if e.Spoiled == "" && (e.Kind == KindMail || e.Kind == KindURL || e.Kind == KindIBAN) {
				back, _ := Canonicalise(e.Identity)
				if len(back) != 1 || back[0].Identity != e.Identity {
					t.Fatalf("%q: identity %q reads as %+v", s, e.Identity, back)
				}
			}
		}
	})
}

func FuzzFields(f *testing.F) {
	for _, s := range []string{
		"{\"a\":[1,\"x\\u0041\"]}", "{}\n[1]\n", "From: a\nTo: b\n\nbody", "a: 1\nb:\n- 'x''y'\n- \"z\\n\"\nc: |\n  text\n", "- a: b\n  c: d\n- e\n", "---\n", "'", "- - - a: b",
		"a: 'x\n\n  y'\nb: c", "{\"a\":1}{", "k: [1, 2]\nl: {x\n",
	} {
		for _, mode := range []string{"", readJSON, readYAML, readHeaders, readProse} {
			f.Add(s, mode)
		}
	}
	f.Fuzz(func(t *testing.T, block, mode string) {
		_, pieces := fields(block, mode)
		size := 0
		for _, p := range pieces {
			size += len(p.text)
			end := p.at + len(p.text)
			if p.span > 0 {
				end = p.at + p.span
			} else if p.at >= 0 && end <= len(block) && block[p.at:end] != p.text {
				t.Fatalf("%q: bytes %d-%d are not %q", block, p.at, end, p.text)
			}
			if p.at < 0 || end > len(block) {
				t.Fatalf("%q: piece %+v is outside", block, p)
			}
		}
		if size > 4*len(block)+64 {
			t.Fatalf("%q: %d bytes of pieces", block, size)
		}
	})
}

// FuzzRecord feeds a text and looks for a word of it: nothing may panic, and
// evidence with exact offsets must point at the value.
func FuzzRecord(f *testing.F) {
	for _, c := range append(append(addressCases(), hiddenCases()...), otherCases()...) {
		f.Add(c.text, c.value)
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		text = strings.ToValidUTF8(text, "\uFFFD") // as a value holds it: offsets are in that
		x := New(Options{})
		x.Record(textResult("c", "s", "t", text))
		for _, finding := range x.Explain(abi.ArrayValue(abi.StringValue(value)), []abi.Wanted{{At: "/0"}}) {
			for _, e := range finding.Evidence {
				if e.Pointer != "/content/0/text" || e.View == "key" {
					continue
				}
				if e.Offset < 0 || e.Length < 0 || e.Offset+e.Length > int64(len(text)) {
					t.Fatalf("%q in %q: %+v", value, text, e)
				}
			}
		}
	})
}
