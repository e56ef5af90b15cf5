package bundle_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestPackedBytesDoNotMove holds packing to a bundle that is kept. Where this fails
// after a library changed, bundles get other digests than before: that has to be
// meant.
func TestPackedBytesDoNotMove(t *testing.T) {
	golden := filepath.Join("testdata", "no-exfil-1.2.0.cgp")
	got := noExfil(t)
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("packed to %s; the golden bundle is %s", abi.DigestBytes(got), abi.DigestBytes(want))
	}
	opened(t, want)
}

func TestTheSameFilesPackToTheSameBytes(t *testing.T) {
	first := noExfil(t)
	f := filesOf("acme/no-exfil", "1.2.0")
	slices.Reverse(f.Cases)
	f.Module = carrying(t, f.Manifest)
	if !bytes.Equal(packed(t, f), first) {
		t.Error("another order of cases, or a manifest in the module already, makes another bundle")
	}
	b := opened(t, first)
	if again := packed(t, b.Files); !bytes.Equal(again, first) {
		t.Error("what a bundle holds packs to another bundle")
	}
	f.Readme = []byte("# Another plugin\n")
	if bytes.Equal(packed(t, f), first) {
		t.Error("another README makes the same bundle")
	}
}

func TestWhatWasPackedIsWhatIsOpened(t *testing.T) {
	f := filesOf("acme/no-exfil", "1.2.0")
	b := opened(t, packed(t, f))
	if b.About.Name != "acme/no-exfil" || b.About.Version != "1.2.0" || b.About.Text != string(f.Manifest) {
		t.Errorf("manifest: %+v", b.About)
	}
	if !bytes.Equal(b.Module, carrying(t, f.Manifest)) || b.FileDigest != abi.DigestBytes(b.Module) || b.ModuleDigest != abi.DigestBytes([]byte(magic)) {
		t.Errorf("module %q with digests %s and %s", b.Module, b.FileDigest, b.ModuleDigest)
	}
	if string(b.Readme) != string(f.Readme) || string(b.License) != string(f.License) || len(b.Cases) != 2 || b.Cases[0].Name != "cases/a.yaml" || b.Digest != abi.DigestBytes(b.Data) {
		t.Errorf("bundle: %+v", b)
	}
}

// TestLargeFilesPack has what compresses and what does not, over more than one
// window.
func TestLargeFilesPack(t *testing.T) {
	f := filesOf("acme/large", "1.0.0")
	noise := noise(12 << 20)
	f.Module = append([]byte(magic), custom("noise", noise)...)
	for _, name := range []string{"cases/b.yaml", "cases/c.yaml", "cases/d.yaml"} {
		f.Cases = append(f.Cases, bundle.File{Name: name, Data: bytes.Repeat([]byte("# a comment\n"), 340_000)})
	}
	b := opened(t, packed(t, f))
	if !bytes.Contains(b.Module, noise) || len(b.Cases) != 5 {
		t.Errorf("%d bytes of a module and %d cases came back", len(b.Module), len(b.Cases))
	}
}

// noise is bytes that do not compress, the same each time.
func noise(n int) []byte {
	out := make([]byte, n)
	x := uint64(88172645463325252)
	for i := range out {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = byte(x)
	}
	return out
}

// custom is a custom section of a module.
func custom(name string, data []byte) []byte {
	body := append([]byte{byte(len(name))}, name...)
	body = append(body, data...)
	out := []byte{0}
	for n := len(body); ; n >>= 7 {
		if n < 0x80 {
			return append(append(out, byte(n)), body...)
		}
		out = append(out, byte(n)|0x80)
	}
}

func TestWhatIsNotPacked(t *testing.T) {
	cases := func(n int, name func(int) string) []bundle.File {
		var list []bundle.File
		for i := range n {
			list = append(list, bundle.File{Name: name(i), Data: []byte("x")})
		}
		return list
	}
	numbered := func(i int) string { return "cases/" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + ".yaml" }
	named := func(name string) func(*bundle.Files) {
		return func(f *bundle.Files) { f.Cases = []bundle.File{{Name: name, Data: []byte("x")}} }
	}
	other := carrying(t, manifest("acme/no-exfil", "1.2.1"))
	table := []struct {
		name      string
		bad, twin func(*bundle.Files)
		want      string
	}{
		{"no manifest", func(f *bundle.Files) { f.Manifest = nil }, nil, "no plugin.json"},
		{"no module", func(f *bundle.Files) { f.Module = nil }, nil, "no plugin.wasm"},
		{"not a module", func(f *bundle.Files) { f.Module = []byte("#!/bin/sh") }, nil, "not a WebAssembly core module"},
		{"another manifest in the module", func(f *bundle.Files) { f.Module = other }, func(f *bundle.Files) { f.Manifest, f.Module = manifest("acme/no-exfil", "1.2.1"), other }, "not plugin.json byte for byte"},
		{"a space more in the manifest", func(f *bundle.Files) { f.Module = carrying(t, f.Manifest); f.Manifest = append(f.Manifest, ' ') }, func(f *bundle.Files) { f.Manifest = append(f.Manifest, ' ') }, "byte for byte"},
		{"a manifest that is none", func(f *bundle.Files) { f.Manifest = []byte("{}") }, nil, "plugin.json: manifest: schema"},
		{"a version that is none", func(f *bundle.Files) { f.Manifest = manifest("a/b", "1.0.0-01") }, func(f *bundle.Files) { f.Manifest = manifest("a/b", "1.0.0-1") }, "none of Semantic Versioning"},
		{"an empty README", func(f *bundle.Files) { f.Readme = []byte{} }, func(f *bundle.Files) { f.Readme = nil }, `"README.md": empty`},
		{"an empty case", func(f *bundle.Files) { f.Cases[0].Data = nil }, func(f *bundle.Files) { f.Cases = nil }, "empty"},
		{"a case elsewhere", named("a.yaml"), named("cases/a.yaml"), "no bundle has a file of this name"},
		{"a case above", named("cases/../a.yaml"), named("cases/a.b.yaml"), "no bundle has a file of this name"},
		{"a case with dots", named("cases/a..b.yaml"), named("cases/a.b.yaml"), "no bundle has a file of this name"},
		{"a case below", named("cases/a/b.yaml"), named("cases/a-b.yaml"), "no bundle has a file of this name"},
		{"a case of another kind", named("cases/a.yml"), named("cases/a.yml.yaml"), "no bundle has a file of this name"},
		{"a hidden case", named("cases/.a.yaml"), named("cases/_a.yaml"), "no bundle has a file of this name"},
		{"a long name", named("cases/" + strings.Repeat("a", 65) + ".yaml"), named("cases/" + strings.Repeat("a", 64) + ".yaml"), "no bundle has a file of this name"},
		{"a case twice", func(f *bundle.Files) { f.Cases[1].Name = f.Cases[0].Name }, nil, "is there twice"},
		{"a case in two cases", func(f *bundle.Files) { f.Cases[1].Name = "cases/Hosts.yaml" }, func(f *bundle.Files) { f.Cases[1].Name = "cases/Host.yaml" }, "by case alone"},
		{"too many", func(f *bundle.Files) { f.Cases = cases(253, numbered) }, func(f *bundle.Files) { f.Cases = cases(252, numbered) }, "more than 256 files"},
		{"a large case", func(f *bundle.Files) { f.Cases[0].Data = make([]byte, bundle.MaxText+1) }, func(f *bundle.Files) { f.Cases[0].Data = make([]byte, bundle.MaxText) }, "4194305 bytes; at most 4194304"},
		{"a large module", func(f *bundle.Files) {
			f.Module = append([]byte(magic), custom("x", make([]byte, bundle.MaxModule))...)
		}, func(f *bundle.Files) {
			f.Module = append([]byte(magic), custom("x", make([]byte, bundle.MaxModule-1024))...)
		}, "at most 16777216"},
		{"much of all", func(f *bundle.Files) { f.Cases = many(16) }, func(f *bundle.Files) { f.Cases = many(15) }, "before compression; at most 67108864"},
		{"what does not compress", func(f *bundle.Files) { *f = noisy(*f, 4<<20) }, func(f *bundle.Files) { *f = noisy(*f, 2<<20) }, "at most 16777216"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			f := filesOf("acme/no-exfil", "1.2.0")
			c.bad(&f)
			if data, err := bundle.Pack(f); says(err, c.want) != nil || data != nil {
				t.Errorf("%v (and %d bytes)", says(err, c.want), len(data))
			}
			f = filesOf("acme/no-exfil", "1.2.0")
			if c.twin != nil {
				c.twin(&f)
			}
			if _, err := bundle.Pack(f); err != nil {
				t.Errorf("twin: %v", err)
			}
		})
	}
}

// many is so many cases of the largest size.
func many(n int) []bundle.File {
	var list []bundle.File
	for i := range n {
		list = append(list, bundle.File{Name: "cases/" + string(rune('a'+i)) + ".yaml", Data: make([]byte, bundle.MaxText)})
	}
	return list
}

// noisy has 13 MiB and n bytes that do not compress.
func noisy(f bundle.Files, n int) bundle.Files {
	all := noise(13<<20 + n)
	f.License, f.Module = all[13<<20:], append([]byte(magic), custom("x", all[:13<<20])...)
	return f
}
