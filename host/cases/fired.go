package cases

import (
	"slices"

	"github.com/callgate/callgate/abi"
)

// fired lists the rules that have a part in the answers to a step: those that
// a verdict names for an objection, and those that grant what is allowed.
func fired(answers []abi.Event) []string {
	var rules []string
	for _, a := range answers {
		if a.Verdict == nil {
			continue
		}
		allowed := a.Verdict.Outcome.Known() >= abi.Allow
		for _, v := range append([]abi.Verdict{*a.Verdict}, a.Verdict.Also...) {
			if v.Rule != "" && (allowed || v.Outcome.Known() < abi.Allow) {
				rules = append(rules, v.Rule)
			}
		}
	}
	return rules
}

// given lists the labels that a step gave.
func given(answers []abi.Event) []string {
	var labels []string
	for _, a := range answers {
		if a.Label != nil {
			labels = append(append(labels, a.Label.Session...), a.Label.Data...)
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// putIn lists the texts that the edits of a step put in.
func putIn(answers []abi.Event) []string {
	var texts []string
	for _, a := range answers {
		if a.Edit == nil {
			continue
		}
		for _, e := range a.Edit.Edits {
			if e.With.IsString() {
				texts = append(texts, e.With.Str())
			}
			for _, c := range e.Cuts {
				texts = append(texts, c.With)
			}
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}
