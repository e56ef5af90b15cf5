// Package ledger keeps the hash-chained, append-only event file of a process
// in its group's directory: append under a lock, durability shared by all who
// wait for it, resume over restarts, and the stored pins beside it.
//
// A ledger file is JSON Lines. Each line is one event with a member "prev" put
// in front: the SHA-256, in hex, of the bytes of the line before it without its
// LF. The first line names the last line of the server's previous file, so the
// files of a server form one chain; two processes that run at once fork it.
// A process holds an exclusive advisory lock on its own file for as long as it
// lives: that is how a torn last line of a dead process, which is cut off, is
// told from a line that another process is writing just now, which is not.
//
// The chain is not keyed. It shows accidents and careless edits; whoever can
// write the directory can also write a new chain.
package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"unicode/utf8"
)

// Token stands for the events up to and including those of one Append. Later
// tokens are greater. The zero Token stands for no event.
type Token uint64

// file is what a ledger writes to.
type file interface {
	Write(p []byte) (int, error)
	Sync() error // what was written is durable when it returns nil
	Close() error
}

// Ledger is the open event file of this process. The zero value accepts
// nothing. All methods are safe for concurrent use.
type Ledger struct {
	id, path string
	checkers sync.Pool    // of *checker
	beside   func() error // see Options.Sync

	mu    sync.Mutex // the chain and the file's end
	file  file
	prev  [hashLen]byte
	lines uint64
	buf   []byte

	syncMu  sync.Mutex // what is durable; taken after mu where both are held
	synced  sync.Cond  // on syncMu: durable, poison or syncing changed
	syncing bool
	written uint64 // lines handed to the file
	durable uint64 // lines known to be durable
	syncs   uint64
	poison  error // first failure; nothing is accepted after it
	closed  bool
}

// newLedger makes a ledger that continues after the line with hash prev.
func newLedger(f file, id, path, prev string) *Ledger {
	l := &Ledger{id: id, path: path, file: f}
	l.checkers.New = func() any { return new(checker) }
	l.synced.L = &l.syncMu
	copy(l.prev[:], prev)
	return l
}

// ID returns the 32 hex digits that Options.ID gave.
func (l *Ledger) ID() string { return l.id }

// Path returns the path of the file, empty for one in memory.
func (l *Ledger) Path() string { return l.path }

// Prev returns the hash that the next line will name, 64 hex digits.
func (l *Ledger) Prev() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.prev[:])
}

// Syncs returns how often the file was made durable, failures included.
func (l *Ledger) Syncs() uint64 {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	return l.syncs
}

// Append writes events as the next lines, all with one write, and returns the
// token to Wait for. An event is one JSON object without LF, without a member
// "prev", and with a member "seq" that is the 0-based index of its line.
//
// The events are not durable yet. After an error none of them may be acted on
// and the ledger is poisoned: the caller's state has moved past the file's, so
// no later event can be right.
func (l *Ledger) Append(events ...[]byte) (Token, error) {
	if l == nil || l.file == nil {
		return 0, errNotOpen()
	}
	var few [8]uint64
	seqs, err := l.seqs(few[:0], events)
	return l.append(seqs, events, err)
}

// AppendCanonical is [Ledger.Append] for events that package abi has encoded:
// their JSON is strict by construction, so only what a line needs is checked
// (one line of valid UTF-8 that begins with the version and its seq). It spares
// a second parse between a call and its server.
func (l *Ledger) AppendCanonical(first uint64, events ...[]byte) (Token, error) {
	if l == nil || l.file == nil {
		return 0, errNotOpen()
	}
	var few [8]uint64
	seqs := few[:0]
	var err error
	for i, event := range events {
		seq := first + uint64(i)
		if !canonicalStart(event, seq) {
			err = fmt.Errorf("event %d of the append %s: want one line that begins with its version and seq %d", i, quoted(event), seq)
			break
		}
		seqs = append(seqs, seq)
	}
	return l.append(seqs, events, err)
}

// canonicalStart says whether an event can be a line at an index.
func canonicalStart(event []byte, seq uint64) bool {
	var head [40]byte
	start := strconv.AppendUint(append(head[:0], `{"v":1,"seq":`...), seq, 10)
	return len(event) > len(start) && len(event) <= maxLine-headLen && bytes.HasPrefix(event, start) &&
		(event[len(start)] == ',' || event[len(start)] == '}') && event[len(event)-1] == '}' &&
		bytes.IndexByte(event, '\n') < 0 && utf8.Valid(event)
}

// append writes events whose seqs were read, unless that gave an error.
func (l *Ledger) append(seqs []uint64, events [][]byte, err error) (Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if refused := l.refused(); refused != nil {
		return 0, refused
	}
	if err != nil {
		return 0, l.fail(err)
	}
	if len(events) == 0 {
		return Token(l.lines), nil
	}
	prev, lines := l.prev, l.lines
	l.buf = l.buf[:0]
	for i, event := range events {
		if seqs[i] != lines {
			return 0, l.fail(fmt.Errorf("event %d of the append has seq %d; want %d, the index of its line: number events in the order of their appends", i, seqs[i], lines))
		}
		start := len(l.buf)
		l.buf = appendLine(l.buf, prev[:], event)
		sum := sha256.Sum256(l.buf[start:])
		hex.Encode(prev[:], sum[:])
		l.buf = append(l.buf, '\n')
		lines++
	}
	if err := l.write(); err != nil {
		return 0, l.fail(err)
	}
	l.prev, l.lines = prev, lines
	l.syncMu.Lock()
	l.written = lines
	l.syncMu.Unlock()
	return Token(lines), nil
}

// seqs appends the seq of every event to dst. It runs outside the lock.
func (l *Ledger) seqs(dst []uint64, events [][]byte) ([]uint64, error) {
	c := l.checkers.Get().(*checker)
	defer l.checkers.Put(c)
	for i, event := range events {
		seq, err := c.eventSeq(event)
		if err != nil {
			return nil, fmt.Errorf("event %d of the append %s: %w; want one strict JSON object without LF", i, quoted(event), err)
		}
		dst = append(dst, seq)
	}
	return dst, nil
}

// write hands the buffer to the file in one piece.
func (l *Ledger) write() error {
	const keep = 1 << 20 // one large result must not hold its memory for ever
	n, err := l.file.Write(l.buf)
	size := len(l.buf)
	if cap(l.buf) > keep {
		l.buf = nil
	}
	if err != nil {
		return fmt.Errorf("write of %d bytes stopped after %d: %w", size, n, err)
	}
	if n != size {
		return fmt.Errorf("write of %d bytes stopped after %d", size, n)
	}
	return nil
}

// Wait returns nil when everything up to t is durable. Waiters share syncs: the
// first one syncs for all that was written until then, and those who come
// meanwhile are served together by the next. An error means that the events
// must be taken as lost, even if they are in the file.
func (l *Ledger) Wait(t Token) error {
	if l == nil || l.file == nil {
		return errNotOpen()
	}
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	if l.poison != nil {
		return l.poison
	}
	if uint64(t) > l.written {
		return fmt.Errorf("ledger %q: wait for token %d; want at most %d, the last one given out", l.path, t, l.written)
	}
	for l.durable < uint64(t) {
		switch {
		case l.poison != nil:
			return l.poison
		case l.syncing:
			l.synced.Wait()
		default:
			l.syncLocked()
		}
	}
	return nil
}

// syncLocked makes what is written durable. It is called with syncMu held and
// syncing false, and lets go of syncMu meanwhile.
func (l *Ledger) syncLocked() {
	target := l.written
	l.syncing = true
	l.syncMu.Unlock()
	err := l.syncBoth()
	l.syncMu.Lock()
	l.syncing = false
	l.syncs++
	if err != nil {
		l.poisonLocked(fmt.Errorf("sync: %w", err))
	} else if l.poison == nil {
		l.durable = target
	}
	l.synced.Broadcast()
}

// syncBoth makes durable what was written, and at the same time what lies beside
// it: neither needs the other to be first, since who waits waits for both.
func (l *Ledger) syncBoth() error {
	if l.beside == nil {
		return l.file.Sync()
	}
	done := make(chan error, 1)
	go func() { done <- l.beside() }()
	err := l.file.Sync()
	return errors.Join(err, <-done)
}

// Err returns what poisoned the ledger, or an error wrapping os.ErrClosed after
// Close, and nil while events are accepted.
func (l *Ledger) Err() error {
	if l == nil || l.file == nil {
		return errNotOpen()
	}
	return l.refused()
}

// Close makes durable what is not yet, lets go of the file and of its lock, and
// returns the error that kept an event from the file, if any. Waiters whose
// events became durable still get nil. A second Close returns the same.
func (l *Ledger) Close() error {
	if l == nil || l.file == nil {
		return errNotOpen()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	for l.syncing {
		l.synced.Wait()
	}
	if l.closed {
		return l.poison
	}
	if l.poison == nil && l.durable < l.written {
		l.syncLocked()
	}
	l.closed = true
	if err := l.file.Close(); err != nil {
		l.poisonLocked(fmt.Errorf("close: %w", err))
	}
	l.synced.Broadcast()
	return l.poison
}

// refused returns why no event is accepted, nil if they are.
func (l *Ledger) refused() error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	if l.poison == nil && l.closed {
		return fmt.Errorf("ledger %q: %w", l.path, os.ErrClosed)
	}
	return l.poison
}

// fail poisons the ledger and returns the poison.
func (l *Ledger) fail(err error) error {
	l.syncMu.Lock()
	defer l.syncMu.Unlock()
	l.poisonLocked(err)
	l.synced.Broadcast()
	return l.poison
}

func (l *Ledger) poisonLocked(err error) {
	if l.poison == nil {
		l.poison = fmt.Errorf("ledger %q accepts no more events: %w: mend the cause and restart", l.path, err)
	}
}

func errNotOpen() error { return errors.New("ledger is not open; want one from Open or Memory") }
