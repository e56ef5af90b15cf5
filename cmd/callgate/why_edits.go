package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
)

// answered is an edit of what answered a call, and the policy in force then.
type answered struct {
	edit   *abi.EditEvent
	policy abi.Value
}

// takeLater keeps of a line behind the verdict what was redacted in the answer to
// its call. Only lines that can say so are read.
func (in *incident) takeLater(line []byte) error {
	id := string(abi.AppendString(nil, in.verdict().ID))
	edits := bytes.Contains(line, []byte(`"edit":{"call":`+id))
	if !edits && !bytes.Contains(line, []byte(`"policy":{"digest":`)) {
		return nil
	}
	e, err := abi.ParseEvent(line)
	switch {
	case err != nil: // the verdict is known all the same
	case e.Policy != nil:
		in.later = e.Policy.Policy
	case e.Edit != nil && e.Edit.Call == in.verdict().ID && e.Edit.Of != "":
		now := in.policy
		if in.later.Exists() {
			now = in.later
		}
		in.answered = append(in.answered, answered{e.Edit, now})
	}
	return nil
}

// editedText shows what stands in the place of text that was not sent on. The
// arguments above it are what the ledger keeps, which can be the whole text.
func (in *incident) editedText(b *strings.Builder) {
	if len(in.edits) > 0 {
		b.WriteString("\nreplaced in what goes on to the server\n")
		editLines(b, in.edits, in.policy)
	}
	for _, a := range in.answered {
		fmt.Fprintf(b, "\nredacted in the %s, before the client saw it\n", oneLine(a.edit.Of))
		editLines(b, a.edit.Edits, a.policy)
	}
}

func editLines(b *strings.Builder, edits []abi.Edit, in abi.Value) {
	rules := newRedactRules(in)
	for _, e := range edits {
		with := puts(e)
		fmt.Fprintf(b, "  %s %s", oneLine(e.At), quotedList(with))
		if by := rules.of(with); len(by) > 0 {
			b.WriteString(" by " + oneLine(strings.Join(by, ", ")))
		}
		b.WriteString("\n")
	}
}

// puts lists the texts that an edit puts in.
func puts(e abi.Edit) []string {
	var with []string
	for _, c := range e.Cuts {
		with = append(with, c.With)
	}
	if e.With.Exists() {
		with = append(with, safeText(e.With))
	}
	return with
}

// safeText is a value that stands in the place of another one.
func safeText(v abi.Value) string {
	if v.IsString() {
		return v.Str()
	}
	return v.String()
}

// redactRules are the names and places of the entries of redact:, by the text that
// they put in. Plugins put in texts of their own.
type redactRules map[string][]string

func newRedactRules(in abi.Value) redactRules {
	p, err := policy.Decode(in)
	if err != nil {
		return nil // of another build: the texts are shown all the same
	}
	rules := redactRules{}
	for _, e := range p.Redactions() {
		rules[e.With] = append(rules[e.With], fmt.Sprintf("redact %q (%s)", e.Name, e.Rule))
	}
	return rules
}

// of lists the entries that put in one of several texts. Where two entries put in
// the same text, it is one of them.
func (r redactRules) of(with []string) []string {
	var by []string
	for _, w := range with {
		if text := strings.Join(r[w], " or "); text != "" && !slices.Contains(by, text) {
			by = append(by, text)
		}
	}
	return by
}

// redactedJSON is what was redacted in the answers, for programs.
func (in *incident) redactedJSON() abi.Value {
	texts := func(list []string) abi.Value {
		items := make([]abi.Value, len(list))
		for i, s := range list {
			items[i] = abi.StringValue(s)
		}
		return abi.ArrayValue(items...)
	}
	var out []abi.Value
	for _, a := range in.answered {
		rules := newRedactRules(a.policy)
		for _, e := range a.edit.Edits {
			with := puts(e)
			out = append(out, object("of", a.edit.Of, "at", e.At, "with", texts(with), "by", texts(rules.of(with))))
		}
	}
	return abi.ArrayValue(out...)
}
