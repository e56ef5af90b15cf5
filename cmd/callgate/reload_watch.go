package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/watch"
)

// watchDelay is when files begin to be watched: a start does not pay for it. What
// changes before is noticed then.
const watchDelay = 300 * time.Millisecond

// reloading is a policy whose files are watched while the process runs.
type reloading struct {
	options policy.Options
	check   func(*policy.Policy) error // of what flags and configuration say
	note    func(format string, args ...any)
	*proxy.Reloader

	mu    sync.Mutex
	files []string // that the last attempt to load read, or failed to
}

// newReloading returns a reloader over a policy that was loaded with options.
func newReloading(std stdio, o policy.Options, l proxy.Loaded, servers []string, check func(*policy.Policy) error) *reloading {
	r := &reloading{options: o, check: check}
	var mu sync.Mutex
	r.note = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		// Nobody is left to be told where this fails.
		_, _ = fmt.Fprintln(std.err, "callgate: "+oneLine(fmt.Sprintf(format, args...)))
	}
	l.Protected = policyFiles(l.Policy)
	r.Reloader = proxy.NewReloader(proxy.Reloading{Loaded: l, Load: r.load, Servers: servers, Note: r.note})
	for _, f := range l.Policy.Files() {
		if f.Path != policy.Starter { // which is no file
			r.files = append(r.files, filepath.FromSlash(f.Path))
		}
	}
	return r
}

// start watches the files until it is stopped.
func (r *reloading) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-ctx.Done():
		case <-time.After(watchDelay):
			r.watch(ctx)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// watch watches the files until the context ends.
func (r *reloading) watch(ctx context.Context) {
	if len(r.files) == 0 {
		return // the built-in policy does not change
	}
	seen := map[string][sha256.Size]byte{}
	for _, f := range r.Current().Policy.Files() {
		var sum [sha256.Size]byte
		if n, err := hex.Decode(sum[:], []byte(strings.TrimPrefix(f.Digest, "sha256:"))); err == nil && n == len(sum) && f.Path != policy.Starter {
			seen[filepath.FromSlash(f.Path)] = sum
		}
	}
	watch.Files(ctx, watch.Options{Files: r.read, Changed: r.Check, Note: r.note}, seen)
}

// read lists the files that the policy is made of, or would be.
func (r *reloading) read() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.files)
}

// load reads the files again.
func (r *reloading) load() (proxy.Loaded, error) {
	var files []string
	o := r.options
	o.Specs = builtin.Table()
	o.Read = func(name string) ([]byte, error) {
		if abs, err := filepath.Abs(name); err == nil {
			files = append(files, abs)
		}
		return policy.ReadFile(name)
	}
	l, err := r.loaded(o)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.files {
		if err != nil && !slices.Contains(files, f) {
			files = append(files, f) // a mistake hides what a file includes
		}
	}
	r.files = files
	return l, err
}

func (r *reloading) loaded(o policy.Options) (l proxy.Loaded, err error) {
	if l.Policy, err = policy.Load(o); err != nil {
		return l, err
	}
	if err := r.check(l.Policy); err != nil {
		return l, err
	}
	l.Webhook, err = webhook(l.Policy)
	l.Protected = policyFiles(l.Policy)
	return l, err
}

// policyFiles lists the files of a policy as calls are kept away from them.
func policyFiles(p *policy.Policy) []string {
	var out []string
	for _, f := range p.Files() {
		if f.Path == policy.Starter { // which is no file
			continue
		}
		path := filepath.FromSlash(f.Path)
		out = append(out, path)
		if to, err := filepath.EvalSymlinks(path); err == nil && to != path {
			out = append(out, to)
		}
	}
	return out
}
