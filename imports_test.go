package callgate_test

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is the direction of imports between our packages. A package that
// has code and no row is a mistake. Tests may import what they need.
var mayImport = map[string][]string{
	"abi":                        {},
	"abi/tck":                    {"abi", "abi/testdata"},
	"abi/testdata":               {},
	"packs":                      {},
	"plugins/args":               {"sdk/go"},
	"plugins/hidden-text":        {"sdk/go"},
	"plugins/k8s-manifest":       {"sdk/go"},
	"plugins/split-secret":       {"sdk/go"},
	"plugins/sql-readonly":       {"sdk/go"},
	"sdk":                        {},
	"sdk/go":                     {},
	"sdk/go/examples/hosts":      {"sdk/go"},
	"sdk/go/testdata/probe":      {"sdk/go"},
	"sdk/go/testdata/walk":       {"sdk/go"},
	"host/approval":              {"abi"},
	"host/builtin":               {"abi", "host/contract", "host/provenance", "host/redact", "host/zones"},
	"host/bundle":                {"abi", "host/plural", "host/regular"},
	"host/bundle/oci":            {"abi", "host/bundle", "host/plural"},
	"host/bundle/oci/ocitest":    {"abi"},
	"host/cases":                 {"abi", "host/codes", "host/replay"},
	"host/clients":               {"abi"},
	"host/codes":                 {},
	"host/contract":              {"abi", "host/redact"},
	"host/facts":                 {"abi"},
	"host/gate":                  {"abi", "host/contract", "host/policy", "host/provenance", "host/redact", "host/zones"},
	"host/ledger":                {"abi"},
	"host/locked":                {"abi", "host/bundle", "host/contract", "host/policy", "host/regular"},
	"host/plugin":                {"abi", "host/bundle", "host/cases", "host/policy", "host/regular", "host/tree", "host/wasm", "host/wasm/scan", "sdk"},
	"host/plugin/dev":            {"host/plugin", "host/regular", "host/wasm", "host/watch"},
	"host/plugin/embed":          {"host/plugin"},
	"host/plural":                {},
	"host/policy":                {"abi", "host/contract", "host/redact", "host/regular", "host/zones", "packs"},
	"host/provenance":            {"abi", "host/provenance/fold", "host/provenance/signature"},
	"host/provenance/fold":       {},
	"host/provenance/fold/gen":   {},
	"host/provenance/signature":  {},
	"host/proxy":                 {"abi", "host/approval", "host/facts", "host/gate", "host/ledger", "host/segment", "host/transport", "host/wire"},
	"host/redact":                {"abi"},
	"host/regular":               {},
	"host/replay":                {"abi", "host/contract", "host/facts", "host/gate", "host/ledger", "host/policy", "host/proxy", "host/wire"},
	"host/segment":               {"abi"},
	"host/suggest":               {"abi", "host/approval", "host/builtin", "host/cases", "host/contract", "host/policy", "host/provenance", "host/replay"},
	"host/transport":             {"abi", "host/wire"},
	"host/tree":                  {},
	"host/wasm":                  {"abi", "host/contract", "host/regular", "host/wasm/binary", "host/wasm/meter", "host/wasm/scan"},
	"host/wasm/binary":           {},
	"host/wasm/meter":            {"host/wasm/binary"},
	"host/wasm/metertest":        {"host/wasm/binary", "host/wasm/meter"},
	"host/wasm/scan":             {"host/wasm/binary"},
	"host/wasm/testdata/goguest": {},
	"host/wasm/wasmtest":         {},
	"host/watch":                 {"host/regular"},
	"host/wire":                  {"abi"},
	"host/zones":                 {},
	"cmd/callgate":               {"abi", "host/*", "host/bundle/oci", "host/plugin/dev", "host/wasm/scan", "packs"},
	"cmd/release":                {"host/bundle"},
	"testdata/servers":           {},

	"abi/testdata/0.1/go-redact/src": {"sdk/go"}, // a guest, a module of its own
	"abi/testdata/1.0/go-redact/src": {"sdk/go"}, // the same
}

// alsoImports are the departures from the table. One that is not made use of is
// a mistake.
var alsoImports = []struct{ from, to, why string }{
	{"host/cases", "host/wire", "the call in a step's raw frame is found as the proxy finds it"},
	{"host/proxy", "host/contract", "it hands the constructors on to the gate, whose options have their type"},
	{"host/proxy", "host/policy", "it reads settings and server entries of the policy that it opens the gate with"},
}

// onlyIn says which packages may import a module.
var onlyIn = map[string][]string{
	"github.com/tetratelabs/wazero": {"host/wasm"},
	// Whatever speaks to a registry is out of reach of what serves.
	"oras.land/oras-go":         {"host/bundle/oci"},
	"github.com/opencontainers": {"host/bundle/oci"},
	// The relay path would re-encode what passes through it.
	"github.com/mark3labs/mcp-go": {"cmd/callgate", "host/mcpserver"},
}

// pure are the packages that decide, or that a decision is made of: they see
// nothing but their arguments.
var pure = []string{"abi", "host/builtin", "host/contract", "host/gate", "host/provenance", "host/provenance/fold", "host/redact", "host/zones"}

// impure are the packages of the standard library, with everything below them,
// that give an answer which differs from one run to the next. The exceptions
// parse text and do nothing else.
var (
	impure       = []string{"context", "crypto/rand", "expvar", "log", "math/rand", "net", "os", "plugin", "runtime", "sync", "syscall", "testing", "time/tzdata", "unsafe"}
	pureParts    = []string{"net/netip", "net/url"}
	impureOfTime = []string{"After", "AfterFunc", "LoadLocation", "Local", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}
)

func within(name, parent string) bool {
	return name == parent || strings.HasPrefix(name, parent+"/")
}

func ours(name string) (dir string, ok bool) {
	if !within(name, module) {
		return "", false
	}
	return strings.TrimPrefix(strings.TrimPrefix(name, module), "/"), true
}

func mayUse(from, to string) bool {
	for _, may := range mayImport[from] {
		if ok, err := path.Match(may, to); ok && err == nil {
			return true
		}
	}
	return false
}

// importDirections finds imports against the table, departures that are gone,
// and packages without a row.
func importDirections(t tree) []string {
	files, found := t.code()
	seen := map[string]bool{}
	used := map[string]bool{}
	for _, f := range files {
		from := f.dir()
		if _, ok := mayImport[from]; !ok {
			if !seen[from] {
				found = append(found, f.at(f.ast.Package, "package %s has no row in mayImport; give it one", from))
			}
			seen[from] = true
			continue
		}
		seen[from] = true
		for _, spec := range f.ast.Imports {
			found = append(found, judgeImport(f, spec, used)...)
		}
	}
	for _, d := range alsoImports {
		if seen[d.from] && !used[d.from+" "+d.to] {
			found = append(found, d.from+": does not import "+d.to+" any more; take it out of alsoImports")
		}
	}
	return found
}

// importPath is the path of an import, without quotes.
func importPath(spec *ast.ImportSpec) string {
	name, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return name
}

func judgeImport(f goFile, spec *ast.ImportSpec, used map[string]bool) (found []string) {
	from, name := f.dir(), importPath(spec)
	for owned, users := range onlyIn {
		if within(name, owned) && !slices.Contains(users, from) {
			found = append(found, f.at(spec.Pos(), "%s imports %s; only %s may", from, name, strings.Join(users, ", ")))
		}
	}
	if name == "encoding/json" && !within(from, "cmd") {
		found = append(found, f.at(spec.Pos(), "%s imports encoding/json, which takes the last of equal names and any case; use jsontext", from))
	}
	to, ok := ours(name)
	if !ok || mayUse(from, to) {
		return found
	}
	for _, d := range alsoImports {
		if d.from == from && d.to == to {
			used[from+" "+to] = true
			return found
		}
	}
	return append(found, f.at(spec.Pos(), "%s may not import %s; it may import %q", from, to, mayImport[from]))
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	one := func(name, imports string) tree {
		return tree{name: "package p\n\nimport " + imports + "\n"}
	}
	proxy := func(imports string) tree {
		return one("host/proxy/p.go", "(\n\""+module+"/host/contract\"\n\""+module+"/host/gate\"\n"+imports+")")
	}
	verify(t, importDirections, []plant{
		{"an import upwards", one("abi/a.go", `"`+module+`/host/gate"`), "abi may not import host/gate"},
		{"a renamed import upwards", one("host/wire/a.go", `g "`+module+`/host/ledger"`), "host/wire may not import host/ledger"},
		{"an import of the command", one("host/policy/a.go", `"`+module+`/cmd/callgate"`), "host/policy may not import cmd/callgate"},
		{"an import downwards", one("host/gate/a.go", `"`+module+`/host/contract"`), ""},
		{"the command imports the host", one("cmd/callgate/a.go", `"`+module+`/host/gate"`), ""},
		{"a test imports upwards", one("abi/a_test.go", `"`+module+`/host/gate"`), ""},
		{"a package without a row", one("host/util/a.go", `"fmt"`), "host/util has no row"},
		{"a departure that is gone", proxy(""), "take it out of alsoImports"},
		{"all departures made", proxy(`"` + module + `/host/policy"` + "\n"), ""},
		{"the sandbox outside its package", one("host/gate/a.go", `"github.com/tetratelabs/wazero/api"`), "only host/wasm may"},
		{"the sandbox inside its package", one("host/wasm/a.go", `"github.com/tetratelabs/wazero/api"`), ""},
		{"a second codec in the relay", one("host/wire/a.go", `"github.com/mark3labs/mcp-go/mcp"`), "only cmd/callgate"},
		{"a lenient parser", one("host/wire/a.go", `"encoding/json"`), "encoding/json"},
		{"a lenient parser in a test", one("host/wire/a_test.go", `"encoding/json"`), ""},
		{"a strict parser", one("host/wire/a.go", `"github.com/go-json-experiment/json/jsontext"`), ""},
		{"a file that is not Go", tree{"abi/a.go": "pakage p\n"}, "want Go that parses"},
	})
}

// decisionsArePure finds what would let a decision depend on more than its
// arguments: the packages above, the clock, goroutines, channels.
func decisionsArePure(t tree) []string {
	files, found := t.code()
	for _, f := range files {
		if !slices.Contains(pure, f.dir()) {
			continue
		}
		clock := ""
		for _, spec := range f.ast.Imports {
			name := importPath(spec)
			if slices.ContainsFunc(impure, func(p string) bool { return within(name, p) }) && !slices.Contains(pureParts, name) {
				found = append(found, f.at(spec.Pos(), "%s imports %s; a decision sees nothing but its snapshot", f.dir(), name))
			}
			if name == "time" {
				clock = "time"
				if spec.Name != nil {
					clock = spec.Name.Name
				}
			}
		}
		found = append(found, impureParts(f, clock)...)
	}
	return found
}

// impureParts looks at the bodies of a file; clock is what it calls package
// time, "" for not at all.
func impureParts(f goFile, clock string) (found []string) {
	if clock == "." {
		found = append(found, f.at(f.ast.Package, "package time without its name; name it"))
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && clock != "" && x.Name == clock && slices.Contains(impureOfTime, n.Sel.Name) {
				found = append(found, f.at(n.Pos(), "time.%s; take the time from an event", n.Sel.Name))
			}
		case *ast.GoStmt:
			found = append(found, f.at(n.Pos(), "a goroutine; a decision has none"))
		case *ast.ChanType:
			found = append(found, f.at(n.Pos(), "a channel; a decision has none"))
		case *ast.SelectStmt:
			found = append(found, f.at(n.Pos(), "a select; a decision has none"))
		}
		return true
	})
	return found
}

func TestDecisionsSeeNothingButTheirSnapshot(t *testing.T) {
	body := func(name, imports, text string) tree {
		return tree{name: "package p\n\n" + imports + "\n\nfunc f() {" + text + "}\n"}
	}
	verify(t, decisionsArePure, []plant{
		{"the clock", body("host/builtin/a.go", `import "time"`, "_ = time.Now()"), "time.Now"},
		{"the clock as a value", body("host/gate/a.go", `import "time"`, "now := time.Now; _ = now"), "time.Now"},
		{"the clock under another name", body("host/gate/a.go", `import clock "time"`, "clock.Sleep(1)"), "time.Sleep"},
		{"the clock without a name", body("host/gate/a.go", `import . "time"`, "Sleep(1)"), "without its name"},
		{"zones of the machine", body("host/builtin/a.go", `import "time"`, `time.LoadLocation("UTC")`), "time.LoadLocation"},
		{"an instant that was handed in", body("host/builtin/a.go", `import "time"`, "_ = time.Unix(1, 0).UTC()"), ""},
		{"a method called Now", body("host/gate/a.go", `import "time"`, "var s state; _ = s.Now()"), ""},
		{"the clock where it may be", body("host/proxy/a.go", `import "time"`, "_ = time.Now()"), ""},
		{"a file", body("host/builtin/a.go", `import "os"`, ""), "imports os"},
		{"a process", body("host/gate/a.go", `import "os/exec"`, ""), "imports os/exec"},
		{"the network", body("host/builtin/a.go", `import "net/http"`, ""), "imports net/http"},
		{"chance", body("host/builtin/a.go", `import "math/rand/v2"`, ""), "imports math/rand/v2"},
		{"memory without types", body("abi/a.go", `import "unsafe"`, ""), "imports unsafe"},
		{"text of an address", body("host/builtin/a.go", `import "net/netip"`, ""), ""},
		{"a lock", body("host/gate/a.go", `import "sync"`, ""), "imports sync"},
		{"a goroutine", body("host/gate/a.go", "", "go f()"), "a goroutine"},
		{"a channel", body("host/gate/a.go", "", "var c chan int; _ = c"), "a channel"},
		{"a call", body("host/gate/a.go", "", "f()"), ""},
	})
}

// noInit finds functions that run before main does.
func noInit(t tree) []string {
	files, found := t.code()
	for _, f := range files {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				found = append(found, f.at(fn.Pos(), "an init function; put it into a table or a constructor"))
			}
		}
	}
	return found
}

func TestNothingRunsBeforeMain(t *testing.T) {
	verify(t, noInit, []plant{
		{"an init function", tree{"abi/a.go": "package p\n\nfunc init() {}\n"}, "an init function"},
		{"a method called init", tree{"abi/a.go": "package p\n\ntype t int\n\nfunc (t) init() {}\n"}, ""},
		{"an init function of a test", tree{"abi/a_test.go": "package p\n\nfunc init() {}\n"}, ""},
	})
}
