// Package regular reads and writes regular files, and nothing else.
package regular

import (
	"errors"
	"os"
	"syscall"
)

// Open opens a regular file to read it. Anything else, such as a pipe to which
// nobody might ever write, is an error and holds up nobody.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
