package plugin

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/wasm"
)

// toolchain is what a language is built and tested with.
type toolchain struct {
	programs []string // looked up
	file     string   // has to be there, too
	first    string   // what is downloaded once
	tests    string   // of the language, for sh; "" for none
	after    bool     // they need the built module
}

var toolchains = map[string]toolchain{
	"go":             {programs: []string{"go"}, tests: "go vet . && go test ."},
	"rust":           {programs: []string{"/usr/bin/cargo", "/usr/bin/rustc"}, file: "/usr/lib/rustlib/wasm32-unknown-unknown", tests: "cargo test --offline --quiet"},
	"assemblyscript": {programs: []string{"node", "npm"}, first: "npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error", tests: "npm test", after: true},
	"c":              {programs: []string{"clang", "wasm-ld", "cc"}, tests: "cc -std=c11 -Wall -Wextra -Werror -Ivendor/callgate -o plugin_test plugin_test.c && ./plugin_test"},
	"wat":            {programs: []string{"wat2wasm"}},
}

// shell runs a line of sh in a directory.
func shell(dir, line string) ([]byte, error) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

// newIn makes a new plugin in a language, with what it takes to build it. It skips
// where that is not there, which is a failure where all of it has to be.
func newIn(t *testing.T, lang string) *Folder {
	t.Helper()
	tools := toolchains[lang]
	missing := func(what string) {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatalf("%s: %s; install it", lang, what)
		}
		t.Skipf("%s: %s", lang, what)
	}
	for _, name := range tools.programs {
		if _, err := exec.LookPath(name); err != nil {
			missing("no " + name)
		}
	}
	if tools.file != "" {
		if _, err := os.Stat(tools.file); err != nil {
			missing("no " + tools.file)
		}
	}
	dir := filepath.Join(t.TempDir(), "mailguard")
	files, err := New(lang, "acme/mailguard")
	if err == nil {
		err = Create(dir, files)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if tools.first == "" {
		return f
	}
	var said bytes.Buffer
	if _, err := f.Build(context.Background(), &said); err == nil || !strings.Contains(said.String(), "npm ci") {
		t.Errorf("%s: without a compiler the build says %q, error %v; want what to install", lang, said.String(), err)
	}
	if out, err := shell(dir, tools.first); err != nil {
		missing(tools.first + " gave nothing: " + string(out))
	}
	return f
}

// TestANewPluginIsWholeInEveryLanguage builds what `callgate plugin new` makes, and
// holds it to everything that a plugin is held to before it is published.
func TestANewPluginIsWholeInEveryLanguage(t *testing.T) {
	if len(toolchains) != len(Langs) {
		t.Fatalf("%d toolchains for %q", len(toolchains), Langs)
	}
	// Debian's Rust, and nothing else that this machine may have for it; nothing
	// is asked of a proxy for modules.
	t.Setenv("PATH", "/usr/bin"+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("RUSTC", "/usr/bin/rustc")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-mod=vendor")
	t.Setenv("GOWORK", "off")
	built := map[string]*Module{}
	for _, lang := range Langs {
		t.Run(lang, func(t *testing.T) {
			f := newIn(t, lang)
			tools := toolchains[lang]
			tested := func(now bool) {
				if out, err := shell(f.Dir, tools.tests); now && tools.tests != "" && err != nil {
					t.Errorf("%s: %v\n%s", tools.tests, err, out)
				}
			}
			if !tools.after {
				tested(true)
			}
			var said bytes.Buffer
			m, err := f.Build(context.Background(), &said)
			if err != nil {
				t.Fatalf("%v\n%s", err, said.Bytes())
			}
			if strings.Contains(said.String(), "warning:") {
				t.Errorf("the build warns:\n%s", said.Bytes())
			}
			if tools.after {
				tested(true)
			}
			newPluginHolds(t, f)
			built[lang] = m
		})
	}
	newPluginsAgree(t, built)
}

// newPluginHolds runs the cases and the laws, and packs the folder.
func newPluginHolds(t *testing.T, f *Folder) {
	t.Helper()
	target, err := ReadTarget(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := target.Cases()
	if err != nil {
		t.Fatal(err)
	}
	e := engines(t)
	all := e.Try(target.Module, files, nil)
	if len(all) != 13 {
		t.Errorf("%d cases; want the 13 of the template", len(all))
	}
	for _, r := range all {
		for _, failure := range r.Failures {
			t.Errorf("%s:%d: %s: %s", r.File, failure.Line, r.Name, failure.Text)
		}
	}
	laws, err := e.Check(target, abi.Value{})
	if err != nil || len(laws) == 0 {
		t.Fatalf("%d laws, error %v", len(laws), err)
	}
	for i := range laws {
		if !laws[i].Holds() {
			t.Errorf("%s: %q", laws[i].Name, laws[i].Broken)
		}
	}
	measured, err := Bench(wasm.Options{}, target, nil, abi.Value{}, 1)
	if err != nil || len(measured.Rows) < len(all)-1 {
		t.Errorf("measured %+v, error %v; want every case but the one whose settings are refused", measured, err)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(f.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if _, err := bundle.Pack(bundle.Files{
		Manifest: read(ManifestFile), Module: target.Module.Data, Readme: read("README.md"), License: read("LICENSE"),
		Cases: []bundle.File{{Name: "cases/domains.yaml", Data: read("cases/domains.yaml")}},
	}); err != nil {
		t.Errorf("it can not be packed: %v", err)
	}
}

// newPluginsAgree has all of them judge the same, to the byte; the one in WAT says
// no reason.
func newPluginsAgree(t *testing.T, built map[string]*Module) {
	t.Helper()
	texts := []string{
		"ada@example.org", "ADA@EXAMPLE.ORG", "ada@Example.net", "a@example.orgx", "a@xexample.org", "@example.org", "a@", "a", "",
		"a@b@example.org", "a b@example.org", "a\\u0000@example.org", "\\ud800@example.org", "a@example.org\\ud800", "a@example.org\\n",
		"ä@example.org", "a@exämple.org", "a@EXAMPLE.\\u212aom", "a[@example.org", "a`@example.org", "a{@example.org", "a,@example.org", "a/@example.org",
		strings.Repeat("x", 64) + "@example.org", strings.Repeat("x", 65) + "@example.org", "a@" + strings.Repeat("d", 253), "a@" + strings.Repeat("d", 254), strings.Repeat("y", 5000) + "@example.org",
	}
	for c := 0; c < 128; c++ {
		texts = append(texts, abi.StringValue("q"+string(rune(c))+"@example.org").String())
	}
	settings := `{"domains":["example.org","EXAMPLE.Net","` + strings.Repeat("d", 253) + `"` + strings.Repeat(`,"z.test"`, 60) + `,"last.test"]}`
	with, err := abi.Parse([]byte(settings))
	if err != nil {
		t.Fatal(err)
	}
	texts = append(texts, `["ada@example.org"]`, "17", "null", "true", `{"0":"ada@example.org"}`, "a@last.test")
	e, first, passed := engines(t), map[string]string{}, 0
	for _, lang := range Langs {
		m := built[lang]
		if m == nil { // its toolchain is not here
			continue
		}
		l, err := e.Load(m, with)
		if err != nil {
			t.Fatalf("%s: %v", lang, err)
		}
		for _, text := range texts {
			a := l.Once(mailTo(t, text, with))
			got, want := string(a.Class)+string(a.Output), first[text]
			if strings.Contains(got, "abstain") {
				passed++
			}
			if lang == "wat" {
				want, _, _ = strings.Cut(want, `,"reason":`)
				want, got = strings.TrimSuffix(want, "}"), strings.TrimSuffix(got, "}")
			}
			if want != "" && got != want {
				t.Errorf("%s: %.40q: %s; another language says %s", lang, text, got, want)
			}
			first[text] = got
		}
		l.Close()
	}
	if len(built) > 0 && (passed == 0 || passed == len(built)*len(texts)) {
		t.Errorf("%d of %d pass in %d languages; want some, and not all", passed, len(texts), len(built))
	}
}

// mailTo is a call with the argument to: JSON, or the inside of a string.
func mailTo(t *testing.T, text string, settings abi.Value) abi.Value {
	t.Helper()
	to, err := abi.Parse([]byte(text))
	if err != nil {
		to, err = abi.Parse([]byte(`"` + text + `"`))
	}
	call, err2 := abi.Parse([]byte(`{"abi":"` + abi.Version + `","phase":"call","call":{"kind":"tool"}}`))
	if err := errors.Join(err, err2); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	arguments := abi.ObjectValue(abi.Member{Name: "to", Value: to})
	return call.With("call", call.Get("call").With("arguments", arguments)).With("settings", settings)
}
