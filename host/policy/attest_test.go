package policy

import (
	"strings"
	"testing"
)

const (
	digestA = "00000000000000000000000000000000000000000000000000000000000000aa"
	digestB = "00000000000000000000000000000000000000000000000000000000000000bb"
)

func attests(more string) string { return head("servers: {mail: {attest: " + more + "}}") }

func TestMistakesInWhatMayBeLaunchedDoNotLoad(t *testing.T) {
	cases := []mistake{
		{"no digest", attests("{entry_args: [0]}"), []string{"/p/team.yaml:2:18: servers.mail.attest: no sha256; print the entry with callgate attest COMMAND"}, attests("{sha256: " + digestA + ", entry_args: [0]}")},
		{"a digest cut short", attests("{sha256: 00aa}"), []string{`"00aa" is not a digest of 64 digits`}, attests("{sha256: " + digestA + "}")},
		{"a digest in capitals", attests("{sha256: " + strings.ToUpper(digestA) + "}"), []string{"want 64 digits 0-9 and a-f"}, attests("{sha256: " + digestA + "}")},
		{"a digest with its kind", attests("{sha256: \"sha256:" + digestA + "\"}"), []string{"want 64 digits 0-9 and a-f"}, attests("{sha256: " + digestA + "}")},
		{"an argument twice", attests("{sha256: " + digestA + ", entry_args: [0, 1, 0]}"), []string{"entry_args[2]: argument 0 is named twice; name it once"}, attests("{sha256: " + digestA + ", entry_args: [1, 0]}")},
		{"an argument before the first", attests("{sha256: " + digestA + ", entry_args: [-1]}"), []string{"-1"}, attests("{sha256: " + digestA + ", entry_args: [1]}")},
		{"another key", attests("{sha512: " + digestA + "}"), []string{`unknown key "sha512"; accepted: sha256, entry_args`}, attests("{sha256: " + digestA + "}")},
	}
	for _, m := range cases {
		t.Run(m.name, func(t *testing.T) {
			_, err := load(m.text)
			if err == nil {
				t.Fatal("it loads")
			}
			for _, want := range m.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v; want %q in it", err, want)
				}
			}
			if _, err := load(m.twin); err != nil {
				t.Errorf("the twin does not load: %v", err)
			}
		})
	}
}

func TestWhatMayBeLaunchedJoinsOverLayers(t *testing.T) {
	files := map[string]string{
		"/p/a.yaml":   attests("{sha256: " + digestA + ", entry_args: [1, 0]}"),
		"/p/a2.yaml":  attests("{sha256: " + digestA + ", entry_args: [0, 1]}"),
		"/p/b.yaml":   attests("{sha256: " + digestB + ", entry_args: [0, 1]}"),
		"/p/a0.yaml":  attests("{sha256: " + digestA + "}"),
		"/p/new.yaml": head("servers: {mail: {replace: true}}"),
	}
	join := func(floor string, names ...string) (*Policy, error) {
		return Load(Options{Files: names, Floor: floor, Read: memory(files).read})
	}
	for _, two := range [][]string{{"/p/a.yaml", "/p/b.yaml"}, {"/p/a0.yaml", "/p/a.yaml"}} {
		if _, err := join("", two...); err == nil || !strings.Contains(err.Error(), "keep one of them") {
			t.Errorf("%q: %v; want that two values are a mistake", two, err)
		}
	}
	p, err := join("", "/p/a.yaml", "/p/a2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if list := p.Attests("mail"); len(list) != 1 || list[0].SHA256 != digestA || len(list[0].EntryArgs) != 2 || list[0].EntryArgs[0] != 0 {
		t.Errorf("two layers that say the same: %v", list)
	}
	if list := p.Attests("other"); list != nil {
		t.Errorf("another server: %v", list)
	}
	if p, err = join("", "/p/a.yaml", "/p/new.yaml"); err != nil || p.Attests("mail") != nil {
		t.Errorf("replace: %v, %v", p.Attests("mail"), err)
	}
	if p, err = join("/p/b.yaml", "/p/a.yaml", "/p/new.yaml"); err != nil || len(p.Attests("mail")) != 1 {
		t.Errorf("replace above a floor: %v, %v; want what the floor says", p.Attests("mail"), err)
	}
	if p, err = join("/p/b.yaml", "/p/a.yaml"); err != nil || len(p.Attests("mail")) != 2 {
		t.Errorf("a policy and a floor: %v, %v; want both", p.Attests("mail"), err)
	}
}
