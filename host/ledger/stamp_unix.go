//go:build unix

package ledger

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// stamp is what the system tells about a file without reading it. Two equal
// stamps of one path mean that nothing was written in between, within what the
// clock of the file system can tell apart.
type stamp struct {
	dev, ino     uint64
	mode         uint32
	size         int64 // bytes
	mtime, ctime int64 // nanoseconds since 1970
}

// same says whether both are stamps of one file.
func (s stamp) same(t stamp) bool { return s.dev == t.dev && s.ino == t.ino }

// kind returns the type bits of the file.
func (s stamp) kind() fs.FileMode {
	switch s.mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	}
	return fs.ModeIrregular
}

// stampAt looks at a path and follows no link. The error is an fs.PathError.
func stampAt(path string) (stamp, error) {
	var st unix.Stat_t
	err := unix.Lstat(path, &st)
	for err == unix.EINTR {
		err = unix.Lstat(path, &st)
	}
	if err != nil {
		return stamp{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	return stampFrom(&st), nil
}

// descriptor is an open file that is looked at often. [os.File.Stat] would
// allocate each time.
type descriptor struct {
	*os.File
	fd int
}

func newDescriptor(f *os.File) *descriptor { return &descriptor{File: f, fd: int(f.Fd())} }

func (d *descriptor) stamp() (stamp, error) {
	var st unix.Stat_t
	err := unix.Fstat(d.fd, &st)
	for err == unix.EINTR {
		err = unix.Fstat(d.fd, &st)
	}
	if err != nil {
		return stamp{}, &fs.PathError{Op: "fstat", Path: d.Name(), Err: err}
	}
	return stampFrom(&st), nil
}

func stampFrom(st *unix.Stat_t) stamp {
	return stamp{
		dev: uint64(st.Dev), ino: uint64(st.Ino), mode: uint32(st.Mode), size: st.Size,
		mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
	}
}
