package approval

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// available says whether this platform tells who is at the other end.
const available = true

// peerOf asks the kernel who connected (unix(7), SO_PEERCRED). A descriptor of
// the process is held, from the connection itself where the kernel gives it
// (SO_PEERPIDFD, Linux 6.5), so that a pid which was used again is noticed.
func peerOf(c *net.UnixConn) (peer, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var cred *unix.Ucred
	var credErr error
	fd := -1
	err = raw.Control(func(s uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(s), unix.SOL_SOCKET, unix.SO_PEERCRED)
		if n, err := unix.GetsockoptInt(int(s), unix.SOL_SOCKET, unix.SO_PEERPIDFD); err == nil {
			fd = n
		}
	})
	if err := errors.Join(err, credErr); err != nil {
		return peer{}, err
	}
	p := peer{pid: int(cred.Pid), uid: int(cred.Uid), close: func() {}}
	if fd < 0 && p.pid > 0 {
		if fd, err = unix.PidfdOpen(p.pid, 0); err != nil {
			return peer{}, fmt.Errorf("process %d can not be held on to: %w", p.pid, err)
		}
	}
	p.alive = func() bool { return runs(fd) }
	if fd >= 0 {
		p.close = func() { _ = unix.Close(fd) }
	}
	return p, nil
}

// runs says whether the process of a descriptor still runs: it can be read
// from once the process has ended (pidfd_open(2)).
func runs(fd int) bool {
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, 0)
		if err != unix.EINTR {
			return fd >= 0 && err == nil && n == 0
		}
	}
}

// lookUp reads /proc/PID/stat (proc_pid_stat(5)). The name of the command, in
// brackets, may hold anything; what counts stands behind its last bracket.
func lookUp(pid int) (process, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, err
	}
	return parseStat(pid, data)
}

func parseStat(pid int, data []byte) (process, error) {
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 20 {
		return process{}, fmt.Errorf("%d fields behind its name; want 20 at least", len(fields))
	}
	parent, errParent := strconv.Atoi(string(fields[1]))
	group, errGroup := strconv.Atoi(string(fields[2]))
	started, errStarted := strconv.ParseUint(string(fields[19]), 10, 64)
	return process{pid, parent, group, started}, errors.Join(errParent, errGroup, errStarted)
}

// isRun says whether a process is a callgate run or a callgate gateway, by its
// program and command line: whoever descends from one can remove its socket.
func isRun(pid int) bool {
	at := "/proc/" + strconv.Itoa(pid)
	line, err := os.ReadFile(at + "/cmdline")
	if err != nil {
		return false
	}
	words := bytes.Split(bytes.TrimSuffix(line, []byte{0}), []byte{0})
	if filepath.Base(string(words[0])) != "callgate" && !sameProgram(at+"/exe") {
		return false
	}
	words = words[1:]
	if end := slices.IndexFunc(words, func(w []byte) bool { return string(w) == "--" }); end >= 0 {
		words = words[:end]
	}
	return slices.ContainsFunc(words, func(w []byte) bool { return string(w) == "run" || string(w) == "gateway" })
}

func sameProgram(exe string) bool {
	theirs, err := os.Stat(exe)
	mine, mineErr := os.Stat("/proc/self/exe")
	return err == nil && mineErr == nil && os.SameFile(theirs, mine)
}
