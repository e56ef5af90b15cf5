// Package callgate_test holds the checks that the repository makes on itself:
// who imports whom, what is documented, how large things are, and whether the
// documents say what is so. Each check is a function over a set of files, so
// that its test can also give it a planted failure.
//
// Files are read in this process and never through the go command: the test
// cache sees only the former, and a check of stale files can not fail.
package callgate_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the path that our packages are imported under.
const module = "github.com/callgate/callgate"

// tree is a set of files: the text of each by its slash-separated path below
// the module root.
type tree map[string]string

// check returns one line for each mistake of a tree: path:line: what; mend.
type check func(tree) []string

// names lists the files, sorted, so that findings have an order.
func (t tree) names() []string { return slices.Sorted(maps.Keys(t)) }

// goFile is a parsed file of a tree.
type goFile struct {
	path string
	set  *token.FileSet
	ast  *ast.File
}

func (f goFile) dir() string { return path.Dir(f.path) }

func (f goFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

func (f goFile) line(p token.Pos) int { return f.set.Position(p).Line }

// at starts a finding.
func (f goFile) at(p token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: ", f.path, f.line(p)) + fmt.Sprintf(format, args...)
}

// goFiles parses the Go files. What does not parse is a finding, so that no
// check passes over it.
func (t tree) goFiles() (files []goFile, bad []string) {
	for _, name := range t.names() {
		if path.Ext(name) != ".go" {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, name, t[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			bad = append(bad, fmt.Sprintf("%s: %v; want Go that parses", name, err))
			continue
		}
		files = append(files, goFile{name, set, parsed})
	}
	return files, bad
}

// code is goFiles without tests.
func (t tree) code() (files []goFile, bad []string) {
	files, bad = t.goFiles()
	return slices.DeleteFunc(files, goFile.isTest), bad
}

// readTree reads the repository, without what is downloaded or ignored.
func readTree(t *testing.T) tree {
	t.Helper()
	files := tree{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == ".venv" || d.Name() == "vendor" || d.Name() == "target" || strings.HasSuffix(filepath.ToSlash(name), "testdata/rapid") {
				return filepath.SkipDir
			}
			return nil
		}
		// A built binary at the root is ignored by git as well.
		if !d.Type().IsRegular() || name == "callgate" || strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".out") {
			return nil
		}
		data, err := os.ReadFile(name)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("read %d files of the repository; want all of it", len(files))
	}
	return files
}

// plant is a small tree with a mistake, or its twin without.
type plant struct {
	name string
	tree tree
	want string // contained in exactly one finding; "": nothing is found
}

// verify shows that a check finds what is planted, passes the twins, and finds
// nothing in the repository.
func verify(t *testing.T, c check, plants []plant) {
	t.Helper()
	caught, passed := 0, 0
	for _, p := range plants {
		found := c(p.tree)
		switch {
		case p.want == "" && len(found) == 0:
			passed++
		case p.want != "" && len(found) == 1 && strings.Contains(found[0], p.want):
			caught++
		default:
			t.Errorf("planted %s: found %q, want %q", p.name, found, p.want)
		}
	}
	if caught == 0 || passed == 0 {
		t.Errorf("%d planted mistakes caught, %d twins passed; want both", caught, passed)
	}
	for _, f := range c(readTree(t)) {
		t.Error(f)
	}
}
