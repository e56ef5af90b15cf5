package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/regular"
	"github.com/callgate/callgate/host/tree"
	"github.com/callgate/callgate/host/wasm"
	"github.com/callgate/callgate/host/wasm/scan"
)

// RefusedError is a module that was built and does not load.
type RefusedError struct{ Problems *scan.Problems }

// Error is the problems.
func (e *RefusedError) Error() string { return e.Problems.Error() }

// Build runs the folder's build.run, holds what comes of it to what plugins may
// be, and writes NAME.wasm with the manifest in it. Nothing of the module is run.
// What was there before stays if this fails, or if the context ends. Output of the
// command goes to says, as it is.
func (f *Folder) Build(ctx context.Context, says io.Writer) (*Module, error) {
	if f.Manifest.Build.Run == "" {
		return nil, fmt.Errorf("%s: build.run: none; state the command that builds the module", filepath.Join(f.Dir, ManifestFile))
	}
	bare, err := f.runBuild(ctx, says)
	if err != nil {
		return nil, err
	}
	// A command that packs the manifest itself has not read it as it is now.
	if stripped, err := scan.Strip(bare); err == nil {
		bare = stripped
	}
	if _, problems := wasm.Inspect(bare, f.Manifest); len(problems.List) > 0 {
		return nil, &RefusedError{problems}
	}
	whole, err := abi.WithManifest(bare, []byte(f.Manifest.Text))
	if err != nil {
		return nil, err
	}
	if err := regular.Replace(f.Built(), whole, 0o644); err != nil {
		return nil, err
	}
	return ReadModule(f.Built())
}

// outputs are the files that build.run may leave the module in. The last is what
// go build makes without -o.
func (f *Folder) outputs() []string {
	list := []string{filepath.Join(f.Dir, "plugin.wasm"), f.Built(), filepath.Join(f.Dir, f.Name())}
	return slices.Compact(list)
}

// runBuild runs the command, and returns the module that it left. What was there
// before is out of its way meanwhile: a command that finds it up to date would
// leave nothing.
func (f *Folder) runBuild(ctx context.Context, says io.Writer) (built []byte, err error) {
	var restore []func() error
	defer func() {
		for _, r := range restore {
			err = errors.Join(err, r())
		}
	}()
	for _, name := range f.outputs() {
		undo, err := aside(name)
		if err != nil {
			return nil, err
		}
		restore = append(restore, undo)
	}
	if err := f.command(ctx, says); err != nil {
		return nil, fmt.Errorf("build.run: %w", err)
	}
	for _, name := range f.outputs() {
		if info, err := os.Lstat(name); err != nil || info.IsDir() {
			continue
		}
		return regular.ReadFile(name, scan.MaxModuleBytes)
	}
	return nil, fmt.Errorf("build.run left no module; let it write plugin.wasm, or %s.wasm", f.Name())
}

// lingers is how long output is read of what a command left running.
const lingers = time.Second

// command runs build.run. What it started in its process group ends with it, at the
// latest when the context does.
func (f *Folder) command(ctx context.Context, says io.Writer) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", f.Manifest.Build.Run)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = f.Dir, says, says, lingers
	tree.Own(cmd)
	cmd.Cancel = func() error {
		tree.Kill(cmd)
		return nil
	}
	err := cmd.Run()
	if cmd.Process != nil {
		tree.Kill(cmd)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay): // it ended well, and what it left has ended now
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w; install a shell, which runs it", err)
	case cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == notInstalled:
		return fmt.Errorf("%w: a command in it is not installed; README.md of the plugin says what to install", err)
	}
	return err
}

// notInstalled is what a shell ends with that finds no command of a name.
const notInstalled = 127

// aside moves a file away, and returns how it comes back in place of what a
// command left there. A directory stays.
func aside(name string) (undo func() error, err error) {
	away := name + ".callgate-before"
	// A build that was killed has put nothing back.
	if err := os.Rename(away, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	info, err := os.Lstat(name)
	if err == nil && info.IsDir() {
		return func() error { return nil }, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return func() error {
			if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := os.Rename(name, away); err != nil {
		return nil, err
	}
	return func() error { return os.Rename(away, name) }, nil
}
