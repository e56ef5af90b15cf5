package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/callgate/callgate/host/wasm/scan"
)

// The process that compiles gets a module on its standard input and a directory
// to leave native code in. It is killed when it takes too long.

const (
	engineCompiler    = "compiler"
	engineInterpreter = "interpreter"
	maxHardened       = 4 * scan.MaxModuleBytes // the meter adds half
	maxChildSays      = 4 << 10
)

// CompileMain is what the command of Options.Compiler calls: args are what was
// appended to it, and the result is its exit status. It takes from itself what a
// compiler does not need, where the system can do that.
func CompileMain(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) != 3 {
		fmt.Fprintf(stderr, "want a directory, %s or %s, and a number of seconds\n", engineCompiler, engineInterpreter)
		return 2
	}
	seconds, err := strconv.Atoi(args[2])
	if err != nil || seconds < 1 {
		fmt.Fprintf(stderr, "%q is not a number of seconds\n", args[2])
		return 2
	}
	confine(seconds)
	// The parent kills this process; should the parent die first, this does.
	time.AfterFunc(time.Duration(seconds+1)*time.Second, func() { os.Exit(3) })
	took, err := compileInto(args[0], args[1] == engineInterpreter, stdin)
	if err != nil {
		fmt.Fprintln(stderr, firstLine(err))
		return 1
	}
	fmt.Fprintln(stdout, took.Microseconds())
	return 0
}

// compileInto compiles what it reads, and says how long that took.
func compileInto(dir string, interpreter bool, from io.Reader) (took time.Duration, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("compile: %v", r)
		}
	}()
	module, err := io.ReadAll(io.LimitReader(from, maxHardened+1))
	if err != nil {
		return 0, err
	}
	if len(module) > maxHardened {
		return 0, fmt.Errorf("more than %d bytes of module", maxHardened)
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	ctx := experimental.WithCompilationWorkers(context.Background(), 2)
	r := wazero.NewRuntimeWithConfig(ctx, config(interpreter).WithCompilationCache(cache))
	if _, err := r.CompileModule(ctx, module); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

// inChild runs the process, and says how long the compiling took.
func (h *Host) inChild(ctx context.Context, hardened []byte, dir string) (time.Duration, error) {
	engine := engineCompiler
	if h.opts.Interpreter {
		engine = engineInterpreter
	}
	wall := h.limits.CompileWall
	ctx, cancel := context.WithTimeoutCause(ctx, wall, errSlow)
	defer cancel()
	argv := append(h.opts.Compiler[1:len(h.opts.Compiler):len(h.opts.Compiler)], dir, engine, strconv.Itoa(int(wall/time.Second)+1))
	cmd := exec.CommandContext(ctx, h.opts.Compiler[0], argv...)
	var says, complains capped
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(hardened), &says, &complains
	cmd.Env = []string{} // nothing of ours; Windows gets SYSTEMROOT all the same
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), errSlow):
		return 0, fmt.Errorf("compiling took longer than %v, and was stopped", wall)
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err != nil:
		line, _, _ := strings.Cut(complains.String(), "\n")
		if line == "" {
			line = err.Error()
		}
		return 0, fmt.Errorf("the process that compiles: %s", printable(line))
	}
	us, err := strconv.ParseInt(strings.TrimSpace(says.String()), 10, 64)
	if err != nil || us < 0 {
		return 0, fmt.Errorf("the process that compiles said %q; want a number of microseconds", says.String())
	}
	return time.Duration(us) * time.Microsecond, nil
}

var errSlow = errors.New("too slow")

// capped keeps the first bytes of what is written to it.
type capped struct{ bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	c.Buffer.Write(b[:min(len(b), maxChildSays-c.Len())])
	return len(b), nil
}
