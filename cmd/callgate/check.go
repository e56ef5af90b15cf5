package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
)

type checkFlags struct {
	policyFlags
	tools  []string
	group  string
	ledger string
	json   bool
}

func checkCmd(std stdio) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check [flags] [POLICY...]",
		Short: "Check a policy, and type it against the tools of its servers",
		Long: "Reports what is legal in a policy but worth a look, and what run would refuse. POLICY and --policy POLICY are the same.\n" +
			"With --tools, or the pins of a group, it also reports tools, arguments and parts of results that a rule names and no server\n" +
			"has, rules that no call can meet or no value that the schema accepts, tools that the policy denies without naming them or\n" +
			"whose budget is 0, and which packs bind: each with a call that shows it, and the verdict that the gate gives it. With --json,\n" +
			"what does not load is an object on standard output, too: {\"errors\":[{\"file\",\"line\",\"column\",\"path\",\"message\"}]}.",
		RunE: func(cmd *cobra.Command, words []string) (err error) {
			if f.files, err = policyWords(cmd, f.files, words); err != nil {
				return err
			}
			return check(std.out, f)
		},
	}
	f.add(cmd)
	cmd.Flags().StringArrayVar(&f.tools, "tools", nil, "SERVER=FILE: a tools/list result of a server")
	cmd.Flags().StringVar(&f.group, "group", "", "take the tools that are pinned in this group, for servers without --tools")
	ledgerDir(cmd, &f.ledger)
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return cmd
}

// problem is one finding of check. A fault is something that can not be meant;
// anything else is a note.
type problem struct {
	fault bool
	code  string
	rule  string // file:line: path
	text  string
	call  abi.Value // a call that shows it, as a short form; absent: none

	verdict *abi.Verdict // what the call gets; nil: nothing was asked
}

// The codes of problems that check itself finds; the others are those of
// policy notes.
const (
	codeUnknownTool     = "UNKNOWN_TOOL"
	codeUnknownArgument = "UNKNOWN_ARGUMENT"
	codeDisjoint        = "DISJOINT"
	codeNoCall          = "NO_CALL_PASSES"
	codePackBound       = "PACK_BOUND"
	codePackMisfit      = "PACK_MISFIT"
	codeUnknownServer   = "UNKNOWN_SERVER"
	codeSinkMisses      = "SINK_MISSES"
	codeUnknownResult   = "UNKNOWN_RESULT"
)

// checker collects problems.
type checker struct {
	policy *policy.Policy
	tools  map[string][]abi.Value
	found  []problem
	seen   map[string]bool
}

func check(out io.Writer, f checkFlags) error {
	p, err := f.load()
	if err != nil {
		return unloaded(out, f.json, err)
	}
	tools, err := readTools(f.tools)
	if err == nil {
		err = addPinned(tools, pinPlace{f.group, f.ledger})
	}
	if err != nil {
		return unloaded(out, f.json, err)
	}
	c := &checker{policy: p, tools: tools, seen: map[string]bool{}}
	for _, n := range p.Notes() {
		c.add(problem{code: n.Code, rule: n.Rule, text: n.Text})
	}
	c.servers()
	for _, server := range sortedKeys(tools) {
		c.server(server)
	}
	if len(tools) > 0 {
		c.patterns()
		c.patternArguments()
		for _, y := range layersOf(c.policy.Value()) {
			c.results(y)
		}
	}
	c.prove()
	faults := 0
	for _, x := range c.found {
		if x.fault {
			faults++
		}
	}
	show := checkText
	if f.json {
		show = checkJSON
	}
	if len(f.files) == 0 && !f.json {
		if _, err := io.WriteString(out, "checked: the built-in starter policy; name yours, such as callgate check policy.yaml\n"); err != nil {
			return err
		}
	}
	if _, err := out.Write(show(c.found, faults, len(c.found)-faults)); err != nil {
		return err
	}
	if faults > 0 {
		return failed(nil)
	}
	return nil
}

func (c *checker) add(x problem) {
	key := x.code + "\x00" + x.rule + "\x00" + x.text
	if !c.seen[key] {
		c.seen[key] = true
		c.found = append(c.found, x)
	}
}

// server types the policy against the tools of one server.
func (c *checker) server(server string) {
	list := c.tools[server]
	for _, y := range layersOf(c.policy.Value()) {
		c.entries(y, server, list)
	}
	bindings := c.policy.Bindings(server, list)
	for _, b := range bindings {
		c.binding(server, b, bindings)
	}
	for _, definition := range list {
		for _, n := range c.policy.ToolNotes(server, definition) {
			if strings.HasPrefix(n.Rule, policy.StarterFile+":") {
				continue // what it says over heuristics is its purpose
			}
			c.add(problem{code: n.Code, rule: n.Rule, text: n.Text})
		}
		c.tool(server, definition)
		c.sinkMisses(server, definition)
	}
}

func checkText(found []problem, faults, notes int) []byte {
	var b []byte
	for _, x := range found {
		severity := "note"
		if x.fault {
			severity = "error"
		}
		b = append(b, severity+": "+x.code+": "...)
		if x.rule != "" {
			b = append(b, oneLine(x.rule)+": "...)
		}
		b = append(b, oneLine(x.text)+"\n"...)
		if x.call.Exists() {
			b = append(append(append(b, "  such as "...), safeJSON(x.call.Append(nil))...), '\n')
		}
		if x.verdict != nil {
			b = append(b, "  which gets "+says(x.verdict)+"\n"...)
		}
	}
	return fmt.Appendf(b, "%s, %s\n", plural.Of(faults, "error"), plural.Of(notes, "note"))
}

func checkJSON(found []problem, faults, notes int) []byte {
	items := make([]abi.Value, len(found))
	for i, x := range found {
		severity := "note"
		if x.fault {
			severity = "error"
		}
		items[i] = object("severity", severity, "code", x.code, "rule", x.rule, "text", x.text, "call", x.call, "verdict", verdictValue(x.verdict))
	}
	return jsonLine(object("errors", faults, "notes", notes, "problems", abi.ArrayValue(items...)))
}

// plainName quotes a server's name for use in a policy, if it has to be.
func plainName(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" {
		return s
	}
	return string(abi.AppendString(nil, s))
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
