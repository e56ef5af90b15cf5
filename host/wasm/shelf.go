package wasm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/regular"
)

// Shelf keeps the plugins of policies: each module with its settings is loaded
// once, and let go when no policy in force names it any more. Modules that were
// loaded are kept by their digests, so that a ledger can be replayed when the file
// that a policy named is gone or has changed.
type Shelf struct {
	// Unpack finds the module of an entry that came in a bundle; nil: only copies of
	// such modules are found.
	Unpack func(contract.PluginRef) ([]byte, error)

	host func() (*Host, error)
	dir  string // of kept modules, "" for none

	mu    sync.Mutex
	books map[string]*book
}

// book is a plugin on the shelf. It is loaded by whoever asks first.
type book struct {
	once     sync.Once
	plugin   *Plugin
	manifest *abi.Manifest
	module   string
	err      error
	held     int // policies in force that name it
}

// NewShelf returns an empty shelf. The host is made when the first plugin is
// loaded; modules are kept in dir, which has to be the user's own.
func NewShelf(o Options, dir string) *Shelf {
	return &Shelf{host: sync.OnceValues(func() (*Host, error) { return New(o) }), dir: dir, books: map[string]*book{}}
}

// Plugin returns the plugin that an entry binds.
func (s *Shelf) Plugin(ref contract.PluginRef) (contract.Plugin, error) {
	b := s.book(ref, 0)
	b.once.Do(func() { s.load(b, ref) })
	for b.err == errUnneeded { // a sweep came between; now somebody does
		b = s.book(ref, 0)
		b.once.Do(func() { s.load(b, ref) })
	}
	if b.err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if b.held == 0 && s.books[keyOf(ref)] == b {
			delete(s.books, keyOf(ref)) // it may load the next time
		}
		return nil, b.err
	}
	return Bind(b.plugin, b.manifest, ref.Name, b.module, ref.Settings), nil
}

// Hold keeps the plugins of a policy that comes into force until the function that
// it returns is called. That lets go of those, too, that were loaded to see whether
// they load, and that no policy in force names.
func (s *Shelf) Hold(refs []contract.PluginRef) (release func()) {
	for _, ref := range refs {
		s.book(ref, 1)
	}
	return sync.OnceFunc(func() {
		for _, ref := range refs {
			s.drop(ref)
		}
		s.Sweep()
	})
}

func keyOf(ref contract.PluginRef) string { return ref.Digest + " " + ref.Settings.String() }

func (s *Shelf) book(ref contract.PluginRef, more int) *book {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.books[keyOf(ref)]
	if b == nil {
		b = &book{}
		s.books[keyOf(ref)] = b
	}
	b.held += more
	return b
}

func (s *Shelf) drop(ref contract.PluginRef) {
	s.mu.Lock()
	b := s.books[keyOf(ref)]
	if b == nil {
		s.mu.Unlock()
		return
	}
	if b.held--; b.held <= 0 {
		delete(s.books, keyOf(ref))
	}
	last := b.held <= 0
	s.mu.Unlock()
	if last {
		b.close()
	}
}

// Sweep lets go of what no policy in force names, such as the plugins of one that
// waits, or does not load. Who needs one of them again loads it again.
func (s *Shelf) Sweep() {
	s.mu.Lock()
	var gone []*book
	for key, b := range s.books {
		if b.held <= 0 {
			gone = append(gone, b)
			delete(s.books, key)
		}
	}
	s.mu.Unlock()
	for _, b := range gone {
		b.close()
	}
}

// errUnneeded is of a book that was let go before anybody loaded it.
var errUnneeded = errors.New("nobody needs it any more")

// close lets a plugin go, once it is loaded.
func (b *book) close() {
	b.once.Do(func() { b.err = errUnneeded })
	if b.plugin != nil {
		b.plugin.Close()
	}
}

// Stop stops what runs, since the process is to end; see [Host.Stop].
func (s *Shelf) Stop() {
	s.mu.Lock()
	none := len(s.books) == 0
	s.mu.Unlock()
	if none {
		return
	}
	if h, err := s.host(); err == nil { // else none was loaded
		h.Stop()
	}
}

// Close lets every plugin go, and waits for what is under way.
func (s *Shelf) Close() error {
	s.mu.Lock()
	books := s.books
	s.books = map[string]*book{}
	s.mu.Unlock()
	if len(books) == 0 {
		return nil
	}
	h, err := s.host()
	if err != nil {
		return nil // none was loaded
	}
	return h.Close()
}

func (s *Shelf) load(b *book, ref contract.PluginRef) {
	data, err := s.find(ref)
	if err != nil {
		b.err = err
		return
	}
	if b.manifest, b.module, b.err = abi.ReadModule(data); b.err != nil {
		return
	}
	h, err := s.host()
	if err != nil {
		b.err = err
		return
	}
	b.plugin, b.err = h.Load(context.Background(), Source{Name: ref.Name, Module: data, Manifest: b.manifest, Settings: ref.Settings})
	if b.err == nil {
		s.keep(ref.Digest, data)
	}
}

// find reads the module of an entry: the file that the policy names, if it still
// holds it, else the one that was kept. Of what came in a bundle a copy comes first,
// which costs less.
func (s *Shelf) find(ref contract.PluginRef) ([]byte, error) {
	from := []func() ([]byte, error){
		func() ([]byte, error) { return readModule(ref.File) },
		func() ([]byte, error) { return readModule(s.kept(ref.Digest)) },
	}
	if ref.Bundle.Digest != "" {
		from = []func() ([]byte, error){from[1], func() ([]byte, error) {
			if s.Unpack == nil {
				return nil, os.ErrNotExist
			}
			return s.Unpack(ref)
		}}
	}
	var first error
	for _, read := range from {
		data, err := read()
		if err == nil && abi.DigestBytes(data) == ref.Digest {
			return data, nil
		}
		first = cmp.Or(first, err)
	}
	if first != nil && !errors.Is(first, os.ErrNotExist) {
		return nil, first
	}
	return nil, fmt.Errorf("%s: %w", ref.Digest, contract.ErrGone)
}

func readModule(name string) ([]byte, error) {
	if name == "" {
		return nil, os.ErrNotExist
	}
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxModuleFile+1))
}

// maxModuleFile is what policies read of a module at most.
const maxModuleFile = 16 << 20

// kept is the file of a module that was loaded.
func (s *Shelf) kept(digest string) string {
	hex, ok := strings.CutPrefix(digest, "sha256:")
	if !ok || s.dir == "" || len(hex) != 64 || strings.Trim(hex, "0123456789abcdef") != "" {
		return ""
	}
	return filepath.Join(s.dir, hex+".wasm")
}

// keep writes a module that was loaded, for replays, also in the place of a file
// that is another one. One that can not be kept is said to be gone then.
func (s *Shelf) keep(digest string, data []byte) {
	name := s.kept(digest)
	if name == "" {
		return
	}
	if was, err := readModule(name); err == nil && abi.DigestBytes(was) == digest || ownDir(s.dir) != nil {
		return
	}
	f, err := os.CreateTemp(s.dir, ".module-*")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // it may be there no more
	}
}
