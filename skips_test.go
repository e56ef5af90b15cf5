package callgate_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// ciVariable is what the continuous integration sets to 1. There, what a test
// needs is a failure to miss:
//
//	if _, err := exec.LookPath("node"); err != nil {
//		if os.Getenv("CALLGATE_CI") == "1" {
//			t.Fatal("no node; install it")
//		}
//		t.Skip("no node")
//	}
const ciVariable = "CALLGATE_CI"

// maySkip are the tests that some machines can not run, whoever asks.
var maySkip = []struct{ path, name, why string }{
	{"host/ledger/links_test.go", "TestAFileOfAnotherUserIsRefused", "only root can give a file away"},
}

// skips finds tests that could be skipped without anybody noticing.
func skips(t tree) []string {
	files, found := t.goFiles()
	for _, f := range files {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !f.isTest() {
				continue
			}
			if call := skip(fn); call != nil && !strings.Contains(textOf(f, t[f.path], fn), ciVariable) && !excused(f.path, fn.Name.Name) {
				found = append(found, f.at(call.Pos(), "%s skips; fail when %s is 1, or return", fn.Name.Name, ciVariable))
			}
		}
	}
	for _, e := range maySkip {
		for _, f := range files {
			if f.path == e.path && !slices.ContainsFunc(f.ast.Decls, func(d ast.Decl) bool {
				fn, ok := d.(*ast.FuncDecl)
				return ok && fn.Name.Name == e.name && skip(fn) != nil
			}) {
				found = append(found, e.path+": "+e.name+" does not skip any more; take it out of maySkip")
			}
		}
	}
	return found
}

func excused(path, name string) bool {
	for _, e := range maySkip {
		if e.path == path && e.name == name && e.why != "" {
			return true
		}
	}
	return false
}

func textOf(f goFile, text string, n ast.Node) string {
	return text[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset]
}

// skip returns the first call in a function that skips a test, unless it is a
// matter of the platform: .ci/run sees to it that its own skips none.
func skip(fn *ast.FuncDecl) (call *ast.CallExpr) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if branch, ok := n.(*ast.IfStmt); ok && asksPlatform(branch.Cond) {
			return false
		}
		c, ok := n.(*ast.CallExpr)
		if !ok || call != nil {
			return call == nil
		}
		if sel, ok := c.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
			if x, ok := sel.X.(*ast.Ident); ok && slices.Contains([]string{"t", "b", "f", "tb"}, x.Name) {
				call = c
			}
		}
		return true
	})
	return call
}

func asksPlatform(cond ast.Expr) (asks bool) {
	ast.Inspect(cond, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if ok {
			x, isName := sel.X.(*ast.Ident)
			asks = asks || isName && x.Name == "runtime" && sel.Sel.Name == "GOOS"
		}
		return true
	})
	return asks
}

func TestNoTestIsSkippedUnnoticed(t *testing.T) {
	of := func(text string) tree {
		return tree{"host/p/a_test.go": "package p\n\nfunc TestA(t *T) {\n" + text + "}\n"}
	}
	verify(t, skips, []plant{
		{"a skip", of("\tif missing { t.Skip(\"no node\") }\n"), "TestA skips"},
		{"a skip deep inside", of("\tt.Run(\"x\", func(t *T) { t.Skipf(\"no %s\", x) })\n"), "TestA skips"},
		{"a skip that fails where it must not happen", of("\tif os.Getenv(\"" + ciVariable + "\") == \"1\" { t.Fatal() }\n\tt.Skip()\n"), ""},
		{"a skip of a platform", of("\tif runtime.GOOS == \"windows\" { t.Skip(\"no signals\") }\n"), ""},
		{"a skip of another condition", of("\tif os.GOOS == \"windows\" { t.Skip(\"no signals\") }\n"), "TestA skips"},
		{"no skip", of("\tr.Skip(1)\n"), ""},
		{"an exception without use", tree{"host/ledger/links_test.go": "package p\n\nfunc TestAFileOfAnotherUserIsRefused(t *T) {}\n"}, "does not skip any more"},
	})
}
