package proxy

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/host/facts"
)

// Times of the end of a child, from the moment the client has gone. Clients
// give a server two seconds before they kill it, so all of it lies inside two.
const (
	endFlush = 300 * time.Millisecond // for what is still queued for the child
	endTerm  = 900 * time.Millisecond // then TERM
	endKill  = 500 * time.Millisecond // after TERM, then KILL
	endGroup = 200 * time.Millisecond // for what the child leaves behind to follow a TERM
	// endDrain is how long output is still read once the child has ended: a
	// grandchild may hold the pipe open for ever.
	endDrain = 300 * time.Millisecond
)

// child is a wrapped server: a process in a group of its own.
type child struct {
	in     *os.File // its standard input
	out    *os.File // its standard output
	ended  chan struct{}
	alone  chan struct{} // nothing that the child started is left either
	code   int
	pid    int
	once   sync.Once
	signal func(os.Signal) error
	kill   func()
}

// childOptions says how a child is started.
type childOptions struct {
	command []string
	path    string // of the program; "": it is looked for
	env     []string
	dir     string // "": ours
	stderr  *os.File
}

// startChild starts a command with pipes of our own. Its standard error is
// inherited, so that no buffer can fill up.
func startChild(o childOptions) (*child, error) {
	path := o.path
	if path == "" {
		var err error
		if path, err = facts.Program(o.command[0], o.dir); err != nil {
			return nil, err
		}
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, inR.Close(), inW.Close())
	}
	cmd := exec.Command(path, o.command[1:]...)
	cmd.Args[0] = o.command[0]
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = o.dir, startedIn(o.dir, o.env), inR, outW, o.stderr
	c := &child{in: inW, out: outR, ended: make(chan struct{}), alone: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel ties the parent-death signal to the thread that started the
		// child, so that thread has to live as long as the child does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		group, err := startGroup(cmd)
		started <- err
		if err != nil {
			return
		}
		c.signal, c.kill, c.pid = group.signal, group.kill, cmd.Process.Pid
		started <- nil
		_ = cmd.Wait() // the state says all there is
		c.code = exitCode(cmd.ProcessState)
		close(c.ended)
		group.end(endGroup)
		group.close()
		close(c.alone)
	}()
	err = <-started
	closeErr := errors.Join(inR.Close(), outW.Close())
	if err != nil {
		return nil, errors.Join(err, closeErr, inW.Close(), outR.Close())
	}
	return c, errors.Join(<-started, closeErr)
}

// closeIn ends the child's input.
func (c *child) closeIn() {
	c.once.Do(func() { _ = c.in.Close() }) // a second error would say nothing new
}

// end ends the child, which has lost its client: politely, then by force. It
// returns when the child has ended.
func (c *child) end() {
	c.closeIn()
	if c.wait(endTerm) {
		return
	}
	c.terminate()
}

// terminate asks the child's group to end, then kills it.
func (c *child) terminate() {
	if err := c.signal(terminateSignal); err == nil && c.wait(endKill) {
		return
	}
	c.kill()
	<-c.ended
}

// wait says whether the child ended within a time.
func (c *child) wait(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c.ended:
		return true
	case <-t.C:
		return false
	}
}

// drain lets the output end, at the latest a while after the child has.
func (c *child) drain(read <-chan struct{}) {
	t := time.NewTimer(endDrain)
	defer t.Stop()
	select {
	case <-read:
	case <-t.C:
		_ = c.out.SetReadDeadline(time.Now()) // pipes of os.Pipe have deadlines on unix
		_ = c.out.Close()
	}
}

// Environment is what a child gets: what the policy names, or everything but
// our own variables.
func Environment(all []string, named []string, only bool) []string {
	keep := map[string]bool{}
	for _, n := range named {
		keep[variableName(n)] = true
	}
	var out []string
	for _, kv := range all {
		name, _, _ := strings.Cut(kv, "=")
		name = variableName(name)
		if strings.HasPrefix(name, "CALLGATE_") || only && !keep[name] {
			continue
		}
		out = append(out, kv)
	}
	if out == nil {
		out = []string{} // nil would mean ours
	}
	return out
}

// variableName is the name of a variable as it is compared: on Windows without
// regard to case.
func variableName(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// startedIn is an environment in which the name of the working directory, if it has
// one, is that of the child.
func startedIn(dir string, env []string) []string {
	if dir == "" {
		return env
	}
	out := slices.Clone(env)
	for i, kv := range out {
		if strings.HasPrefix(kv, "PWD=") {
			out[i] = "PWD=" + dir
		}
	}
	return out
}

// eof says whether a read ended because there is no more, for whatever reason.
func eof(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded)
}
