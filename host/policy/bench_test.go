package policy

import "testing"

func BenchmarkLoadStarter(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeStarter(b *testing.B) {
	p, err := Load(Options{})
	if err != nil {
		b.Fatal(err)
	}
	v := p.Value()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRules(b *testing.B) {
	p, err := Load(Options{})
	if err != nil {
		b.Fatal(err)
	}
	d := defined("send_email", "to", "cc", "bcc", "subject", "body")
	b.ReportAllocs()
	for b.Loop() {
		p.Rules("gmail", d)
	}
}
