package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

const (
	// benchPatience is how long one answer may take before the bench gives up.
	benchPatience = 30 * time.Second
	// benchWindow is how many calls are without an answer when calls are pipelined.
	benchWindow = 64
)

// benchPeer is a client at the near end of a path.
type benchPeer struct {
	path   string
	cmd    *exec.Cmd
	in     *os.File
	pipe   *os.File
	out    *bufio.Reader
	stderr *tail
	id     int
	c      wire.Classifier
	long   []byte
}

// startPeer starts a path and returns after the answer to initialize, with the
// time from before the start until then.
func (b *bench) startPeer(ctx context.Context, path string) (*benchPeer, time.Duration, error) {
	command := b.command(path)
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, 0, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, 0, errors.Join(err, theirIn.Close(), in.Close())
	}
	p := &benchPeer{path: path, in: in, pipe: out, out: bufio.NewReaderSize(out, 64<<10), stderr: &tail{}}
	p.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = theirIn, theirOut, p.stderr, time.Second
	began := time.Now()
	err = p.cmd.Start()
	if err := errors.Join(err, theirIn.Close(), theirOut.Close()); err != nil {
		return nil, 0, errors.Join(err, in.Close(), out.Close())
	}
	_, _, err = p.request(`"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"callgate-bench","version":"` + version() + `"}}`)
	if err != nil {
		return nil, 0, errors.Join(err, p.end())
	}
	took := time.Since(began)
	if _, err := in.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"); err != nil {
		return nil, 0, errors.Join(p.failed(err), p.end())
	}
	return p, took, nil
}

// end lets the path go, and waits until it has ended.
func (p *benchPeer) end() error {
	err := p.in.Close()
	_ = p.cmd.Wait() // how a server ends after its client is not what is measured
	return errors.Join(err, p.pipe.Close())
}

// failed adds to an error where it happened, and what was last said there.
func (p *benchPeer) failed(err error) error {
	said := ""
	if s := p.stderr.String(); s != "" {
		said = "; its stderr ends with: " + s
	}
	return fmt.Errorf("bench: path %s: %w%s", p.path, err, said)
}

// next appends a request line with the next id to dst.
func (p *benchPeer) next(dst []byte, rest string) []byte {
	p.id++
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, int64(p.id), 10)
	dst = append(dst, `,"method":`...)
	dst = append(dst, rest...)
	return append(dst, "}\n"...)
}

// request sends one request and waits for its answer. The time ends when the
// answer is here, before it is looked at.
func (p *benchPeer) request(rest string) (result []byte, took time.Duration, err error) {
	line := p.next(nil, rest)
	p.wait(1)
	began := time.Now()
	if _, err := p.in.Write(line); err != nil {
		return nil, 0, p.failed(noServer(err))
	}
	for {
		line, err := p.line()
		took = time.Since(began)
		if err != nil {
			return nil, 0, p.failed(err)
		}
		id, result, err := p.answer(line)
		if err != nil {
			return nil, 0, p.failed(err)
		}
		if id == p.id {
			return result, took, nil
		}
	}
}

// wait bounds the time for some answers.
func (p *benchPeer) wait(answers int) {
	// Where pipes have no deadlines, the person at the keyboard has to be one.
	_ = p.pipe.SetReadDeadline(time.Now().Add(benchPatience + time.Duration(answers)*time.Second))
}

// line returns the next line; it holds until the next call.
func (p *benchPeer) line() ([]byte, error) {
	p.long = p.long[:0]
	for {
		chunk, err := p.out.ReadSlice('\n')
		if err == nil && len(p.long) == 0 {
			return chunk, nil
		}
		p.long = append(p.long, chunk...)
		if err == nil {
			return p.long, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, noServer(err)
		}
	}
}

// errNoServer is what is wrong with a command that does not answer.
var errNoServer = errors.New("name the command of an MCP server that speaks over standard input and output")

// noServer says what it means that a path cannot be read or written.
func noServer(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no answer in %s; %w", benchPatience, errNoServer)
	case errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE):
		return fmt.Errorf("the command ended without an answer; %w", errNoServer)
	}
	return err
}

// answer returns the id and the result of a line that answers one of our
// requests, and 0 for any other line.
func (p *benchPeer) answer(line []byte) (id int, result []byte, err error) {
	f := p.c.Classify(line, wire.FromServer, wire.Options{})
	switch {
	case f.Kind == wire.ErrorResponse:
		return 0, nil, fmt.Errorf("want a result, got the error %q; if the call is wrong, give --tool and --arguments", cut(string(f.Error.In(f.Raw)), 300))
	case f.Kind == wire.Request && f.Method == "initialize":
		return 0, nil, fmt.Errorf("the command sends back what it is sent; %w", errNoServer)
	case f.Kind != wire.Response:
		return 0, nil, nil
	case bytes.Contains(line, []byte(`"dev.callgate/verdict"`)):
		return 0, nil, fmt.Errorf("the policy does not allow the call: %q; measure with --policy FILE that does", cut(string(f.Result.In(f.Raw)), 300))
	case isError(f.Result.In(f.Raw)):
		return 0, nil, fmt.Errorf("the tool answers with an error: give --arguments (and --tool) of a call that works; it says %q", cut(string(f.Result.In(f.Raw)), 300))
	}
	id, err = strconv.Atoi(f.ID.Raw)
	return id, f.Result.In(f.Raw), err
}

// isError says whether the result of a call is an error of its tool. Most
// results do not even hold the word, and are not read.
func isError(result []byte) bool {
	if !bytes.Contains(result, []byte(`"isError"`)) {
		return false
	}
	v, err := abi.Parse(result)
	return err == nil && v.Get("isError").True()
}

// pipelined makes calls, never more than the window at once, and returns how
// many were answered in a second.
func (p *benchPeer) pipelined(call string, n int) (float64, error) {
	p.wait(n)
	window := make(chan struct{}, benchWindow)
	stop := make(chan struct{})
	wrote := make(chan error, 1)
	first := p.id + 1
	began := time.Now()
	go func() {
		var line []byte
		for range n {
			select {
			case window <- struct{}{}:
			case <-stop:
				wrote <- nil
				return
			}
			line = p.next(line[:0], call)
			if _, err := p.in.Write(line); err != nil {
				wrote <- err
				return
			}
		}
		wrote <- nil
	}()
	err := p.collect(first, n, window)
	took := time.Since(began)
	close(stop)
	if err := errors.Join(err, <-wrote); err != nil {
		return 0, p.failed(err)
	}
	return float64(n) / took.Seconds(), nil
}

// collect reads the answers to n requests from the first one on.
func (p *benchPeer) collect(first, n int, window <-chan struct{}) error {
	seen := make([]bool, n)
	for got := 0; got < n; {
		line, err := p.line()
		if err != nil {
			return err
		}
		id, _, err := p.answer(line)
		if err != nil {
			return err
		}
		if i := id - first; i >= 0 && i < n && !seen[i] {
			seen[i] = true
			got++
			<-window
		}
	}
	return nil
}

// memory returns the most memory that the process at the near end has held so
// far, in bytes, or 0 where the system does not tell.
func (p *benchPeer) memory() int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64) // 0: not told
			return kb << 10
		}
	}
	return 0
}

// chooseTool takes the first tool that can be called again and again without
// arguments and without a trace.
func (p *benchPeer) chooseTool() (string, error) {
	result, _, err := p.request(`"tools/list"`)
	if err != nil {
		return "", err
	}
	list, err := abi.Parse(result)
	if err != nil {
		return "", p.failed(err)
	}
	for _, t := range list.Get("tools").Items() {
		if t.At("/inputSchema/required").Len() == 0 && t.At("/annotations/readOnlyHint").True() {
			return t.Get("name").Str(), nil
		}
	}
	return "", errors.New("bench: the server lists no read-only tool without required arguments on its first page; name one with --tool and --arguments")
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - 2000; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.buf))
}

// cut shortens a text for a message.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
