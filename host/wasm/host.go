package wasm

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"

	"github.com/callgate/callgate/abi"
)

// Options say how a host runs plugins.
type Options struct {
	// CacheDir holds native code of compiled modules. Nothing authenticates it, so
	// it is the user's own, 0700, and one of the paths that self protects. "":
	// nothing is kept.
	CacheDir string
	// Compiler is the command that compiles: it ends in a call of [CompileMain]
	// with what is appended here. nil: modules are compiled in this process, where
	// nothing can stop it; tests only.
	Compiler []string
	// Interpreter runs plugins without native code, 30 to 90 times slower, with the
	// same answers and the same fuel.
	Interpreter bool
	Limits      Limits

	reset reset
}

// Host loads plugins.
type Host struct {
	opts    Options
	limits  Limits
	reset   reset
	pageMap *os.File

	compiling chan struct{} // modules that are compiled at once
	going     context.Context
	stop      context.CancelFunc

	mu      sync.Mutex
	plugins map[*Plugin]bool
	closed  bool
}

// New returns a host without plugins. It fails for a cache that is not the user's
// own; where none can be written, modules are compiled anew in each process.
func New(o Options) (*Host, error) {
	if o.CacheDir != "" {
		switch err := ownDir(o.CacheDir); {
		case err == nil:
		case unwritable(err):
			o.CacheDir = ""
		default:
			return nil, err
		}
	}
	h := &Host{opts: o, limits: o.Limits.withDefaults(), plugins: map[*Plugin]bool{}, compiling: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
	h.going, h.stop = context.WithCancel(context.Background())
	h.pageMap, h.reset = openPageMap(o.reset)
	if o.reset != resetBest && h.reset != o.reset {
		return nil, errors.Join(errors.New("this way to reset memory does not work here"), h.Close())
	}
	return h, nil
}

// Stop stops guests that run, and ends compiling, since the process is to end: what
// is asked from now on is denied as if the clock had stopped it, unless it ends at
// once. It does not wait. It may be called twice.
func (h *Host) Stop() { h.stop() }

// Close closes all plugins, and returns when the last evaluation has ended. It may
// be called twice.
func (h *Host) Close() error {
	h.mu.Lock()
	was := h.closed
	h.closed = true
	var open []*Plugin
	for p := range h.plugins {
		open = append(open, p)
	}
	h.mu.Unlock()
	for _, p := range open {
		p.Close()
	}
	for _, p := range open {
		<-p.Gone()
	}
	if h.pageMap != nil && !was {
		return h.pageMap.Close()
	}
	return nil
}

// keep registers a plugin; false: the host was closed meanwhile.
func (h *Host) keep(p *Plugin) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.plugins[p] = true
	return true
}

func (h *Host) forget(p *Plugin) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.plugins, p)
}

// Source is what a plugin is made of.
type Source struct {
	Name     string // in errors
	Module   []byte // not changed, not kept
	Manifest *abi.Manifest
	Settings abi.Value // absent: {}

	speaks string // the version of the ABI whose marker the module has
}

func (s *Source) settings() abi.Value {
	if !s.Settings.Exists() {
		return abi.ObjectValue()
	}
	return s.Settings
}
