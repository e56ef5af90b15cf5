package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/policy"
)

// What a policy names is listed as it is written, with the file and place of each
// entry, and without anything of it being there.
func TestUsesAreListedWithoutWhatTheyName(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const pin = "sha256:0000000000000000000000000000000000000000000000000000000000000000"
	top := write("top.yaml", "callgate: 1\ninclude: [sub/base.yaml, starter]\nplugins:\n  - {name: a, use: ./a.cgp, digest: \""+pin+"\", on: {tools: [\"*\"]}}\n  - name: b\n    use: b/../b.wasm\n    on: {tools: [\"*\"]}\n")
	base := write("sub/base.yaml", "callgate: 1\nplugins:\n  - {name: c, use: \"oci://r.example/acme/p:1.2\", on: {tools: [\"*\"]}}\n")
	list, err := policy.Uses(top, base, policy.Starter)
	if err != nil {
		t.Fatal(err)
	}
	want := []policy.Use{
		{Policy: top, Named: top, Line: 4, Column: 20, Name: "a", Text: "./a.cgp", Path: filepath.Join(dir, "a.cgp"), Digest: pin},
		{Policy: top, Named: top, Line: 6, Column: 10, Name: "b", Text: "b/../b.wasm", Path: filepath.Join(dir, "b.wasm")},
		{Policy: base, Named: base, Line: 3, Column: 20, Name: "c", Text: "oci://r.example/acme/p:1.2"},
	}
	if len(list) != len(want) {
		t.Fatalf("%d uses: %+v", len(list), list)
	}
	for i, u := range list {
		if u != want[i] {
			t.Errorf("%+v; want %+v", u, want[i])
		}
	}
	for i, is := range []struct{ bundle, remote bool }{{true, false}, {false, false}, {true, true}} {
		if u := list[i]; u.Bundle() != is.bundle || u.Remote() != is.remote {
			t.Errorf("%s: a bundle: %t, remote: %t", u.Text, u.Bundle(), u.Remote())
		}
	}
	if at := list[0].Place(); at != top+":4:20" {
		t.Errorf("place %q", at)
	}
}

func TestMistakesOfUsesHaveAPlace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "p.yaml")
	for _, c := range []struct{ name, use, want, twin string }{
		{"another scheme", "https://r.example/p.wasm", `p.yaml:3:20: plugins[0].use: "https://r.example/p.wasm": neither the path of a module or bundle nor a reference oci://…`, "oci://r.example/p:1"},
		{"upper case", "OCI://r.example/p:1", "a reference begins with oci://", "oci://r.example/P:1"},
		{"a slash too few", "oci:/r.example/p:1", "a reference begins with oci://", "oci.d/p.cgp"},
		{"nothing behind it", "oci://", `plugins[0].use: "oci://" is no reference`, "oci://r.example/p@sha256:00"},
		{"a space", "oci://r.example/a b:1", "is no reference", "oci://r.example/a-b:1"},
		{"a letter that looks like another", "oci://r.ехample/p:1", "is no reference", "oci://r.example/p:2"},
		{"a home", "~/p.cgp", "neither ~ nor variables are expanded", "p.cgp"},
		{"an invisible character", "p\\u200b.cgp", "invisible", "./q.cgp"},
	} {
		for text, want := range map[string]string{c.use: c.want, c.twin: ""} {
			data := "callgate: 1\nplugins:\n  - {name: p, use: \"" + text + "\", on: {tools: [\"*\"]}}\n"
			if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := policy.Uses(file)
			if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q: %v; want %q", c.name, text, err, want)
			}
		}
	}
	if _, err := policy.Uses(filepath.Join(dir, "none.yaml")); err == nil {
		t.Error("a file that is not there has uses")
	}
}
