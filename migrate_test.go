package callgate_test

import (
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
)

// translated is the policy that a sample of another product becomes.
func (s sample) translated() (string, error) {
	format := strings.TrimPrefix(s.info, "yaml ")
	text, err := policy.Import([]byte(s.text), policy.ImportOptions{From: format, Name: format + ".yaml", Dir: "/srv/policies", Specs: builtin.Table()})
	return string(text), err
}

// translations finds samples of other products that are not followed by what
// they become, and by cases that it passes.
func translations(t tree) []string {
	list, found := samples(t)
	count := 0
	for i, s := range list {
		if s.info != "yaml bouncer" && s.info != "yaml visor" {
			continue
		}
		count++
		text, err := s.translated()
		switch {
		case err != nil:
			found = append(found, at(s.doc, s.line)+"the sample has no translation: "+err.Error())
		case i+2 >= len(list) || list[i+1].info != "yaml" || list[i+2].info != "yaml cases":
			found = append(found, at(s.doc, s.line)+"want the translation behind it, as yaml, and cases, as yaml cases")
		case list[i+1].text != text:
			found = append(found, at(s.doc, list[i+1].line)+"not the translation; want\n"+text)
		default:
			found = append(found, runSample(list[i+2], text)...)
		}
	}
	if count == 0 {
		found = append(found, "no document has a sample of another product; show one")
	}
	return found
}

// runSample runs the cases of a sample under a policy.
func runSample(s sample, text string) (found []string) {
	f, err := cases.Load(s.doc, []byte(s.text))
	if err != nil {
		return []string{at(s.doc, s.line) + err.Error()}
	}
	p, err := policy.Load(policy.Options{Files: []string{"/srv/policies/policy.yaml"}, Specs: builtin.Table(), Read: func(name string) ([]byte, error) {
		if name == "/srv/policies/policy.yaml" {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	}})
	if err != nil {
		return []string{at(s.doc, s.line) + err.Error()}
	}
	for _, r := range cases.Run(f, replay.Options{Policy: p, Specs: builtin.Table(), Place: abi.Place{Dir: "/srv/policies", Home: "/home/me"}}) {
		for _, failure := range r.Failures {
			found = append(found, at(s.doc, s.line+failure.Line)+r.Name+": "+failure.Text)
		}
	}
	if len(f.Cases) == 0 {
		found = append(found, at(s.doc, s.line)+"no case; want one")
	}
	return found
}

func TestSamplesOfOtherProductsBecomeWhatTheDocumentsShow(t *testing.T) {
	doc := func(blocks ...string) tree {
		return tree{"docs/a.md": "# A\n\n" + strings.Join(blocks, "\n") + "\n"}
	}
	block := func(info, text string) string { return "```" + info + "\n" + text + "```\n" }
	from := block("yaml bouncer", "read:\n  max_calls: 1\n")
	to := "# Translated from Bouncer's bouncer.yaml by callgate policy import.\ncallgate: 1\npacks: none\n" +
		"settings: {default: allow, unlisted: ask, taint: strict}\ntools:\n  read:\n    replace: true\n    max_calls: 1\n"
	pass := block("yaml cases", "cases:\n  - name: a\n    steps:\n      - {call: s/read, want: {outcome: allow}}\n      - {call: s/read, want: {outcome: deny}}\n")
	fail := block("yaml cases", "cases:\n  - name: a\n    steps:\n      - {call: s/read, want: {outcome: deny}}\n")
	verify(t, translations, []plant{
		{"a translation and its cases", doc(from, block("yaml", to), pass), ""},
		{"another translation", doc(from, block("yaml", strings.Replace(to, "max_calls: 1", "max_calls: 2", 1)), pass), "not the translation"},
		{"a case that fails", doc(from, block("yaml", to), fail), `outcome "allow"; want "deny"`},
		{"no cases", doc(from, block("yaml", to)), "want the translation behind it"},
		{"what has no translation", doc(block("yaml bouncer", "read: {maximum: 1}\n"), block("yaml", to), pass), "no translation"},
		{"no sample", doc(block("yaml", to)), "no document has a sample"},
	})
}
