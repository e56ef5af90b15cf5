package provenance

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"pgregory.net/rapid"
)

// TestEncodedTextIsFoundWhereverAWindowEnds: what is encoded across the end of
// what is decoded at once is found as any other, and nothing else is.
func TestEncodedTextIsFoundWhereverAWindowEnds(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString
	spellings := map[string]string{
		"percent":         "mallory%40rogue.example",
		"escapes":         strings.ReplaceAll("m-a-l-l-o-r-y@rogue.example", "-", `\u200b`),
		"entities":        "&#109;&#97;llory&#64;rogue.example",
		"base64 twice":    b64([]byte(b64([]byte("mallory@rogue.example")))),
		"base64, escaped": b64([]byte("write to mallory%40rogue.example")),
	}
	tried := 0
	for name, spelled := range spellings {
		for _, pad := range []string{"abcd1efg", "lorem ipsum dolor ", `"k":1,`, "/a/b", "ไทย", "\x01", "=3D "} {
			for _, border := range []int{windowSoft, windowHard, 2*windowHard - windowLap} {
				for _, back := range []int{len(spelled) / 3, len(spelled) - 1} {
					tried++
					before := strings.ToValidUTF8(strings.Repeat(pad, border/len(pad)+1)[:border-back], "")
					x := newIndex(Options{}, tuning{})
					x.Record(textResult("c", "s", "t", before+","+spelled+", "+strings.Repeat(pad, 100)))
					f := lookup(x, "mallory@rogue.example")
					if len(f.Evidence) == 0 || f.Evidence[0].Position != abi.Encoded {
						t.Errorf("%s, %d bytes in front of byte %d, after %q: got %+v", name, back, border, pad, f.Evidence)
					}
					if other := lookup(x, "nobody@elsewhere.example"); len(other.Evidence) != 0 {
						t.Errorf("%s, after %q: what is not there has %+v", name, pad, other.Evidence)
					}
				}
			}
		}
	}
	if tried == 0 {
		t.Fatal("nothing was tried")
	}
}

// TestALongTextIsGradedAsItIsIndexed: however much is decoded of one text, what is
// hidden behind it is found in it.
func TestALongTextIsGradedAsItIsIndexed(t *testing.T) {
	pad := strings.Repeat("some words and some more words&nbsp;here ", maxView/36)
	x := New(Options{})
	x.Record(textResult("c", "s", "t", pad+"mallory&#64;rogue.example, the end"))
	if f := lookup(x, "mallory@rogue.example"); len(f.Evidence) == 0 || f.Evidence[0].Position != abi.Encoded {
		t.Errorf("got %+v", f.Evidence)
	}
	if f := lookup(x, "nobody@elsewhere.example"); len(f.Evidence) != 0 {
		t.Errorf("what is not there has %+v", f.Evidence)
	}
}

// TestWindowsBeginBetweenCharacters: never inside of an escape or of a code point,
// behind the window before it, and so that no byte is left out.
func TestWindowsBeginBetweenCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for b.Len() < 3*windowHard {
			part := rapid.SampledFrom([]string{`\\`, `\"`, `\u0041`, `\n`, "a", "é", "漢", `\ud83d`, " ", "u"}).Draw(t, "part")
			b.WriteString(strings.Repeat(part, rapid.IntRange(1, 9000).Draw(t, "times")))
		}
		s := `"` + b.String() + `"`
		begins := map[int]bool{}
		w := walker{src: resident(s)}
		for i := 1; s[i] != '"'; {
			begins[i] = true
			if s[i] == '\\' {
				_, n := w.escape(i)
				i += n
			} else {
				i += runeLen(s[i:])
			}
		}
		last, count := 0, 0
		w.windows(1, '"', func(at int, text string) bool {
			count++
			if !begins[at] || at <= last || last > 0 && at > last+windowHard {
				t.Fatalf("a window begins at byte %d, behind one at byte %d", at, last)
			}
			last = at
			return true
		})
		if count < 3 {
			t.Fatalf("%d windows", count)
		}
	})
}
