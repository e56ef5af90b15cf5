package approval

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// available says whether this platform tells who is at the other end.
const available = true

// peerOf asks the kernel who connected (unix(4), LOCAL_PEERCRED and
// LOCAL_PEERPID). That the pid was not used again is seen by the time at which
// its process started.
func peerOf(c *net.UnixConn) (peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var cred *unix.Xucred
	var pid int
	var credErr, pidErr error
	err = raw.Control(func(s uintptr) {
		cred, credErr = unix.GetsockoptXucred(int(s), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		pid, pidErr = unix.GetsockoptInt(int(s), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	if err := errors.Join(err, credErr, pidErr); err != nil {
		return peer{}, err
	}
	first, err := lookUp(pid)
	if err != nil {
		return peer{}, err
	}
	alive := func() bool {
		now, err := lookUp(pid)
		return err == nil && now.started == first.started
	}
	return peer{pid: pid, uid: int(cred.Uid), alive: alive, close: func() {}}, nil
}

// lookUp asks the kernel for a process (sysctl(3), KERN_PROC_PID).
func lookUp(pid int) (process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return process{}, err
	}
	if int(k.Proc.P_pid) != pid {
		return process{}, errors.New("there is none")
	}
	t := k.Proc.P_starttime
	return process{pid, int(k.Eproc.Ppid), int(k.Eproc.Pgid), uint64(t.Sec)*1e6 + uint64(t.Usec)}, nil
}

// isRun says no: the socket of a run is what tells it here.
func isRun(int) bool { return false }
