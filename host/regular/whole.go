package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadFile reads a regular file of at most so many bytes. A larger one is an error,
// and no more of it is read.
func ReadFile(path string, most int) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(data) > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("more than %d bytes", most)}
	}
	return data, err
}

// Replace writes a file as a whole, or leaves what was there as it was. It refuses
// to take the place of anything but a regular file: through a link it would come to
// lie beside what the link leads to.
func Replace(path string, data []byte, mode fs.FileMode) error {
	if err := Replaceable(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".callgate-*")
	if err != nil {
		return meant(err, path)
	}
	if err = fill(f, data, mode); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error above says more
	}
	return meant(err, path)
}

// meant is an error about the file that was to be written, and not about the one that
// was to take its place, which nobody named.
func meant(err error, path string) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return &fs.PathError{Op: "write", Path: path, Err: p.Err}
	case errors.As(err, &l):
		return &fs.PathError{Op: "write", Path: path, Err: l.Err}
	}
	return err
}

// Replaceable says why [Replace] would not write a path: something that is no
// regular file is there.
func Replaceable(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().IsRegular():
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		err = errors.New("a symbolic link, which would be replaced; name the file that it leads to")
	default:
		err = errors.New("not a regular file")
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}

// Create writes a file that must not be there yet, as a whole or not at all.
func Create(path string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err = fill(f, data, mode); err != nil {
		_ = os.Remove(path) // the error above says more
	}
	return err
}

// fill writes a file that was just made, and closes it.
func fill(f *os.File, data []byte, mode fs.FileMode) error {
	_, err := f.Write(data)
	if err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync())
	}
	return errors.Join(err, f.Close())
}
