package proxy

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// pollable returns a file on the same pipe or socket that can be waited for
// without holding a thread, and what to do at the end; or f itself, where there
// is none. The standard streams of a process are blocking: a goroutine that
// comes from a poll and goes into such a read leaves nobody polling, and what
// arrives on the child's pipes then waits for the next look around of the
// runtime, up to ten milliseconds later.
func pollable(f *os.File, flag int) (file *os.File, end func() error) {
	asItIs := func() error { return nil }
	info, err := f.Stat()
	if err != nil {
		return f, asItIs
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return f, asItIs
	}
	var again *os.File
	restore := asItIs
	ctlErr := conn.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		switch {
		case err != nil || flags&unix.O_NONBLOCK != 0: // set: it is polled already
		case info.Mode()&fs.ModeNamedPipe != 0:
			// Opened again it has flags of its own: others may hold the one we got.
			again, err = os.OpenFile("/proc/self/fd/"+strconv.Itoa(int(fd)), flag|unix.O_NONBLOCK, 0)
		case info.Mode()&fs.ModeSocket != 0:
			again, restore, err = pollSocket(int(fd), f.Name())
		}
		if err != nil {
			again = nil // it stays as it is, which is slower and no less right
		}
	})
	if again == nil || ctlErr != nil {
		return f, asItIs
	}
	return again, func() error { return errors.Join(restore(), again.Close()) }
}

// pollSocket makes a socket, which cannot be opened again, one that is polled,
// until restore.
func pollSocket(fd int, name string) (file *os.File, restore func() error, err error) {
	other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.SetNonblock(other, true); err != nil {
		return nil, nil, errors.Join(err, unix.Close(other))
	}
	return os.NewFile(uintptr(other), name), func() error { return unix.SetNonblock(fd, false) }, nil
}
