package callgate_test

import (
	"strings"
	"testing"
)

const threatsPage = "docs/threat-model.md"

// threats holds the threat model against the tests: every name stands for one
// that exists, and the page names some.
func threats(t tree) []string {
	exist, found := testFuncs(t)
	named := 0
	for i, line := range strings.Split(t[threatsPage], "\n") {
		for _, name := range inBackticks.FindAllString(line, -1) {
			// A name that lost its Test would pass for a piece of code.
			ref := strings.Trim(name, "`")
			if !testName.MatchString(name) {
				if strings.HasPrefix(ref, "host/") || strings.HasPrefix(ref, "cmd/") {
					found = append(found, at(threatsPage, i+1)+"no test "+ref+"; write `folder.TestName`")
				}
				continue
			}
			if named++; !exist[ref] {
				found = append(found, at(threatsPage, i+1)+"no test "+ref+"; name one that exists")
			}
		}
	}
	if named == 0 {
		found = append(found, threatsPage+": names no test; say which shows what it claims")
	}
	return found
}

func TestEveryClaimOfTheThreatModelNamesTestsThatExist(t *testing.T) {
	page := func(text string) tree {
		return tree{threatsPage: text, "host/p/a_test.go": "package p\n\nfunc TestA() {}\n\nfunc FuzzB() {}\n"}
	}
	verify(t, threats, []plant{
		{"tests that exist", page("# Threats\n\nA claim (`host/p.TestA`, `host/p.FuzzB`) about `callgate run`.\n"), ""},
		{"a test that does not", page("`host/p.TestA`\n\nA claim (`host/p.TestC`).\n"), "no test host/p.TestC"},
		{"a test of another package", page("`host/p.TestA`, `host/q.TestA`\n"), "no test host/q.TestA"},
		{"something else in a folder", page("`host/p.TestA`, `host/p.testA`\n"), "no test host/p.testA"},
		{"no test at all", page("# Threats\n\nAll is well.\n"), "names no test"},
		{"no page", tree{"host/p/a_test.go": "package p\n\nfunc TestA() {}\n"}, "names no test"},
	})
}
