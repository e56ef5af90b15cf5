package main

import (
	"fmt"
	"path/filepath"
	"regexp/syntax"
	"strings"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
	drafts "github.com/callgate/callgate/host/suggest"
)

// importedCases writes a case for each entry of redact: that an import has made, so
// that none of those that the other product has by itself is untried. Each was run;
// missing names the entries for which none was found.
func importedCases(name, path string, text []byte) (out []byte, missing []string, err error) {
	p, err := policy.Load(policy.Options{Files: []string{path}, Specs: builtin.Table(), Read: func(string) ([]byte, error) { return text, nil }})
	if err != nil {
		return nil, nil, err
	}
	rel, err := filepath.Rel(filepath.Dir(name), path)
	if err != nil {
		rel = path
	}
	head := "policy: " + drafts.Quote(filepath.ToSlash(rel)) + "\ncases:\n"
	var b strings.Builder
	for _, e := range p.Redactions() {
		found := ""
		if re, err := syntax.Parse(e.Pattern, syntax.Perl); err == nil && e.Pattern != "" {
			found = tried(p, head, e.Name, sampleOf(re), e.With)
		}
		if found == "" {
			missing = append(missing, e.Name)
		}
		b.WriteString(found)
	}
	if b.Len() == 0 {
		return nil, missing, nil
	}
	return []byte("# Texts that the entries of redact: are about, made by callgate policy import.\n" + head + b.String()), missing, nil
}

// tried returns a case in which the answer of an allowed tool is a text, and the
// client gets another one; "" if there is none.
func tried(p *policy.Policy, head, name, text, with string) string {
	for _, tool := range callable(p) {
		for _, first := range []string{"", "      - {time: \"2026-11-30T10:00:00Z\"}\n"} { // a Monday, for what has hours
			one := fmt.Sprintf("  - name: %s\n    steps:\n%s      - {call: %s, args: {}, want: {outcome: allow}}\n      - {result: %s, want: {redact: {/content/0/text: %s}}}\n",
				drafts.Quote("redact "+name), first, drafts.Quote(tool), drafts.Quote(text), drafts.Quote(with))
			f, err := cases.Load("cases.yaml", []byte(head+one))
			if err != nil {
				continue
			}
			results := cases.Run(f, replay.Options{Policy: p, Specs: builtin.Table()})
			if len(results) == 1 && len(results[0].Failures) == 0 {
				return one
			}
		}
	}
	return ""
}

// callable lists tools that a call without arguments may be allowed for: those
// that the policy names, and one that it does not.
func callable(p *policy.Policy) []string {
	var list []string
	for _, y := range p.Value().Get("layers").Items() {
		for _, m := range y.Get("policy").Get("tools").Members() {
			if strings.Count(m.Name, "/") == 1 && !strings.ContainsAny(m.Name, `*?[]{}\`) {
				list = append(list, m.Name)
			}
		}
	}
	return append(list, "server/tool")
}

// sampleOf is a short text that a pattern matches, as far as no condition on what is
// around it is in the way.
func sampleOf(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		return string(letterOf(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a"
	case syntax.OpCapture, syntax.OpPlus:
		return sampleOf(re.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(sampleOf(re.Sub[0]), re.Min)
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(sampleOf(sub))
		}
		return b.String()
	case syntax.OpAlternate:
		return sampleOf(re.Sub[0])
	}
	return "" // nothing, or a place
}

// letterOf picks a rune of a class that people can read, where it has one.
func letterOf(ranges []rune) rune {
	for _, want := range "a1A-_" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= want && want <= ranges[i+1] {
				return want
			}
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}

// importCases writes the cases beside a policy that was written.
func importCases(std stdio, name, path string, text []byte) error {
	data, missing, err := importedCases(name, path, text)
	if err != nil {
		return err
	}
	said := ""
	if data != nil {
		if err := writeNew(name, data); err != nil {
			return err
		}
		said = fmt.Sprintf("%q is written; add cases of your own, and run callgate test --cover %s\n", name, oneLine(name))
	}
	for _, entry := range missing {
		said += fmt.Sprintf("no case was found for the entry %s of redact:; write one\n", oneLine(entry))
	}
	_, err = fmt.Fprint(std.err, said)
	return err
}
