package ledger

import (
	"fmt"
	"path/filepath"

	"github.com/callgate/callgate/abi"
)

// Joining says how a process joins its group.
type Joining struct {
	// Options are those of its own ledger. Event is handed the earlier files of
	// the same server; it may not be left out.
	Options
	// PeerEvent is handed the events of the other files of the group.
	PeerEvent func(f File, e abi.Event) error
}

// Joined is a process that has joined its group.
type Joined struct {
	Ledger *Ledger
	Tail   *Tail // goes on where Join ended
	Prior  []Prior
	Read   []Reading // in the order in which the files were read
}

// Reading says how far a file was read when the process joined.
type Reading struct {
	Progress
	Past bool // it is of the same server
}

// Join is [Open] for a process that also reads the files of other servers: all
// files are handed out in the order of their names, each in one piece, so that
// what a session did comes in the order in which its processes were started. A
// break in the server's own files refuses; one in another file is told in Read.
func Join(o Joining) (*Joined, error) {
	dir := filepath.Clean(o.Dir)
	if err := ensureDir(dir); err != nil {
		return nil, fmt.Errorf("ledger directory: %w", err)
	}
	t := NewTail(TailOptions{Dir: dir, Self: "-", Since: o.Since})
	all, err := Group(dir)
	if err != nil {
		return nil, err
	}
	t.skip = map[string]bool{}
	for _, f := range ofServer(all, o.Server) {
		t.skip[filepath.Base(f.Path)] = true
	}
	out := &Joined{Tail: t}
	own := ""
	next := func(f File) error {
		name := filepath.Base(f.Path)
		if name == own {
			return nil
		}
		if err := out.poll(name, o); err != nil {
			return err
		}
		// One that was made a moment ago is in nobody's list yet.
		own, t.skip[name] = name, true
		out.Read = append(out.Read, Reading{Progress{File: f}, true})
		return nil
	}
	event := o.Event
	o.Event = func(f File, e abi.Event) error {
		if err := next(f); err != nil {
			return err
		}
		return event(f, e)
	}
	if out.Ledger, out.Prior, err = Open(o.Options); err != nil {
		return nil, err
	}
	t.self, t.settled, t.skip = filepath.Base(out.Ledger.Path()), false, map[string]bool{}
	for _, p := range out.Prior {
		out.past(p)
	}
	if err := out.poll("", o); err != nil {
		_ = out.Ledger.Close() // the first error says more
		return nil, err
	}
	return out, nil
}

// poll reads the files before a name; an empty one is after all.
func (j *Joined) poll(before string, o Joining) error {
	j.Tail.before = before
	progress, err := j.Tail.Events(o.PeerEvent)
	for _, p := range progress {
		j.Read = append(j.Read, Reading{Progress: p})
	}
	return err
}

// past notes how far a file of the same server was read. One whose process
// lives is tailed from there.
func (j *Joined) past(p Prior) {
	for i := range j.Read {
		if r := &j.Read[i]; r.Past && r.File.Path == p.Path {
			r.Lines, r.Last = uint64(p.Lines), p.Last
		}
	}
	if p.Alive {
		j.Tail.adopt(p)
		return
	}
	j.Tail.skip[filepath.Base(p.Path)] = true
}
