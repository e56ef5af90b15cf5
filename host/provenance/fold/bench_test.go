package fold

import (
	"strings"
	"testing"
	"time"
)

// BenchmarkBare reports how many times as long as a copy of the same text the
// bare image takes.
func BenchmarkBare(b *testing.B) {
	prose := `{"from":"Dora <dora@corp.example>","subject":"Minutes of Tuesday","body":"Please find the 14 pages attached;\n  - rooms: 3.11, 4.02"} `
	for _, text := range []struct{ name, sample string }{
		{"ascii", prose},
		{"mixed", prose + "Überweisung für Zoë — 40 € (¥ 6.500) naïve “quotes” … "},
		{"cyrillic", "Пожалуйста, отправьте отчёт на адрес бухгалтерии до пятницы, 14 марта. "},
		{"chinese", "请在星期五之前将报告发送到财务部门，谢谢。"},
	} {
		s := strings.Repeat(text.sample, 1<<20/len(text.sample))
		dst := make([]byte, 0, 2*len(s))
		b.Run(text.name, func(b *testing.B) {
			var folding, copying time.Duration
			for b.Loop() {
				start := time.Now()
				dst = AppendBare(dst[:0], s)
				half := time.Now()
				copy(dst[:len(s)], s)
				folding, copying = folding+half.Sub(start), copying+time.Since(half)
			}
			b.ReportMetric(float64(len(s)*b.N)/1e6/folding.Seconds(), "MB/s")
			b.ReportMetric(float64(folding)/float64(copying), "copies")
		})
	}
}
