//go:build !linux && !darwin

package approval

import "net"

// available says whether this platform tells who is at the other end.
const available = false

func peerOf(*net.UnixConn) (peer, error) { return peer{}, ErrUnavailable }

func lookUp(int) (process, error) { return process{}, ErrUnavailable }

func isRun(int) bool { return true }
