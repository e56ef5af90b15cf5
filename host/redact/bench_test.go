package redact

import (
	"bytes"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// prose is text without a match, but with words that start as literals do.
var prose = strings.Repeat("The quick brown fox passes over the lazy dog at https://example.com/a, 12345 times; {\"a\": 1, \"key\": \"AK\"}\n", 1<<20/100)

// BenchmarkRedactMiss reads text without a match. Beside it is the floor: a look
// for one word that is not there.
func BenchmarkRedactMiss(b *testing.B) {
	s := compiled(b, usual...)
	b.Run("redact", func(b *testing.B) {
		b.SetBytes(int64(len(prose)))
		for b.Loop() {
			if r := s.leaf(Results, prose, nil); r.text != prose {
				b.Fatal("a match")
			}
		}
	})
	b.Run("contains", func(b *testing.B) {
		text, word := []byte(prose), []byte("AKIA")
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if bytes.Contains(text, word) {
				b.Fatal("a match")
			}
		}
	})
}

// BenchmarkRedactResult1MB finds what is to be edited in a result of 1 MiB of text
// in blocks, with a match in every fourth.
func BenchmarkRedactResult1MB(b *testing.B) {
	s := compiled(b, usual...)
	for name, piece := range map[string]string{"miss": "", "hits": token + " AKIAQQQQEXAMPLEZZZZ1 password: hunter2"} {
		b.Run(name, func(b *testing.B) {
			var blocks []abi.Value
			for i := range 64 {
				text := prose[:16<<10]
				if i%4 == 0 {
					text = text[:8<<10] + piece + text[8<<10:]
				}
				blocks = append(blocks, abi.ObjectValue(abi.Member{Name: "type", Value: abi.StringValue("text")}, abi.Member{Name: "text", Value: abi.StringValue(text)}))
			}
			v := abi.ObjectValue(abi.Member{Name: "content", Value: abi.ArrayValue(blocks...)})
			b.SetBytes(1 << 20)
			for b.Loop() {
				if f := s.Value(Results, v, true); (len(f.Edits) > 0) != (piece != "") {
					b.Fatal(len(f.Edits))
				}
			}
		})
	}
}
