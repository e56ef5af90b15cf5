package bundle_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/callgate/callgate/host/bundle"
)

// with changes one entry of the honest archive, by name.
func with(t *testing.T, name string, change func(*entry)) []byte {
	t.Helper()
	list := entriesOf(t)
	i := slices.IndexFunc(list, func(e entry) bool { return e.Name == name })
	change(&list[i])
	return tarOf(t, list)
}

// beside adds entries in front of one of the honest archive.
func beside(t *testing.T, name string, more ...entry) []byte {
	t.Helper()
	list := entriesOf(t)
	i := slices.IndexFunc(list, func(e entry) bool { return e.Name == name })
	return tarOf(t, slices.Insert(list, i, more...))
}

func special(kind byte, name, link string) entry {
	return entry{Header: tar.Header{Typeflag: kind, Name: name, Linkname: link}}
}

// patched writes bytes into the first header of an archive, and sums it up again.
func patched(raw []byte, at int, data string) []byte {
	raw = slices.Clone(raw)
	copy(raw[at:], data)
	copy(raw[148:156], "        ")
	sum := 0
	for _, c := range raw[:512] {
		sum += int(c)
	}
	copy(raw[148:156], fmt.Sprintf("%06o\x00 ", sum))
	return raw
}

// pax is an extended header with one record, in front of an archive.
func pax(t *testing.T, kind byte, key, value string, raw []byte) []byte {
	t.Helper()
	record := " " + key + "=" + value + "\n"
	n := len(record) + 1
	for len(strconv.Itoa(n))+len(record) != n {
		n++
	}
	head := tarOf(t, []entry{file("LICENSE", strconv.Itoa(n)+record)})
	return append(patched(head[:1024], 156, string(kind)), raw...)
}

func TestHostileArchives(t *testing.T) {
	raw := untar(t, noExfil(t))
	many := func(n int) []byte {
		list := []entry{entriesOf(t)[4], entriesOf(t)[5]}
		for i := range n {
			list = slices.Insert(list, i, file(fmt.Sprintf("cases/%03d.yaml", i), "x"))
		}
		return tarOf(t, list)
	}
	table := []struct {
		name string
		raw  []byte
		want string
	}{
		{"tar_link", beside(t, "cases/a.yaml", special(tar.TypeSymlink, "cases/0.yaml", "/etc/passwd")), "a symbolic link"},
		{"a hard link", beside(t, "cases/a.yaml", special(tar.TypeLink, "cases/0.yaml", "plugin.json")), "a hard link"},
		{"a link for the manifest", with(t, "plugin.json", func(e *entry) { e.Typeflag, e.Linkname, e.data = tar.TypeSymlink, "LICENSE", "" }), "a symbolic link"},
		{"a directory", beside(t, "cases/a.yaml", special(tar.TypeDir, "cases/", "")), "a directory"},
		{"a device", beside(t, "cases/a.yaml", special(tar.TypeChar, "cases/0.yaml", "")), "a device"},
		{"a block device", beside(t, "cases/a.yaml", special(tar.TypeBlock, "cases/0.yaml", "")), "a device"},
		{"a pipe", beside(t, "cases/a.yaml", special(tar.TypeFifo, "cases/0.yaml", "")), "a pipe"},
		{"a reserved kind", patched(raw, 156, "7"), "a reserved kind of file"},
		{"an unknown kind", patched(raw, 156, "Z"), `an entry of kind 'Z'`},
		{"the oldest kind", patched(raw, 156, "\x00"), "is not as callgate plugin pack writes it"},
		{"a file with the name of a link", patched(raw, 157, "plugin.json"), "names a link"},
		{"tar_dotdot", with(t, "cases/a.yaml", func(e *entry) { e.Name = "cases/../../x.yaml" }), "a path with dots"},
		{"above", with(t, "LICENSE", func(e *entry) { e.Name = "../LICENSE" }), "a path with dots"},
		{"here", with(t, "LICENSE", func(e *entry) { e.Name = "./LICENSE" }), "a path with dots"},
		{"absolute", with(t, "LICENSE", func(e *entry) { e.Name = "/LICENSE" }), "an absolute or foreign path"},
		{"of a drive", with(t, "LICENSE", func(e *entry) { e.Name = "C:LICENSE" }), "an absolute or foreign path"},
		{"of Windows", with(t, "cases/a.yaml", func(e *entry) { e.Name = `cases\a.yaml` }), "an absolute or foreign path"},
		{"in a folder", with(t, "plugin.wasm", func(e *entry) { e.Name = "x/plugin.wasm" }), "no bundle has a file of this name"},
		{"with a zero", patched(raw, 0, "plugin.json\x00LICENSE"), "comes after"},
		{"a hidden name", beside(t, "cases/a.yaml", file("README.md ", "x")), "no bundle has a file of this name"},
		{"another name", beside(t, "plugin.json", file("install.sh", "x")), "no bundle has a file of this name"},
		{"a module in two cases", beside(t, "LICENSE", file("Plugin.wasm", "x")), "no bundle has a file of this name"},
		{"tar_dup", beside(t, "plugin.wasm", file("plugin.json", string(manifest("acme/other", "1.2.0")))), "is there twice"},
		{"a module twice", beside(t, "plugin.wasm", file("plugin.wasm", magic)), "is there twice"},
		{"a case twice", beside(t, "cases/a.yaml", file("cases/a.yaml", "x")), "is there twice"},
		{"a manifest again later", append(with(t, "LICENSE", func(*entry) {})[:len(raw)-1024], tarOf(t, []entry{file("plugin.json", "{}")})...), `"plugin.json": comes after`},
		{"another order", beside(t, "LICENSE", file("README.md", "x")), "comes after"},
		{"cases in two cases", beside(t, "cases/a.yaml", file("cases/A.yaml", "x")), "by case alone"},
		{"too many", many(255), "more than 256 files"},
		{"tar_hugehdr", patched(raw, 124, "77777777777\x00"), "8589934591 bytes; at most 4194304"},
		{"a size beyond the archive", patched(raw, 124, "00010000000\x00"), "cut off; its header says 2097152 bytes"},
		{"a size in base 256", patched(raw, 124, "\x80\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00"), "extended headers"},
		{"a size below zero", patched(raw, 124, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "file 1: archive/tar: invalid tar header"},
		{"an empty case", with(t, "cases/a.yaml", func(e *entry) { e.data = "" }), "empty"},
		{"a large README", with(t, "README.md", func(e *entry) { e.data = string(make([]byte, bundle.MaxText+1)) }), "4194305 bytes; at most 4194304"},
		{"a PAX header of a size", pax(t, 'x', "size", "99999999999", raw), "extended headers"},
		{"a PAX header of a small size", pax(t, 'x', "size", "1", raw), "extended headers"},
		{"a PAX header of a name", pax(t, 'x', "path", "plugin.json", raw), "extended headers"},
		{"a PAX header of a link", pax(t, 'x', "linkpath", "plugin.json", raw), "names a link"},
		{"a PAX header of nothing", pax(t, 'x', "comment", "x", raw), "extended headers"},
		{"a PAX header for all", pax(t, 'g', "path", "plugin.json", raw), "a header for all that follows"},
		{"GNU names", with(t, "LICENSE", func(e *entry) { e.Format = tar.FormatGNU }), "extended headers"},
		{"PAX dates", with(t, "LICENSE", func(e *entry) { e.Format, e.ModTime = tar.FormatPAX, time.Unix(0, 5) }), "extended headers"},
		{"a mode", with(t, "LICENSE", func(e *entry) { e.Mode = 0o4755 }), "is not as callgate plugin pack writes it"},
		{"an owner", with(t, "LICENSE", func(e *entry) { e.Uid = 1000 }), "is not as callgate plugin pack writes it"},
		{"a user", with(t, "LICENSE", func(e *entry) { e.Uname = "root" }), "is not as callgate plugin pack writes it"},
		{"a date", with(t, "LICENSE", func(e *entry) { e.ModTime = time.Unix(1, 0) }), "is not as callgate plugin pack writes it"},
		{"a padding that says something", padded(raw), "is not as callgate plugin pack writes it"},
		{"a wrong sum", append([]byte("M"), raw[1:]...), "invalid tar header"},
		{"a byte behind", append(slices.Clone(raw), 1), "1 byte too many behind the end of the archive"},
		{"zeros behind", append(slices.Clone(raw), make([]byte, 512)...), "512 bytes too many behind the end of the archive"},
		{"a second archive", append(slices.Clone(raw), raw...), "bytes too many behind the end of the archive"},
		{"no end", raw[:len(raw)-1024], "cut off"},
		{"half an end", raw[:len(raw)-512], "cut off"},
		{"half a file", raw[:len(raw)-1024-512-100], "cut off"},
		{"nothing", make([]byte, 1024), "no plugin.json"},
		{"no manifest", tarOf(t, entriesOf(t)[5:]), "no plugin.json"},
		{"no module", tarOf(t, entriesOf(t)[:5]), "no plugin.wasm"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			if b, err := bundle.Open(squeezed(t, c.raw)); says(err, c.want) != nil || b != nil {
				t.Error(says(err, c.want))
			}
		})
	}
	twins := map[string][]byte{
		"as packed": raw, "by hand": tarOf(t, entriesOf(t)), "one case more": beside(t, "cases/a.yaml", file("cases/0.yaml", "x")), "as many as may be": many(254),
		"without the rest": tarOf(t, entriesOf(t)[4:]), "a large README": with(t, "README.md", func(e *entry) { e.data = string(make([]byte, bundle.MaxText)) }),
		"a sum anew": patched(raw, 0, "LICENSE"), "a text with dots": with(t, "README.md", func(e *entry) { e.data = "../../etc/passwd" }),
	}
	for name, archive := range twins {
		if _, err := bundle.Open(squeezed(t, archive)); err != nil {
			t.Errorf("twin %s: %v", name, err)
		}
	}
}

// padded has a byte between the end of the first file and the next header.
func padded(raw []byte) []byte {
	raw = slices.Clone(raw)
	raw[512+511] = 'x'
	return raw
}

func TestHostileModules(t *testing.T) {
	m := manifest("acme/no-exfil", "1.2.0")
	one := custom("callgate.manifest", m)
	of := func(manifest []byte, sections ...[]byte) []byte {
		module := append([]byte(magic), bytes.Join(sections, nil)...)
		return squeezed(t, tarOf(t, []entry{file("plugin.json", string(manifest)), file("plugin.wasm", string(module))}))
	}
	twice := bytes.Replace(m, []byte(`"abi":"1.0"`), []byte(`"abi":"1.0","abi":"1.0"`), 1)
	spaced := append(slices.Clone(m), '\n')
	table := []struct {
		name string
		data []byte
		want string // "": it is accepted
	}{
		{"one manifest", of(m, one), ""},
		{"no manifest in the module", of(m), ""},
		{"other sections around", of(m, custom("a", []byte("x")), one, custom("b", []byte("y"))), ""},
		{"a section of a name like it", of(m, custom("callgate.manifest2", spaced), one), ""},
		{"two_manifests", of(m, one, one), "two manifests"},
		{"two manifests with something between", of(m, one, custom("a", nil), custom("callgate.manifest", spaced)), "two manifests"},
		{"manifest_mismatch", of(m, custom("callgate.manifest", manifest("acme/no-exfil", "1.2.1"))), "byte for byte"},
		{"another name in the module", of(manifest("acme/other", "1.2.0"), one), "byte for byte"},
		{"the same with a line break", of(spaced, one), "byte for byte"},
		{"an empty manifest", of(m, custom("callgate.manifest", nil)), "plugin.wasm: manifest"},
		{"keys twice", of(twice, custom("callgate.manifest", twice)), "plugin.json: manifest"},
		{"a section that is cut off", of(m, one[:len(one)-1]), "cut off"},
		{"no module", squeezed(t, tarOf(t, []entry{file("plugin.json", string(m)), file("plugin.wasm", "#!/bin/sh")})), "not a WebAssembly core module"},
		{"no manifest at all", of([]byte("{}"), custom("callgate.manifest", []byte("{}"))), "plugin.json: manifest: schema"},
		{"a version that compares with none", of(manifest("a/b", "1.0.0-01")), "none of Semantic Versioning"},
		{"a version that compares", of(manifest("a/b", "1.0.0-1+x.01")), ""},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			b, err := bundle.Open(c.data)
			if err := says(err, c.want); err != nil || c.want != "" && b != nil {
				t.Error(err)
			}
		})
	}
}
