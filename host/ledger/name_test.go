package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFileNamesAreTakenApartOnlyAsTheyAreMade(t *testing.T) {
	cases := []struct {
		name, server string
		ok           bool
	}{
		{"20261129T195317.123456789Z.files.0123456789ab.jsonl", "files", true},
		{"20261129T195317.000000000Z.a%2Fb%25-_9.0123456789ab.jsonl", "a/b%-_9", true},
		{"20261129T195317.123456789Z.files.0123456789ab.jsonl.bak", "", false},
		{"20261129T195317.123456789Z.files.0123456789ab", "", false},
		{"20261129T195317.12345678Z.files.0123456789ab.jsonl", "", false},
		{"20261129T195317Z.files.0123456789ab.jsonl", "", false},
		{"20261329T195317.123456789Z.files.0123456789ab.jsonl", "", false},
		{"20261129T195317.123456789Zfiles.0123456789ab.jsonl", "", false},
		{"20261129T195317.123456789Z..0123456789ab.jsonl", "", false},
		{"20261129T195317.123456789Z.a.b.0123456789ab.jsonl", "", false},
		{"20261129T195317.123456789Z.files.0123456789aB.jsonl", "", false},
		{"20261129T195317.123456789Z.files.0123456789abc.jsonl", "", false},
		{"20261129T195317.123456789Z.%66iles.0123456789ab.jsonl", "", false},
		{"20261129T195317.123456789Z.a%2fb.0123456789ab.jsonl", "", false},
		{"20261129T195317.123456789Z.a%2.0123456789ab.jsonl", "", false},
		{"20261129T195317.123456789Z.a b.0123456789ab.jsonl", "", false},
		{"files.pins.jsonl", "", false},
		{".jsonl", "", false},
	}
	dir := t.TempDir()
	want := 0
	for _, c := range cases {
		f, ok := parseName(c.name)
		if ok != c.ok || f.Server != c.server {
			t.Errorf("%s: %+v, %v; want server %q, %v", c.name, f, ok, c.server, c.ok)
		}
		if ok {
			want++
			if again := fileName(f.Time, f.Server, f.ID+"rest"); again != c.name {
				t.Errorf("%s: made again it is %s", c.name, again)
			}
		}
		mustWrite(t, filepath.Join(dir, c.name), nil)
	}
	counted(t, len(cases))
	if files, err := Group(dir); err != nil || len(files) != want {
		t.Errorf("group has %v, %v; want %d files", files, err, want)
	}
	if files, err := Group(filepath.Join(dir, "none")); files != nil || err != nil {
		t.Errorf("a group without a directory: %v, %v", files, err)
	}
}

func TestTheStateDirectoryFollowsTheSystem(t *testing.T) {
	root := string(filepath.Separator)
	if filepath.VolumeName(os.TempDir()) != "" {
		root = filepath.VolumeName(os.TempDir()) + root
	}
	home, xdg := root+"home", root+"xdg"
	cases := []struct {
		goos string
		env  map[string]string
		want []string // path elements; nil for an error
	}{
		{"linux", map[string]string{"HOME": home, "XDG_STATE_HOME": xdg}, []string{xdg, "callgate"}},
		{"linux", map[string]string{"HOME": home}, []string{home, ".local", "state", "callgate"}},
		{"linux", map[string]string{"HOME": home, "XDG_STATE_HOME": "relative"}, []string{home, ".local", "state", "callgate"}},
		{"linux", map[string]string{"XDG_STATE_HOME": xdg}, []string{xdg, "callgate"}},
		{"linux", map[string]string{}, nil},
		{"linux", map[string]string{"HOME": "relative"}, nil},
		{"darwin", map[string]string{"HOME": home}, []string{home, "Library", "Application Support", "callgate"}},
		{"darwin", map[string]string{"HOME": home, "XDG_STATE_HOME": xdg}, []string{xdg, "callgate"}},
		{"windows", map[string]string{"LocalAppData": home}, []string{home, "callgate"}},
		{"windows", map[string]string{"HOME": home}, nil},
	}
	for _, c := range cases {
		got, err := stateDir(c.goos, func(k string) string { return c.env[k] })
		if (err == nil) != (c.want != nil) || got != filepath.Join(c.want...) {
			t.Errorf("%s %v: %q, %v; want %v", c.goos, c.env, got, err, c.want)
		}
	}
	counted(t, len(cases))
	if got, err := StateDir(func(string) string { return xdg }); err != nil || got != filepath.Join(xdg, "callgate") {
		t.Errorf("on this system: %q, %v", got, err)
	}
}

func TestDifferentGroupsHaveDifferentDirectories(t *testing.T) {
	names := []string{"a", "b", "a/b", "a%2Fb", "..", ".", "", "a b", "%sha256-", strings.Repeat("x", 500), strings.Repeat("x", 501), strings.Repeat("/", 100)}
	names = append(names, filepath.Base(GroupDir("s", "")), filepath.Base(GroupDir("s", strings.Repeat("x", 500))))
	seen := map[string]string{}
	for _, n := range names {
		dir := GroupDir("s", n)
		if filepath.Dir(dir) != filepath.Join("s", "groups") || len(filepath.Base(dir)) > 255 {
			t.Errorf("group %q is in %q", n, dir)
		}
		if other, ok := seen[dir]; ok {
			t.Errorf("groups %q and %q share %q", n, other, dir)
		}
		seen[dir] = n
	}
	counted(t, len(names))
	if got := GroupDir("s", "my-Group_1"); got != filepath.Join("s", "groups", "my-Group_1") {
		t.Errorf("a plain name became %q", got)
	}
}

func TestDifferentCommandsAreDifferentGroups(t *testing.T) {
	inputs := [][]string{{"s"}, {"s", ""}, {"s", "", ""}, {"s", "a", "b"}, {"s", "ab"}, {"s", "a b"}, {"sa", "b"}, {"s", "b", "a"}, {"", "s", "a", "b"}, {"s", "a\x00b"}}
	seen := map[string][]string{}
	for _, in := range inputs {
		id := GroupID(in[0], in[1:])
		if !isLowerHex(id, 32) || id != GroupID(in[0], in[1:]) {
			t.Errorf("%q: id %q; want 32 hex digits, always the same", in, id)
		}
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q are one group", in, other)
		}
		seen[id] = in
	}
	counted(t, len(inputs))
	if got := GroupID("files", []string{"npx", "server"}); got != "f755d71911fc9266b26ef430a22361e5" {
		t.Errorf("the digest has changed to %s: groups of users would be lost", got)
	}
}

func TestStateIsLookedForWithAndWithoutXDG(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want int
	}{
		{map[string]string{"HOME": "/home/u", "XDG_STATE_HOME": "/state", "LocalAppData": `C:\u`}, 2},
		{map[string]string{"HOME": "/home/u", "XDG_STATE_HOME": "relative", "LocalAppData": `C:\u`}, 1},
		{map[string]string{"HOME": "/home/u", "LocalAppData": `C:\u`}, 1},
		{map[string]string{"XDG_STATE_HOME": "/state"}, 1},
		{map[string]string{}, 0},
	} {
		env := func(name string) string { return c.env[name] }
		dirs, err := StateDirs(env)
		if len(dirs) != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%v: %q, %v; want %d", c.env, dirs, err, c.want)
		}
		if first, err := StateDir(env); err == nil && dirs[0] != first {
			t.Errorf("%v: %q does not begin with %q", c.env, dirs, first)
		}
	}
}
