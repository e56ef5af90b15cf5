package abi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/callgate/callgate/abi"
)

// frozenList is what is in each version's folder: lines as sha256sum writes them.
// A new version adds lines; no line is ever changed.
const frozenList = "frozen.sha256"

// thawed says what of the goldens is not as it was frozen.
func thawed(dir fs.FS, versions []string) (found []string, files int) {
	text, err := fs.ReadFile(dir, frozenList)
	if err != nil {
		return []string{err.Error()}, 0
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if _, ok := listed[name]; ok {
			found = append(found, name+": listed twice")
		}
		listed[name] = sum
	}
	for _, version := range versions {
		err := fs.WalkDir(dir, version, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := fs.ReadFile(dir, name)
			sum := sha256.Sum256(data)
			switch want, ok := listed[name]; {
			case !ok:
				found = append(found, name+": not listed, so not of the version that was frozen")
			case want != hex.EncodeToString(sum[:]):
				found = append(found, name+": not what was frozen; plugins of the version are in use, so make a new version")
			}
			delete(listed, name)
			files++
			return err
		})
		if err != nil {
			found = append(found, err.Error())
		}
	}
	for name := range listed {
		found = append(found, fmt.Sprintf("%s: listed, and not there, or of a version that this host does not speak", name))
	}
	slices.Sort(found)
	return found, files
}

func TestGoldensAreFrozen(t *testing.T) {
	found, files := thawed(os.DirFS("testdata"), abi.Versions)
	if len(found) > 0 || files < 60 {
		t.Errorf("%d files; %s", files, strings.Join(found, "\n"))
	}
}

func TestAThawedGoldenIsFound(t *testing.T) {
	sum := func(s string) string { x := sha256.Sum256([]byte(s)); return hex.EncodeToString(x[:]) }
	list := sum("a") + "  1.0/a/a.wasm\n" + sum("b") + "  1.0/goldens.json\n"
	for _, tt := range []struct {
		name, list string
		edit       func(fstest.MapFS)
		want       string
	}{
		{"as it was", list, func(fstest.MapFS) {}, ""},
		{"changed", list, func(f fstest.MapFS) { f["1.0/goldens.json"].Data = []byte("c") }, "1.0/goldens.json: not what was frozen"},
		{"gone", list, func(f fstest.MapFS) { delete(f, "1.0/a/a.wasm") }, "1.0/a/a.wasm: listed, and not there"},
		{"added", list, func(f fstest.MapFS) { f["1.0/c"] = &fstest.MapFile{} }, "1.0/c: not listed"},
		{"listed twice", list + list, func(fstest.MapFS) {}, "1.0/a/a.wasm: listed twice"},
		{"no list", "", func(f fstest.MapFS) { delete(f, frozenList) }, frozenList},
		{"an empty list", "", func(fstest.MapFS) {}, "1.0/a/a.wasm: not listed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := fstest.MapFS{frozenList: {Data: []byte(tt.list)}, "1.0/a/a.wasm": {Data: []byte("a")}, "1.0/goldens.json": {Data: []byte("b")}}
			tt.edit(dir)
			found, _ := thawed(dir, []string{"1.0"})
			if all := strings.Join(found, "\n"); (tt.want == "") != (all == "") || !strings.Contains(all, tt.want) {
				t.Errorf("found %q; want %q", all, tt.want)
			}
		})
	}
}
