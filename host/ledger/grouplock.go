package ledger

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// lockName is the file in a group directory whose advisory lock is the group's.
// It is not named like a ledger file.
const lockName = "lock"

// GroupLock is held by the one process of a group that decides something which
// counts what the whole group shares. Processes that end in any way let go of
// it. A nil GroupLock, as a ledger in memory has, is always free. All methods
// are safe for concurrent use; one GroupLock can be held once.
type GroupLock struct {
	path string

	ending atomic.Bool // nobody waits for it any more

	mu   sync.Mutex
	f    *os.File // nil: it must be opened first
	held bool
	gone bool // Close was called
}

// OpenGroupLock opens the lock of a group directory, which is created if it is
// missing, without taking it.
func OpenGroupLock(dir string) (*GroupLock, error) {
	if dir == "" {
		return nil, errors.New("group lock: the directory is empty; want the group directory")
	}
	dir = filepath.Clean(dir)
	if err := ensureDir(dir); err != nil {
		return nil, fmt.Errorf("ledger directory: %w", err)
	}
	g := &GroupLock{path: filepath.Join(dir, lockName)}
	if err := g.open(); err != nil {
		return nil, err
	}
	return g, nil
}

// open opens the file, made with mode 0600 if it is missing, which must be a
// regular one of ours. It follows no link and waits for no pipe.
func (g *GroupLock) open() error {
	f, err := os.OpenFile(g.path, os.O_RDWR|os.O_CREATE|openFlags, 0o600)
	if err != nil {
		if entry, statErr := os.Lstat(g.path); statErr == nil && !entry.Mode().IsRegular() {
			err = notRegular(g.path, entry.Mode())
		}
		return fmt.Errorf("group lock: %w", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = notRegular(g.path, info.Mode())
	default:
		err = checkOwner(g.path, info)
	}
	if err != nil {
		f.Close()
		return fmt.Errorf("group lock: %w", err)
	}
	g.f = f
	return nil
}

// Lock takes the lock and waits at most timeout for it; with a timeout of zero
// it tries once. After an error the lock is not held.
func (g *GroupLock) Lock(timeout time.Duration) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.gone:
		return fmt.Errorf("group lock %q: %w", g.path, os.ErrClosed)
	case g.held:
		return fmt.Errorf("group lock %q is held already; want one Unlock for each Lock", g.path)
	}
	const longest = 5 * time.Millisecond
	for pause, end := 50*time.Microsecond, time.Now().Add(timeout); ; pause = min(2*pause, longest) {
		got, err := g.try()
		if err != nil || got {
			g.held = got
			return err
		}
		left := time.Until(end)
		if g.ending.Load() {
			return fmt.Errorf("group lock %q is still held by %s, and the process ends: %w", g.path, g.holder(), os.ErrClosed)
		}
		if left <= 0 {
			return fmt.Errorf("group lock %q is still held after %v by %s; want it free: end that process if it hangs", g.path, timeout, g.holder())
		}
		time.Sleep(min(pause, left))
	}
}

// End has whoever waits for the lock, or would, go without. It is free to be taken
// at once as before.
func (g *GroupLock) End() {
	if g != nil {
		g.ending.Store(true)
	}
}

// try takes the lock if it is free. Whoever finds that the file it has locked
// is not the one at the path any more, as somebody deleted it, starts again
// with the one that is: else two processes could hold two locks.
func (g *GroupLock) try() (bool, error) {
	for range 2 {
		if g.f == nil {
			if err := g.open(); err != nil {
				return false, err
			}
		}
		free, err := tryLock(g.f)
		if err != nil {
			return false, fmt.Errorf("group lock %q: lock: %w", g.path, err)
		}
		current, err := g.current()
		if err != nil {
			g.drop()
			return false, err
		}
		if current {
			if free {
				g.sign()
			}
			return free, nil
		}
		g.drop()
	}
	return false, nil
}

// current says whether the open file is the one at the path.
func (g *GroupLock) current() (bool, error) {
	entry, err := os.Lstat(g.path)
	if os.IsNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("group lock: %w", err)
	}
	info, err := g.f.Stat()
	if err != nil {
		return false, fmt.Errorf("group lock: %w", err)
	}
	return os.SameFile(entry, info), nil
}

// signature is what the holder leaves in the file, for a person who looks for it.
func signature() string { return fmt.Sprintf("%-20d\n", os.Getpid()) }

// sign names this process in the file. The lock holds without it, so its
// errors count for nothing.
func (g *GroupLock) sign() {
	var there [32]byte
	n, _ := g.f.ReadAt(there[:], 0)
	if mine := signature(); string(there[:n]) != mine {
		_ = g.f.Truncate(0)
		_, _ = g.f.WriteAt([]byte(mine), 0)
	}
}

// holder names the process that holds the lock, as well as its file tells.
func (g *GroupLock) holder() string {
	if g.f == nil {
		return "another process of the group"
	}
	var there [32]byte
	n, err := g.f.ReadAt(there[:], 0)
	if err != nil && err != io.EOF {
		n = 0
	}
	return holderFrom(there[:n])
}

// holderFrom reads what sign left.
func holderFrom(text []byte) string {
	pid, err := strconv.ParseUint(strings.TrimRight(string(text), " \n"), 10, 32)
	if err != nil || pid == 0 {
		return "another process of the group"
	}
	return fmt.Sprintf("process %d", pid)
}

// Unlock lets go of the lock. Without the lock it does nothing.
func (g *GroupLock) Unlock() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held && unlock(g.f) != nil {
		g.drop() // which lets go of it in any case
	}
	g.held = false
}

// drop closes the file, so that the next try opens it anew.
func (g *GroupLock) drop() {
	if g.f != nil {
		_ = g.f.Close() // nothing was written that matters
	}
	g.f = nil
}

// Close lets go of the lock for good.
func (g *GroupLock) Close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held, g.gone = false, true
	g.drop()
	return nil
}
