package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
)

type lintFlags struct {
	files        []string
	floor        string
	strict, json bool
}

func lintCmd(std stdio) *cobra.Command {
	var f lintFlags
	cmd := &cobra.Command{
		Use:   "lint [flags] POLICY...",
		Short: "Find what is legal in a policy and may be wrong",
		Long: "Reads policy files as the layers of one policy, the one named last on top, and reports what is legal and may be wrong:\n" +
			"what a layer loosens, rules that can not fire, lists that let everything pass. docs/lint.md lists the codes. An error\n" +
			"fails, with --strict a warning does, too. A comment in the line, or in one above it, leaves a finding out:\n" +
			"  # callgate-lint: ignore CODE REASON\n" +
			"With --strict what is left out is listed, and fails all the same.",
		RunE: func(cmd *cobra.Command, words []string) error {
			files, err := needPolicyWords(cmd, f.files, words)
			if err != nil {
				return err
			}
			return lint(std.out, f, files)
		},
	}
	policyWordsFlag(cmd, &f.files)
	cmd.Flags().StringVar(&f.floor, "floor", "", "policy that is judged beside the others; the stricter outcome holds")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "fail on warnings, too, and list what comments leave out")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return cmd
}

func lint(out io.Writer, f lintFlags, files []string) error {
	p, err := (&policyFlags{files: files, floor: f.floor}).load()
	if err != nil {
		return unloaded(out, f.json, err)
	}
	r := linted{strict: f.strict, count: map[policy.Severity]int{}}
	for _, x := range p.Lint() {
		r.add(x)
	}
	text := r.text()
	if f.json {
		text = r.json()
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	if r.fails {
		return failed(nil)
	}
	return nil
}

// linted is what lint reports.
type linted struct {
	strict  bool
	shown   []policy.Finding
	count   map[policy.Severity]int // of what no comment leaves out
	ignored int
	fails   bool
}

func (r *linted) add(x policy.Finding) {
	if x.Ignored != "" {
		r.ignored++
		r.fails = r.fails || r.strict && x.Severity != policy.SeverityNote // no comment lowers it
		if r.strict {
			r.shown = append(r.shown, x)
		}
		return
	}
	r.count[x.Severity]++
	r.shown = append(r.shown, x)
	r.fails = r.fails || x.Severity == policy.SeverityError || r.strict && x.Severity == policy.SeverityWarning
}

func (r *linted) text() []byte {
	var b []byte
	for _, x := range r.shown {
		b = fmt.Appendf(b, "%s: %s: %s: %s", x.Severity, x.Code, oneLine(x.Rule), oneLine(x.Text))
		if x.Ignored != "" {
			b = fmt.Appendf(b, " (ignored: %s)", oneLine(x.Ignored))
		}
		b = append(b, '\n')
	}
	return fmt.Appendf(b, "%s, %s, %s, %d ignored\n",
		plural.Of(r.count[policy.SeverityError], "error"), plural.Of(r.count[policy.SeverityWarning], "warning"), plural.Of(r.count[policy.SeverityNote], "note"), r.ignored)
}

func (r *linted) json() []byte {
	items := make([]abi.Value, len(r.shown))
	for i, x := range r.shown {
		items[i] = object("severity", string(x.Severity), "code", x.Code, "rule", x.Rule, "text", x.Text, "ignored", stated(x.Ignored))
	}
	return jsonLine(object("errors", r.count[policy.SeverityError], "warnings", r.count[policy.SeverityWarning],
		"notes", r.count[policy.SeverityNote], "ignored", r.ignored, "findings", abi.ArrayValue(items...)))
}
