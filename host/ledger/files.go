package ledger

import (
	"fmt"
	"os"
	"path/filepath"
)

// osFile is a ledger file on disk.
type osFile struct{ *os.File }

// Sync makes the written lines durable.
func (f osFile) Sync() error { return datasync(f.File) }

// openRegular opens an existing file that must be a regular one of ours; flag
// is os.O_RDONLY or os.O_RDWR. It follows no link and waits for no pipe.
func openRegular(path string, flag int) (*os.File, error) {
	entry, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !entry.Mode().IsRegular() {
		return nil, notRegular(path, entry.Mode())
	}
	f, err := os.OpenFile(path, flag|openFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = notRegular(path, info.Mode())
	case !os.SameFile(entry, info):
		err = fmt.Errorf("%q was replaced while it was opened; start again", path)
	default:
		err = checkOwner(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// createFile makes a new ledger file, locks it and makes its name durable.
func createFile(path string) (*os.File, error) {
	// Windows grants a lock only to a handle that may read.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL|openFlags, 0o600)
	if err != nil {
		return nil, err
	}
	// A process that starts at the same moment may hold the lock while it
	// looks at the empty file, so this waits.
	err = lock(f)
	if err != nil {
		err = fmt.Errorf("ledger file %q: lock: %w", path, err)
	} else {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		f.Close()
		os.Remove(path)
		return nil, err
	}
	return f, nil
}

// ensureDir creates a group directory and what is missing above it, for its
// owner only, and checks it.
func ensureDir(dir string) error {
	var created []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		created = append(created, d)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, d := range created {
		if err := syncDir(filepath.Dir(d)); err != nil {
			return err
		}
	}
	return checkDir(dir)
}

// checkDir refuses a group directory that is not one of ours.
func checkDir(dir string) error {
	info, err := os.Lstat(filepath.Clean(dir))
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%q is not a directory, or a symbolic link to one; want a directory of its own for the group's ledger: move it away", dir)
	}
	return checkOwner(dir, info)
}
