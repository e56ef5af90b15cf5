package approval

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/callgate/callgate/abi"
)

// Times that a terminal waits for a process.
const (
	dialTime = 2 * time.Second
	helloAge = 5 * time.Second  // for what a process says of itself
	lookTime = 15 * time.Second // for files to be read again
	workTime = 60 * time.Second // for an answer to be carried out
)

// ErrEnded is reported for a process that has ended since it was listed.
var ErrEnded = errors.New("the process has ended, and what waited in it was not called")

// Process is a live process that answers its socket.
type Process struct {
	Info Info
	Path string // of its socket
}

// Processes lists the live processes with a socket in a directory, oldest
// first, and removes sockets that nobody listens to any more. The error says
// which processes did not answer; the others are listed nevertheless.
func Processes(dir string) ([]Process, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var list []Process
	var errs []error
	var group sync.WaitGroup
	room := make(chan struct{}, 16)
	for _, e := range entries {
		pid, ok := pidOf(e.Name())
		if !ok || e.Type() != fs.ModeSocket {
			continue
		}
		room <- struct{}{}
		group.Go(func() {
			defer func() { <-room }()
			p, err := greet(filepath.Join(dir, e.Name()))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				list = append(list, p)
			case errors.Is(err, ErrEnded):
				if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
					errs = append(errs, err)
				}
			default:
				errs = append(errs, fmt.Errorf("callgate process %d: %w", pid, err))
			}
		})
	}
	group.Wait()
	slices.SortFunc(list, func(a, b Process) int {
		return cmp.Or(a.Info.Started.Compare(b.Info.Started), cmp.Compare(a.Path, b.Path))
	})
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return list, errors.Join(errs...)
}

// greet asks a process what it is.
func greet(path string) (Process, error) {
	p := Process{Path: path}
	err := p.inform(doInfo, helloAge)
	return p, err
}

// Look has the process read the files of its policy now, and returns it with what
// became of them.
func (p Process) Look() (Process, error) {
	err := p.inform(doLook, lookTime)
	return p, err
}

func (p *Process) inform(do string, limit time.Duration) error {
	return p.ask(request{do: do}, limit, func(v abi.Value) (bool, error) {
		if e := v.Get("error"); e.Exists() {
			return true, errors.New(e.Str())
		}
		info, err := parseInfo(v.Get("info"))
		if err == nil {
			p.Info = info
		}
		return true, err
	})
}

// Pending lists the open questions of the process, oldest first.
func (p Process) Pending() ([]Question, error) {
	var list []Question
	var unshown []error
	err := p.ask(request{do: doPending}, workTime, func(v abi.Value) (bool, error) {
		if v.Get("end").Exists() {
			return true, nil
		}
		if e := v.Get("error"); e.Exists() {
			unshown = append(unshown, errors.New(e.Str()))
			return false, nil
		}
		q, err := parseQuestion(v.Get("question"))
		list = append(list, q)
		return false, err
	})
	return list, errors.Join(append(unshown, err)...)
}

// Answer answers a question of the process and says what came of it. The error
// is ErrUnknown if the process has no such question.
func (p Process) Answer(id string, yes bool) (string, error) {
	return p.result(request{do: doAnswer, id: id, yes: yes})
}

// AddContext hands the process a text of the user, at most MaxContext bytes.
func (p Process) AddContext(text string) error {
	if err := checkContext(text); err != nil {
		return err
	}
	_, err := p.result(request{do: doContext, text: text})
	return err
}

// Accept has the process pin what its server last listed of a tool, or says of
// itself where tool is "". It does so only if that has the digest, which the
// person saw.
func (p Process) Accept(tool, digest string) error {
	_, err := p.result(request{do: doAccept, tool: tool, digest: digest})
	return err
}

// AcceptPolicy has the process put the policy into force that waits, if that has
// the digest: it allows what the person saw, and nothing else.
func (p Process) AcceptPolicy(digest string) error {
	_, err := p.result(request{do: doPolicy, digest: digest})
	return err
}

func (p Process) result(r request) (string, error) {
	result := ""
	err := p.ask(r, workTime, func(v abi.Value) (bool, error) {
		result = v.Get("result").Str()
		switch {
		case v.Get("unknown").True():
			return true, ErrUnknown
		case v.Get("error").Exists():
			return true, errors.New(v.Get("error").Str())
		case !v.Get("result").IsString():
			return true, errors.New("an answer without a result; the process has another version")
		}
		return true, nil
	})
	return result, err
}

// ask sends a request and hands each line of the answer to a function, until
// that has enough.
func (p Process) ask(r request, limit time.Duration, take func(abi.Value) (enough bool, err error)) error {
	c, err := net.DialTimeout("unix", p.Path, dialTime)
	if err != nil {
		return p.lost(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	_, writeErr := c.Write(r.line()) // a process that refuses us may have closed already, and says why
	in := bufio.NewReader(c)
	for {
		line, err := readLine(in, maxResponse)
		if err != nil {
			return p.lost(errors.Join(fmt.Errorf("no answer: %w", err), writeErr))
		}
		v, err := abi.ParseEventValue(line)
		if err != nil {
			return fmt.Errorf("an answer that is not JSON: %w", err)
		}
		if v.Kind() != abi.Object {
			return errors.New("an answer that is no object")
		}
		if enough, err := take(v); enough || err != nil {
			return err
		}
	}
}

// lost is why there is no answer: ErrEnded if nobody listens any more.
func (p Process) lost(err error) error {
	c, dialErr := net.DialTimeout("unix", p.Path, dialTime)
	if dialErr == nil {
		_ = c.Close() // nothing was sent
	}
	if nobody(dialErr) {
		return fmt.Errorf("%w: %w", ErrEnded, err)
	}
	return err
}
