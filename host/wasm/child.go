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
// to leave native code in. It ends when it has used too much of the processors, which
// does not depend on who else is at work, and is killed when it takes too long all
// the same.

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
	if len(args) != 4 {
		fmt.Fprintf(stderr, "want a directory, %s or %s, a time of processors, and a time\n", engineCompiler, engineInterpreter)
		return 2
	}
	var times [2]time.Duration
	for i, text := range args[2:] {
		var err error
		if times[i], err = time.ParseDuration(text); err != nil || times[i] <= 0 {
			fmt.Fprintf(stderr, "%q is not a time\n", text)
			return 2
		}
	}
	processors, wall := times[0], times[1]
	confine(processors)
	// The parent kills this process; should the parent die first, this does.
	time.AfterFunc(wall+time.Second, func() { os.Exit(3) })
	go func() {
		for range time.Tick(100 * time.Millisecond) {
			if processorTime() > processors {
				os.Exit(3)
			}
		}
	}()
	took, err := compileInto(args[0], args[1] == engineInterpreter, stdin)
	if err != nil {
		fmt.Fprintln(stderr, firstLine(err))
		return 1
	}
	if processorTime() > processors { // the same whenever that was
		return 3
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
	processors, wall := h.limits.CompileCPU, h.limits.CompileWall
	ctx, cancel := context.WithTimeoutCause(ctx, wall, errSlow)
	defer cancel()
	argv := append(h.opts.Compiler[1:len(h.opts.Compiler):len(h.opts.Compiler)], dir, engine, processors.String(), wall.String())
	cmd := exec.CommandContext(ctx, h.opts.Compiler[0], argv...)
	cmd.Path = program(cmd.Path)
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
	case err != nil && cmd.ProcessState != nil && cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime() >= processors:
		return 0, fmt.Errorf("compiling took more than %v of processors, and was stopped", processors)
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
