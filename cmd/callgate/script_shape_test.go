package main

import (
	"maps"
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

// shapeOf is values by the names and kinds of what is in them: what stands in one place
// of several is one shape, and "name?" is a member that not all of them have.
func shapeOf(values ...abi.Value) string {
	if len(values) == 0 {
		return ""
	}
	switch values[0].Kind() {
	case abi.Object:
		return "{" + strings.Join(membersOf(values), ", ") + "}"
	case abi.Array:
		var items []abi.Value
		for _, v := range values {
			items = append(items, v.Items()...)
		}
		return "[" + shapeOf(items...) + "]"
	case abi.String:
		return "text"
	case abi.Number:
		return "number"
	case abi.Bool:
		return "bool"
	}
	return "null"
}

// documents are members that hold what another page describes.
var documents = map[string]string{"manifest": "plugin.json", "snapshot": "snapshot"}

// membersOf are the members of objects, by name.
func membersOf(objects []abi.Value) []string {
	held := map[string][]abi.Value{}
	for _, o := range objects {
		for _, m := range o.Members() {
			held[m.Name] = append(held[m.Name], m.Value)
		}
	}
	var of []string
	for _, name := range slices.Sorted(maps.Keys(held)) {
		mark := ""
		if len(held[name]) < len(objects) {
			mark = "?"
		}
		shape := shapeOf(held[name]...)
		if document, ok := documents[name]; ok && held[name][0].Kind() == abi.Object {
			shape = document
		}
		of = append(of, name+mark+": "+shape)
	}
	return of
}

// The pages for operators and for authors say what --json prints, as it is.
func TestShapesOfJSONAreDocumented(t *testing.T) {
	for _, c := range []struct {
		page, script string
		lines        int // at least
	}{
		{"distribution.md", "plugin_json.txtar", 30},
		{"plugins.md", "plugin_json_author.txtar", 20},
	} {
		page, err := os.ReadFile(filepath.Join("..", "..", "docs", c.page))
		if err != nil {
			t.Fatal(err)
		}
		script, err := os.ReadFile(filepath.Join("testdata", "script", c.script))
		if err != nil {
			t.Fatal(err)
		}
		_, want, _ := strings.Cut(string(script), "\n-- want --\n")
		if n := strings.Count(want, "\n"); n < c.lines || !strings.Contains(string(page), "```text\n"+want+"```\n") {
			t.Errorf("docs/%s does not have the %d lines of %s", c.page, n, c.script)
		}
	}
}
