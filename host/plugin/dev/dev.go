// Package dev builds and tests a plugin's folder again with every change of its
// sources.
package dev

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"sync"

	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/wasm"
	"github.com/callgate/callgate/host/watch"
)

// Loop is one folder that is watched.
type Loop struct {
	Dir     string
	Options wasm.Options // of the engines that cases run in
	Says    io.Writer    // takes what build.run writes
	// Confirm shows the folder's build.run and asks whether it may be run: at the
	// start, and for each other command.
	Confirm func(context.Context, *plugin.Folder) error
	// Done takes what became of the sources as they are. Calls do not overlap.
	Done func(*Round)
	// Note takes one line for the author.
	Note func(format string, args ...any)

	confirmed string // the last command that was
}

// Round is what became of one state of the sources.
type Round struct {
	Folder *plugin.Folder // nil: plugin.json is broken
	Module *plugin.Module // nil: it was not built
	Tried  []plugin.Tried
	Err    error // why it went no further; nil: all cases were run
}

// Run goes on until the context ends, which is no error. It ends with one if the
// folder can not be read, or its command is not confirmed, at the start.
func (l *Loop) Run(ctx context.Context) error {
	f, err := plugin.ReadFolder(l.Dir)
	if err != nil {
		return err
	}
	files, err := Sources(l.Dir)
	if err != nil {
		return err
	}
	seen := watch.Sums(files)
	if err := l.confirm(ctx, f); err != nil {
		return ended(ctx, err)
	}
	ctx, stop := context.WithCancel(ctx)
	changes := make(chan struct{}, 1)
	var watching sync.WaitGroup
	watching.Go(func() { l.watch(ctx, changes, seen) })
	defer watching.Wait()
	defer stop()
	for ctx.Err() == nil {
		l.round(ctx, changes)
	}
	return nil
}

// ended is no error if it is that the context has ended.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// watch tells of changes. There is one to tell of, whatever else has changed since.
func (l *Loop) watch(ctx context.Context, changes chan<- struct{}, seen map[string][sha256.Size]byte) {
	watch.Files(ctx, watch.Options{
		Files: func() []string {
			files, _ := Sources(l.Dir) // of too many, those up to the limit
			return files
		},
		Changed: func() map[string][sha256.Size]byte {
			select {
			case changes <- struct{}{}:
			default:
			}
			return nil
		},
		Note: l.Note,
	}, seen)
}

// round builds and tests once, and waits for a change. A change that comes before
// ends it.
func (l *Loop) round(ctx context.Context, changes <-chan struct{}) {
	f, err := plugin.ReadFolder(l.Dir)
	if err == nil {
		err = l.confirm(ctx, f)
	}
	if err != nil {
		if ctx.Err() == nil {
			l.Done(&Round{Folder: f, Err: err})
			wait(ctx, changes)
		}
		return
	}
	busy, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan *Round, 1)
	go func() { done <- l.build(busy, f) }()
	select {
	case r := <-done:
		if ctx.Err() == nil {
			l.Done(r)
			wait(ctx, changes)
		}
	case <-changes:
		cancel()
		<-done
		l.Note("changed meanwhile: stopped, and once more")
	case <-ctx.Done():
		<-done
	}
}

func wait(ctx context.Context, changes <-chan struct{}) {
	select {
	case <-changes:
	case <-ctx.Done():
	}
}

// confirm asks about a command that is not the one that was confirmed last.
func (l *Loop) confirm(ctx context.Context, f *plugin.Folder) error {
	if run := f.Manifest.Build.Run; run != "" && run != l.confirmed {
		if err := l.Confirm(ctx, f); err != nil {
			return err
		}
		l.confirmed = run
	}
	return nil
}

// build builds and tests a folder. What runs is the command that f states, which
// was confirmed, whatever plugin.json states now.
func (l *Loop) build(ctx context.Context, f *plugin.Folder) *Round {
	r := &Round{Folder: f}
	if r.Module, r.Err = f.Build(ctx, l.Says); r.Err != nil {
		return r
	}
	target := &plugin.Target{Folder: f, Module: r.Module}
	files, err := target.Cases()
	if err != nil {
		r.Err = err
		return r
	}
	e, err := plugin.Open(l.Options)
	if err != nil {
		r.Err = err
		return r
	}
	release := context.AfterFunc(ctx, e.Stop)
	r.Tried = e.Try(r.Module, files, nil)
	release()
	if len(r.Tried) == 0 {
		r.Err = errors.New("no cases; a plugin without cases shows nothing")
	}
	r.Err = errors.Join(r.Err, e.Close())
	return r
}
