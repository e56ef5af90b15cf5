package callgate_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// registries is the one package that speaks to them. Only cmd/callgate may import it,
// says mayImport, so that what is to be looked at is in there.
const registries = "host/bundle/oci"

// serving are the functions that everything starts from which judges calls.
var serving = []string{"runCmd", "gatewayCmd"}

// declared is what the functions, methods, types and variables of a package use of
// it, by the name of each: TYPE.NAME of a method. A type uses all of its methods,
// since whoever has a value of it may call them.
type declared struct {
	uses map[string][]string
	asks map[string]string // where a declaration uses the package of registries
}

// declaredIn reads the files of one package, with what names are of the package and
// which are local.
func declaredIn(t tree, names []string) (d declared, bad []string) {
	d = declared{uses: map[string][]string{}, asks: map[string]string{}}
	for _, name := range names {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, name, t[name], 0)
		if err != nil {
			bad = append(bad, fmt.Sprintf("%s: %v; want Go that parses", name, err))
			continue
		}
		f := goFile{name, set, parsed}
		local := ""
		for _, spec := range parsed.Imports {
			if importPath(spec) == module+"/"+registries {
				if local = path.Base(registries); spec.Name != nil {
					local = spec.Name.Name
				}
			}
		}
		for _, decl := range parsed.Decls {
			for _, name := range namesOf(decl) {
				d.read(f, name, local, decl)
			}
		}
	}
	return d, bad
}

func namesOf(decl ast.Decl) (names []string) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv != nil && len(decl.Recv.List) == 1 {
			return []string{receiver(decl.Recv.List[0].Type) + "." + decl.Name.Name}
		}
		return []string{decl.Name.Name}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// receiver is the name of the type of a method.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

func (d *declared) read(f goFile, name, local string, decl ast.Decl) {
	d.uses[name] = append(d.uses[name], "")
	if of, _, method := strings.Cut(name, "."); method {
		d.uses[of] = append(d.uses[of], name)
	}
	var node func(n ast.Node) bool
	node = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr: // of a field, a method, or another package
			ast.Inspect(n.X, node)
			return false
		case *ast.KeyValueExpr: // its key names a field, or is a value that calls nothing
			ast.Inspect(n.Value, node)
			return false
		case *ast.Ident:
			if n.Obj != nil && n.Obj != f.ast.Scope.Lookup(n.Name) {
				break // local
			}
			d.uses[name] = append(d.uses[name], n.Name)
			if n.Name == local {
				d.asks[name] = f.at(n.Pos(), "%s", name)
			}
		}
		return true
	}
	ast.Inspect(decl, node)
}

// networkWhileServing finds what is reachable from where calls are judged, and asks a
// registry.
func networkWhileServing(t tree) (found []string) {
	d, found := declaredIn(t, slices.DeleteFunc(t.names(), func(name string) bool {
		return path.Dir(name) != "cmd/callgate" || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go")
	}))
	from := map[string]string{}
	var next []string
	for _, root := range serving {
		if _, ok := d.uses[root]; !ok {
			found = append(found, fmt.Sprintf("cmd/callgate: no %s; name what judges calls", root))
		}
		from[root], next = "", append(next, root)
	}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if at, ok := d.asks[name]; ok {
			way := name
			for up := from[name]; up != ""; up = from[up] {
				way = up + " → " + way
			}
			found = append(found, at+" asks a registry, and calls are judged by what leads there: "+way)
		}
		for _, used := range d.uses[name] {
			if _, seen := from[used]; !seen && d.uses[used] != nil {
				from[used], next = name, append(next, used)
			}
		}
	}
	return found
}

func TestNothingThatJudgesCallsAsksARegistry(t *testing.T) {
	const roots = "package main\n\ntype view struct{}\n\nfunc runCmd() { relay(view{}) }\n\nfunc gatewayCmd() { relay(view{}) }\n\nfunc relay(v view) { v.look() }\n\n"
	const asks = "package main\n\nimport \"" + module + "/" + registries + "\"\n\n"
	in := func(run, pull string) tree {
		return tree{"cmd/callgate/run.go": roots + run, "cmd/callgate/pull.go": asks + pull}
	}
	const looks = "func (view) look() {}\n"
	verify(t, networkWhileServing, []plant{
		{"none asks", tree{"cmd/callgate/run.go": roots + looks}, ""},
		{"another verb asks", in(looks, "func pullCmd() { oci.Pull() }\n"), ""},
		{"a local variable has the name of what asks", in("func (view) look() { pull := 1; _ = pull; _ = list{pull: 1} }\n", "func pull() { oci.Pull() }\n"), ""},
		{"a method of another type has the name of what asks", in(looks, "type store struct{}\n\nfunc (store) look() { oci.Pull() }\n"), ""},
		{"a function asks", in("func (view) look() { pull() }\n", "func pull() { oci.Pull() }\n"), "view.look → pull"},
		{"a method asks", in("", "func (view) look() { oci.Pull() }\n"), "runCmd → view → view.look"},
		{"a method that only an interface calls", in(looks, "func (*view) String() string { return oci.Pull() }\n"), "view → view.String"},
		{"a variable asks", in("func (view) look() { get() }\n", "var get = oci.Pull\n"), "view.look → get"},
		{"under another name", tree{"cmd/callgate/run.go": roots, "cmd/callgate/pull.go": strings.Replace(asks, "import ", "import r ", 1) + "func (view) look() { r.Pull() }\n"}, "view → view.look"},
		{"a type asks", in("func (view) look() { var s store }\n", "type store struct{ oci.Client }\n"), "view.look → store"},
		{"a test asks", tree{"cmd/callgate/run.go": roots, "cmd/callgate/pull_test.go": asks + "func (view) look() { oci.Pull() }\n"}, ""},
		{"nobody serves", tree{"cmd/callgate/run.go": "package main\n\nfunc gatewayCmd() {}\n"}, "no runCmd"},
	})
}
