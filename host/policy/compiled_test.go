package policy

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/packs"
)

// compile reads a pack's file, tries its rules on the contracts, and returns it
// as policies read it.
func compile(name string, source []byte) (*layer, []byte, []error) {
	y, errs := readLayer(packFile(name), "", source, packRole)
	if y == nil {
		return nil, nil, errs
	}
	y.pack, y.label = name, packFile(name)
	return y, encodeLayers([]*layer{y}, true).Items()[0].Append(nil), y.try(builtin.Table())
}

// TestPacksAreCompiledAsTheyAreWritten holds what is compiled to the files. With
// the argument compile (go generate ./...) it writes what differs.
func TestPacksAreCompiledAsTheyAreWritten(t *testing.T) {
	dir := filepath.Join("..", "..", "packs", "compiled")
	write := slices.Contains(flag.Args(), "compile")
	names := packs.Names()
	if len(names) == 0 {
		t.Fatal("no packs")
	}
	for _, name := range names {
		source, _ := packs.Source(name)
		_, want, errs := compile(name, source)
		for _, err := range errs {
			t.Error(err)
		}
		if len(errs) > 0 {
			continue
		}
		path := filepath.Join(dir, name+".json")
		got, err := os.ReadFile(path)
		switch {
		case err == nil && bytes.Equal(got, want):
		case !write:
			t.Errorf("%s is not what %s says (%v); run go generate ./... and commit what it writes", path, packFile(name), err)
		default:
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		if name, ok := strings.CutSuffix(filepath.Base(path), ".json"); !ok || !slices.Contains(names, name) {
			t.Errorf("%s is of no pack; remove it", path)
		}
	}
}

func TestARuleOfACompiledPackIsThatOfItsFile(t *testing.T) {
	checked := 0
	for _, name := range packs.Names() {
		source, _ := packs.Source(name)
		y, data, errs := compile(name, source)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		z, err := compiledPack(data)
		if err != nil {
			t.Fatal(err)
		}
		for at, p := range y.places {
			checked++
			if got, want := z.rule(at), ruleText(y.label, p.line, at); got != want && y.value.At(at).Exists() {
				t.Errorf("rule %q, want %q", got, want)
			}
		}
		y.index()
		if len(y.keys) != len(z.keys) {
			t.Fatalf("%s: %d entries, want %d", name, len(z.keys), len(y.keys))
		}
		for i := range y.keys {
			a, b := &y.keys[i], &z.keys[i]
			if a.at != b.at || a.key != b.key || !reflect.DeepEqual(a.tool(), b.tool()) {
				t.Errorf("%s: entry %s is not as its file says", name, a.at)
			}
		}
		want := y.doc
		want.Tools = nil
		if !reflect.DeepEqual(&want, z.typed()) {
			t.Errorf("%s: beside its entries, %+v; want %+v", name, z.typed(), want)
		}
	}
	if checked == 0 {
		t.Fatal("no places")
	}
}

func TestAMemberInTheLineOfWhatIsAroundItHasNoLineOfItsOwn(t *testing.T) {
	y, errs := readLayer("x", "", []byte(head("tools:", "  a: {risk: low, args: [{arg: x, max: 1},", "    {arg: y, max: 2}]}")), userRole)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if got, want := y.lines.String(), `{"":1,"/tools":2,"/tools/a":3,"/tools/a/args/1":4}`; got != want {
		t.Errorf("lines %s, want %s", got, want)
	}
}

func TestWhatCannotBeReadOfACompiledPackGrantsNothing(t *testing.T) {
	cases := []struct{ text, verdict, trusted string }{
		{`{"label":"x","pack":"x","policy":{"callgate":1,"tools":{"a":{"verdict":"allow"}},"sources":{"a":{"outputs":"trusted"}}}}`, "allow", "yes"},
		{`{"label":"x","pack":"x","policy":{"callgate":1,"tools":{"a":{"verdict":"allow","x":1}},"sources":{"a":{"outputs":"trusted"}}}}`, "deny", "yes"},
		{`{"label":"x","pack":"x","policy":{"callgate":1,"tools":{"a":{"verdict":"allow"}},"sources":{"a":{"outputs":"trusted","x":1}}}}`, "allow", "no"},
	}
	for _, c := range cases {
		y, err := compiledPack([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		p := &Policy{packs: []*layer{y}, layers: []*layer{{}}}
		p.layers[0].doc.Servers = map[string]server{"s": {Pack: ptr("x")}}
		trusted := "no"
		if p.Source("s", "a").Trusted {
			trusted = "yes"
		}
		if got := p.Rules("s", named("a")).Grant.Outcome.String(); got != c.verdict || trusted != c.trusted {
			t.Errorf("%s: %s, trusted %s; want %s, %s", c.text, got, trusted, c.verdict, c.trusted)
		}
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, text := range []string{"", "{", `{"label":"packs/b.yaml","pack":"b"}`} {
		l, p := &loader{}, &Policy{}
		if l.usePack(p, "a", []byte(text)); len(l.errs) != 1 || len(p.packs) != 0 {
			t.Errorf("%q: mistakes %v, packs %d", text, l.errs, len(p.packs))
		}
	}
	l, p := &loader{}, &Policy{}
	if l.usePack(p, "b", []byte(`{"label":"packs/b.yaml","pack":"b"}`)); len(l.errs) != 0 || len(p.packs) != 1 {
		t.Errorf("mistakes %v, packs %d", l.errs, len(p.packs))
	}
}
