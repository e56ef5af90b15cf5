//go:build unix

package approval

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestMain is also the other processes of a test: this binary, started with
// the name of a part to play.
func TestMain(m *testing.M) {
	switch os.Getenv("APPROVAL_PART") {
	case "":
		os.Exit(m.Run())
	case "gate":
		os.Exit(playGate())
	case "sleep":
		_, _ = io.Copy(io.Discard, os.Stdin) // until its end
		os.Exit(0)
	case "terminal":
		os.Exit(playTerminal())
	}
	os.Exit(3)
}

// playGate is a process with one open question. It starts the command that
// APPROVAL_CHILD names as its wrapped server, says on standard output how that
// ended, and lives until its standard input ends.
func playGate() int {
	d := NewDesk(func(_ Question, a Answer) (string, error) {
		return fmt.Sprintf("%v by %s", a.Yes, a.By), nil
	})
	q := d.Open(sample())
	script := os.Getenv("APPROVAL_CHILD")
	var child *exec.Cmd
	started := make(chan struct{})
	if os.Getenv("APPROVAL_ADOPT") != "" {
		adopt()
	}
	context := func(text string) error {
		if text == "refuse" {
			return errors.New("no room")
		}
		return nil
	}
	accept := func(tool, digest string) error {
		if digest != "sha256:"+tool {
			return errors.New("listed since with another digest")
		}
		return nil
	}
	if os.Getenv("APPROVAL_SILENT") != "" {
		context, accept = nil, nil
	}
	s, err := Listen(Options{Dir: os.Getenv("APPROVAL_DIR"), Desk: d, Info: Info{ID: q.ID, Server: "mail", Group: "g", PID: os.Getpid(), Started: time.Now()},
		Context: context, Accept: accept,
		Child: func() []int {
			if script == "" {
				return nil
			}
			<-started
			return []int{child.Process.Pid}
		}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Close()
	fmt.Println(s.Path())
	if script != "" {
		child = exec.Command("sh", "-c", script)
		child.Env = append(os.Environ(), "APPROVAL_PART=terminal", "APPROVAL_SOCKET="+s.Path(), "APPROVAL_BINARY="+os.Args[0])
		child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		close(started)
		fmt.Println("child", child.Wait())
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	go func() {
		var b [1]byte
		_, _ = os.Stdin.Read(b[:]) // its end is what is waited for
		stop <- os.Interrupt
	}()
	<-stop
	return 0
}

// playTerminal answers the question of APPROVAL_SOCKET with a yes, and says
// what came of it.
func playTerminal() int {
	p, err := greet(os.Getenv("APPROVAL_SOCKET"))
	if err != nil {
		fmt.Println("terminal:", err)
		return 0
	}
	result, err := p.Answer(p.Info.ID, true)
	fmt.Println("terminal:", result, err)
	return 0
}

// runGate starts a gate with a wrapped server and returns its socket and what
// is said, line by line.
func runGate(t *testing.T, dir, script string, env ...string) (socket string, said func() string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "run") // as isRun knows a run
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", "APPROVAL_PART=gate", "APPROVAL_DIR="+dir, "APPROVAL_CHILD="+script)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	said = lineByLine(t, out)
	return said(), said
}

// socketDir is a directory that sockets may be in.
func socketDir(t *testing.T) string {
	t.Helper()
	// Not t.TempDir, whose path holds the name of the test: a socket's is short.
	base, err := os.MkdirTemp("", "cg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	dir, err := SocketDir(func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": base}[name] })
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(dir) != base {
		t.Fatalf("socket directory %q; want one in %q", dir, base)
	}
	return dir
}

// lineByLine returns what reads the next line of a process.
func lineByLine(t *testing.T, out io.Reader) func() string {
	in := bufio.NewReader(out)
	return func() string {
		t.Helper()
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("the process ended after %q: %v", line, err)
		}
		return line[:len(line)-1]
	}
}
