package abi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// benchArguments are arguments of about the size that most calls have, and one
// large one.
var benchArguments = map[string]string{
	"300B":  `{"path":"/srv/share/reports/q3.md","to":["ada@corp.example","bob@corp.example"],"limit":50,"options":{"deep":true,"since":"2026-11-01T00:00:00Z"},"note":"` + strings.Repeat("the quarterly report ", 6) + `"}`,
	"100KB": `{"text":"` + strings.Repeat(`note 17: ask team3@corp.example,\nsee /srv/share/notes/17.md `, 1600) + `"}`,
}

func BenchmarkParse(b *testing.B) {
	for name, text := range benchArguments {
		b.Run(name, func(b *testing.B) {
			data := []byte(text)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := abi.Parse(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEventAppend(b *testing.B) {
	for name, text := range benchArguments {
		arguments, err := abi.Parse([]byte(text))
		if err != nil {
			b.Fatal(err)
		}
		call := abi.Event{Seq: 7, Time: time.Date(2026, 11, 29, 12, 0, 0, 123456000, time.UTC), Call: &abi.Call{
			Seq: 7, ID: "abcdef-7", Kind: abi.KindTool, Server: "files", Tool: "read_text_file", Arguments: arguments, Digest: arguments.Digest(), Bytes: 300,
		}}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				buf = call.Append(buf[:0])
			}
		})
	}
}
