package segment

import (
	"fmt"
	"os"
)

// file is what a store writes to.
type file interface {
	Write(p []byte) (int, error)
	Sync() error // what was written is durable when it returns nil
	Close() error
}

// create makes the file of a new segment. It takes the place of nothing, a link
// included.
func create(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL|openFlags, 0o600)
	if err != nil {
		return nil, err // not f: a nil file in an interface is none
	}
	return f, nil
}

// openRegular opens a file to read that is no link and no device.
func openRegular(path string) (*os.File, error) {
	entry, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !entry.Mode().IsRegular() {
		return nil, notRegular(path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !(info.Mode().IsRegular() && os.SameFile(entry, info)) {
		err = notRegular(path)
	}
	if err != nil {
		f.Close() // it was only opened
		return nil, err
	}
	return f, nil
}

func notRegular(path string) error {
	return fmt.Errorf("%q is a link, a directory or a device; want a regular file: move it away", path)
}
