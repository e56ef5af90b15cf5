// Command callgate is a deterministic policy host for MCP tool calls.
//
// Exit codes: 0 ok, 1 the thing that was checked failed, 2 usage, policy or
// I/O. `callgate run` exits with the code of the server it wraps.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/callgate/callgate/host/wasm"
)

func main() { os.Exit(Main()) }

// Main runs the command line of this process and returns its exit code.
func Main() int {
	if len(os.Args) > 1 && os.Args[1] == compileVerb {
		return wasm.CompileMain(os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
	}
	cmd := root(stdio{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	cmd.SetArgs(os.Args[1:])
	err := cmd.ExecuteContext(context.Background())
	var exit exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		if exit.err != nil {
			fmt.Fprintln(os.Stderr, spoken(exit.err))
		}
		return exit.code
	}
	fmt.Fprintln(os.Stderr, spoken(err))
	return 2
}

// spoken is an error as it is printed: it says once who speaks.
func spoken(err error) string {
	text := printable(err.Error())
	if verb, _, ok := strings.Cut(text, ":"); ok && strings.HasPrefix(verb, "callgate ") && !strings.ContainsAny(verb, "\"/") {
		return text
	}
	return "callgate: " + text
}

// exitError carries the exit code that an error stands for.
type exitError struct {
	code int
	err  error // nil: everything was said already
}

func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

// failed says that the thing that was checked failed.
func failed(err error) error { return exitError{1, err} }
