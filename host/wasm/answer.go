package wasm

import (
	"fmt"

	"github.com/callgate/callgate/abi"
)

// Answer is what a call into a plugin came to. Output is what it answered, and
// nothing looked into it; with a Class there is none, and the answer is a
// refusal.
type Answer struct {
	Output    []byte
	Fuel      uint64 // used; the same on every machine unless Class is watchdog
	Delivered uint64 // bytes that get handed out
	Pages     uint32 // of memory, of 64 KiB, as the guest sees it at the end
	Class     abi.FailureClass
	Detail    string // host words of a failure, the same on every machine
	Trace     string // functions of the guest that a trap came from; names are the guest's
	Log       []Line
	LogCut    bool // the log was longer than it may be
}

// Error says why there is no plugin. Class is load, configure, or host.
type Error struct {
	Plugin string
	Class  abi.FailureClass
	Detail string
	Why    abi.FailureClass // of configure: how it failed, "" if the guest said no
	Trace  string
	Log    []Line
	cause  error
}

// Error says which plugin, the class, and why.
func (e *Error) Error() string {
	why := ""
	if e.Why != "" {
		why = string(e.Why) + ": "
	}
	return fmt.Sprintf("plugin %q: %s: %s%s", e.Plugin, e.Class, why, e.Detail)
}

// Failure is the class, for whoever knows only that it is an error.
func (e *Error) Failure() abi.FailureClass { return e.Class }

// Unwrap gives a *scan.Problems of a module that was not admitted.
func (e *Error) Unwrap() error { return e.cause }
