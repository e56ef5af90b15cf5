package main_test

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// live is a command with a conversation that a test holds itself.
type live struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	lines  chan string   // what the command answers; closed at the end of its output
	gone   chan struct{} // nobody is left who could write to its standard error
	stderr strings.Builder
}

// start starts a command. Whatever it starts inherits its standard error, so
// the end of that is the end of them all.
func (p peers) start(t *testing.T, command []string) *live {
	t.Helper()
	theirIn, in := pipe(t)
	out, theirOut := pipe(t)
	said, theirErr := pipe(t)
	l := &live{t: t, in: in, out: out, lines: make(chan string, 1000), gone: make(chan struct{})}
	l.cmd = exec.Command(command[0], command[1:]...)
	l.cmd.Dir, l.cmd.Env, l.cmd.Stdin, l.cmd.Stdout, l.cmd.Stderr = p.dir, p.env, theirIn, theirOut, theirErr
	if err := errors.Join(l.cmd.Start(), theirIn.Close(), theirOut.Close(), theirErr.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.cmd.Process.Kill() }) // it has ended, unless the test has failed
	go func() {
		defer close(l.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			l.lines <- line
		}
	}()
	go func() {
		defer close(l.gone)
		_, _ = io.Copy(&l.stderr, said) // an error is an end as well
	}()
	return l
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.Close() // some of them are closed already
		_ = w.Close()
	})
	return r, w
}

func (l *live) send(line string) {
	l.t.Helper()
	if _, err := l.in.WriteString(line + "\n"); err != nil {
		l.t.Fatal(err)
	}
}

// request sends a request with an id that is a JSON string.
func (l *live) request(id, method, params string) {
	l.t.Helper()
	l.send(`{"jsonrpc":"2.0","id":"` + id + `","method":"` + method + `","params":` + params + `}`)
}

// answer waits for the answer to an id.
func (l *live) answer(id string) string {
	l.t.Helper()
	late := time.After(peerPatience)
	for {
		select {
		case line, ok := <-l.lines:
			if !ok {
				l.t.Fatalf("the output ended without an answer to %q", id)
			}
			if strings.Contains(line, `"id":"`+id+`"`) {
				return line
			}
		case <-late:
			l.t.Fatalf("no answer to %q", id)
		}
	}
}

// call calls a tool and waits for its result.
func (l *live) call(id, name string, arguments object) result {
	l.t.Helper()
	l.request(id, "tools/call", asJSON(l.t, object{"name": name, "arguments": arguments}))
	return fromJSON[struct{ Result result }](l.t, l.answer(id)).Result
}

func (l *live) greet() {
	l.t.Helper()
	l.request("init", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	l.answer("init")
	l.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	l.request("list", "tools/list", `{}`)
	l.answer("list")
}

// ended waits until the command and all it started are gone, and returns its
// exit code.
func (l *live) ended() int {
	l.t.Helper()
	select {
	case <-l.gone:
	case <-time.After(peerPatience):
		l.t.Fatal("something is left that does not end")
	}
	err := l.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.t.Fatal(err)
	}
	noRace(l.t, l.stderr.String())
	return l.cmd.ProcessState.ExitCode()
}

func (l *live) close() {
	l.t.Helper()
	if err := l.in.Close(); err != nil {
		l.t.Fatal(err)
	}
}

func (l *live) wantEnd(code int) {
	l.t.Helper()
	if got := l.ended(); got != code {
		l.t.Errorf("exit code %d, want %d\n%s", got, code, l.stderr.String())
	}
}

// stubborn starts a gated real server that does not end with its input.
func (p peers) stubborn(t *testing.T) *live {
	t.Helper()
	l := p.start(t, p.gate(t, "everything", allowAll).before(p.server("everything", "stdio")))
	l.greet()
	wantText(t, l.call("on", "toggle-simulated-logging", object{}), "Started")
	return l
}

// What a server does that does not notice an end for minutes: it reads no end and,
// after its first answer, writes nothing that could fail.
const (
	idle = `process.stdin.once("data", () => console.log('{"jsonrpc":"2.0","id":"up","result":{}}')); setTimeout(() => {}, 3e5);`
	deaf = idle + ` for (const s of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(s, () => {});`
)

// script starts a gated server that is a script of node.
func (p peers) script(t *testing.T, script string, wrap ...string) *live {
	t.Helper()
	l := p.start(t, p.gate(t, "script", allowAll).before(slices.Concat(wrap, []string{p.node, "-e", script})))
	l.request("up", "ping", `{}`)
	l.answer("up")
	return l
}

// shell makes a server the child of a shell, which stays.
func shell() []string { return []string{"sh", "-c", `"$0" "$@"; exit $?`} }

func unixOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has neither these signals nor sh")
	}
}

const (
	terminated = 128 + int(syscall.SIGTERM)
	hungUp     = 128 + int(syscall.SIGHUP)
	killed     = 128 + 9
)

func peerEnds(t *testing.T, p peers) {
	tests := []struct {
		name string
		code int
		l    func(t *testing.T) *live
	}{
		{"one that ends with its input", 0, func(t *testing.T) *live {
			l := p.start(t, p.gate(t, "everything", allowAll).before(p.server("everything", "stdio")))
			l.greet()
			return l
		}},
		{"one that has to be told", terminated, func(t *testing.T) *live { return p.stubborn(t) }},
		{"one below a shell that has to be told", terminated, func(t *testing.T) *live { return p.script(t, idle, shell()...) }},
		{"one that has to be killed", killed, func(t *testing.T) *live { return p.script(t, deaf) }},
		{"one below a shell that has to be killed", terminated, func(t *testing.T) *live { return p.script(t, deaf, shell()...) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.code != 0 {
				unixOnly(t)
			}
			t.Parallel()
			l := tt.l(t)
			l.close()
			l.wantEnd(tt.code)
		})
	}
	t.Run("after the answers it still owes", func(t *testing.T) {
		t.Parallel()
		l := p.start(t, p.gate(t, "everything", allowAll).before(p.server("everything", "stdio")))
		l.greet()
		l.request("owed", "tools/call", `{"name":"trigger-long-running-operation","arguments":{"duration":0.1,"steps":1}}`)
		l.close()
		if line := l.answer("owed"); !strings.Contains(line, "completed") {
			t.Errorf("got %s; want the result", line)
		}
		l.wantEnd(0)
	})
}

func peerSignals(t *testing.T, p peers) {
	unixOnly(t)
	for _, tt := range []struct {
		name   string
		signal syscall.Signal
		wrap   []string
		code   int // -1: server or shell has its own answer to it
	}{
		{"TERM", syscall.SIGTERM, nil, terminated},
		{"HUP", syscall.SIGHUP, nil, hungUp},
		{"INT", syscall.SIGINT, nil, -1},
		{"TERM below a shell", syscall.SIGTERM, shell(), terminated},
		{"HUP below a shell", syscall.SIGHUP, shell(), hungUp},
		{"INT below a shell", syscall.SIGINT, shell(), -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := p.script(t, idle, tt.wrap...)
			if err := l.cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			if got := l.ended(); got != tt.code && tt.code != -1 {
				t.Errorf("exit code %d, want %d\n%s", got, tt.code, l.stderr.String())
			}
		})
	}
	t.Run("a real server", func(t *testing.T) {
		t.Parallel()
		l := p.stubborn(t)
		wantText(t, l.call("alive", "echo", object{"message": "alive"}), "Echo: alive")
		if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		l.wantEnd(terminated)
	})
}

func peerKilled(t *testing.T, p peers) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a child with its parent")
	}
	l := p.script(t, idle)
	if err := l.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	l.wantEnd(-1)
}

func peerExitCode(t *testing.T, p peers) {
	for _, tt := range []struct {
		name, script string
		code         int
	}{
		{"three", `process.stdin.once("data", () => process.exit(3))`, 3},
		{"zero", `process.stdin.once("data", () => process.exit(0))`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := p.start(t, p.gate(t, "short", allowAll).before([]string{p.node, "-e", tt.script}))
			l.request("open", "ping", `{}`)
			if line := l.answer("open"); !strings.Contains(line, `"code":4032`) {
				t.Errorf("got %s; want an error that the server has ended", line)
			}
			l.wantEnd(tt.code)
		})
	}
}

// peerBrokenPipe has a client that reads no more: what it has asked for is
// still done.
func peerBrokenPipe(t *testing.T, p peers) {
	work := t.TempDir()
	l := p.start(t, p.gate(t, "filesystem", allowAll).before(p.server("filesystem", work)))
	l.greet()
	if err := l.out.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		t.Fatal(err)
	}
	for _, n := range []string{"1", "2", "3"} {
		l.request(n, "tools/call", asJSON(t, object{"name": "write_file", "arguments": object{"path": filepath.Join(work, n), "content": n}}))
	}
	l.close()
	l.wantEnd(0)
	if got := names(t, work); !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("%s has %q; want all three writes", work, got)
	}
}
