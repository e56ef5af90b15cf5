package ledger

import (
	"io/fs"
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// openFlags is empty: openRegular compares what it opened with the directory
// entry instead, and there are no named pipes among files.
const openFlags = 0

// checkOwner accepts everything: the profile directory that holds the state is
// closed to other users by its access list.
func checkOwner(string, fs.FileInfo) error { return nil }

// lock takes the exclusive lock of f, waiting for it.
func lock(f *os.File) error {
	return lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK)
}

// tryLock takes the lock of f unless another handle holds it.
func tryLock(f *os.File) (bool, error) {
	return granted(lockFile(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY))
}

// tryLockShared takes a shared lock of f unless another handle holds the
// exclusive one. Those who only look do not get into each other's way with it.
func tryLockShared(f *os.File) (bool, error) {
	return granted(lockFile(f, windows.LOCKFILE_FAIL_IMMEDIATELY))
}

// granted tells a lock that another handle holds from one that can not be taken.
func granted(err error) (bool, error) {
	if err == windows.ERROR_LOCK_VIOLATION || err == windows.ERROR_IO_PENDING {
		return false, nil
	}
	return err == nil, err
}

// unlock gives the lock of f back.
func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, far())
}

func lockFile(f *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, far())
}

// far is the one byte that is locked, behind any file's end, since a lock on
// Windows keeps other handles from reading what it covers.
func far() *windows.Overlapped {
	return &windows.Overlapped{Offset: math.MaxUint32 - 1, OffsetHigh: math.MaxInt32}
}

// syncDir does nothing: a directory cannot be flushed here, and NTFS journals names.
func syncDir(string) error { return nil }
