package clients

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Stored is a configuration as it was read.
type Stored struct {
	Path   string // as it was named
	Target string // the file itself, behind links
	Data   []byte
	mode   fs.FileMode
}

// system is what replacing a file asks of the operating system. Tests stop it
// between any two calls.
type system struct {
	resolve func(path string) (string, error)
	read    func(path string) ([]byte, fs.FileInfo, error)
	create  func(path string) (handle, error) // for the owner only, and not over another
	rename  func(from, to string) error
	remove  func(path string) error
	syncDir func(path string) error
}

// handle is a file that is written.
type handle struct {
	chmod func(fs.FileMode) error
	write func([]byte) error
	sync  func() error
	close func() error
}

func realSystem() system {
	return system{
		resolve: filepath.EvalSymlinks, read: readRegular, rename: os.Rename, remove: os.Remove, syncDir: syncDir,
		create: func(path string) (handle, error) {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return handle{}, err
			}
			return handle{
				chmod: f.Chmod, sync: f.Sync, close: f.Close,
				write: func(data []byte) error { _, err := f.Write(data); return err },
			}, nil
		},
	}
}

// readRegular reads a plain file of a size that a configuration has.
func readRegular(path string) ([]byte, fs.FileInfo, error) {
	// A named pipe would be waited for.
	if info, err := os.Stat(path); err != nil {
		return nil, nil, err
	} else if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%q is not a regular file; name one", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, nil, err
	}
	return data, info, nil
}

// Read reads a configuration.
func Read(path string) (*Stored, error) { return realSystem().open(path) }

func (sys system) open(path string) (*Stored, error) {
	target, err := sys.resolve(path)
	var named *fs.PathError
	switch {
	case errors.As(err, &named):
		return nil, err
	case err != nil: // links without end
		return nil, fmt.Errorf("%q: %w; name the file itself", path, err)
	}
	data, info, err := sys.read(target)
	if err != nil {
		return nil, err
	}
	if err := checkOwner(target, info); err != nil {
		return nil, err
	}
	return &Stored{Path: path, Target: target, Data: data, mode: info.Mode()}, nil
}

// Replace puts data in the place of what was read, at once: whoever reads the
// file, and whatever stops this process or the machine, there is the old file or
// the new one. It keeps the mode, and a link stays a link. It is a mistake if the
// file is not any more what was read; nothing is written then. A client that
// writes in the instant between the last look and the rename is not noticed: no
// portable call compares and renames.
func (s *Stored) Replace(data []byte) error { return s.replace(realSystem(), data) }

func (s *Stored) replace(sys system, data []byte) error {
	dir, base := filepath.Split(s.Target)
	temp := filepath.Join(dir, "."+base+"."+rand.Text()[:12]+".tmp")
	f, err := sys.create(temp)
	if err != nil {
		return fmt.Errorf("no file can be made beside %q: %w; make its directory writable", s.Target, err)
	}
	err = fill(f, data, s.mode)
	if err == nil {
		err = s.unchanged(sys)
	}
	if err == nil {
		err = sys.rename(temp, s.Target)
	}
	if err != nil {
		_ = sys.remove(temp) // the first error says more
		return err
	}
	if err := sys.syncDir(dir); err != nil {
		return fmt.Errorf("%q was replaced, and may be the old file again after a power failure: %w", s.Target, err)
	}
	return nil
}

// fill writes a new file, durably.
func fill(f handle, data []byte, mode fs.FileMode) error {
	err := f.chmod(mode.Perm())
	if err == nil {
		err = f.write(data)
	}
	if err == nil {
		err = f.sync()
	}
	return errors.Join(err, f.close())
}

// unchanged says whether the file is still what was read.
func (s *Stored) unchanged(sys system) error {
	now, err := sys.open(s.Path)
	if err != nil {
		return err
	}
	if now.Target != s.Target || now.mode != s.mode || !bytes.Equal(now.Data, s.Data) {
		return fmt.Errorf("%q was changed while it was edited, and was left as it is now; close the client that writes it, and try again", s.Path)
	}
	return nil
}
