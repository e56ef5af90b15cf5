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
	weaknessHeading = "## Weaknesses of a peer, and the tests"
	weaknessTotal   = 96
)

var (
	weaknessRow = regexp.MustCompile(`^\| ([A-GM][0-9]+) \| ([^|]+) \| (.+) \|$`)
	goCase      = regexp.MustCompile(`^(?:[a-z/]+\.)?(?:Test|Fuzz)\w+$`)
	jsonName    = regexp.MustCompile(`(?m)^\{"name":"([^"]*)"`)
	frameName   = regexp.MustCompile(`(?m)^(?:client|server) .* : (.+)$`)
	scriptPart  = regexp.MustCompile(`(?m)^# (.+)$`)
)

// caseNames are the cases of a tree: by the file or package that a reference
// names, their names. A case of YAML must hold a call that passes beside one
// that does not; in the other files their own tests see to the twins.
func caseNames(t tree) (names map[string]map[string]bool, found []string) {
	names = map[string]map[string]bool{}
	add := func(file, name string) {
		if names[file] == nil {
			names[file] = map[string]bool{}
		}
		names[file][name] = true
	}
	for _, name := range t.names() {
		pattern, short := jsonName, path.Base(name)
		switch dir := path.Dir(name); {
		case path.Ext(name) == ".yaml" && (dir == casesDir || dir == "packs/cases"):
			if dir != casesDir {
				short = name
			}
			for _, c := range twinCases(t[name]) {
				add(short, c)
			}
			continue
		case name == "host/wire/testdata/frames.txt":
			pattern = frameName
		case path.Ext(name) == ".txtar" && dir == "host/builtin/testdata":
		case path.Ext(name) == ".txtar" && dir == "cmd/callgate/testdata/script":
			pattern = scriptPart
		default:
			continue
		}
		for _, m := range pattern.FindAllStringSubmatch(t[name], -1) {
			add(short, m[1])
		}
	}
	files, found := t.goFiles()
	for _, f := range files {
		if f.isTest() {
			stringsOf(f.ast, func(s string) { add(f.dir(), s) })
		}
	}
	return names, found
}

// stringsOf visits the strings of a file.
func stringsOf(f *ast.File, visit func(string)) {
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				visit(s)
			}
		}
		return true
	})
}

// twinCases are the names of those cases that want a call to pass and another
// not to. What is no cases file has none.
func twinCases(text string) []string {
	var file struct {
		Cases []struct {
			Name  string `yaml:"name"`
			Steps []struct {
				Want struct {
					Outcome string    `yaml:"outcome"`
					Redact  yaml.Node `yaml:"redact"`
				} `yaml:"want"`
			} `yaml:"steps"`
		} `yaml:"cases"`
	}
	if yaml.Unmarshal([]byte(text), &file) != nil {
		return nil
	}
	var names []string
	for _, c := range file.Cases {
		wants := map[string]bool{}
		for _, s := range c.Steps {
			wants[s.Want.Outcome] = true
			if n := s.Want.Redact; n.Kind != 0 {
				wants[map[bool]string{true: "allow", false: "deny"}[len(n.Content) == 0]] = true
			}
		}
		if wants["allow"] && (wants["deny"] || wants["ask"]) {
			names = append(names, c.Name)
		}
	}
	return names
}

// weaknesses holds the table of a peer's weaknesses against the tests: total
// rows, each id once, and everything that a row names exists.
func weaknesses(total int, t tree) []string {
	page := t[casesIndex]
	tests, found := testFuncs(t)
	names, _ := caseNames(t)
	_, table, ok := strings.Cut(page, "\n"+weaknessHeading+"\n")
	if !ok {
		return append(found, casesIndex+": no section "+strconv.Quote(weaknessHeading))
	}
	exists := func(ref string) bool {
		if caseID.MatchString(ref) {
			return strings.Contains("\n"+page, "\n| "+ref+" | passing |\n")
		}
		file, name, inFile := strings.Cut(ref, ": ")
		if !goCase.MatchString(file) {
			return names[file][name]
		}
		dir, _, _ := strings.Cut(file, ".")
		return tests[file] && (!inFile || names[dir][name])
	}
	first := strings.Count(page[:len(page)-len(table)], "\n")
	seen := map[string]bool{}
	for i, line := range strings.Split(table, "\n") {
		row := weaknessRow.FindStringSubmatch(line)
		if row == nil {
			if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "| id |") && !strings.HasPrefix(line, "| --- |") {
				found = append(found, at(casesIndex, first+i+1)+"not a row; want | ID | what | `test`, … |")
			}
			continue
		}
		if seen[row[1]] {
			found = append(found, at(casesIndex, first+i+1)+row[1]+" stands here twice; keep one")
		}
		seen[row[1]] = true
		refs := inBackticks.FindAllString(row[3], -1)
		if len(refs) == 0 && !caseState.MatchString(row[3]) {
			found = append(found, at(casesIndex, first+i+1)+row[1]+" names no test; name one, or the issue that owns it")
		}
		for _, ref := range refs {
			if !exists(strings.Trim(ref, "`")) {
				found = append(found, at(casesIndex, first+i+1)+"nothing is "+ref+", or it has no allowed twin; name what exists")
			}
		}
	}
	if len(seen) != total {
		found = append(found, casesIndex+": "+strconv.Itoa(len(seen))+" weaknesses; want "+strconv.Itoa(total))
	}
	return found
}

func TestEveryWeaknessNamesTestsThatExist(t *testing.T) {
	page := func(cell string) tree {
		return tree{
			casesIndex: "| PATH-001 | passing |\n| URL-001 | #6 |\n\n" + weaknessHeading + "\n\n| id | what | shown by |\n| --- | --- | --- |\n" +
				"| A1 | first | `TestA` |\n| M2 | second | " + cell + " |\n",
			casesDir + "/rules.yaml": "cases:\n  - name: both ways\n    steps: [{want: {outcome: deny}}, {want: {outcome: allow}}]\n" +
				"  - name: one way\n    steps: [{want: {outcome: deny}}]\n",
			"host/wire/testdata/frames.txt":             "client FRAME_X ids=1 : A1, a frame\n{}\n",
			"host/builtin/testdata/args.txtar":          "-- cases --\n{\"name\":\"a value\",\"want\":\"deny X\"}\n",
			"cmd/callgate/testdata/script/ledger.txtar": "# A part.\nexec callgate\n",
			"host/p/a_test.go":                          "package p\n\nfunc TestA() { run(\"a row\") }\n",
		}
	}
	verify(t, func(t tree) []string {
		if len(t) > 10 {
			return weaknesses(weaknessTotal, t)
		}
		return weaknesses(2, t)
	}, []plant{
		{"no section", tree{casesIndex: "# Cases\n"}, "no section"},
		{"an owner", page("#6"), ""},
		{"neither test nor owner", page("later"), "M2 names no test"},
		{"a test and its row", page("`host/p.TestA`, `host/p.TestA: a row`"), ""},
		{"a test that does not exist", page("`host/p.TestB`"), "nothing is `host/p.TestB`"},
		{"a row that does not exist", page("`host/p.TestA: a column`"), "nothing is `host/p.TestA: a column`"},
		{"cases of every kind", page("`rules.yaml: both ways`, `frames.txt: A1, a frame`, `args.txtar: a value`, `ledger.txtar: A part.`, `PATH-001`"), ""},
		{"a case without a twin", page("`rules.yaml: one way`"), "or it has no allowed twin"},
		{"a case of another file", page("`args.txtar: both ways`"), "nothing is `args.txtar: both ways`"},
		{"an id that does not pass", page("`URL-001`"), "nothing is `URL-001`"},
		{"a cell too few", func() tree { p := page("#6"); p[casesIndex] += "| A3 | third |\n"; return p }(), "not a row"},
		{"a row twice", func() tree { p := page("#6"); p[casesIndex] += "| A1 | third | #6 |\n"; return p }(), "stands here twice"},
		{"a row too many", func() tree { p := page("#6"); p[casesIndex] += "| A3 | third | #6 |\n"; return p }(), "3 weaknesses; want 2"},
	})
}
