package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/abi"
)

// scriptShape adds what the last command printed as JSON to the file shapes, without
// its values: shape VERB.
func scriptShape(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: shape VERB")
	}
	v, err := abi.Parse([]byte(strings.TrimSpace(ts.ReadFile("stdout"))))
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs("shapes"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	_, err = f.WriteString(strings.Join(args, " ") + "\n  " + shapeOf(v) + "\n")
	ts.Check(err)
	ts.Check(f.Close())
}

// shapeOf is a value by the names and kinds of what is in it.
func shapeOf(v abi.Value) string {
	switch v.Kind() {
	case abi.Object:
		var of []string
		for _, m := range v.Members() {
			of = append(of, m.Name+": "+shapeOf(m.Value))
		}
		slices.Sort(of)
		return "{" + strings.Join(of, ", ") + "}"
	case abi.Array:
		if v.Len() == 0 {
			return "[]"
		}
		return "[" + shapeOf(v.Items()[0]) + "]"
	case abi.String:
		return "text"
	case abi.Number:
		return "number"
	case abi.Bool:
		return "bool"
	}
	return "null"
}

// The page for operators says what --json prints, as it is.
func TestShapesOfJSONAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "distribution.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join("testdata", "script", "plugin_json.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(script), "\n-- want --\n")
	if n := strings.Count(want, "\n"); n < 24 || !strings.Contains(string(page), "```text\n"+want+"```\n") {
		t.Errorf("docs/distribution.md does not have the %d lines of plugin_json.txtar", n)
	}
}
