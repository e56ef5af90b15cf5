package policy

import (
	"bytes"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

func FuzzLoad(f *testing.F) {
	// The packs take longer to read than a seed: the starter has them all.
	add := func(text string) {
		if strings.HasPrefix(text, "callgate: 1\n") && !strings.Contains(text, "packs:") {
			text = strings.TrimSuffix(text, "\n") + "\npacks: none\n"
		}
		f.Add([]byte(text))
	}
	for _, m := range mistakes {
		if len(m.text) < 4096 {
			add(m.text)
		}
		add(m.twin)
	}
	for _, m := range kindMerges {
		for _, l := range m.layers {
			add(head(l))
		}
	}
	for _, m := range merges {
		for _, l := range m.layers {
			add(head(l))
		}
	}
	f.Add(starter)
	f.Fuzz(func(t *testing.T, data []byte) {
		read := func(path string) ([]byte, error) {
			if path == "/p/team.yaml" {
				return data, nil
			}
			return memory{}.read(path)
		}
		p, err := Load(Options{Files: []string{"/p/team.yaml"}, Read: read})
		if err != nil {
			if bytes.ContainsAny([]byte(err.Error()), "\x00\x1b\r") {
				t.Fatalf("raw control characters in %q", err)
			}
			return
		}
		q, err := Decode(p.Value())
		if err != nil {
			t.Fatalf("a loaded policy does not decode: %v", err)
		}
		if !q.Value().Equal(p.Value()) || q.Digest() != p.Digest() {
			t.Fatal("the value changes on the way")
		}
		v, err := abi.Parse([]byte(p.Value().String()))
		if err != nil || !v.Equal(p.Value()) {
			t.Fatalf("the value is not JSON: %v", err)
		}
		p.Rules("s", defined("t", "to"))
		p.Budgets("s", defined("t", "to"))
	})
}

func FuzzHeuristics(f *testing.F) {
	for _, g := range guesses {
		f.Add(g.tool, g.schema)
	}
	f.Fuzz(func(t *testing.T, name, schema string) {
		v, err := abi.Parse([]byte(schema))
		if err != nil {
			return
		}
		d := object("name", abi.StringValue(name), "inputSchema", v)
		for _, h := range heuristics(d) {
			if h.tool.Sink != nil && h.tool.Sink.Of.To == nil {
				t.Fatal("a sink that declares nothing")
			}
		}
	})
}
