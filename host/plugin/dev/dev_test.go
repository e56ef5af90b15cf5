package dev

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/wasm"
)

// guest is a plugin that abstains.
const guest = "../../../abi/testdata/1.0/abstain/abstain.wasm"

// folder is a plugin whose build.run copies a module.
func folder(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	dir := t.TempDir()
	module, err := os.ReadFile(guest)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "module", string(module))
	write(t, dir, "plugin.json", strings.Replace(manifest, `"true"`, `"cp module plugin.wasm"`, 1))
	put(t, dir, "cases/none")
	write(t, dir, "cases/a.yaml", "cases:\n  - {name: it abstains, want: {outcome: abstain}}\n")
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestEveryOtherCommandIsConfirmed: the one that runs is the one that was shown.
func TestEveryOtherCommandIsConfirmed(t *testing.T) {
	dir := folder(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	asked, rounds := make(chan string, 8), make(chan *Round)
	refuse := errors.New("no")
	l := Loop{
		Dir: dir, Options: wasm.Options{}, Says: io.Discard, Note: t.Logf,
		Confirm: func(_ context.Context, f *plugin.Folder) error {
			asked <- f.Manifest.Build.Run
			if strings.Contains(f.Manifest.Build.Run, "evil") {
				return refuse
			}
			return nil
		},
		Done: func(r *Round) { rounds <- r },
	}
	ended := make(chan error)
	go func() { ended <- l.Run(ctx) }()
	next := func(want error, run string) {
		t.Helper()
		r := <-rounds
		if !errors.Is(r.Err, want) || (want == nil) != (len(r.Tried) == 1 && len(r.Tried[0].Failures) == 0) {
			t.Fatalf("%+v; want the error %v", r, want)
		}
		if run != "" {
			if got := <-asked; !strings.Contains(got, run) {
				t.Fatalf("asked about %q; want %q", got, run)
			}
		}
		if len(asked) > 0 {
			t.Fatalf("asked about %q, too", <-asked)
		}
	}
	next(nil, "cp module")
	write(t, dir, "cases/a.yaml", "# again\ncases:\n  - {name: it abstains, want: {outcome: abstain}}\n")
	next(nil, "")
	write(t, dir, "plugin.json", strings.Replace(manifest, `"true"`, `"touch evil; cp module plugin.wasm"`, 1))
	next(refuse, "touch evil")
	if _, err := os.Stat(filepath.Join(dir, "evil")); err == nil {
		t.Error("a command was run that was refused")
	}
	write(t, dir, "plugin.json", strings.Replace(manifest, `"true"`, `"cp module guard.wasm"`, 1))
	next(nil, "guard.wasm")
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestACommandThatIsRefusedAtTheStartEndsIt(t *testing.T) {
	refuse := errors.New("no")
	l := Loop{Dir: folder(t), Says: io.Discard, Confirm: func(context.Context, *plugin.Folder) error { return refuse }}
	if err := l.Run(t.Context()); !errors.Is(err, refuse) {
		t.Errorf("it ended with %v; want %v", err, refuse)
	}
	l.Dir = filepath.Join(l.Dir, "none")
	if err := l.Run(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
