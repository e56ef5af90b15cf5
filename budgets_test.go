package callgate_test

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

// Budgets, in lines and methods. What is longer has two duties.
const (
	maxFileLines  = 400
	maxFuncLines  = 60 // of code; a test may be a long table
	maxInterface  = 3
	functionKind  = "function"
	fileKind      = "file"
	interfaceKind = "interface"
)

// exception is a file ("" for name), function or interface that may be over its
// budget, and what makes it one. One that is not needed any more is a mistake.
type exception struct{ path, name, why string }

var overBudget = []exception{}

// measured is a thing with a budget.
type measured struct {
	where      string // the start of a finding
	path, name string // name is "" for a file
	kind       string
	size, max  int
}

func measure(f goFile, text string) (list []measured) {
	add := func(n ast.Node, name, kind string, size, most int) {
		list = append(list, measured{f.at(n.Pos(), ""), f.path, name, kind, size, most})
	}
	add(f.ast, "", fileKind, strings.Count(text, "\n"), maxFileLines)
	if f.isTest() {
		return list
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(n, n.Name.Name, functionKind, f.line(n.End())-f.line(n.Pos())+1, maxFuncLines)
		case *ast.TypeSpec:
			if i, ok := n.Type.(*ast.InterfaceType); ok {
				add(n, n.Name.Name, interfaceKind, i.Methods.NumFields(), maxInterface)
			}
		}
		return true
	})
	return list
}

// budgets finds what is over its budget, and exceptions without use.
func budgets(t tree) []string { return budgetsBut(overBudget, t) }

func budgetsBut(exceptions []exception, t tree) []string {
	files, found := t.goFiles()
	needed := map[int]bool{}
	for _, f := range files {
		for _, m := range measure(f, t[f.path]) {
			if m.size <= m.max {
				continue
			}
			excused := false
			for i, e := range exceptions {
				if e.path == m.path && e.name == m.name && e.why != "" {
					excused, needed[i] = true, true
				}
			}
			if !excused {
				found = append(found, fmt.Sprintf("%s%s %s has size %d; at most %d, so divide it", m.where, m.kind, m.name, m.size, m.max))
			}
		}
	}
	for i, e := range exceptions {
		if !needed[i] {
			found = append(found, fmt.Sprintf("%s: %q keeps its budget, or has no reason; take the exception out", e.path, e.name))
		}
	}
	return found
}

func TestFilesFunctionsAndInterfacesKeepTheirBudgets(t *testing.T) {
	of := func(name, text string) tree { return tree{name: "package p\n" + text} }
	function := func(lines int) string { return "func f() {\n" + strings.Repeat("\tf()\n", lines-2) + "}\n" }
	verify(t, budgets, []plant{
		{"a long file", of("abi/a.go", strings.Repeat("\n", maxFileLines)), "size 401"},
		{"a long test file", of("abi/a_test.go", strings.Repeat("\n", maxFileLines)), "size 401"},
		{"a full file", of("abi/a.go", strings.Repeat("\n", maxFileLines-1)), ""},
		{"a long function", of("abi/a.go", function(maxFuncLines+1)), "function f has size 61"},
		{"a full function", of("abi/a.go", function(maxFuncLines)), ""},
		{"a long table of a test", of("abi/a_test.go", function(maxFuncLines+1)), ""},
		{"a wide interface", of("abi/a.go", "type t interface{ A(); B(); C(); D() }\n"), "interface t has size 4"},
		{"a narrow interface", of("abi/a.go", "type t interface{ A(); B(); C() }\n"), ""},
	})
}

func TestAnExceptionIsNeededAndHasAReason(t *testing.T) {
	long := tree{"abi/a.go": "package p\nfunc f() {\n" + strings.Repeat("\tf()\n", maxFuncLines) + "}\n"}
	for _, c := range []struct {
		name string
		list []exception
		want int
	}{
		{"needed", []exception{{"abi/a.go", "f", "one table"}}, 0},
		{"without a reason", []exception{{"abi/a.go", "f", ""}}, 2},
		{"for another function", []exception{{"abi/a.go", "g", "one table"}}, 2},
		{"and one too many", []exception{{"abi/a.go", "f", "one table"}, {"abi/b.go", "f", "one table"}}, 1},
	} {
		if found := budgetsBut(c.list, long); len(found) != c.want {
			t.Errorf("%s: found %q, want %d findings", c.name, found, c.want)
		}
	}
}
