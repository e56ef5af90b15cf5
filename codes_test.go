package callgate_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/codes"
	"github.com/callgate/callgate/host/policy"
)

// speaking are the packages whose words verdicts and refusals are made of.
var speaking = []string{"abi", "host/builtin", "host/gate", "host/proxy", "host/wire"}

// noCodes are words that look like a code and are none.
var noCodes = []string{"XDG_RUNTIME_DIR"}

var codeWord = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)

// codesIn finds the codes in the sources of a package: words that look like one,
// and what stands in a member or constant called code.
func codesIn(t tree) map[string]string {
	found := map[string]string{}
	files, _ := t.code()
	for _, f := range files {
		if !slices.Contains(speaking, f.dir()) {
			continue
		}
		add := func(e ast.Expr, anyWord bool) {
			lit, ok := e.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return
			}
			s, err := strconv.Unquote(lit.Value)
			if err == nil && s != "" && (codeWord.MatchString(s) || anyWord && strings.ToUpper(s) == s && regexp.MustCompile(`^[A-Z]+$`).MatchString(s)) {
				found[s] = f.at(lit.Pos(), "%s", s)
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				add(n, false)
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && strings.EqualFold(key.Name, "code") {
					add(n.Value, true)
				}
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if strings.HasPrefix(name.Name, "Code") && i < len(n.Values) {
						add(n.Values[i], true)
					}
				}
			}
			return true
		})
	}
	return found
}

func TestEveryCodeIsInTheTable(t *testing.T) {
	found := codesIn(readTree(t))
	for word, at := range found {
		if !codes.Known(word) && !slices.Contains(noCodes, word) {
			t.Errorf("%s: no row in host/codes; add one, and to docs/codes.md", at)
		}
	}
	if len(found) < 100 {
		t.Errorf("%d codes in the sources", len(found))
	}
	composed := 0
	for _, c := range codes.All() {
		if _, ok := found[c.Code]; ok {
			continue
		}
		if composed++; strings.Count(c.Code, "_") < 2 || c.Contract != "args" {
			t.Errorf("%s: nothing says it; take it out of the table", c.Code)
		}
	}
	if composed == 0 {
		t.Error("no code is made of parts: nothing is proven of those")
	}
}

func TestTheTableOfCodesIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range codes.All() {
		if seen[c.Code] || c.Means == "" || c.Mend == "" || c.Contract == "" || strings.Contains(c.Means+c.Mend, "|") {
			t.Errorf("%+v", c)
		}
		seen[c.Code] = true
	}
	for _, c := range policy.LintCodes() {
		if seen[c.Code] {
			t.Errorf("%s is a code of lint, too", c.Code)
		}
	}
}

func TestTheDocumentShowsTheTableOfCodes(t *testing.T) {
	data, err := os.ReadFile("docs/codes.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, c := range codes.All() {
		fmt.Fprintf(&want, "| `%s` | `%s` | %s | %s |\n", c.Contract, c.Code, c.Means, c.Mend)
	}
	if !strings.Contains(string(data), "|---|---|---|---|\n"+want.String()) {
		t.Errorf("docs/codes.md: want the rows\n%s", want.String())
	}
}
