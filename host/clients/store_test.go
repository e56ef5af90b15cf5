package clients

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var errStopped = errors.New("stopped")

// steps counts the calls of a system, and stops at one.
type steps struct {
	system
	count, stop int
	once        bool   // only the call fails; otherwise nothing is done any more, as if the process were dead
	before      func() // runs before the call is made
}

func (s *steps) step() error {
	s.count++
	if s.before != nil && s.count == s.stop {
		s.before()
		return nil
	}
	if s.before == nil && (s.count == s.stop || !s.once && s.stop > 0 && s.count > s.stop) {
		return errStopped
	}
	return nil
}

// watched is a system that counts its calls.
func (s *steps) watched() system {
	real := s.system
	return system{
		resolve: func(p string) (string, error) {
			if err := s.step(); err != nil {
				return "", err
			}
			return real.resolve(p)
		},
		read: func(p string) ([]byte, fs.FileInfo, error) {
			if err := s.step(); err != nil {
				return nil, nil, err
			}
			return real.read(p)
		},
		create: func(p string) (handle, error) {
			if err := s.step(); err != nil {
				return handle{}, err
			}
			h, err := real.create(p)
			return s.handle(h), err
		},
		rename: func(from, to string) error {
			return errors.Join(s.step(), s.unless(func() error { return real.rename(from, to) }))
		},
		remove:  func(p string) error { return errors.Join(s.step(), s.unless(func() error { return real.remove(p) })) },
		syncDir: func(p string) error { return errors.Join(s.step(), s.unless(func() error { return real.syncDir(p) })) },
	}
}

// unless makes a call that the step before it did not stop.
func (s *steps) unless(call func() error) error {
	if s.before == nil && s.stop > 0 && (s.count == s.stop || !s.once && s.count > s.stop) {
		return nil
	}
	return call()
}

func (s *steps) handle(h handle) handle {
	return handle{
		chmod: func(m fs.FileMode) error { return errors.Join(s.step(), s.unless(func() error { return h.chmod(m) })) },
		write: func(b []byte) error {
			if err := s.step(); err != nil {
				return errors.Join(err, h.write(b[:len(b)/2])) // a disk that is full in between
			}
			return h.write(b)
		},
		sync: func() error { return errors.Join(s.step(), s.unless(h.sync)) },
		close: func() error {
			err := h.close() // whatever ends a process closes its files
			return errors.Join(s.step(), err)
		},
	}
}

// stored makes a file with a mode, and reads it.
func stored(t *testing.T, data string) *Stored {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := errors.Join(os.WriteFile(path, []byte(data), 0o640), os.Chmod(path, 0o640)); err != nil {
		t.Fatal(err)
	}
	s, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// content is what a file holds, and how many others are beside it.
func content(t *testing.T, path string) (string, int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data), len(entries) - 1
}

const before, after = "the old file, longer than the new", "the new file"

func TestAFileIsReplacedWithItsModeAndNothingBesideIt(t *testing.T) {
	s := stored(t, before)
	if err := s.Replace([]byte(after)); err != nil {
		t.Fatal(err)
	}
	got, others := content(t, s.Path)
	info, err := os.Stat(s.Path)
	if err != nil || got != after || others != 0 || runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("%q, %d others, %v (%v)", got, others, info.Mode(), err)
	}
}

func TestAStopBetweenAnyTwoCallsLeavesTheOldFileOrTheNew(t *testing.T) {
	all := &steps{system: realSystem()}
	if err := stored(t, before).replace(all.watched(), []byte(after)); err != nil || all.count < 9 {
		t.Fatalf("%d calls (%v); want nine at least", all.count, err)
	}
	seen := map[string]int{}
	for stop := 1; stop <= all.count; stop++ {
		for _, once := range []bool{true, false} {
			s := stored(t, before)
			sys := &steps{system: realSystem(), stop: stop, once: once}
			err := s.replace(sys.watched(), []byte(after))
			got, others := content(t, s.Path)
			if !errors.Is(err, errStopped) {
				t.Errorf("call %d stopped: %v", stop, err)
			}
			if got != before && got != after {
				t.Errorf("call %d stopped: the file holds %q", stop, got)
			}
			if once && others != 0 {
				t.Errorf("call %d failed: %d files are left beside it", stop, others)
			}
			if stop < all.count && got != before {
				t.Errorf("call %d stopped, and the file was replaced before its end", stop)
			}
			seen[got]++
		}
	}
	if seen[before] == 0 || seen[after] == 0 {
		t.Errorf("old files %d, new ones %d; want both", seen[before], seen[after])
	}
}

func TestWhatChangesWhileItIsEditedIsNotLost(t *testing.T) {
	all := &steps{system: realSystem()}
	if err := stored(t, before).replace(all.watched(), []byte(after)); err != nil {
		t.Fatal(err)
	}
	const other = "what the client wrote"
	lastLook := all.count - 2 // then come rename and syncDir
	for stop := 1; stop <= lastLook; stop++ {
		for name, change := range map[string]func(path string) error{
			"written": func(p string) error { return os.WriteFile(p, []byte(other), 0o600) },
			"replaced": func(p string) error {
				return errors.Join(os.WriteFile(p+".new", []byte(other), 0o600), os.Rename(p+".new", p))
			},
		} {
			s := stored(t, before)
			sys := &steps{system: realSystem(), stop: stop, before: func() {
				if err := change(s.Path); err != nil {
					t.Error(err)
				}
			}}
			err := s.replace(sys.watched(), []byte(after))
			got, others := content(t, s.Path)
			if err == nil || !strings.Contains(err.Error(), "was changed while it was edited") || got != other || others != 0 {
				t.Errorf("%s before call %d: %v, %q, %d others", name, stop, err, got, others)
			}
		}
	}
	s := stored(t, before)
	if err := os.Remove(s.Path); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace([]byte(after)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed meanwhile: %v", err)
	}
}

func TestALinkStaysALinkAndMustNotMove(t *testing.T) {
	s := stored(t, before)
	dir := t.TempDir()
	link := filepath.Join(dir, "mcp.json")
	if err := os.Symlink(s.Path, link); err != nil {
		t.Fatal(err)
	}
	linked, err := Read(link)
	if err != nil {
		t.Fatal(err)
	}
	if err := linked.Replace([]byte(after)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	got, others := content(t, s.Path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || got != after || others != 0 {
		t.Errorf("%v, %q, %d others (%v)", info.Mode(), got, others, err)
	}
	linked, err = Read(link)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(dir, "other.json")
	if err := errors.Join(os.WriteFile(elsewhere, []byte(after), 0o640), os.Chmod(elsewhere, 0o640), os.Remove(link), os.Symlink(elsewhere, link)); err != nil {
		t.Fatal(err)
	}
	if err := linked.Replace([]byte("x")); err == nil || !strings.Contains(err.Error(), "was changed while it was edited") {
		t.Errorf("a link that moved: %v", err)
	}
}

func TestOnlyARegularFileOfOursIsRead(t *testing.T) {
	s := stored(t, before)
	if _, err := Read(filepath.Dir(s.Path)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Read(s.Path + ".none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if os.Chown(s.Path, os.Geteuid()+1, -1) == nil { // root may
		if _, err := Read(s.Path); err == nil || !strings.Contains(err.Error(), "run it as the owner") {
			t.Errorf("a file of another user: %v", err)
		}
	}
}

// replacing names the file that a process of this test replaces until it is killed.
const replacing = "CLIENTS_TEST_REPLACING"

func TestMain(m *testing.M) {
	path := os.Getenv(replacing)
	if path == "" {
		os.Exit(m.Run())
	}
	for data := []string{before, after}; ; data[0], data[1] = data[1], data[0] {
		s, err := Read(path)
		if err == nil {
			err = s.Replace(bytes.Repeat([]byte(data[1]), 100))
		}
		if err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString(".")
	}
}

func TestAKilledProcessLeavesTheOldFileOrTheNew(t *testing.T) {
	s := stored(t, strings.Repeat(before, 100))
	for rounds := 1; rounds <= 5; rounds++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), replacing+"="+s.Path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if n, err := out.Read(make([]byte, rounds)); n == 0 {
			t.Errorf("nothing was replaced: %v", err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		if got, _ := content(t, s.Path); got != strings.Repeat(before, 100) && got != strings.Repeat(after, 100) {
			t.Fatalf("killed, it leaves %d bytes", len(got))
		}
	}
}
