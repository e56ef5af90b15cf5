package callgate_test

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const (
	casesDir   = "testdata/cases"
	casesIndex = casesDir + "/README.md"
	// pluginCases are cases of plugins; ./plugins plays them behind a policy.
	pluginCases = "plugins/*/cases/incidents.yaml"
	casesTotal  = 178
)

var (
	caseRow   = regexp.MustCompile(`^\| ([A-Z]+-B?[0-9]+) \| (.*) \|$`)
	idFirst   = regexp.MustCompile(`^\|\s*[A-Z]{3,4}-B?[0-9]{2,3}\b`)
	caseID    = regexp.MustCompile(`\b[A-Z]{3,4}-B?[0-9]{2,3}\b`)
	caseState = regexp.MustCompile(`^(passing|unseen|#[1-9][0-9]*)$`)
)

// maxUnseen is how many cases may stand outside of what Callgate can see.
const maxUnseen = 8

// caseIndex holds the page of case ids against the cases: total ids, each once,
// each with a state, and each passing one in the name of a case or in a string
// of a Go test.
func caseIndex(total int, t tree) []string {
	page, ok := t[casesIndex]
	if !ok {
		return []string{casesIndex + ": no such file; list every id with its state"}
	}
	proven, found := provenIDs(t)
	seen, unseen := map[string]bool{}, 0
	for i, line := range strings.Split(page, "\n") {
		row := caseRow.FindStringSubmatch(line)
		switch {
		case row == nil:
			if idFirst.MatchString(line) {
				found = append(found, at(casesIndex, i+1)+"not a row; want | ID | state |")
			}
			continue
		case seen[row[1]]:
			found = append(found, at(casesIndex, i+1)+row[1]+" stands here twice; keep one")
		case !caseState.MatchString(row[2]):
			found = append(found, at(casesIndex, i+1)+row[1]+" has the state "+strconv.Quote(row[2])+"; want passing, unseen or #N")
		case row[2] == "unseen" && !strings.Contains(page, "\n"+row[1]+" is unseen: "):
			found = append(found, at(casesIndex, i+1)+row[1]+" is unseen without a reason; write a line "+strconv.Quote(row[1]+" is unseen: …"))
		case row[2] == "passing" && !proven[row[1]]:
			found = append(found, at(casesIndex, i+1)+row[1]+" is in no case; encode it, or name the issue that owns it")
		}
		if seen[row[1]] = true; row[2] == "unseen" {
			unseen++
		}
	}
	if unseen > maxUnseen {
		found = append(found, casesIndex+": "+strconv.Itoa(unseen)+" unseen ids; at most "+strconv.Itoa(maxUnseen))
	}
	if len(seen) != total {
		found = append(found, casesIndex+": "+strconv.Itoa(len(seen))+" ids; want "+strconv.Itoa(total))
	}
	return found
}

// provenIDs collects the ids in names of cases and in strings of Go tests. This
// file has ids without proving any.
func provenIDs(t tree) (ids map[string]bool, found []string) {
	ids = map[string]bool{}
	add := func(text string) {
		for _, id := range caseID.FindAllString(text, -1) {
			ids[id] = true
		}
	}
	for _, name := range t.names() {
		ofPlugin, _ := path.Match(pluginCases, name)
		if (!within(name, casesDir) || path.Ext(name) != ".yaml") && !ofPlugin {
			continue
		}
		var file struct {
			Cases []struct {
				Name string `yaml:"name"`
			} `yaml:"cases"`
		}
		if err := yaml.Unmarshal([]byte(t[name]), &file); err != nil {
			found = append(found, name+": "+err.Error()+"; want a cases file")
		}
		for _, c := range file.Cases {
			add(c.Name)
		}
	}
	files, bad := t.goFiles()
	for _, f := range files {
		if !f.isTest() || f.path == "case_ids_test.go" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				add(lit.Value)
			}
			return true
		})
	}
	return ids, append(found, bad...)
}

func TestEveryPassingCaseIsEncoded(t *testing.T) {
	index := func(rows string) tree {
		return tree{
			casesIndex:                "| id | state |\n| --- | --- |\n" + rows,
			casesDir + "/a.yaml":      "cases:\n  - name: PATH-001 a sibling\n",
			"host/policy/bad_test.go": "package policy\n\nvar bad = []string{\"POL-001\"}\n",
		}
	}
	verify(t, func(t tree) []string {
		if len(t) > 3 {
			return caseIndex(casesTotal, t)
		}
		return caseIndex(2, t)
	}, []plant{
		{"no page", tree{"a": ""}, "no such file"},
		{"both proven", index("| PATH-001 | passing |\n| POL-001 | passing |\n"), ""},
		{"one owned by an issue", index("| PATH-001 | passing |\n| URL-001 | #6 |\n"), ""},
		{"one unseen", index("| PATH-001 | passing |\n| URL-001 | unseen |\n\nURL-001 is unseen: nobody asks.\n"), ""},
		{"one unseen without a reason", index("| PATH-001 | passing |\n| URL-001 | unseen |\n"), "URL-001 is unseen without a reason"},
		{"one passing without a case", index("| PATH-001 | passing |\n| URL-001 | passing |\n"), "URL-001 is in no case"},
		{"one missing", index("| PATH-001 | passing |\n"), "1 ids; want 2"},
		{"one twice", index("| PATH-001 | passing |\n| PATH-001 | #6 |\n| URL-001 | #6 |\n"), "stands here twice"},
		{"no state", index("| PATH-001 | passing |\n| URL-001 |  |\n"), "has the state"},
		{"a row that is none", index("| PATH-001 | passing |\n| POL-001 | #6 |\n| PATH-002 |\n"), "not a row"},
	})
}
