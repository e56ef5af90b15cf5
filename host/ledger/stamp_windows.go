package ledger

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// stamp is what the system tells about a file without reading it. Two equal
// stamps of one path mean that nothing was written in between, within what the
// clock of the file system can tell apart.
type stamp struct {
	dev, ino   uint64
	attributes uint32
	size       int64 // bytes
	mtime      int64 // nanoseconds since 1970
}

// same says whether both are stamps of one file.
func (s stamp) same(t stamp) bool { return s.dev == t.dev && s.ino == t.ino }

// kind returns the type bits of the file.
func (s stamp) kind() fs.FileMode {
	switch {
	case s.attributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0:
		return fs.ModeSymlink
	case s.attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0:
		return fs.ModeDir
	}
	return 0
}

// stampAt looks at a path and follows no link. The error is an fs.PathError.
func stampAt(path string) (stamp, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return stamp{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	// The sizes in a directory lag behind those of its open files, so this asks
	// the file itself; a handle without any access right is enough.
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const flags = windows.FILE_FLAG_BACKUP_SEMANTICS | windows.FILE_FLAG_OPEN_REPARSE_POINT
	h, err := windows.CreateFile(name, 0, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return stamp{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer windows.CloseHandle(h)
	return stampOf(h, path)
}

// descriptor is an open file that is looked at often.
type descriptor struct{ *os.File }

func newDescriptor(f *os.File) *descriptor { return &descriptor{File: f} }

func (d *descriptor) stamp() (stamp, error) { return stampOf(windows.Handle(d.Fd()), d.Name()) }

func stampOf(h windows.Handle, path string) (stamp, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &info); err != nil {
		return stamp{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	return stamp{
		dev: uint64(info.VolumeSerialNumber), ino: uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow),
		attributes: info.FileAttributes, size: int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow),
		mtime: info.LastWriteTime.Nanoseconds(),
	}, nil
}
