package wire

import (
	"fmt"
	"strings"
	"testing"
)

// benchFrame returns a tools/call of about size bytes, like a client writes it.
func benchFrame(size int) []byte {
	const small = `{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"search_files","arguments":{"path":"/home/user/projects/app","pattern":"*.go","excludePatterns":["vendor","node_modules"],"limit":50,"content":"%s"},"_meta":{"progressToken":17}}}` + "\n"
	return fmt.Appendf(nil, small, strings.Repeat("abcdefghi ", (size-len(small)+2)/10+1))
}

// benchRecords returns a result of about size bytes made of many small objects.
func benchRecords(size int) []byte {
	const record = `{"id":12345,"name":"record","tags":["a","b"],"ok":true,"note":"first line\nsecond"},`
	body := strings.Repeat(record, size/len(record))
	return []byte(`{"jsonrpc":"2.0","id":17,"result":{"structuredContent":{"rows":[` + strings.TrimSuffix(body, ",") + `]}}}` + "\n")
}

func benchmarkClassify(b *testing.B, raw []byte, side Side, want Kind) {
	b.Helper()
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	var c Classifier
	for b.Loop() {
		if f := c.Classify(raw, side, Options{}); f.Kind != want {
			b.Fatalf("got %v, want %v", f.Kind, want)
		}
	}
}

func BenchmarkClassify300B(b *testing.B) { benchmarkClassify(b, benchFrame(300), FromClient, Request) }
func BenchmarkClassify2KB(b *testing.B)  { benchmarkClassify(b, benchFrame(2<<10), FromClient, Request) }
func BenchmarkClassify1MiB(b *testing.B) {
	b.Run("text", func(b *testing.B) { benchmarkClassify(b, benchFrame(1<<20), FromClient, Request) })
	b.Run("records", func(b *testing.B) { benchmarkClassify(b, benchRecords(1<<20), FromServer, Response) })
}

func BenchmarkClassifyFresh300B(b *testing.B) {
	raw := benchFrame(300)
	b.ReportAllocs()
	for b.Loop() {
		if f := Classify(raw, FromClient, Options{}); f.Kind != Request {
			b.Fatalf("got %v, want request", f.Kind)
		}
	}
}

func BenchmarkStripOwnMeta2KB(b *testing.B) {
	raw := []byte(strings.Replace(string(benchRecords(2<<10)), `"result":{`, `"result":{"_meta":{"dev.callgate/x":1,"a":2},`, 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, changed, err := StripOwnMeta(raw); err != nil || !changed {
			b.Fatalf("changed %v, error %v", changed, err)
		}
	}
}
