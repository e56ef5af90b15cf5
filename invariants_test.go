package callgate_test

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

const invariantsPage = "docs/invariants.md"

// laws is how many numbered laws there are.
const laws = 5

var (
	testName    = regexp.MustCompile("`(?:([a-z/]+)\\.)?((?:Test|Fuzz)\\w+)`")
	inBackticks = regexp.MustCompile("`[^`]*`")
)

// testFuncs collects the tests and fuzz targets by name, and by folder.name.
func testFuncs(t tree) (names map[string]bool, found []string) {
	names = map[string]bool{}
	files, found := t.goFiles()
	for _, f := range files {
		if !f.isTest() {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Name.Name == "TestMain" {
				continue
			}
			if strings.HasPrefix(fn.Name.Name, "Test") || strings.HasPrefix(fn.Name.Name, "Fuzz") {
				names[fn.Name.Name] = true
				names[f.dir()+"."+fn.Name.Name] = true
			}
		}
	}
	return names, found
}

// invariants holds the table of laws against the tests: every name exists, and
// every law has one.
func invariants(t tree) []string {
	exist, found := testFuncs(t)
	shown := map[int]int{}
	for i, line := range strings.Split(t[invariantsPage], "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "|") || cells[0] == "law" || strings.HasPrefix(cells[0], "---") {
			continue
		}
		tests := testName.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 2 || len(tests) == 0 || len(tests) != len(inBackticks.FindAllString(cells[1], -1)) {
			found = append(found, at(invariantsPage, i+1)+"want | law | `folder.TestName`, … |")
			continue
		}
		for _, m := range tests {
			if name := strings.Trim(m[0], "`"); !exist[name] {
				found = append(found, at(invariantsPage, i+1)+"no test "+name+"; name one that exists")
			}
		}
		law := 0
		if _, err := fmt.Sscanf(cells[0], "%d. ", &law); err == nil {
			shown[law]++
		}
	}
	for law := 1; law <= laws; law++ {
		if shown[law] != 1 {
			found = append(found, fmt.Sprintf("%s: law %d has %d rows; want one", invariantsPage, law, shown[law]))
		}
	}
	return found
}

func TestEveryInvariantNamesTestsThatExist(t *testing.T) {
	page := func(rows ...string) tree {
		text := "| law | tests |\n| --- | --- |\n"
		for law := 1; law <= laws; law++ {
			row := fmt.Sprintf("| %d. A law | `TestA` |", law)
			if law <= len(rows) {
				row = rows[law-1]
			}
			text += row + "\n"
		}
		return tree{
			invariantsPage:     text,
			"host/p/a_test.go": "package p\n\nfunc TestA() {}\n\nfunc FuzzB() {}\n\nfunc (t) TestC() {}\n",
			"host/p/a.go":      "package p\n\nfunc TestD() {}\n",
		}
	}
	verify(t, invariants, []plant{
		{"tests that exist", page("| 1. A law | `host/p.TestA`, `FuzzB` |"), ""},
		{"a test that does not", page("| 1. A law | `TestA`, `TestB` |"), "no test TestB"},
		{"a test of another package", page("| 1. A law | `host/q.TestA` |"), "no test host/q.TestA"},
		{"a method", page("| 1. A law | `TestC` |"), "no test TestC"},
		{"a function of the code", page("| 1. A law | `TestD` |"), "no test TestD"},
		{"a law without a row", page("| A law | `TestA` |"), "law 1 has 0 rows"},
		{"a law twice", page("| 1. A law | `TestA` |\n| 1. A law | `TestA` |"), "law 1 has 2 rows"},
		{"something else in the place of a test", page("| 1. A law | `TestA` |\n| B | `TestA`, `docs` |"), "want | law |"},
	})
}
