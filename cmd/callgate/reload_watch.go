package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/locked"
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
	files []string                     // that the last attempt to load read, or failed to
	sums  map[string][sha256.Size]byte // of what it read
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
	r.Reloader = proxy.NewReloader(proxy.Reloading{Loaded: l, Load: r.load, Servers: servers, Note: r.note, Hold: holdPlugins})
	for _, f := range l.Policy.Files() {
		if f.Path == policy.Starter { // which is no file
			continue
		}
		path := filepath.FromSlash(f.Path)
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // such as a pipe of the shell
			r.note("%q is no regular file, so the policy is read once", path)
			r.files = nil
			return r
		}
		r.files = append(r.files, path)
	}
	r.files = slices.Concat(r.files, keyFiles(l.Policy), moduleFiles(l.Policy), locked.Files(stateDir(), l.Policy))
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
	for _, ref := range r.Current().Policy.Plugins() {
		if ref.Bundle.Digest != "" {
			continue // what it came from is looked at again, with all that lets it
		}
		var sum [sha256.Size]byte
		if n, err := hex.Decode(sum[:], []byte(strings.TrimPrefix(ref.Digest, "sha256:"))); err == nil && n == len(sum) {
			seen[filepath.FromSlash(ref.File)] = sum
		}
	}
	for path, sum := range watch.Sums(keyFiles(r.Current().Policy)) {
		seen[path] = sum
	}
	watch.Files(ctx, watch.Options{Files: r.read, Changed: r.changed, Note: r.note}, seen)
}

// read lists the files that the policy is made of, or would be.
func (r *reloading) read() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.files)
}

// changed has the files read again.
func (r *reloading) changed() map[string][sha256.Size]byte {
	r.Check()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sums
}

// load reads the files again.
func (r *reloading) load() (proxy.Loaded, error) {
	if len(r.read()) == 0 {
		return r.Current(), nil // the policy is read once
	}
	var files []string
	sums := map[string][sha256.Size]byte{}
	shelf().Sweep() // of the attempt before: one that waits may be replaced many times
	o := r.options
	opener := bundles()
	o.Specs, o.Plugin, o.Bundle, o.Allow = builtin.Table(), pluginLoads, opener.Open, opener.Allow
	again := func(read func(io.Reader) ([]byte, error)) func(string) ([]byte, error) {
		return func(name string) ([]byte, error) {
			data, sum, err := readAgain(name, read)
			if abs, err := filepath.Abs(name); err == nil {
				files, sums[abs] = append(files, abs), sum
			}
			return data, err
		}
	}
	o.Read, o.Module = again(policy.ReadFrom), again(policy.ReadModuleFrom)
	l, err := r.loaded(o)
	for name, sum := range opener.Sums() {
		files, sums[name] = append(files, name), sum
	}
	if l.Policy != nil {
		files = slices.Concat(files, keyFiles(l.Policy), caseFiles(l.Policy))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.files {
		if err != nil && !slices.Contains(files, f) {
			files = append(files, f) // a mistake hides what a file includes
		}
	}
	r.files, r.sums = files, sums
	return l, err
}

// readAgain reads a file that was regular once, and waits for nobody.
func readAgain(name string, read func(io.Reader) ([]byte, error)) (data []byte, sum [sha256.Size]byte, err error) {
	f, err := watch.Open(name)
	if err != nil {
		return nil, sum, err
	}
	defer f.Close()
	if data, err = read(f); err == nil {
		sum = sha256.Sum256(data)
	}
	return data, sum, err
}

func (r *reloading) loaded(o policy.Options) (l proxy.Loaded, err error) {
	if l.Policy, err = policy.Load(o); err != nil {
		return l, err
	}
	l.Protected = policyFiles(l.Policy)
	if err := r.check(l.Policy); err != nil {
		return l, err
	}
	now := r.Current()
	if err := canaries(now.Policy, l.Policy); err != nil {
		return l, err
	}
	a, b := now.Policy.Settings(), l.Policy.Settings()
	if a.Webhook != b.Webhook || a.WebhookKey != b.WebhookKey || now.Webhook == nil {
		l.Webhook, err = webhook(l.Policy)
		return l, err
	}
	// Whoever has the key can answer, so another one is not taken without a person.
	l.Webhook = now.Webhook
	if next, err := webhook(l.Policy); err != nil || !bytes.Equal(next.Key, now.Webhook.Key) {
		l.Restart = append(l.Restart, b.WebhookKeyAt+": the key of the webhook has changed, and the old one counts until callgate is started anew")
	}
	return l, nil
}

// policyFiles lists the files of a policy, with the key of its webhook and what says
// which bundles it may have, as calls are kept away from them, by every name on the
// way through links.
func policyFiles(p *policy.Policy) []string {
	files := keyFiles(p)
	for _, f := range p.Files() {
		if f.Path != policy.Starter { // which is no file
			files = append(files, filepath.FromSlash(f.Path))
		}
	}
	files = append(append(files, moduleFiles(p)...), pinFiles(p)...)
	var out []string
	for _, f := range files {
		out = append(out, watch.Ways(f)...)
		if to, err := filepath.EvalSymlinks(f); err == nil && !slices.Contains(out, to) {
			out = append(out, to)
		}
	}
	return out
}

// keyFiles lists the keys that a policy names.
func keyFiles(p *policy.Policy) []string {
	if key := p.Settings().WebhookKey; key != "" {
		return []string{key}
	}
	return nil
}
