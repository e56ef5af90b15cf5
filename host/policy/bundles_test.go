package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// bundled loads one policy whose bundles are opened by a function.
func bundled(t testing.TB, text string, open func(Use) (*Opened, error)) (*Policy, error) {
	t.Helper()
	return Load(Options{Files: []string{"/p/p.yaml"}, Read: memory{"/p/p.yaml": text}.read, Bundle: open})
}

// version is a bundle with a module that takes settings or none.
func version(t testing.TB, v string, keys ...string) *Opened {
	t.Helper()
	return &Opened{Module: judging(t, ""), Bundle: contract.Bundle{Digest: abi.DigestBytes([]byte(v)), Name: "acme/p", Version: v, Keys: keys}}
}

func TestAPolicyHoldsWhatItsBundlesWere(t *testing.T) {
	one := version(t, "1.0.0", "00000000000000AA", "00000000000000BB")
	text := entries(`{name: a, use: ./p.cgp, on: {tools: ["*"]}}`, `{name: b, use: ./p.wasm, on: {tools: ["*"]}}`, `{name: c, use: "oci://r.example/p:1", digest: "`+one.Digest+`", on: {lists: [s]}}`)
	var asked []Use
	load := func(b *Opened) *Policy {
		t.Helper()
		p, err := Load(Options{
			Files: []string{"/p/p.yaml"}, Read: memory{"/p/p.yaml": text}.read, Module: func(string) ([]byte, error) { return judging(t, ""), nil },
			Bundle: func(u Use) (*Opened, error) { asked = append(asked, u); return b, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := load(one)
	if len(asked) != 2 || asked[0].Text != "./p.cgp" || asked[0].Line != 3 || asked[1].Text != "oci://r.example/p:1" || asked[1].Name != "c" || asked[1].Digest != one.Digest {
		t.Errorf("asked for %+v", asked)
	}
	again, err := Decode(p.Value())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Policy{p, again} {
		refs := p.Plugins()
		for i, want := range []string{one.Digest, "", one.Digest} {
			if b := refs[i].Bundle; b.Digest != want || want != "" && (b.Version != "1.0.0" || !slices.Equal(b.Keys, one.Keys)) || refs[i].Digest != abi.DigestBytes(one.Module) {
				t.Errorf("%s: %+v", refs[i].Name, refs[i])
			}
		}
		if len(p.Listers("s")) != 1 || p.Listers("s")[0].Bundle.Digest != one.Digest {
			t.Errorf("listers: %+v", p.Listers("s"))
		}
	}
	// Another bundle is another policy, and one with the same module loosens nothing.
	text = entries(`{name: a, use: ./p.cgp, on: {tools: ["*"]}}`)
	first, other := load(one), load(version(t, "1.0.1"))
	if first.Digest() == other.Digest() {
		t.Error("another bundle, and the policy has the same digest")
	}
	if got := Loosens(first, other); len(got) > 0 {
		t.Errorf("the same module in another bundle loosens: %q", got)
	}
	changed := version(t, "1.0.1")
	changed.Module = judging(t, `"phases":["call"],"description":"another one"`)
	if got := Loosens(first, load(changed)); len(got) == 0 {
		t.Error("another module in the bundle loosens nothing")
	}
}

func TestMistakesOfBundlesHaveAPlace(t *testing.T) {
	fine := func(Use) (*Opened, error) { return version(t, "1.0.0"), nil }
	const on = `, on: {tools: ["*"]}}`
	for _, c := range []struct {
		name, text string
		open       func(Use) (*Opened, error)
		want       string
	}{
		{"nobody opens them", entries(`{name: p, use: ./p.cgp` + on), nil, "/p/p.yaml:3:20: plugins[0].use: a bundle, and none is opened here"},
		{"it is not opened", entries(`{name: p, use: ./p.cgp` + on), func(u Use) (*Opened, error) { return nil, errors.New(u.Text + ": not pinned") }, "/p/p.yaml:3:20: plugins[0].use: ./p.cgp: not pinned"},
		{"another one", entries(`{name: p, use: ./p.cgp, digest: "sha256:` + strings.Repeat("0", 64) + `"` + on), fine, "/p/p.yaml:3:37: plugins[0].digest: the bundle that is pinned is another one, " + version(t, "1.0.0").Digest},
		{"no module in it", entries(`{name: p, use: ./p.cgp` + on), func(Use) (*Opened, error) { return &Opened{}, nil }, "plugins[0].use: /p/p.cgp: "},
		{"a kind that it does not judge", entries(`{name: p, use: ./p.cgp` + on), func(Use) (*Opened, error) {
			o := version(t, "1.0.0")
			o.Module = judging(t, `"phases":["call"],"kinds":["resource"]`)
			return o, nil
		}, "plugins[0].on.tools: acme/p does not judge calls of tools"},
		{"bundles: in a file", entries(`{name: p, use: ./p.cgp`+on) + "bundles: []\n", fine, `unknown key "bundles"`},
	} {
		if _, err := bundled(t, c.text, c.open); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
	if _, err := bundled(t, entries(`{name: p, use: ./p.cgp, digest: "`+version(t, "1.0.0").Digest+`"`+on), fine); err != nil {
		t.Errorf("the twin: %v", err)
	}
}

// The value of a policy says of bundles what loading found, in one form only.
func TestBundlesOfAValueAreReadStrictly(t *testing.T) {
	p, err := bundled(t, entries(`{name: p, use: ./p.cgp, on: {tools: ["*"]}}`), func(Use) (*Opened, error) { return version(t, "1.0.0", "AA"), nil })
	if err != nil {
		t.Fatal(err)
	}
	good := p.Value().String()
	digest := version(t, "1.0.0").Digest
	if !strings.Contains(good, `"bundles":[{"digest":"`+digest+`","keys":["AA"],"name":"acme/p","plugin":0,"version":"1.0.0"}]`) {
		t.Fatal(good)
	}
	for name, change := range map[string][2]string{
		"of no entry":         {`"plugin":0`, `"plugin":1`},
		"of a negative entry": {`"plugin":0`, `"plugin":-1`},
		"of a text":           {`"plugin":0`, `"plugin":"0"`},
		"another number":      {`"plugin":0`, `"plugin":0.0`},
		"no digest":           {`"digest":"` + digest + `","keys"`, `"keys"`},
		"a bad digest":        {`"digest":"sha256:`, `"digest":"sha512:`},
		"no name":             {`"name":"acme/p","plugin"`, `"plugin"`},
		"no version":          {`"version":"1.0.0"}]`, `"version":""}]`},
		"keys that are none":  {`"keys":["AA"]`, `"keys":"AA"`},
		"unsorted keys":       {`"keys":["AA"]`, `"keys":["BB","AA"]`},
		"more members":        {`"plugin":0`, `"more":1,"plugin":0`},
		"twice":               {`"bundles":[`, `"bundles":[{"digest":"` + digest + `","keys":["AA"],"name":"acme/p","plugin":0,"version":"1.0.0"},`},
		"of a module":         {`/p/p.cgp`, `/p/p.wasm`},
		"an object":           {`"bundles":[`, `"bundles":{"a":[`},
		"empty":               {`"bundles":[{"digest":"` + digest + `","keys":["AA"],"name":"acme/p","plugin":0,"version":"1.0.0"}]`, `"bundles":[]`},
	} {
		text := strings.Replace(good, change[0], change[1], 1)
		if name == "an object" {
			text = strings.Replace(text, `"version":"1.0.0"}]`, `"version":"1.0.0"}]}`, 1)
		}
		v, err := abi.Parse([]byte(text))
		if err != nil || text == good {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := Decode(v); err == nil {
			t.Errorf("%s: decoded", name)
		}
	}
	if v, err := abi.Parse([]byte(good)); err != nil {
		t.Error(err)
	} else if _, err := Decode(v); err != nil {
		t.Error(err)
	}
}
