package callgate_test

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// packageComments finds packages that no file of theirs describes.
func packageComments(t tree) []string {
	files, found := t.code()
	first := map[string]goFile{}
	described := map[string]bool{}
	for _, f := range files {
		if _, ok := first[f.dir()]; !ok {
			first[f.dir()] = f
		}
		if f.ast.Doc != nil && strings.TrimSpace(f.ast.Doc.Text()) != "" {
			described[f.dir()] = true
		}
	}
	for _, f := range files {
		if first[f.dir()].path == f.path && !described[f.dir()] {
			found = append(found, f.at(f.ast.Package, "package %s has no comment; say what it is for", f.dir()))
		}
	}
	return found
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	verify(t, packageComments, []plant{
		{"no comment", tree{"abi/a.go": "package abi\n"}, "package abi has no comment"},
		{"a comment apart", tree{"abi/a.go": "// Package abi.\n\npackage abi\n"}, "package abi has no comment"},
		{"a build tag only", tree{"abi/a.go": "//go:build linux\n\npackage abi\n"}, "package abi has no comment"},
		{"a comment", tree{"abi/a.go": "// Package abi is.\npackage abi\n", "abi/b.go": "package abi\n"}, ""},
	})
}

// exportedNames finds exported names without a comment. A group of constants or
// variables may share one.
func exportedNames(t tree) []string {
	files, found := t.code()
	for _, f := range files {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && visible(d) {
					found = append(found, f.at(d.Pos(), "%s has no comment; describe it", d.Name.Name))
				}
			case *ast.GenDecl:
				for _, name := range bare(d) {
					found = append(found, f.at(name.Pos(), "%s has no comment; describe it", name.Name))
				}
			}
		}
	}
	return found
}

// visible says whether a function, or the type it is a method of, can be named
// from outside.
func visible(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	x := d.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

// bare lists the exported names of a declaration that nothing describes.
func bare(d *ast.GenDecl) (names []*ast.Ident) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
				names = append(names, s.Name)
			}
		case *ast.ValueSpec:
			if s.Doc == nil && s.Comment == nil && d.Doc == nil {
				names = append(names, s.Names...)
			}
		}
	}
	return slices.DeleteFunc(names, func(n *ast.Ident) bool { return !n.IsExported() })
}

func TestEveryExportedNameIsDescribed(t *testing.T) {
	of := func(text string) tree { return tree{"abi/a.go": "package abi\n\n" + text} }
	verify(t, exportedNames, []plant{
		{"a function", of("func F() {}\n"), "F has no comment"},
		{"a method", of("// T is.\ntype T int\n\nfunc (*T) M() {}\n"), "M has no comment"},
		{"a type", of("type T int\n"), "T has no comment"},
		{"a type in a group", of("// Both.\ntype (\n\tT int\n)\n"), "T has no comment"},
		{"a constant", of("const C = 1\n"), "C has no comment"},
		{"a variable", of("var V = 1\n"), "V has no comment"},
		{"all described", of("// F does.\nfunc F() {}\n\n// T is.\ntype T int\n\n// M does.\nfunc (T) M() {}\n\n// Limits.\nconst (\n\tA = 1\n\tB = 2\n)\n\nvar V = 1 // of all\n"), ""},
		{"names that nobody sees", of("func f() {}\n\ntype t int\n\nfunc (t) Error() string { return \"\" }\n"), ""},
	})
}

// leftover matches the notes that say a thing is not done.
var leftover = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)

// leftovers finds such notes in comments of code and in documents. Recorded
// data is what others wrote.
func leftovers(t tree) []string {
	files, found := t.goFiles()
	for _, f := range files {
		for _, g := range f.ast.Comments {
			for _, c := range g.List {
				if note := leftover.FindString(c.Text); note != "" {
					found = append(found, f.at(c.Pos(), "a note %q; do it, or leave it out", note))
				}
			}
		}
	}
	written := []string{".md", ".yaml", ".mjs", ".sh", ".mod"}
	for _, name := range t.names() {
		if !slices.Contains(written, path.Ext(name)) && !within(name, ".ci") {
			continue
		}
		if note := leftover.FindString(t[name]); note != "" {
			found = append(found, name+": a note "+note+"; do it, or leave it out")
		}
	}
	return found
}

func TestNothingIsLeftForLater(t *testing.T) {
	note := "TO" + "DO"
	verify(t, leftovers, []plant{
		{"a note in code", tree{"abi/a.go": "package abi\n\n// " + note + ": more.\n"}, "a note"},
		{"a note in a test", tree{"abi/a_test.go": "package abi\n\nfunc f() {\n\t/* FIX" + "ME */\n}\n"}, "a note"},
		{"a note in a document", tree{"docs/a.md": "# A\n\nX" + "XX\n"}, "a note"},
		{"a note in a script", tree{".ci/run": "# " + note + "\n"}, "a note"},
		{"a value in code", tree{"abi/a.go": "package abi\n\nvar x = \"" + note + "\"\n"}, ""},
		{"a word that holds it", tree{"docs/a.md": "Xx" + note + "s\n"}, ""},
	})
}

// machinePath matches directories that exist only where somebody worked. A
// longer path may end in them: /srv/work is nobody's.
var machinePath = regexp.MustCompile(`(^|file://|[^\w./…-])/(wo` + `rk|ro` + `ot|tmp/bash_jobs[^/]*|tmp/briefs)/[\w.*]`)

// machinePaths finds such directories, in whatever file. Lock files hold digests.
func machinePaths(t tree) []string {
	var found []string
	for _, name := range t.names() {
		if base := path.Base(name); base == "go.sum" || base == "package-lock.json" {
			continue
		}
		for i, line := range strings.Split(t[name], "\n") {
			if hit := machinePath.FindString(line); hit != "" {
				found = append(found, at(name, i+1)+"a directory of one machine, "+strings.TrimSpace(hit)+"…; name one that anybody has")
			}
		}
	}
	return found
}

// at starts a finding in a file that is not Go.
func at(name string, line int) string {
	return token.Position{Filename: name, Line: line}.String() + ": "
}

func TestNoPathOfOneMachineIsNamed(t *testing.T) {
	dir := "/wo" + "rk/"
	verify(t, machinePaths, []plant{
		{"a path in code", tree{"abi/a.go": "package abi\n\nvar p = \"" + dir + "x\"\n"}, "abi/a.go:3: "},
		{"a path in a document", tree{"README.md": "cd " + dir + "main\n"}, "README.md:1: "},
		{"a home", tree{"testdata/x.json": `{"p":"/ro` + `ot/.ssh/id"}`}, "testdata/x.json:1: "},
		{"a URL of a path", tree{"testdata/x.json": `{"p":"file:///ro` + `ot/.ssh/id"}`}, "testdata/x.json:1: "},
		{"other directories", tree{"a.md": "/srv" + dir + "x, /srv/" + dir + "x, /proc/self/ro" + "ot/x, ./wo" + "rk/x, \"/ro" + "ot/\""}, ""},
	})
}
