package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
)

// resultMembers are the members of a result that MCP knows.
var resultMembers = []string{"content", "structuredContent", "isError", "_meta"}

// outputOf is the schema of a tool's structured content; it need not exist.
func outputOf(definition abi.Value) schema {
	root := definition.Get("outputSchema")
	return schema{root, root}
}

// results compares the pointers of results: in a file with the output schemas of
// the tools that their key matches. What one of them has, or leaves open, is no
// finding; a key without a glob makes it an error.
func (c *checker) results(y file) {
	for _, m := range y.doc.Get("tools").Members() {
		for i, rule := range m.Value.Get("results").Items() {
			at := abi.JoinIndex(abi.Join("/tools", m.Name)+"/results", i) + "/arg"
			if name := rule.Get("arg").Str(); name != "" && !rule.Get("forbid").True() {
				c.resultPointer(y.rule(at), m.Name, name)
			}
		}
	}
}

func (c *checker) resultPointer(rule, key, pointer string) {
	var found problem
	for _, server := range sortedKeys(c.tools) {
		for _, d := range c.tools[server] {
			tool := d.Get("name").Str()
			if !policy.MatchesTool(key, server, tool) {
				continue
			}
			text := unknownResult(d, pointer)
			if text == "" {
				return
			}
			if found.text == "" {
				found = problem{code: codeUnknownResult, rule: rule, text: server + "/" + tool + text}
			}
		}
	}
	if found.text != "" {
		found.fault = !isGlobKey(key)
		c.add(found)
	}
}

// unknownResult says what a pointer names that no result of a tool has by its
// output schema, "" for nothing.
func unknownResult(definition abi.Value, pointer string) string {
	tokens, ok := abi.Tokens(pointer)
	if !ok || len(tokens) == 0 || tokens[0] == "*" {
		return ""
	}
	if tokens[0] != "structuredContent" {
		if slices.Contains(resultMembers, tokens[0]) {
			return ""
		}
		return fmt.Sprintf(" has no %q in a result%s", tokens[0], suggest(tokens[0], resultMembers))
	}
	s := outputOf(definition)
	if s.root.Kind() != abi.Object {
		return ""
	}
	whole := s.sample(0)
	for i, t := range tokens[1:] {
		below := s.below(t)
		if len(below) == 0 {
			if s.anything() {
				return ""
			}
			place := abi.Join("", "structuredContent")
			for _, up := range tokens[1 : i+1] {
				place = abi.Join(place, up)
			}
			return fmt.Sprintf(" has no %q in %s by its outputSchema%s; by that a result is such as %s",
				t, place, suggest(t, s.names()), shorten(whole.String(), 200))
		}
		s = below[0]
	}
	return ""
}

// below lists the schemas of a member or item of a node; a segment "*" is any.
func (s schema) below(token string) []schema {
	var out []schema
	for _, v := range s.variants(2) {
		if p := v.node.Get("properties").Get(token); p.Exists() {
			out = append(out, schema{s.root, p})
		}
		if items := v.node.Get("items"); items.Exists() && (token == "*" || strings.Trim(token, "0123456789") == "") {
			out = append(out, schema{s.root, items})
		}
		if token == "*" {
			for _, m := range v.node.Get("properties").Members() {
				out = append(out, schema{s.root, m.Value})
			}
		}
	}
	return out
}

// anything says whether a node leaves its members open: it says nothing of them,
// or has them by a pattern, or as items of their own.
func (s schema) anything() bool {
	said := false
	for _, v := range s.variants(2) {
		n := v.node
		if n.Get("patternProperties").Exists() || n.Get("additionalProperties").Kind() == abi.Object || n.Get("additionalProperties").True() || n.Get("prefixItems").Exists() {
			return true
		}
		said = said || n.Get("properties").Exists() || n.Get("items").Exists() || len(schema{s.root, n}.types()) > 0
	}
	if !said {
		return true
	}
	return slices.Contains(s.types(), "object") && len(s.names()) == 0 && s.node.Get("additionalProperties").Kind() != abi.Bool
}

// disjointResults reports a rule that every value of an enum of the output schema
// violates: no result that has it can be relayed. The contract itself is asked.
func (c *checker) disjointResults(r *contract.Rules, definition abi.Value) {
	for _, rule := range r.Results {
		tokens, ok := abi.Tokens(rule.Arg)
		s := outputOf(definition)
		if !ok || len(tokens) != 2 || tokens[0] != "structuredContent" || rule.Forbid {
			continue
		}
		enum := s.property(tokens[1]).enum()
		results, err := builtin.NewResults(&contract.Rules{Server: r.Server, Tool: r.Tool, Results: []contract.Arg{rule}})
		if err != nil || results == nil || len(enum) == 0 {
			continue
		}
		shown := abi.Value{}
		passes := slices.ContainsFunc(enum, func(v abi.Value) bool {
			shown = object("content", abi.ArrayValue(), "structuredContent", s.sample(0).With(tokens[1], v))
			return results.Judge(&abi.Snapshot{Phase: abi.PhaseResult, Result: shown}).Outcome >= abi.Allow
		})
		if !passes {
			c.add(problem{
				fault: true, code: codeDisjoint, rule: rule.Rule,
				text: fmt.Sprintf("%s/%s returns only %s as %q, and none of it meets the rule: no such result is relayed, as %s",
					r.Server, r.Tool, shorten(abi.ArrayValue(enum...).String(), 200), tokens[1], shorten(shown.String(), 200)),
			})
		}
	}
}
