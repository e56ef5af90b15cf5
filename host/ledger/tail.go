package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
)

// TailOptions says what a Tail reads. Dir and Self may not be left out.
type TailOptions struct {
	Dir   string    // group directory
	Self  string    // path of this process's own file, which is not read
	Since time.Time // files last written before are left alone until they change
	From  []Prior   // files that were read already, and how far; what follows is read
}

// Progress says how far another process's file has been read by now.
type Progress struct {
	File  File   // Modified and Size are those that were read up to
	Lines uint64 // lines handed out since the file's beginning
	Last  string // hash of the last of them, 64 hex digits; empty without lines
	// Err says why the file can not be read any further: a *Break, what reading
	// it answered, or what each did. It is nil where the file is intact, and
	// again once it was mended or is not in the directory any more.
	Err error
}

// Tail reads what other processes of a group add to their ledgers. It is not
// safe for concurrent use. The methods of a nil Tail, as a ledger in memory
// has, do nothing.
type Tail struct {
	dir   string
	self  string // base name
	since time.Time
	now   func() time.Time

	skip    map[string]bool  // base names of files that somebody else reads
	before  string           // base name of the first file that Poll leaves for later; empty: none
	peers   map[string]*peer // by base name; also those whose file is gone
	order   []*peer          // by base name
	scanned stamp            // of the directory, when it was listed
	settled bool             // a later change gives the directory another stamp
	open    int              // peers with an open file
	scan    *scanner         // its buffers serve all files
}

// NewTail makes a tail that has looked at nothing yet.
func NewTail(o TailOptions) *Tail {
	t := &Tail{since: o.Since, now: time.Now, peers: map[string]*peer{}, scan: newScanner("", nil)}
	if o.Dir != "" {
		t.dir = filepath.Clean(o.Dir)
	}
	if o.Self != "" {
		t.self = filepath.Base(o.Self)
	}
	for _, p := range o.From {
		t.adopt(p)
	}
	return t
}

// adopt goes on after what was read of a file.
func (t *Tail) adopt(p Prior) {
	name := filepath.Base(p.Path)
	f, ok := parseName(name)
	if !ok || p.Lines == 0 {
		return
	}
	f.Path = p.Path
	t.peers[name] = &peer{file: f, read: p.read(), watch: gone}
}

// Poll hands every new complete, verified line of every other file of the group
// to each, file by file in the order of their names, without its LF and only
// for the duration of the call. It answers with one Progress for each file that
// gave lines or that broke, or was mended, since the last Poll; nil when there
// is nothing new.
//
// An incomplete last line waits for its rest. A file that has lost lines which
// were read, or whose next line does not follow the last one, gives nothing
// more until it changes and its last line read is in its place again; so does a
// file with a line that each returned an error for, which is handed out again
// then. A file that is not in the directory any more is forgotten silently.
//
// An error says that the directory itself can not be read, and that nothing was.
func (t *Tail) Poll(each func(f File, line []byte) error) ([]Progress, error) {
	return t.poll(func(p *peer) error { return t.readOn(p, each) })
}

// Events is [Tail.Poll] for the events of the lines, of which the next are read
// and parsed while one is dealt with. A line that is none is treated as one that
// each returned an error for.
func (t *Tail) Events(each func(f File, e abi.Event) error) ([]Progress, error) {
	if t == nil {
		return nil, nil
	}
	t.scan.trust = true // what is parsed here need not be parsed twice
	defer func() { t.scan.trust = false }()
	return t.poll(func(p *peer) error { return t.eventsOn(p, each) })
}

func (t *Tail) poll(read func(p *peer) error) ([]Progress, error) {
	if t == nil {
		return nil, nil
	}
	if err := t.list(); err != nil {
		return nil, err
	}
	var out []Progress
	for _, p := range t.order {
		if t.before != "" && filepath.Base(p.file.Path) >= t.before {
			break
		}
		if p.watch == quiet || p.watch == gone && !p.lost {
			continue
		}
		if t.look(p, read) {
			out = append(out, p.progress())
		}
	}
	return out, nil
}

// Close closes the files. The next Poll starts where the last one ended.
func (t *Tail) Close() error {
	if t == nil {
		return nil
	}
	var errs []error
	for _, p := range t.order {
		errs = append(errs, t.shut(p))
	}
	return errors.Join(errs...)
}

// granularity is how long a change may leave a file's time as it was, where
// times are kept most coarsely (FAT: two seconds).
const granularity = 2 * time.Second

// list finds the files of the group, if the directory may have changed.
func (t *Tail) list() error {
	if t.dir == "" || t.self == "" {
		return errors.New("tail: want the group directory and the path of the own file")
	}
	at, err := stampAt(t.dir)
	if err == nil && t.settled && at == t.scanned {
		return nil
	}
	t.settled = false
	// A change in the instant of the last one would leave the stamp as it is.
	now := t.now()
	if at, err = stampAt(t.dir); err != nil {
		return fmt.Errorf("group directory: %w", err)
	}
	if err := checkDir(t.dir); err != nil {
		return fmt.Errorf("group directory: %w", err)
	}
	names, err := namesIn(t.dir)
	if err != nil {
		return fmt.Errorf("group directory %q: %w", t.dir, err)
	}
	t.match(names)
	t.scanned, t.settled = at, now.Sub(time.Unix(0, at.mtime)) > granularity
	return nil
}

// namesIn returns the names in a directory, without looking at what has them.
func namesIn(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// match brings the peers in line with the names in the directory.
func (t *Tail) match(names []string) {
	for _, p := range t.order {
		p.listed = false
	}
	for _, name := range names {
		if name == t.self || t.skip[name] {
			continue
		}
		p := t.peers[name]
		if p == nil {
			f, ok := parseName(name)
			if !ok {
				continue
			}
			f.Path = filepath.Join(t.dir, name)
			p = &peer{file: f, watch: gone, fresh: true}
			t.peers[name] = p
		}
		p.listed = true
		if p.watch == gone {
			p.watch, p.seen = path, stamp{}
		} else {
			t.again(p)
		}
	}
	for _, p := range t.peers {
		if !p.listed && p.watch != gone {
			t.vanish(p)
		}
	}
	t.order = t.order[:0]
	for _, p := range t.peers {
		if p.listed || p.lost {
			t.order = append(t.order, p)
		}
	}
	slices.SortFunc(t.order, func(a, b *peer) int {
		return strings.Compare(filepath.Base(a.file.Path), filepath.Base(b.file.Path))
	})
}

// again looks at a peer whose directory has changed: another file may have its
// name now, and its process may have ended.
func (t *Tail) again(p *peer) {
	at, err := stampAt(p.file.Path)
	if err != nil {
		return // look finds the same
	}
	switch {
	case p.watch == quiet && at != p.seen:
		p.watch = path
	case p.f == nil:
	case !at.same(p.seen):
		free, err := probe(p.f)
		p.replaced = err != nil || !free
		t.shut(p)
		p.watch, p.seen = path, stamp{}
	default:
		if free, err := probe(p.f); err == nil && free {
			p.dead = true
		}
	}
}

// vanish takes a peer whose file is gone off the watch. A broken one is told of
// once more, as it is not in anybody's way any longer.
func (t *Tail) vanish(p *peer) {
	t.shut(p)
	p.lost = p.err != nil
	p.watch, p.seen, p.replaced, p.dead = gone, stamp{}, false, false
}

// shut closes the file of a peer.
func (t *Tail) shut(p *peer) error {
	if p.f == nil {
		return nil
	}
	err := p.f.Close()
	p.f = nil
	t.open--
	if p.watch == handle {
		p.watch = path
	}
	return err
}

// probe says whether no process holds the file.
func probe(d *descriptor) (bool, error) {
	free, err := tryLockShared(d.File)
	if err != nil {
		return false, fmt.Errorf("ledger file %q: lock: %w", d.Name(), err)
	}
	if free {
		err = unlock(d.File)
	}
	return free, err
}
