package policy

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// judging is a module that is nothing but a manifest; more is put into it, "" for
// phases call and result, and tools.
func judging(t testing.TB, more string) []byte {
	if more == "" {
		more = `"phases":["call","result","list"]`
	}
	if !strings.Contains(more, `"effects"`) {
		more += `,"effects":["deny"]`
	}
	data, err := abi.WithManifest([]byte("\x00asm\x01\x00\x00\x00"), []byte(`{"schema":"callgate.plugin/v0","name":"acme/p","version":"1.0.0","abi":"1.0","license":"MIT","codes":{"BAD":"bad"},`+more+`}`))
	if err != nil {
		if t == nil {
			panic(err)
		}
		t.Fatal(err)
	}
	return data
}

// modules are the files that policies of a test can name.
func modules(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"/p/p.wasm":      judging(t, ""),
		"/p/labels.wasm": judging(t, `"phases":["call"],"effects":["deny","labels"]`),
		"/p/calls.wasm":  judging(t, `"phases":["call"],"kinds":["resource"]`),
		"/p/lists.wasm":  judging(t, `"phases":["list"]`),
		"/p/set.wasm":    judging(t, `"phases":["call"],"settings":{"type":"object","properties":{"allow":{"type":"array","items":{"type":"string","pattern":"^[a-z]+$"}},"deep":{"type":"object","properties":{"n":{"type":"integer","maximum":9}}},"mode":{"enum":["a","b"]},"none":{"type":"null"}},"required":["allow"],"additionalProperties":false}`),
		"/p/remote.wasm": judging(t, `"phases":["call"],"settings":{"$ref":"https://evil.example/schema.json"}`),
		"/p/format.wasm": judging(t, `"phases":["call"],"settings":{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"type":"string","format":"ipv4"}}}`),
		"/p/bare.wasm":   []byte("\x00asm\x01\x00\x00\x00"),
		"/p/text.wasm":   []byte("(module)"),
		"/p/torn.wasm":   judging(t, "")[:40],
		"/p/huge.wasm":   make([]byte, maxModule+1),
	}
}

// loadWith loads layers, lowest first; one that begins with # floor is the floor.
func loadWith(t testing.TB, texts ...string) (*Policy, error) {
	m, o, files := memory{}, Options{}, modules(t)
	for i, s := range texts {
		path := fmt.Sprintf("/p/l%d.yaml", i)
		m[path] = s
		if strings.HasPrefix(s, "# floor\n") {
			o.Floor = path
			continue
		}
		o.Files = append(o.Files, path)
	}
	o.Read = m.read
	o.Module = func(path string) ([]byte, error) {
		if data, ok := files[path]; ok {
			return data, nil
		}
		return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
	}
	o.Plugin = func(ref contract.PluginRef) error {
		if ref.Settings.Get("allow").At("/0").Str() == "trap" {
			return fmt.Errorf("it does not start")
		}
		return nil
	}
	return Load(o)
}

func entries(list ...string) string {
	return "callgate: 1\nplugins:\n  - " + strings.Join(list, "\n  - ") + "\n"
}

func TestMistakesOfPluginsHaveAPlace(t *testing.T) {
	const tools = `on: {tools: ["*"]}`
	good := "sha256:" + strings.Repeat("0", 64)
	digest := abi.DigestBytes(modules(t)["/p/p.wasm"])
	tests := []struct {
		name, text string
		want       []string
		twin       string
	}{
		{"another module", entries(`{name: p, use: ./p.wasm, digest: "` + good + `", ` + tools + `}`), []string{"/p/l0.yaml:3:38: plugins[0].digest: the module is another one, " + digest}, entries(`{name: p, use: ./p.wasm, digest: "` + digest + `", ` + tools + `}`)},
		{"a digest that is none", entries(`{name: p, use: ./p.wasm, digest: "sha256:00", ` + tools + `}`), []string{"3:38: plugins[0].digest: "}, entries(`{name: p, use: ./p.wasm, ` + tools + `}`)},
		{"no file", entries(`{name: p, use: ./q.wasm, ` + tools + `}`), []string{"3:20: plugins[0].use: /p/q.wasm: file does not exist", "name a readable module"}, entries(`{name: p, use: ./p.wasm, ` + tools + `}`)},
		{"no manifest", entries(`{name: p, use: ./bare.wasm, ` + tools + `}`), []string{"3:20: plugins[0].use: ", "no manifest"}, entries(`{name: p, use: ./p.wasm, ` + tools + `}`)},
		{"no module", entries(`{name: p, use: ./text.wasm, ` + tools + `}`), []string{"plugins[0].use: ", "not a WebAssembly core module"}, entries(`{name: p, use: p.wasm, ` + tools + `}`)},
		{"half a module", entries(`{name: p, use: ./torn.wasm, ` + tools + `}`), []string{"plugins[0].use: ", "cut off"}, entries(`{name: p, use: /p/p.wasm, ` + tools + `}`)},
		{"too big a module", entries(`{name: p, use: ./huge.wasm, ` + tools + `}`), []string{"plugins[0].use: ", "more than 16777216 bytes"}, entries(`{name: p, use: ./p.wasm, ` + tools + `}`)},
		{"no name", entries(`{use: ./p.wasm, ` + tools + `}`), []string{"3:5: plugins[0]: no name"}, entries(`{name: p, use: ./p.wasm, ` + tools + `}`)},
		{"no use", entries(`{name: p, ` + tools + `}`), []string{"plugins[0]: no use"}, entries(`{name: p, use: ./p.wasm, ` + tools + `}`)},
		{"no on", entries(`{name: p, use: ./p.wasm}`), []string{"plugins[0]: no on"}, entries(`{name: p, use: ./p.wasm, ` + tools + `}`)},
		{"an empty on", entries(`{name: p, use: ./p.wasm, on: {}}`), []string{"plugins[0]: no on"}, entries(`{name: p, use: ./p.wasm, on: {tools: [a/b]}}`)},
		{"an unknown key", entries(`{name: p, use: ./p.wasm, on: {tool: [a/b]}}`), []string{`3:35: plugins[0].on.tool: unknown key "tool"; did you mean "tools"?`}, entries(`{name: p, use: ./p.wasm, on: {tools: [a/b]}}`)},
		{"an unknown mode", entries(`{name: p, use: ./p.wasm, ` + tools + `, mode: watch}`), []string{`plugins[0].mode: unknown value "watch"`, "enforce, observe"}, entries(`{name: p, use: ./p.wasm, ` + tools + `, mode: observe}`)},
		{"a bad glob", entries(`{name: p, use: ./p.wasm, on: {tools: ["[a"]}}`), []string{"plugins[0].on.tools[0]: "}, entries(`{name: p, use: ./p.wasm, on: {tools: ["[a]"]}}`)},
		{"a server with a tool under lists", entries(`{name: p, use: ./p.wasm, on: {lists: [a/b]}}`), []string{`plugins[0].on.lists[0]: "a/b" is no server: only tools: names tools`}, entries(`{name: p, use: ./p.wasm, on: {lists: [a]}}`)},
		{"a reserved name", entries(`{name: coverage, use: ./p.wasm, ` + tools + `}`), []string{`3:12: plugins[0].name: "coverage" is the name of a contract of Callgate`}, entries(`{name: coverage2, use: ./p.wasm, ` + tools + `}`)},
		{"the name that hidden items are denied by", entries(`{name: plugin, use: ./p.wasm, ` + tools + `}`), []string{`"plugin" is the name of a contract`}, entries(`{name: plug-in, use: ./p.wasm, ` + tools + `}`)},
		{"a name that is none", entries(`{name: "a b", use: ./p.wasm, ` + tools + `}`), []string{"plugins[0].name: "}, entries(`{name: a-b, use: ./p.wasm, ` + tools + `}`)},
		{"a name twice", entries(`{name: p, use: ./p.wasm, `+tools+`}`, `{name: p, use: ./p.wasm, `+tools+`}`), []string{`4:12: plugins[1].name: plugin "p" is also plugins[0]`}, entries(`{name: p, use: ./p.wasm, `+tools+`}`, `{name: q, use: ./p.wasm, `+tools+`}`)},
		{"a kind that it does not judge", entries(`{name: p, use: ./calls.wasm, ` + tools + `}`), []string{"plugins[0].on.tools: acme/p does not judge calls of tools"}, entries(`{name: p, use: ./calls.wasm, on: {resources: ["*"]}}`)},
		{"another kind that it does not judge", entries(`{name: p, use: ./calls.wasm, on: {prompts: [a]}}`), []string{"plugins[0].on", "does not judge calls of kind prompt"}, entries(`{name: p, use: ./calls.wasm, on: {resources: [a]}}`)},
		{"lists that it does not judge", entries(`{name: p, use: ./calls.wasm, on: {resources: [a], lists: [a]}}`), []string{"plugins[0].on.lists: acme/p does not judge lists"}, entries(`{name: p, use: ./p.wasm, on: {lists: [a]}}`)},
		{"nothing but lists, bound to none", entries(`{name: p, use: ./lists.wasm, ` + tools + `}`), []string{"plugins[0].on: acme/p judges only lists"}, entries(`{name: p, use: ./lists.wasm, on: {tools: [a], lists: [a]}}`)},
		{"settings of one that takes none", entries(`{name: p, use: ./p.wasm, ` + tools + `, with: {a: 1}}`), []string{"plugins[0].with: acme/p takes no settings"}, entries(`{name: p, use: ./p.wasm, ` + tools + `, with: {}}`)},
		{"a setting that is missing", entries(`{name: p, use: ./set.wasm, ` + tools + `}`), []string{"plugins[0]", "not a setting that acme/p takes", "allow"}, entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [a]}}`)},
		{"a setting at its own line", entries("name: p\n    use: ./set.wasm\n    " + tools + "\n    with:\n      allow:\n        - a\n        - B"), []string{"/p/l0.yaml:9:11: plugins[0].with.allow[1]: not a setting that acme/p takes"}, entries("name: p\n    use: ./set.wasm\n    " + tools + "\n    with:\n      allow:\n        - a\n        - b")},
		{"a setting deep inside", entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [], deep: {n: 10}}}`), []string{"plugins[0].with.deep.n: not a setting"}, entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [], deep: {n: 9}}}`)},
		{"a setting that it does not know", entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [], more: 1}}`), []string{"plugins[0].with", "more"}, entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [], mode: a}}`)},
		{"null where text goes", entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [null]}}`), []string{"plugins[0].with.allow[0]: not a setting"}, entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: ["null"], none: null}}`)},
		{"settings that are no map", entries(`{name: p, use: ./set.wasm, ` + tools + `, with: [a]}`), []string{"plugins[0].with: a list; want a map of settings"}, entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [a]}}`)},
		{"a schema from elsewhere", entries(`{name: p, use: ./remote.wasm, ` + tools + `, with: {}}`), []string{"plugins[0].use: the schema of acme/p's settings can not be read"}, entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: []}}`)},
		{"a format", entries(`{name: p, use: ./format.wasm, ` + tools + `, with: {a: x}}`), []string{"plugins[0].with.a: not a setting"}, entries(`{name: p, use: ./format.wasm, ` + tools + `, with: {a: 1.2.3.4}}`)},
		{"a number of a million digits", entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [], deep: {n: 1e999999}}}`), []string{"plugins[0].with.deep.n: a number of too many digits"}, entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [], deep: {n: -1e300}}}`)},
		{"one that does not start", entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [trap]}}`), []string{"3:20: plugins[0].use: it does not start"}, entries(`{name: p, use: ./set.wasm, ` + tools + `, with: {allow: [trip]}}`)},
	}
	for _, c := range tests {
		_, err := loadWith(t, c.text)
		if err == nil {
			t.Errorf("%s: it loads", c.name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", c.name, err, want)
			}
		}
		if _, err := loadWith(t, c.twin); err != nil {
			t.Errorf("%s: the twin: %v", c.name, err)
		}
	}
	if len(tests) == 0 {
		t.Fatal("no cases")
	}
}

func TestNamesOfPluginsAreUniqueOverLayers(t *testing.T) {
	one := entries(`{name: p, use: ./p.wasm, on: {tools: ["*"]}}`)
	other := entries(`{name: q, use: ./p.wasm, on: {tools: ["*"]}}`)
	if _, err := loadWith(t, one, one); err == nil || !strings.Contains(err.Error(), `"p"`) {
		t.Errorf("the same name in two files: %v", err)
	}
	p, err := loadWith(t, one, other, "# floor\n"+entries(`{name: r, use: ./p.wasm, on: {lists: [s]}, mode: observe}`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, ref := range p.Plugins() {
		names = append(names, ref.Name)
		if ref.Digest != abi.DigestBytes(modules(t)["/p/p.wasm"]) || !strings.Contains(ref.Rule, "plugins[0]") || ref.Observe != (ref.Name == "r") {
			t.Errorf("%+v", ref)
		}
	}
	if strings.Join(names, " ") != "p q r" || len(p.Listers("s")) != 1 || len(p.Listers("t")) != 0 {
		t.Errorf("plugins %q, listers of s: %v", names, p.Listers("s"))
	}
	again, err := Decode(p.Value())
	if err != nil || len(again.Plugins()) != 3 || again.Plugins()[0].Digest != p.Plugins()[0].Digest {
		t.Errorf("decoded: %v", err)
	}
}

// What may loosen waits for a person.
func TestChangesOfPluginsLoosenOrDoNot(t *testing.T) {
	const on = `on: {tools: [a/b, "c/*"], lists: [a]}`
	base := entries(`{name: p, use: ./set.wasm, ` + strings.Replace(on, `, lists: [a]`, "", 1) + `, with: {allow: [a]}}`)
	two := func(second string) string { return base + "  - " + second + "\n" }
	for _, c := range []struct {
		name, before, after string
		loosens             bool
	}{
		{"nothing", base, base, false},
		{"a further one", base, two(`{name: q, use: ./p.wasm, ` + on + `}`), false},
		{"one less", two(`{name: q, use: ./p.wasm, ` + on + `}`), base, true},
		{"one that observes now", two(`{name: q, use: ./p.wasm, ` + on + `}`), two(`{name: q, use: ./p.wasm, ` + on + `, mode: observe}`), true},
		{"one that is enforced now", two(`{name: q, use: ./p.wasm, ` + on + `, mode: observe}`), two(`{name: q, use: ./p.wasm, ` + on + `}`), false},
		{"fewer tools", two(`{name: q, use: ./p.wasm, ` + on + `}`), two(`{name: q, use: ./p.wasm, on: {tools: [a/b], lists: [a]}}`), true},
		{"no lists", two(`{name: q, use: ./p.wasm, ` + on + `}`), two(`{name: q, use: ./p.wasm, on: {tools: [a/b, "c/*"]}}`), true},
		{"other settings", base, strings.Replace(base, "allow: [a]", "allow: [a, b]", 1), true},
		{"another module", two(`{name: q, use: ./p.wasm, on: {lists: [a]}}`), two(`{name: q, use: ./lists.wasm, on: {lists: [a]}}`), true},
	} {
		before, err := loadWith(t, c.before)
		if err != nil {
			t.Fatal(err)
		}
		after, err := loadWith(t, c.after)
		if err != nil {
			t.Fatal(err)
		}
		if got := Loosens(before, after); (len(got) > 0) != c.loosens {
			t.Errorf("%s: %q; want it to loosen: %v", c.name, got, c.loosens)
		}
	}
}
