package approval

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// peer is the process at the other end of a connection.
type peer struct {
	pid, uid int
	// alive says whether the process that connected still runs, so that its
	// pid can not have become another's since.
	alive func() bool
	close func()
}

// process is what the kernel says of a process.
type process struct {
	pid, parent, group int
	started            uint64 // on a clock of the platform's own; only compared
}

// maxAncestors ends a walk that goes nowhere.
const maxAncestors = 1024

// ancestry is a process and its ancestors, up to the first process of the
// system. A gap is an error: who stands above it can not be known.
func ancestry(pid int, look func(int) (process, error)) ([]process, error) {
	var chain []process
	for range maxAncestors {
		if pid == 1 {
			return append(chain, process{pid: 1}), nil
		}
		p, err := look(pid)
		if err != nil {
			return nil, fmt.Errorf("process %d can not be looked at: %w", pid, err)
		}
		if n := len(chain); n > 0 && p.started > chain[n-1].started {
			return nil, fmt.Errorf("process %d is younger than its child %d, so its id was used again", pid, chain[n-1].pid)
		}
		chain = append(chain, p)
		if p.parent <= 0 {
			return chain, nil
		}
		pid = p.parent
	}
	return nil, fmt.Errorf("process %d has more than %d ancestors", chain[0].pid, maxAncestors)
}

// mend is what whoever was refused can do.
const mend = "; run callgate approve in a terminal of your own"

// admit says why a process may not speak to us. Only this user's processes
// may, and of them none that descends from a wrapped server: ours, or that of
// any other callgate run.
func admit(p peer, dir string, children []int) error {
	switch {
	case p.uid != os.Geteuid():
		return fmt.Errorf("you are user %d and this process runs as user %d; only its own user may answer", p.uid, os.Geteuid())
	case p.pid <= 0:
		return errors.New("your process is not to be seen from here, as from outside a container" + mend)
	}
	chain, err := ancestry(p.pid, lookUp)
	if err != nil {
		return fmt.Errorf("whose child you are can not be known: %w%s", err, mend)
	}
	for _, a := range chain {
		if a.pid == os.Getpid() || slices.Contains(children, a.pid) {
			return fmt.Errorf("process %d descends from a wrapped server, by process %d%s", p.pid, a.pid, mend)
		}
	}
	for i, a := range chain {
		switch {
		case a.group > 0 && slices.Contains(children, a.group):
			// An orphan has lost its ancestors, and still its group says more.
			return fmt.Errorf("process %d is in the process group of a wrapped server, %d%s", p.pid, a.group, mend)
		case i > 0 && isRun(a.pid):
			return fmt.Errorf("process %d descends from another callgate run, process %d%s", p.pid, a.pid, mend)
		}
	}
	if err := besideRuns(chain[1:], dir); err != nil {
		return fmt.Errorf("process %d %w%s", p.pid, err, mend)
	}
	if !p.alive() {
		return errors.New("your process ended before it was known whose child it is" + mend)
	}
	return nil
}

// CheckOwnDescent says why this process may not loosen anything for the user:
// it descends from a wrapped server, as far as the platform tells.
func CheckOwnDescent(dirs []string) error {
	if !available {
		return nil // no process can be looked at, and no terminal answers either
	}
	chain, err := ancestry(os.Getpid(), lookUp)
	if err != nil {
		return fmt.Errorf("whose child this is can not be known: %w; run it in a terminal of your own", err)
	}
	return checkAncestors(chain[1:], dirs)
}

func checkAncestors(ancestors []process, dirs []string) error {
	for _, a := range ancestors {
		if isRun(a.pid) {
			return fmt.Errorf("this process descends from a callgate run, process %d; run it in a terminal of your own", a.pid)
		}
	}
	for _, dir := range dirs {
		if err := besideRuns(ancestors, dir); err != nil {
			return fmt.Errorf("this process %w; run it in a terminal of your own", err)
		}
	}
	return nil
}

// besideRuns refuses ancestors that have a live socket in a directory: they are
// parents of wrapped servers. A socket that nobody listens to says nothing,
// since the pid in its name may be somebody else's by now.
func besideRuns(ancestors []process, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("may descend from another callgate run: %w", err)
	}
	for _, e := range entries {
		pid, ok := pidOf(e.Name())
		if !ok || !slices.ContainsFunc(ancestors, func(a process) bool { return a.pid == pid }) {
			continue
		}
		c, err := net.DialTimeout("unix", filepath.Join(dir, e.Name()), time.Second)
		if err == nil {
			err = c.Close()
		}
		if !nobody(err) {
			return fmt.Errorf("descends from another callgate run, process %d", pid)
		}
	}
	return nil
}

// nobody says whether a connection failed because nobody listens.
func nobody(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist)
}
