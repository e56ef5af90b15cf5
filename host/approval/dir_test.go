//go:build unix

package approval

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// only is an environment with one variable.
func only(name, value string) func(string) string {
	return func(n string) string {
		if n == name {
			return value
		}
		return ""
	}
}

func TestASocketDirectoryIsOursAlone(t *testing.T) {
	n := 0
	for _, c := range []struct {
		name    string
		prepare func(base string) error
		want    string
	}{
		{"none yet", func(string) error { return nil }, ""},
		{"one that is there", func(base string) error { return os.Mkdir(base+"/callgate", 0o700) }, ""},
		{"others may read it", func(base string) error { return os.Mkdir(base+"/callgate", 0o755) }, "has mode 0755"},
		{"its group may enter it", func(base string) error { return os.Mkdir(base+"/callgate", 0o710) }, "chmod 700"},
		{"a link", func(base string) error {
			if err := os.Mkdir(base+"/real", 0o700); err != nil {
				return err
			}
			return os.Symlink(base+"/real", base+"/callgate")
		}, "symbolic link"},
		{"a file", func(base string) error { return os.WriteFile(base+"/callgate", nil, 0o700) }, "not a directory"},
		{"others may replace it", func(base string) error { return os.Chmod(base, 0o777) }, "can be replaced by others"},
		{"others may write beside it only", func(base string) error { return os.Chmod(base, os.ModeSticky|0o777) }, ""},
	} {
		base := filepath.Join(filepath.Dir(socketDir(t)), "x")
		if err := os.Mkdir(base, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := c.prepare(base); err != nil {
			t.Fatal(err)
		}
		dir, err := SocketDir(only("XDG_RUNTIME_DIR", base))
		wants(t, c.name, err, c.want)
		if c.want == "" {
			if info, err := os.Lstat(dir); err != nil || dir != base+"/callgate" || info.Mode().Perm() != 0o700 {
				t.Errorf("%s: %q, %v", c.name, dir, err)
			}
		}
		found := SocketDirs(only("XDG_RUNTIME_DIR", base))
		if listed := len(found) > 0 && found[0] == base+"/callgate"; listed != (c.want == "") {
			t.Errorf("%s: found %q", c.name, found)
		}
		n++
	}
	cases(t, n, 8)
}

func TestADirectoryOfAnotherUserIsRefused(t *testing.T) {
	// Whoever runs this owns either / or the directory of a test, and not both,
	// unless it is root, who can give one away.
	dir := socketDir(t)
	wants(t, "our own", checkDir(dir), "")
	other := "/"
	if os.Geteuid() == 0 {
		other = dir
		if err := os.Chown(dir, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	wants(t, "another user's", checkDir(other), "belongs to another user")
}

func TestASocketDirectoryIsShortEnough(t *testing.T) {
	base := filepath.Dir(socketDir(t))
	room := maxPath - maxSocketName - 1 - len("/callgate") - len(base) - 1
	n := 0
	for length, want := range map[int]string{room: "", room + 1: "too long for the path of a socket, by 1 bytes; set XDG_RUNTIME_DIR"} {
		parent := filepath.Join(base, strings.Repeat("d", length))
		if err := os.Mkdir(parent, 0o700); err != nil {
			t.Fatal(err)
		}
		dir, err := SocketDir(only("XDG_RUNTIME_DIR", parent))
		wants(t, strconv.Itoa(length), err, want)
		if want == "" {
			s, err := Listen(Options{Dir: dir, Desk: quietDesk()})
			if err != nil {
				t.Errorf("a directory of %d bytes: %v", len(dir), err)
				continue
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		n++
	}
	cases(t, n, 2)
}

func TestTerminalAndClientFindTheSameDirectory(t *testing.T) {
	uid := strconv.Itoa(os.Geteuid())
	bare := candidates(only("", ""))
	if last := bare[len(bare)-1]; last != "/tmp/callgate-"+uid {
		t.Errorf("without an environment: %q; want /tmp/callgate-UID at last", bare)
	}
	if runtime.GOOS == "linux" && bare[0] != "/run/user/"+uid+"/callgate" {
		t.Errorf("without an environment: %q; want what the system sets first", bare)
	}
	if got := candidates(only("TMPDIR", "/somewhere")); strings.Join(got, " ") != strings.Join(bare, " ") {
		t.Errorf("with a TMPDIR, which clients do not pass on: %q; want %q", got, bare)
	}
	if got := candidates(only("XDG_RUNTIME_DIR", "relative")); strings.Join(got, " ") != strings.Join(bare, " ") {
		t.Errorf("with a relative directory: %q; want it ignored, as its specification says", got)
	}
	if got := candidates(only("XDG_RUNTIME_DIR", "/run/user/"+uid+"/")); runtime.GOOS == "linux" && strings.Join(got, " ") != strings.Join(bare, " ") {
		t.Errorf("with what the system sets: %q; want %q", got, bare)
	}
	if got := candidates(only("XDG_RUNTIME_DIR", "/x")); got[0] != "/x/callgate" || len(got) != len(bare)+1 {
		t.Errorf("with another directory: %q; want it first", got)
	}
}

func TestNamesOfSocketsSayWhoseTheyAre(t *testing.T) {
	n := 0
	for name, want := range map[string]int{
		"123-abcdefgh.sock": 123, "4194304-a2b3c4d5.sock": 4194304,
		"123-abcdefgh.new": 0, "-1-abcdefgh.sock": 0, "0-abcdefgh.sock": 0, "123-abc.sock": 0, "123.sock": 0, "x123-abcdefgh.sock": 0, "12345678901-abcdefgh.sock": 0,
	} {
		if pid, ok := pidOf(name); pid != want || ok != (want != 0) {
			t.Errorf("%q: %d, %v; want %d", name, pid, ok, want)
		}
		n++
	}
	cases(t, n, 9)
}
