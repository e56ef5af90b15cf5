package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/callgate/callgate/host/wasm/meter"
)

// engineVersion is the version of wazero; a test compares it with go.mod.
const engineVersion = "v1.12.0"

const (
	quickFile   = "quick" // in an entry without code: the module compiles fast
	freshPrefix = "new-"  // of a directory that a child writes to
	maxEntries  = 64      // kept; the ones that were used last
	staleAfter  = time.Hour
)

// entry is where the native code of a module is.
type entry struct {
	dir  string // of this process alone, or "" for nothing
	code string // dir, or "" for a module that is compiled again in the host
	from string // what others can use, of which this is a copy; "" if there is none
	as   string // what others may find dir as; "" if they may not
}

// publish lets others find what was loaded.
func (e *entry) publish() {
	if e.as != "" && os.Rename(e.dir, e.as) == nil { // else someone else was faster
		e.dir = ""
	}
}

// leave removes what is of this process alone.
func (e *entry) leave() { _ = e.remove() } // else it goes when it is stale

func (e *entry) remove() error {
	if e.dir == "" {
		return nil
	}
	return os.RemoveAll(e.dir)
}

// cacheKey is everything that native code depends on.
func (h *Host) cacheKey(hardened []byte) string {
	sum := sha256.Sum256(hardened)
	key := sha256.Sum256(fmt.Appendf(nil, "%x\n%s\n%s/%s\n%s\n%t\n%v %v", sum, engineVersion, runtime.GOOS, runtime.GOARCH,
		meter.Schedule, h.opts.Interpreter, cpu.X86, cpu.ARM64))
	return hex.EncodeToString(key[:])
}

// entry finds the code of a module, or has a child make it; unless shared, for
// this process alone.
func (h *Host) entry(ctx context.Context, hardened []byte, shared bool) (*entry, error) {
	parent := h.opts.CacheDir
	keep := parent != "" && shared
	if !keep {
		parent = os.TempDir()
	} else if err := ownDir(parent); err != nil {
		return nil, err
	}
	final := filepath.Join(parent, h.cacheKey(hardened))
	if keep {
		e, err := openEntry(final)
		if err == nil {
			return e, nil
		}
		// Whoever shares the cache may be at work in it. What stays of an entry is
		// not believed, and what is made here can not take its name.
		_ = os.RemoveAll(final)
		prune(parent)
	}
	fresh, err := os.MkdirTemp(parent, freshPrefix) // 0700
	if keep && unwritable(err) {
		keep = false
		fresh, err = os.MkdirTemp("", freshPrefix)
	}
	if err != nil {
		return nil, err
	}
	e := &entry{dir: fresh, code: fresh}
	took, err := h.inChild(ctx, hardened, fresh)
	switch {
	case err != nil:
	case took < h.limits.CompileQuick || h.opts.Interpreter:
		e.code, err = "", quick(fresh)
	default:
		err = seal(fresh)
	}
	if err != nil {
		return nil, errors.Join(err, e.remove())
	}
	if keep {
		e.as = final
	}
	return e, nil
}

// quick replaces code by a note that it is not needed.
func quick(dir string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := os.RemoveAll(filepath.Join(dir, n.Name())); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, quickFile), nil, 0o600)
}

// openEntry finds an entry that is wholly the user's own.
func openEntry(dir string) (*entry, error) {
	if err := owned(dir); err != nil {
		return nil, err
	}
	files := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type().IsRegular() {
			files++
		}
		return owned(name)
	})
	if err != nil {
		return nil, err
	}
	if files == 0 {
		return nil, errors.New("nothing in it")
	}
	e := &entry{from: dir}
	if _, err := os.Lstat(filepath.Join(dir, quickFile)); err != nil {
		if e, err = borrow(dir); err != nil {
			return nil, err
		}
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // else it goes earlier than it could
	return e, nil
}

// ownDir makes the cache's directory, or sees that it is the user's own.
func ownDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cache of plugins: %w", err)
	}
	if err := owned(dir); err != nil {
		return fmt.Errorf("cache of plugins: %w; it holds native code, so use a directory that only you can write to", err)
	}
	return nil
}

// unwritable says that nothing can be kept there, as in a home that is read-only.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// prune removes what a child left that was killed, and the entries that were not
// used for longest. Someone who has a file open keeps it.
func prune(dir string) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type old struct {
		path string
		used time.Time
	}
	var entries []old
	for _, n := range names {
		info, err := n.Info()
		if err != nil {
			continue
		}
		path := filepath.Join(dir, n.Name())
		switch {
		case strings.HasPrefix(n.Name(), freshPrefix) && time.Since(info.ModTime()) > staleAfter:
			_ = os.RemoveAll(path)
		case len(n.Name()) == 2*sha256.Size && n.IsDir():
			entries = append(entries, old{path, info.ModTime()})
		}
	}
	slices.SortFunc(entries, func(a, b old) int { return b.used.Compare(a.used) })
	for _, e := range entries[min(len(entries), maxEntries-1):] {
		_ = os.RemoveAll(e.path)
	}
}
