package provenance

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
)

// tiny has blocks of a few words, so that short texts cross many borders, and so
// few rows that windows collide.
func tiny(all bool) tuning {
	return tuning{block: 300, rows: 1 << 8, all: all, budget: 1 << 20, grade: 1 << 20}
}

var lawWords = []string{
	"forward", "mallory@rogue.example", "MALLORY@Rogue.Example", "https://rogue.example/a?b=1", "GB29 NWBK 6016 1331 9268 19", "#ops", "hr", "a@b.co",
	"/srv/share/x", "Riverside View Hotel", "漢字のテスト", "z\u200bero\u200bwidth", "e\u0301te\u0301", "\\n", "\n", "\t", "{\"to\": \"bob@partner.example\"}",
	"bWFsbG9yeUByb2d1ZS5leGFtcGxl", "mallory%40rogue.example", "mallory&#64;rogue.example", "6d616c6c6f727940726f6775652e6578616d706c65", "aaaaaaaaaaaa", "10.0.0.1", "",
}

func drawText(t *rapid.T, label string) string {
	var b strings.Builder
	for i, n := 0, rapid.IntRange(0, 60).Draw(t, label+" words"); i < n; i++ {
		b.WriteString(rapid.SampledFrom(lawWords).Draw(t, label))
		b.WriteString(rapid.SampledFrom([]string{" ", "", "\n", ": ", ","}).Draw(t, label+" between"))
	}
	return b.String()
}

func drawEvents(t *rapid.T) []abi.Event {
	var out []abi.Event
	for i, n := 0, rapid.IntRange(1, 6).Draw(t, "events"); i < n; i++ {
		id := fmt.Sprint("c-", i)
		switch rapid.IntRange(0, 3).Draw(t, "shape") {
		case 0:
			out = append(out, textResult(id, "s", "t", drawText(t, "text")))
		case 1:
			v := abi.ObjectValue(abi.Member{Name: "structuredContent", Value: abi.ObjectValue(
				abi.Member{Name: "k" + drawText(t, "key"), Value: abi.StringValue(drawText(t, "field"))},
				abi.Member{Name: "n", Value: abi.IntValue(1234567890)},
			)})
			out = append(out, abi.Event{Result: &abi.ResultEvent{Call: id, Server: "s", Value: v}})
		case 2:
			out = append(out, abi.Event{Refused: &abi.RefusedEvent{From: "server", Server: "s", Bytes: []byte(drawText(t, "frame"))}})
		case 3:
			out = append(out, abi.Event{Call: &abi.Call{ID: id, Server: "s", Tool: "t", Arguments: abi.ObjectValue(
				abi.Member{Name: "a", Value: abi.StringValue(rapid.SampledFrom(lawWords).Draw(t, "said"))})}})
		}
	}
	return out
}

// TestTheIndexFindsWhatLookingEverywhereFinds: for every value of at least five
// folded bytes, and every word, the index gives the evidence that reading all
// records gives, the earliest included.
func TestTheIndexFindsWhatLookingEverywhereFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quick, slow := newIndex(Options{}, tiny(false)), newIndex(Options{}, tiny(true))
		for _, e := range drawEvents(t) {
			quick.Record(e)
			slow.Record(e)
		}
		for _, value := range lawWords {
			if value == "" {
				continue
			}
			a, b := lookup(quick, value), lookup(slow, value)
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("%q: found %+v\nlooking everywhere finds %+v", value, a, b)
			}
		}
	})
}

// TestNoPartOfARecordIsMissed: every part of every string is found, wherever the
// blocks end.
func TestNoPartOfARecordIsMissed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newIndex(Options{}, tiny(false))
		events := drawEvents(t)
		for _, e := range events {
			x.Record(e)
		}
		tried := 0
		for n := range x.records {
			in := x.read(uint32(n))
			for _, l := range in.leaves {
				if l.decoded || len(l.raw) < 5 {
					continue
				}
				from := rapid.IntRange(0, len(l.raw)-5).Draw(t, "from")
				to := from + rapid.IntRange(5, len(l.raw)-from).Draw(t, "length")
				part := bare(l.raw[from:to])
				if len(part) < gram {
					continue
				}
				tried++
				q := query{x: x}
				found := map[uint32]bool{}
				q.hold(needle{bare: []byte(part)}, func(int) bool { return false }, func(n uint32) bool { found[n] = true; return true })
				if !found[uint32(n)] {
					t.Fatalf("%q of record %d is missed", part, n)
				}
			}
		}
	})
}

// TestTheDigestIsOfTheRecords: it does not depend on where the text lies, and
// tells histories apart.
func TestTheDigestIsOfTheRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawEvents(t)
		store := &kept{}
		inline, moved := newIndex(Options{}, tiny(false)), newIndex(Options{Text: store}, tiny(false))
		for _, e := range events {
			inline.Record(e)
			if e.Result != nil {
				e.Text = store.put(e.Result.Value)
				r := *e.Result
				r.Value = abi.Value{}
				e.Result = &r
			}
			moved.Record(e)
			lookup(moved, "mallory@rogue.example") // asking changes nothing
		}
		if inline.Digest() != moved.Digest() {
			t.Fatal("the digest depends on where the text lies")
		}
		before := inline.Digest()
		inline.Record(textResult("more", "s", "t", "more text"))
		if inline.Digest() == before {
			t.Fatal("another record leaves the digest as it was")
		}
	})
}

// kept is text in memory.
type kept struct{ data []byte }

func (k *kept) put(v abi.Value) *abi.Text {
	text := v.Append(nil)
	at := len(k.data)
	k.data = append(k.data, text...)
	return &abi.Text{Digest: abi.DigestBytes(text), Segment: "0123456789ab-1", Offset: int64(at), Length: int64(len(text))}
}

func (k *kept) ReadText(t abi.Text, dst []byte, at int64) error {
	if t.Offset+at+int64(len(dst)) > int64(len(k.data)) {
		return fmt.Errorf("text %s is not there", t.Digest)
	}
	copy(dst, k.data[t.Offset+at:])
	return nil
}

// TestBudgetsOnlyDegrade: with less to look at, and with text gone, evidence that
// stays away is replaced by evidence that asks.
func TestBudgetsOnlyDegrade(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := &kept{}
		full := newIndex(Options{Text: store}, tiny(false))
		poor := tiny(false)
		poor.budget, poor.grade = rapid.IntRange(1, 4).Draw(t, "budget"), rapid.IntRange(1, 3).Draw(t, "grade")
		little, evicted := newIndex(Options{Text: store}, poor), newIndex(Options{Text: store}, tiny(false))
		for _, e := range drawEvents(t) {
			if e.Result != nil {
				e.Text = store.put(e.Result.Value)
				r := *e.Result
				r.Value = abi.Value{}
				e.Result = &r
			}
			for _, x := range []*index{full, little, evicted} {
				x.Record(e)
			}
		}
		evicted.Record(abi.Event{Evicted: &abi.EvictedEvent{Segment: "0123456789ab-1"}})
		for _, value := range lawWords[1:] {
			want := lookup(full, value)
			for name, x := range map[string]*index{"a small budget": little, "text gone": evicted} {
				got := lookup(x, value)
				strongest := func(f abi.Finding) int {
					best := len(abi.Positions)
					for _, e := range f.Evidence {
						best = min(best, rank(e.Position))
					}
					return best
				}
				asks := slices.ContainsFunc(got.Evidence, func(e abi.Evidence) bool {
					return e.Position == abi.Saturated || e.Position == abi.Evicted
				})
				if strongest(got) > strongest(want) && !asks {
					t.Fatalf("%s, %q: %v, want %v or what asks", name, value, got.Evidence, want.Evidence)
				}
				if got.Origin >= abi.OriginClient && got.Origin != want.Origin {
					t.Fatalf("%s, %q: %s vouches, want %s", name, value, got.Origin, want.Origin)
				}
			}
		}
	})
}
