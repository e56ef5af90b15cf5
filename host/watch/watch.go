// Package watch tells when files may have changed: when they were written,
// replaced by another file of the name, or when a link on the way to them leads
// elsewhere. It watches directories, since a file that was replaced is another
// one, and looks again at times, since not every file system tells.
package watch

import (
	"context"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/callgate/callgate/host/regular"
)

// Times of watching.
const (
	// settle is how long nothing must happen before files are looked at: an editor
	// writes, renames and touches in a row.
	settle = 100 * time.Millisecond
	// latest is how long what goes on happening puts that off.
	latest = time.Second
	// again is how often files are looked at though nothing was told.
	again = 5 * time.Second
)

// maxLinks bounds how many links lead from a path to its file.
const maxLinks = 40

// Options says what to watch.
type Options struct {
	// Files lists the paths. It is asked anew whenever they were looked at.
	Files func() []string
	// Changed is called after any of them holds something else than before, is
	// gone, or is back, and not while they are being written. Calls do not overlap.
	// It returns the digests of what it read, as [Sums] makes them: what has changed
	// again since is told of again, also if it is as it was before.
	Changed func() map[string][sha256.Size]byte
	// Note takes one line for the operator.
	Note func(format string, args ...any)
}

// Files watches until the context ends. It looks once at the start, and calls
// Changed if the files are not as seen says, which maps paths to digests.
func Files(ctx context.Context, o Options, seen map[string][sha256.Size]byte) {
	w, err := fsnotify.NewWatcher()
	var events chan fsnotify.Event
	var errs chan error
	if err != nil {
		o.Note("changes of files are noticed late: %v", err)
	} else {
		defer w.Close()
		events, errs = w.Events, w.Errors
	}
	state := watching{ctx: ctx, o: o, w: w, seen: seen}
	state.follow()
	state.look()
	every := time.NewTicker(again)
	defer every.Stop()
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	defer quiet.Stop()
	var since time.Time // of the first event that was not followed by a look
	for {
		select {
		case <-ctx.Done():
			return
		case _, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			if since.IsZero() {
				since = time.Now()
			}
			quiet.Reset(min(settle, max(0, latest-time.Since(since))))
			continue
		case _, ok := <-errs: // of too many events: look at all
			if !ok {
				errs = nil
				continue
			}
		case <-quiet.C:
		case <-every.C:
		}
		since = time.Time{}
		state.look()
	}
}

// watching is what is watched, and what was seen.
type watching struct {
	ctx  context.Context
	o    Options
	w    *fsnotify.Watcher // nil: the system does not tell
	dirs []string
	seen map[string][sha256.Size]byte
}

// look compares the files with what was seen, and watches what leads to them.
func (s *watching) look() {
	if now := Sums(s.o.Files()); differ(now, s.seen) {
		now = s.still(now)
		read := s.o.Changed()
		for _, path := range s.o.Files() { // others than before, where one names others
			if sum, ok := read[path]; ok {
				now[path] = sum
			}
		}
		s.seen = now
	}
	s.follow()
}

// still waits until nothing is written for a while, or for too long: what was
// written in part could be another policy.
func (s *watching) still(now map[string][sha256.Size]byte) map[string][sha256.Size]byte {
	for range latest / settle {
		select {
		case <-s.ctx.Done():
			return now
		case <-time.After(settle):
		}
		next := Sums(s.o.Files())
		if !differ(now, next) {
			break
		}
		now = next
	}
	return now
}

// differ says whether files are not as they were, or others.
func differ(now, seen map[string][sha256.Size]byte) bool {
	for path, sum := range now {
		if was, ok := seen[path]; !ok || was != sum { // also where a path is listed that was not read yet
			return true
		}
	}
	return len(now) != len(seen)
}

// follow watches the directories of the files, and of the links to them.
func (s *watching) follow() {
	if s.w == nil {
		return
	}
	var dirs []string
	for _, path := range s.o.Files() {
		dirs = append(dirs, Directories(path)...)
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	for _, dir := range s.dirs {
		if !slices.Contains(dirs, dir) {
			_ = s.w.Remove(dir) // it may be gone
		}
	}
	for _, dir := range dirs {
		_ = s.w.Add(dir) // one that is gone is looked for again; one that was replaced is another one
	}
	s.dirs = dirs
}

// Sums digests files. One that can not be read has the zero digest.
func Sums(paths []string) map[string][sha256.Size]byte {
	sums := map[string][sha256.Size]byte{}
	for _, path := range paths {
		sums[path] = sum(path)
	}
	return sums
}

// maxSum bounds how much of a file is looked at, in bytes: of what a policy is made
// of nothing is larger than a plugin's module, and one byte more shows that it is.
const maxSum = 16<<20 + 1

func sum(path string) (zero [sha256.Size]byte) {
	f, err := Open(path)
	if err != nil {
		return zero
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxSum)); err != nil {
		return zero
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Open opens a regular file, as [regular.Open] does.
func Open(path string) (*os.File, error) { return regular.Open(path) }

// Directories lists the directories in which something can be changed so that a
// path leads to another file: those of the file and of every link on the way,
// each with the one above, where it could itself be replaced.
func Directories(path string) []string {
	var dirs []string
	names, links := ways(path)
	for _, p := range slices.Concat(names, links) {
		for _, d := range []string{filepath.Dir(p), filepath.Dir(filepath.Dir(p))} {
			if !slices.Contains(dirs, d) {
				dirs = append(dirs, d)
			}
		}
	}
	return dirs
}

// Ways lists the names of a file: a path, and what it is behind each of the links
// that lead from it to the file.
func Ways(path string) []string {
	names, _ := ways(path)
	return names
}

func ways(path string) (names, links []string) {
	names = []string{filepath.Clean(path)}
	for range maxLinks {
		next, ok := firstLink(names[len(names)-1])
		if !ok {
			break
		}
		if slices.Contains(names, next.leads) {
			break // a loop
		}
		names, links = append(names, next.leads), append(links, next.link)
	}
	return names, links
}

// step is one link of a path, and what the path is behind it.
type step struct{ link, leads string }

// firstLink finds the first component of a path that is a link.
func firstLink(path string) (step, bool) {
	var up []string // the path and what is above it, the lowest first
	for p := path; ; p = filepath.Dir(p) {
		up = append(up, p)
		if filepath.Dir(p) == p {
			break
		}
	}
	for _, p := range slices.Backward(up) {
		to, err := os.Readlink(p)
		if err != nil {
			continue
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(p), to)
		}
		rest, err := filepath.Rel(p, path)
		if err != nil {
			return step{}, false
		}
		return step{p, filepath.Join(to, rest)}, true
	}
	return step{}, false
}
