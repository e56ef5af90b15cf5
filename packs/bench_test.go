package packs_test

import (
	"path/filepath"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/redact"
)

// beginnings are what the matches of a pattern begin with, up to each place where
// they could go on in another way.
func beginnings(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= 'a' && 'a' <= re.Rune[i+1] {
				return []string{"a"}
			}
		}
		return []string{string(re.Rune[0])}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []string{"a"}
	case syntax.OpCapture, syntax.OpQuest:
		return beginnings(re.Sub[0])
	case syntax.OpPlus, syntax.OpStar, syntax.OpRepeat:
		var list []string
		for _, s := range beginnings(re.Sub[0]) {
			list = append(list, strings.Repeat(s, max(1, re.Min-1)), strings.Repeat(s, max(1, re.Min)))
		}
		return list
	case syntax.OpAlternate:
		var list []string
		for _, sub := range re.Sub {
			list = append(list, beginnings(sub)...)
		}
		return list
	case syntax.OpConcat:
		var list []string
		before := ""
		for _, sub := range re.Sub {
			next := beginnings(sub)
			for _, s := range next {
				list = append(list, before+s)
			}
			before += next[len(next)-1]
		}
		return list
	}
	return []string{""}
}

func secrets(t testing.TB) *redact.Set {
	p, err := policy.Load(policy.Options{Files: []string{filepath.Join("cases", "policy", "secrets.yaml")}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Redact()
}

// BenchmarkRedactHostile reads 1 MiB that is made for the pack: all that its
// patterns begin with; keys that never end, which are read to the end for each; a
// word of nothing but tokens; replacements with matches between them; an object of
// many names. Beside it is prose, which nobody made for anything.
func BenchmarkRedactHostile(b *testing.B) {
	set := secrets(b)
	var all, replaced []string
	for _, e := range set.Entries() {
		re, err := syntax.Parse(e.Pattern, syntax.Perl)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, beginnings(re)...)
		replaced = append(replaced, e.With+"AKIAQQQQEXAMPLEZZZZ1")
	}
	var members []abi.Member
	for range 1 << 16 {
		members = append(members, abi.Member{Name: "authorization", Value: abi.StringValue("b")})
	}
	for _, c := range []struct {
		name, piece string
		value       abi.Value
	}{
		{name: "prose", piece: "The quick brown fox passes over the lazy dog at https://example.com/a, 12345 times; {\"a\": 1, \"key\": \"AK\"}\n"},
		{name: "beginnings", piece: strings.Join(all, " ")},
		{name: "beginnings-glued", piece: strings.Join(all, "")},
		{name: "keys-without-end", piece: "-----BEGIN PRIVATE KEY-----_"},
		{name: "passwords", piece: "https+a://a:hunter2@"},
		{name: "connections", piece: "host=host=a;password=b;"},
		{name: "one-word", piece: "-ghp_" + strings.Repeat("a1B2", 9)},
		{name: "replacements", piece: strings.Join(replaced, " ")},
		{name: "members", value: abi.ObjectValue(members...)},
	} {
		b.Run(c.name, func(b *testing.B) {
			v := c.value
			if c.piece != "" {
				v = abi.StringValue(strings.Repeat(c.piece, 1<<20/len(c.piece)+1)[:1<<20])
			}
			b.SetBytes(1 << 20)
			for b.Loop() {
				set.Value(redact.Results, v, true)
			}
		})
	}
}
