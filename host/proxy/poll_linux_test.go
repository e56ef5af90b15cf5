package proxy

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// stream is an end of a pipe or socket as a process gets it: blocking.
func stream(t *testing.T, kind string) (ours, theirs *os.File) {
	t.Helper()
	var fds [2]int
	var err error
	switch kind {
	case "pipe":
		err = unix.Pipe2(fds[:], unix.O_CLOEXEC)
	case "socket":
		fds, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs = os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	t.Cleanup(func() {
		_ = ours.Close()   // closed already, in some tests
		_ = theirs.Close() // the same
	})
	return ours, theirs
}

func blocking(t *testing.T, f *os.File) bool {
	t.Helper()
	conn, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	flags := 0
	if ctl := conn.Control(func(fd uintptr) { flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0) }); ctl != nil || err != nil {
		t.Fatal(ctl, err)
	}
	return flags&unix.O_NONBLOCK == 0
}

func TestStreamsArePolledAndComeBackAsTheyWere(t *testing.T) {
	kinds := []string{"pipe", "socket"}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			ours, theirs := stream(t, kind)
			in, end := pollable(ours, os.O_RDONLY)
			if in == ours || blocking(t, in) {
				t.Fatal("want another file that does not block")
			}
			if kind == "pipe" && !blocking(t, ours) {
				t.Error("want the pipe that others may hold as it was")
			}
			if _, err := theirs.WriteString("one line\n"); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(in).ReadString('\n'); err != nil || line != "one line\n" {
				t.Errorf("want the line, got %q, %v", line, err)
			}
			if err := in.SetReadDeadline(time.Now().Add(-time.Hour)); err != nil {
				t.Error(err)
			}
			if _, err := in.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("want a read that can be given up, got %v", err)
			}
			if err := end(); err != nil {
				t.Error(err)
			}
			if !blocking(t, ours) {
				t.Error("want it to block again")
			}
		})
	}
	if len(kinds) == 0 {
		t.Fatal("no case ran")
	}
}

func TestOtherFilesStayAsTheyAre(t *testing.T) {
	plain, err := os.Create(t.TempDir() + "/plain")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	polled, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer polled.Close()
	defer w.Close()
	files := map[string]*os.File{"a plain file": plain, "a pipe that is polled": polled}
	for name, f := range files {
		got, end := pollable(f, os.O_RDONLY)
		if got != f || end() != nil {
			t.Errorf("%s: want it as it is", name)
		}
	}
	if len(files) == 0 {
		t.Fatal("no case ran")
	}
}

// A child that gets one end sees the other end close, although we open our end
// again.
func TestAPolledPipeStillEnds(t *testing.T) {
	ours, theirs := stream(t, "pipe")
	in, end := pollable(ours, os.O_RDONLY)
	defer func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	cmd := exec.Command("true")
	cmd.Stdout = theirs
	if err := errors.Join(cmd.Run(), theirs.Close()); err != nil {
		t.Fatal(err)
	}
	if n, err := in.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("want the end of the pipe, got %d bytes, %v", n, err)
	}
}
