package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plural"
)

func whyCmd(std stdio) *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "why [ID]",
		Short: "Explain a verdict: what offended, where it came from, and what would allow it",
		Long: "Shows one verdict in full, by the id that a blocked call carries; without an id the newest deny or ask.\n" +
			"What offended stands between " + markOpen + " and " + markClose + "; what cannot be seen is written as {U+200B}.",
		Args: wants(cobra.MaximumNArgs(1), "want one ID at most, as a blocked call carries it"),
		RunE: func(_ *cobra.Command, args []string) error {
			id := ""
			if len(args) == 1 {
				id = args[0]
			}
			return why(std.out, dir, id, asJSON)
		},
	}
	ledgerDir(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func why(out io.Writer, dir, id string, asJSON bool) error {
	in, err := findIncident(dir, id)
	if err != nil {
		return err
	}
	if in == nil && id == "" {
		return failed(errors.New("no deny and no ask in the ledgers; callgate ledger tail shows the last events"))
	}
	if in == nil {
		return failed(fmt.Errorf("no verdict %q in the ledgers; callgate ledger tail shows the last ones, and --ledger DIR looks elsewhere", id))
	}
	if err := in.gather(); err != nil {
		return err
	}
	help := in.mend()
	if asJSON {
		_, err = out.Write(jsonLine(in.json(help)))
		return err
	}
	_, err = io.WriteString(out, in.text(help))
	return err
}

// text is the incident for people.
func (in *incident) text(help mend) string {
	var b strings.Builder
	v := in.verdict()
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, oneLine(text))
		}
	}
	line(v.Outcome.String(), v.ID+observed(v))
	if !in.event.Time.IsZero() {
		line("time", in.event.Time.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	line("ledger", fmt.Sprintf("%s:%d", in.path, in.line))
	line("policy", policyName(in.policy))
	if c := in.callEvent; c != nil {
		line("call", fmt.Sprintf("%s/%s, %s, %s", c.Call.Server, c.Call.Target(), plural.Of(c.Call.Bytes, "byte"), c.Call.Digest))
		if !c.Call.Kind.IsTool() {
			line("kind", c.Call.Kind.Noun())
		}
	}
	if in.refused != nil && !strings.HasPrefix(v.Code, "FRAME_") {
		v.Mend = "" // it is about frames that can not be read; help says what is true of this one
	}
	in.verdictText(line, v)
	in.arguments(&b)
	in.editedText(&b)
	pathText(&b, in.paths())
	in.frame(&b)
	in.witness(&b)
	for _, other := range v.Also {
		b.WriteString("\n")
		line("also", other.Outcome.String()+observed(other))
		in.verdictText(line, other)
	}
	for _, before := range in.before {
		fmt.Fprintf(&b, "\nbefore it, the same id got: %s\n", oneLine(outcomeText(&before)))
		for _, said := range append([]abi.Verdict{before}, before.Also...) {
			if said.Plugin != nil { // it may have left labels and budgets that matter later
				b.WriteString("\n")
				line("then", said.Outcome.String()+observed(said))
				in.verdictText(line, said)
			}
		}
	}
	help.text(&b)
	return b.String()
}

func observed(v abi.Verdict) string {
	if v.Observed {
		return " (mode: observe, so it was not enforced)"
	}
	return ""
}

// verdictText writes what one contract said.
func (in *incident) verdictText(line func(name, text string), v abi.Verdict) {
	line("contract", v.Contract)
	line("code", v.Code)
	line("risk", v.Risk)
	line("rule", v.Rule)
	line("reason", v.Reason)
	line("at", strings.Join(v.At, " "))
	line("mend", v.Mend)
	line("gives", givenText(v.Obligations))
	line("bundle", in.receiptBundle(v))
	receiptText(line, v)
	if v.Missing {
		line("missing", "what it needed is gone, so it can not be replayed")
	}
}

// arguments writes the call's arguments, or what another kind of call has in
// their place, with what offended marked.
func (in *incident) arguments(b *strings.Builder) {
	if in.callEvent == nil {
		return
	}
	args, base := in.callEvent.Call.Values()
	what := valuesName(in.callEvent.Call.Kind)
	if !args.Exists() && in.callEvent.Text != nil {
		why := "are not kept in this ledger (settings.ledger: digests)"
		if in.callEvent.Text.Segment != "" {
			why = "are gone: their text was evicted (settings.max_text), or its segment did not come along with the ledger"
		}
		b.WriteString("\n" + what + " " + why + "\n")
		return
	}
	b.WriteString("\n" + what + "\n")
	m := marked{marks: map[string]bool{}}
	for _, v := range append([]abi.Verdict{in.verdict()}, in.verdict().Also...) {
		if v.Outcome >= abi.Allow {
			continue
		}
		for _, at := range v.At {
			if below, ok := strings.CutPrefix(at, base); ok {
				m.marks[below] = true
			}
		}
	}
	if args.Kind() != abi.Object || m.marks[""] {
		m.value("", args)
		b.WriteString("  " + m.b.String() + "\n")
		return
	}
	for _, member := range args.Members() {
		m.b.Reset()
		m.value(abi.Join("", member.Name), member.Value)
		b.WriteString("  " + quoteShown(member.Name) + ": " + m.b.String() + "\n")
	}
}

// valuesName is what people call the values of a kind of call.
func valuesName(kind abi.CallKind) string {
	switch kind {
	case abi.KindTool, "":
		return "arguments"
	case abi.KindResource, abi.KindPrompt, abi.KindCompletion:
		return "values"
	}
	return "params"
}

// frame writes the bytes of a frame that was not relayed.
func (in *incident) frame(b *strings.Builder) {
	if in.refused == nil {
		return
	}
	r := in.refused
	fmt.Fprintf(b, "\nframe of the %s, %s", oneLine(r.From), plural.Of(r.Size, "byte"))
	if r.Tool != "" {
		fmt.Fprintf(b, ", a call of %s", quoteShown(r.Tool))
	}
	if len(r.Bytes) == 0 {
		b.WriteString("; its bytes are not kept\n")
		return
	}
	fmt.Fprintf(b, "\n  %s\n", quoteBytes(r.Bytes))
}

// witness writes each place that a value came from, with its surroundings.
func (in *incident) witness(b *strings.Builder) {
	for i, e := range in.evidence {
		fmt.Fprintf(b, "\nwitness %d %s\n", i+1, oneLine(e.String()+withLabels(e)))
		switch text := in.texts[i]; {
		case e.Position == "": // it is about the call itself
		case text.found:
			fmt.Fprintf(b, "  %s\n", text.shown)
		case e.Snippet != "":
			fmt.Fprintf(b, "  %s\n", quoteShown(e.Snippet))
		default:
			b.WriteString("  the text is not kept in this ledger\n")
		}
	}
}

func (in *incident) json(help mend) abi.Value {
	v, _ := abi.Parse(in.verdict().JSON()) // our own JSON
	members := []any{"verdict", v, "file", in.path, "line", in.line}
	if !in.event.Time.IsZero() {
		members = append(members, "time", in.event.Time.UTC().Format("2006-01-02T15:04:05.999999Z"))
	}
	if in.callEvent != nil {
		e, _ := abi.Parse(in.callEvent.Append(nil))
		members = append(members, "call", e.Get("call"))
	}
	if in.refused != nil {
		e, _ := abi.Parse(abi.Event{Refused: in.refused}.Append(nil))
		members = append(members, "refused", e.Get("refused"))
	}
	if of := in.receiptBundles(); of.Exists() {
		members = append(members, "bundles", of)
	}
	if len(in.edits) > 0 {
		e, _ := abi.Parse(abi.Event{Edit: &abi.EditEvent{Edits: in.edits}}.Append(nil))
		members = append(members, "edits", e.Get("edit").Get("edits"))
	}
	if len(in.answered) > 0 {
		members = append(members, "redacted", in.redactedJSON())
	}
	var contexts []abi.Value
	for i := range in.evidence {
		t := in.texts[i]
		contexts = append(contexts, object("found", t.found, "before", t.before, "match", t.match, "after", t.after))
	}
	if len(contexts) > 0 {
		members = append(members, "contexts", abi.ArrayValue(contexts...))
	}
	if paths := in.paths(); len(paths) > 0 {
		members = append(members, "paths", pathJSON(paths))
	}
	notes := make([]abi.Value, len(help.notes))
	for i, n := range help.notes {
		notes[i] = abi.StringValue(n)
	}
	if help.policy != "" {
		members = append(members, "policy", help.policy)
	}
	return object(append(members, "review", abi.ArrayValue(notes...))...)
}
