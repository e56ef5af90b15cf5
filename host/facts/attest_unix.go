//go:build unix

package facts

import "syscall"

// nonblocking has a named pipe open at once, and not wait for who writes it.
const nonblocking = syscall.O_NONBLOCK
