//go:build unix

package ledger

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFlags keep an open from following a last link, from hanging on a named
// pipe, and from leaking into a child.
const openFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC

// checkOwner refuses what another user owns or, for a directory, may write.
func checkOwner(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%q: the system does not tell its owner", path)
	}
	if uid := os.Geteuid(); int(st.Uid) != uid {
		return fmt.Errorf("%q belongs to user %d; want %d, who runs Callgate: move it away, or run as its owner", path, st.Uid, uid)
	}
	if info.IsDir() && info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("directory %q has mode %04o, so others can write in it; want 0700: run `chmod 700` on it", path, info.Mode().Perm())
	}
	return nil
}

// lock takes the exclusive advisory lock of f, waiting for it.
func lock(f *os.File) error {
	return flock(f, unix.LOCK_EX)
}

// tryLock takes the lock of f unless another open file holds it.
func tryLock(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

// tryLockShared takes a shared lock of f unless another open file holds the
// exclusive one. Those who only look do not get into each other's way with it.
func tryLockShared(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

// unlock gives the lock of f back.
func unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	return control(f, func(fd uintptr) error { return unix.Flock(int(fd), how) })
}

// control calls fn with the descriptor of f until no signal interrupts it.
func control(f *os.File, fn func(fd uintptr) error) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	err = raw.Control(func(fd uintptr) {
		for inner = fn(fd); inner == unix.EINTR; inner = fn(fd) {
		}
	})
	if err != nil {
		return err
	}
	return inner
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("directory %q: sync: %w", dir, err)
	}
	return nil
}
