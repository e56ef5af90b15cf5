package provenance

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/segment"
)

// corpus returns outputs of tools, about size bytes of them: mails, JSON, HTML
// and logs of 0.8 to 460 KB, with about a thousand addresses and as many URLs in
// a megabyte.
func corpus(size int, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	words := vocabulary(r, 6000)
	prose := func(b *strings.Builder, n int) {
		for start := b.Len(); b.Len()-start < n; {
			at := r.Float64() // few words are common
			b.WriteString(words[int(at*at*at*float64(len(words)))])
			b.WriteByte(' ')
			switch r.IntN(150) {
			case 0:
				fmt.Fprintf(b, "%s.%s%d@%s%d.example ", words[r.IntN(len(words))], words[r.IntN(len(words))], r.IntN(1000), words[r.IntN(len(words))], r.IntN(100))
			case 1:
				fmt.Fprintf(b, "https://%s%d.example/%s/%d?id=%x ", words[r.IntN(len(words))], r.IntN(1000), words[r.IntN(len(words))], r.IntN(1e6), r.Uint32())
			case 2, 3:
				b.WriteString("\n")
			}
		}
	}
	var out []string
	for total := 0; total < size; {
		n := 800 << r.IntN(9)
		n += r.IntN(n)
		var b strings.Builder
		switch k := r.IntN(10); {
		case k < 4:
			fmt.Fprintf(&b, "From: %s@corp.example\nTo: team@corp.example\nSubject: %s\n\n", words[r.IntN(len(words))], words[r.IntN(len(words))])
			prose(&b, n)
		case k < 7:
			b.WriteString(`[`)
			for b.Len() < n {
				if b.Len() > 1 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, `{"id":%d,"owner":"%s%d@corp.example","title":"`, r.IntN(1e9), words[r.IntN(len(words))], r.IntN(500))
				prose(&b, 200)
				b.WriteString(`"}`)
			}
			b.WriteString(`]`)
		case k < 9:
			b.WriteString("<html><body>")
			for b.Len() < n {
				b.WriteString(`<p class="x">`)
				prose(&b, 300)
				fmt.Fprintf(&b, `<a href="https://%s.example/%d">%s</a></p>`, words[r.IntN(len(words))], r.IntN(1e6), words[r.IntN(len(words))])
			}
		default:
			for b.Len() < n {
				fmt.Fprintf(&b, "2026-11-%02dT%02d:00:00Z INFO 10.0.%d.%d ", 1+r.IntN(30), r.IntN(24), r.IntN(256), r.IntN(256))
				prose(&b, 100)
				b.WriteByte('\n')
			}
		}
		out = append(out, b.String())
		total += b.Len()
	}
	return out
}

// vocabulary returns n words, made of syllables, the common ones short.
func vocabulary(r *rand.Rand, n int) []string {
	syllables := strings.Fields("ba ten ri os lu ka mer in stal do vi es tra un pol em gar ti son lea ch qui ar ber no fel ix ju wa dy th or pre ment")
	out := make([]string, n)
	for i := range out {
		for k := 0; k <= 1+min(3, i*4/n)-r.IntN(2); k++ {
			out[i] += syllables[r.IntN(len(syllables))]
		}
	}
	return out
}

// loaded is an index over a corpus whose text lies in a file, and the folded text.
func loaded(tb testing.TB, size int) (*index, []byte, *fileText) {
	tb.Helper()
	store := newFileText(tb)
	x := newIndex(Options{Text: store}, tuning{})
	var folded []byte
	for i, text := range corpus(size, 7) {
		folded = append(appendBare(folded, text), 0)
		ref := store.put(textValue(text))
		x.Record(abi.Event{Result: &abi.ResultEvent{Call: "c-" + strconv.Itoa(i), Server: "s"}, Text: ref})
	}
	return x, folded, store
}

// fileText keeps text in a file.
type fileText struct {
	f    *os.File
	size int64
}

func newFileText(tb testing.TB) *fileText {
	f, err := os.Create(tb.TempDir() + "/text")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	return &fileText{f: f}
}

func (f *fileText) put(v abi.Value) *abi.Text {
	text := v.Append(nil)
	if _, err := f.f.WriteAt(text, f.size); err != nil {
		panic(err)
	}
	ref := &abi.Text{Digest: abi.DigestBytes(text), Segment: "0123456789ab-1", Offset: f.size, Length: int64(len(text))}
	f.size += int64(len(text))
	return ref
}

func (f *fileText) ReadText(t abi.Text, dst []byte, at int64) error {
	_, err := f.f.ReadAt(dst, t.Offset+at)
	return err
}

// nearMisses returns values of n bytes that are glued from halves of what stands
// in the folded text, and are not in it.
func nearMisses(folded []byte, n, count int) [][]byte {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	half := func() []byte {
		for {
			at := r.IntN(len(folded) - n)
			if h := folded[at : at+n/2]; bytes.IndexByte(h, 0) < 0 {
				return h
			}
		}
	}
	var out [][]byte
	for len(out) < count {
		v := append(append([]byte(nil), half()...), half()...)
		if !bytes.Contains(folded, v) {
			out = append(out, v)
		}
	}
	return out
}

// sizes are the amounts of text that benchmarks use, in megabytes.
func sizes() []int {
	if s := os.Getenv("CALLGATE_BENCH_MB"); s != "" {
		var out []int
		for _, f := range strings.Split(s, ",") {
			n, _ := strconv.Atoi(f)
			out = append(out, n)
		}
		return out
	}
	return []int{1, 10}
}

// BenchmarkMiss asks for values that were never said, and compares with looking
// through the same folded text.
func BenchmarkMiss(b *testing.B) {
	for _, mb := range sizes() {
		x, folded, _ := loaded(b, mb<<20)
		mails := [][]byte{}
		for i := range 64 {
			mails = append(mails, appendBare(nil, fmt.Sprintf("nobody.knows%d@nowhere%d.example", i*7919, i)))
		}
		for _, kind := range []struct {
			name   string
			values [][]byte
		}{{"mail", mails}, {"12", nearMisses(folded, 12, 64)}, {"24", nearMisses(folded, 24, 64)}, {"48", nearMisses(folded, 48, 64)}, {"200", nearMisses(folded, 200, 64)}} {
			b.Run(fmt.Sprintf("%dMB/%s", mb, kind.name), func(b *testing.B) {
				naive := median(3*8, func(i int) { bytes.Contains(folded, kind.values[i%8]) })
				ask := func(i int) {
					q := query{x: x}
					q.hold(needle{bare: kind.values[i%len(kind.values)]}, never, seen)
					x.folds.clear()
				}
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					ask(n)
					n++
				}
				mine := median(16*len(kind.values), ask)
				b.ReportMetric(float64(naive)/float64(mine), "x-naive")
				b.ReportMetric(float64(mine), "ns-median")
			})
		}
	}
}

// median is the median time of n runs.
func median(n int, f func(i int)) time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		start := time.Now()
		f(i)
		all[i] = time.Since(start)
	}
	slices.Sort(all)
	return max(1, all[n/2])
}

// BenchmarkAppend records outputs whose text is stored already, and reports what
// stays in memory for each byte.
func BenchmarkAppend(b *testing.B) {
	for _, mb := range sizes() {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			store := newFileText(b)
			var events []abi.Event
			for i, text := range corpus(mb<<20, 7) {
				events = append(events, abi.Event{Result: &abi.ResultEvent{Call: "c-" + strconv.Itoa(i), Server: "s"}, Text: store.put(textValue(text))})
			}
			b.SetBytes(store.size)
			for b.Loop() {
				var before, after runtime.MemStats
				b.StopTimer()
				runtime.GC()
				runtime.ReadMemStats(&before)
				b.StartTimer()
				x := newIndex(Options{Text: store}, tuning{})
				for _, e := range events {
					x.Record(e)
				}
				b.StopTimer()
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(store.size), "B/B")
				runtime.KeepAlive(x)
				b.StartTimer()
			}
		})
	}
}

// BenchmarkSend explains a typical mail: an address that stands in some outputs,
// a subject and a body.
func BenchmarkSend(b *testing.B) {
	x, _, _ := loaded(b, 10<<20)
	var known string
	for _, text := range corpus(1<<20, 7) {
		if i := strings.Index(text, "From: "); i >= 0 {
			known, _, _ = strings.Cut(text[i+6:], "\n")
			break
		}
	}
	args := abi.ObjectValue(
		abi.Member{Name: "to", Value: abi.ArrayValue(abi.StringValue("nobody.knows@elsewhere.example"))},
		abi.Member{Name: "cc", Value: abi.ArrayValue(abi.StringValue(known))},
		abi.Member{Name: "subject", Value: abi.StringValue("Minutes of Tuesday")},
		abi.Member{Name: "body", Value: abi.StringValue("Dear all, the minutes are ready. They will be read out next week. Yours, the clerk")},
	)
	wanted := []abi.Wanted{{At: "/to/0"}, {At: "/cc/0"}, {At: "/subject"}, {At: "/body"}}
	b.ReportAllocs()
	for b.Loop() {
		x.Explain(args, wanted)
	}
	b.ReportMetric(float64(median(200, func(int) { x.Explain(args, wanted) })), "ns-median")
}

// BenchmarkPoisoned asks for a value all of whose windows stand in every block,
// and which itself stands nowhere: the worst that a server can do.
func BenchmarkPoisoned(b *testing.B) {
	value := "mallory.the.great@rogue-host.example"
	bare := string(appendBare(nil, value))
	var grams strings.Builder
	for i := 0; i+gram <= len(bare); i++ {
		grams.WriteString(bare[i:i+gram] + " 0 ")
	}
	store := newFileText(b)
	x := newIndex(Options{Text: store}, tuning{})
	var folded []byte
	line := grams.String() + strings.Repeat("lorem ipsum dolor sit amet ", 20)
	text := strings.Repeat(line, (20<<20)/len(line))
	folded = appendBare(folded, text)
	x.Record(abi.Event{Result: &abi.ResultEvent{Call: "c", Server: "s"}, Text: store.put(textValue(text))})
	naive := median(9, func(int) { bytes.Contains(folded, []byte(bare)) })
	ask := func(int) {
		q := query{x: x}
		q.hold(needle{bare: []byte(bare)}, never, seen)
		if q.verified > maxVerified {
			b.Errorf("%d blocks were folded again", q.verified)
		}
		x.folds.clear()
	}
	for b.Loop() {
		ask(0)
	}
	b.ReportMetric(float64(median(9, ask))/float64(naive), "naive-times")
}

// BenchmarkMissInSegments is BenchmarkMiss for 24 bytes where the text lies in
// segments, compressed but for the newest.
func BenchmarkMissInSegments(b *testing.B) {
	for _, mb := range sizes() {
		b.Run(fmt.Sprintf("%dMB", mb), func(b *testing.B) {
			store, err := segment.Open(segment.Options{Dir: b.TempDir(), ID: strings.Repeat("0123456789abcdef", 2), Segment: 1 << 20})
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			x := newIndex(Options{Text: store}, tuning{})
			var folded []byte
			for i, text := range corpus(mb<<20, 7) {
				folded = append(appendBare(folded, text), 0)
				ref, err := store.Put(textValue(text).Append(nil))
				if err != nil {
					b.Fatal(err)
				}
				x.Record(abi.Event{Result: &abi.ResultEvent{Call: "c-" + strconv.Itoa(i), Server: "s"}, Text: &ref})
			}
			values := nearMisses(folded, 24, 64)
			naive := median(24, func(i int) { bytes.Contains(folded, values[i%8]) })
			ask := func(i int) {
				q := query{x: x}
				q.hold(needle{bare: values[i%len(values)]}, never, seen)
				x.folds.clear()
			}
			n := 0
			for b.Loop() {
				ask(n)
				n++
			}
			b.ReportMetric(float64(naive)/float64(median(1024, ask)), "x-naive")
		})
	}
}

// What a search that only counts blocks does.
func never(int) bool   { return false }
func seen(uint32) bool { return true }
