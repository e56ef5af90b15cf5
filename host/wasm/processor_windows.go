package wasm

import (
	"syscall"
	"time"
)

// processorTime is what this process has used of processors.
func processorTime() time.Duration {
	self, err := syscall.GetCurrentProcess()
	var made, ended, kernel, user syscall.Filetime
	if err != nil || syscall.GetProcessTimes(self, &made, &ended, &kernel, &user) != nil {
		return 0
	}
	const unit = 100 * time.Nanosecond
	of := func(t syscall.Filetime) time.Duration {
		return time.Duration(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) * unit
	}
	return of(kernel) + of(user)
}
