package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
)

type testFlags struct {
	policies, tools []string
	json, cover     bool
	coverMin        int // percent
}

func testCmd(std stdio) *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [flags] FILE...",
		Short: "Run cases files: tests that travel with a policy",
		Args:  wants(cobra.MinimumNArgs(1), "name a cases file, such as callgate test cases.yaml"),
		RunE: func(_ *cobra.Command, args []string) error {
			return test(std.out, f, args)
		},
	}
	cmd.Flags().StringArrayVar(&f.policies, "policy", nil, "policy file, instead of what the cases file names")
	cmd.Flags().StringArrayVar(&f.tools, "tools", nil, "SERVER=FILE: a tools/list result that every case starts with")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&f.cover, "cover", false, "print how often each rule of the policies fired")
	cmd.Flags().IntVar(&f.coverMin, "cover-min", 0, "fail where fewer `PERCENT` of the rules fired; implies --cover")
	return cmd
}

// tested is what became of one cases file.
type tested struct {
	path    string
	policy  *policy.Policy
	results []cases.Result
}

func test(out io.Writer, f testFlags, paths []string) error {
	if f.coverMin < 0 || f.coverMin > 100 {
		return fmt.Errorf("--cover-min %d: want a percentage from 0 to 100", f.coverMin)
	}
	tools, err := readTools(f.tools)
	if err != nil {
		return unloaded(out, f.json, err)
	}
	var all []tested
	var c *cover
	if f.cover || f.coverMin > 0 {
		c = &cover{}
	}
	for _, path := range paths {
		t, err := testFile(f, path, tools)
		if err != nil {
			return unloaded(out, f.json, err)
		}
		all = append(all, t)
		if c != nil {
			c.count(t.policy, t.results)
		}
	}
	total, bad := 0, 0
	for _, t := range all {
		total += len(t.results)
		for _, r := range t.results {
			if len(r.Failures) > 0 {
				bad++
			}
		}
	}
	show := testText
	if f.json {
		show = testJSON
	}
	if _, err := out.Write(show(all, c, total, bad)); err != nil {
		return err
	}
	switch {
	case total == 0:
		return failed(errors.New("no cases; a cases file without cases tests nothing"))
	case bad > 0:
		return failed(nil)
	case c != nil:
		if err := c.judge(f.coverMin); err != nil {
			return failed(err)
		}
	}
	return nil
}

func testFile(f testFlags, path string, tools map[string][]abi.Value) (tested, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return tested{}, unread(err, "name a readable cases file")
	}
	file, err := cases.Read(path, data)
	if err != nil {
		return tested{}, err
	}
	files := file.Policies
	if len(f.policies) > 0 {
		files = f.policies
	}
	p, err := policy.Load(served(policy.Options{Files: files, Floor: file.Floor, Specs: builtin.Table(), Plugin: pluginLoads}))
	if err != nil {
		return tested{}, err
	}
	if err := file.Check(declaredBy(p)); err != nil {
		return tested{}, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return tested{}, err
	}
	results := cases.Run(file, replay.Options{Policy: p, Specs: builtin.Table(), Plugin: pluginOf, Place: abi.Place{Dir: filepath.ToSlash(dir)}, Tools: tools})
	return tested{path, p, results}, nil
}

// testText is for people: every failure, then the counts.
func testText(all []tested, c *cover, total, bad int) []byte {
	var b []byte
	for _, t := range all {
		for _, r := range t.results {
			for _, failure := range r.Failures {
				b = fmt.Appendf(b, "%s:%d: %s: %s\n", oneLine(t.path), failure.Line, oneLine(r.Name), oneLine(failure.Text))
			}
		}
	}
	if c != nil {
		b = append(b, c.text()...)
	}
	return fmt.Appendf(b, "%s, %d passed, %d failed\n", plural.Of(total, "case"), total-bad, bad)
}

func testJSON(all []tested, c *cover, total, bad int) []byte {
	var rules abi.Value
	if c != nil {
		rules = c.value()
	}
	var results []abi.Value
	for _, t := range all {
		for _, r := range t.results {
			failures := make([]abi.Value, len(r.Failures))
			for i, failure := range r.Failures {
				failures[i] = object("line", failure.Line, "text", failure.Text)
			}
			results = append(results, object("file", t.path, "line", r.Line, "name", r.Name, "failures", abi.ArrayValue(failures...)))
		}
	}
	return jsonLine(object("cases", total, "passed", total-bad, "failed", bad, "cover", rules, "results", abi.ArrayValue(results...)))
}

// object makes a JSON object of names and values in turn: strings, ints, bools
// and values. Absent values are left out.
func object(pairs ...any) abi.Value {
	var members []abi.Member
	for i := 0; i+1 < len(pairs); i += 2 {
		m := abi.Member{Name: pairs[i].(string)}
		switch v := pairs[i+1].(type) {
		case string:
			m.Value = abi.StringValue(v)
		case int:
			m.Value = abi.IntValue(int64(v))
		case int64:
			m.Value = abi.IntValue(v)
		case bool:
			m.Value = abi.BoolValue(v)
		case abi.Value:
			m.Value = v
		}
		if m.Value.Exists() {
			members = append(members, m)
		}
	}
	return abi.ObjectValue(members...)
}

// jsonLine is a JSON value as one line of output.
func jsonLine(v abi.Value) []byte { return append(safeJSON(v.Append(nil)), '\n') }
