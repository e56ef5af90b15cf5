package ledger

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync makes the data of f durable, and of its metadata what reading the
// data needs, which is less work than fsync.
func datasync(f *os.File) error {
	return control(f, func(fd uintptr) error { return unix.Fdatasync(int(fd)) })
}
