package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func defs(texts ...string) [][]byte {
	out := [][]byte{}
	for _, s := range texts {
		out = append(out, []byte(s))
	}
	return out
}

func TestPinsComeBackAsTheyWereStored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	if got, err := ReadPins(dir, "files"); got != nil || err != nil {
		t.Fatalf("before any were stored: %q, %v; want nil", got, err)
	}
	lists := [][][]byte{
		defs(`{"name":"read"}`, `{"description":"\ud800","name":"write"}`),
		defs(`{"name":"read"}`),
		defs(),
	}
	for _, want := range lists {
		for _, server := range []string{"files", "mail/ÿ.x"} {
			if err := WritePins(dir, server, want); err != nil {
				t.Fatal(err)
			}
			got, err := ReadPins(dir, server)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("read %q, %v; want %q", got, err, want)
			}
		}
	}
	counted(t, len(lists))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || entries[0].Name() != "files.pins.jsonl" || entries[1].Name() != "mail%2F%C3%BF%2Ex.pins.jsonl" {
		t.Errorf("directory holds %v, %v", entries, err)
	}
	if got, err := Pinned(dir); err != nil || !reflect.DeepEqual(got, []string{"files", "mail/ÿ.x"}) {
		t.Errorf("servers with pins: %q, %v", got, err)
	}
	if got, err := Pinned(filepath.Join(dir, "none")); err != nil || got != nil {
		t.Errorf("servers of no directory: %q, %v", got, err)
	}
	if files, err := Group(dir); err != nil || len(files) != 0 {
		t.Errorf("pins are taken for ledger files: %v, %v", files, err)
	}
	if info, err := os.Stat(PinsPath(dir, "files")); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestDefinitionsThatCannotBeReadBackAreNotStored(t *testing.T) {
	cases := []struct {
		name, definition string
		ok               bool
	}{
		{"object", `{"name":"x"}`, true},
		{"LF inside", "{\"name\":\n\"x\"}", false},
		{"array", `["name"]`, false},
		{"duplicate name", `{"a":1,"a":1}`, false},
		{"nothing", ``, false},
		{"two objects", `{"a":1}{"a":1}`, false},
	}
	for _, c := range cases {
		dir := t.TempDir()
		if err := WritePins(dir, "files", defs(`{"old":1}`)); err != nil {
			t.Fatal(err)
		}
		err := WritePins(dir, "files", defs(`{"first":1}`, c.definition))
		if (err == nil) != c.ok {
			t.Errorf("%s: %v; want ok %v", c.name, err, c.ok)
		}
		got, err := ReadPins(dir, "files")
		if err != nil || !c.ok && string(got[0]) != `{"old":1}` {
			t.Errorf("%s: afterwards %q, %v", c.name, got, err)
		}
	}
	counted(t, len(cases))
	if WritePins(t.TempDir(), "", nil) == nil {
		t.Error("pins of a server without a name were stored")
	}
	if _, err := ReadPins(t.TempDir(), ""); err == nil {
		t.Error("pins of a server without a name were read")
	}
}

func TestPinsThatWereCutOrChangedAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := WritePins(dir, "files", defs(`{"name":"a"}`, `{"name":"b"}`)); err != nil {
		t.Fatal(err)
	}
	path := PinsPath(dir, "files")
	data := mustRead(t, path)
	refused := func(name string, changed []byte) {
		t.Helper()
		mustWrite(t, path, changed)
		got, err := ReadPins(dir, "files")
		if err == nil || got != nil || !strings.Contains(err.Error(), "delete the file") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %q, %v; want a refusal with the file and the mend", name, got, err)
		}
	}
	for i := range data {
		refused("cut", data[:i])
		changed := bytes.Clone(data)
		changed[i] ^= 1
		refused("changed", changed)
	}
	counted(t, len(data))
	refused("longer", append(bytes.Clone(data), "{\"name\":\"c\"}\n"...))
	refused("longer without LF", append(bytes.Clone(data), 'x'))
	lines := linesOf(data)
	refused("swapped", bytes.Join([][]byte{lines[0], lines[2], lines[1]}, nil))
	refused("without its last definition", bytes.Join(lines[:2], nil))
	mustWrite(t, path, data)
	if got, err := ReadPins(dir, "files"); err != nil || len(got) != 2 {
		t.Errorf("as it was: %q, %v", got, err)
	}
	mustWrite(t, PinsPath(dir, "other"), data)
	if got, err := ReadPins(dir, "other"); err == nil || got != nil {
		t.Errorf("pins of one server were read as another's: %q", got)
	}
}
