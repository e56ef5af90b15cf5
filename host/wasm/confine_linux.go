package wasm

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// What the process that compiles may take. A Go guest of 3 MB needs 0.4 GiB, and
// 12 MB of file.
const (
	compileMemory = 6 << 30
	compileFile   = 512 << 20
)

// confine lowers the limits of this process. What can not be lowered stays: the
// parent kills in any case.
func confine(processors time.Duration) {
	limit := func(what int, to uint64) {
		var was unix.Rlimit
		if unix.Getrlimit(what, &was) == nil && was.Max > to {
			_ = unix.Setrlimit(what, &unix.Rlimit{Cur: to, Max: to})
		}
	}
	limit(unix.RLIMIT_CPU, uint64(processors/time.Second)+2) // it looks itself, before
	limit(unix.RLIMIT_CORE, 0)
	limit(unix.RLIMIT_FSIZE, compileFile)
	// A program with the race detector has reserved terabytes.
	if mapped() < compileMemory/2 {
		limit(unix.RLIMIT_AS, compileMemory)
	}
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// mapped is the address space of this process, in bytes.
func mapped() uint64 {
	statm, _ := os.ReadFile("/proc/self/statm")
	pages, _, _ := strings.Cut(string(statm), " ")
	n, err := strconv.ParseUint(pages, 10, 64)
	if err != nil {
		return compileMemory
	}
	return n * uint64(os.Getpagesize())
}
