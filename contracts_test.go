package callgate_test

import (
	"go/ast"
	"strconv"
	"testing"
)

const builtinDir = "host/builtin/"

// contractFiles finds rows of the table of built-in contracts without their file
// or their cases.
func contractFiles(t tree) []string {
	files, found := t.code()
	rows := 0
	for _, f := range files {
		if f.path != builtinDir+"table.go" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, isName := kv.Key.(*ast.Ident)
			value, isText := kv.Value.(*ast.BasicLit)
			if !isName || !isText || key.Name != "Name" {
				return true
			}
			name, err := strconv.Unquote(value.Value)
			if err != nil {
				found = append(found, f.at(kv.Pos(), "%v", err))
				return true
			}
			rows++
			for _, file := range []string{builtinDir + name + ".go", builtinDir + "testdata/" + name + ".txtar"} {
				if _, ok := t[file]; !ok {
					found = append(found, f.at(kv.Pos(), "contract %s has no file %s; write it", name, file))
				}
			}
			return true
		})
	}
	if rows == 0 {
		found = append(found, builtinDir+"table.go: no row; want {Name: …, New: …}")
	}
	return found
}

func TestEveryContractHasItsFileAndItsCases(t *testing.T) {
	with := func(files ...string) tree {
		list := tree{builtinDir + "table.go": "package builtin\n\nfunc Table() []Spec { return []Spec{{Name: \"calm\", New: nil}} }\n"}
		for _, f := range files {
			list[builtinDir+f] = "package builtin\n"
		}
		return list
	}
	verify(t, contractFiles, []plant{
		{"both", with("calm.go", "testdata/calm.txtar"), ""},
		{"no cases", with("calm.go"), "testdata/calm.txtar"},
		{"no file", with("testdata/calm.txtar"), "calm.go"},
		{"no table", tree{"a.md": ""}, "no row"},
	})
}
