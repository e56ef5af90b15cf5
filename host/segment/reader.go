package segment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/callgate/callgate/abi"
)

// What is kept open, or decompressed, for the next read.
const (
	keptFiles  = 32
	keptBlocks = 64
)

// Reader reads the text in the segments of one directory, whoever wrote them.
// The zero value reads nothing. It is safe for concurrent use.
type Reader struct {
	dir string

	mu     sync.Mutex
	files  map[string]*handle // nil: closed
	order  []string           // names in files, the last used last
	blocks map[blockAt][]byte
	used   []blockAt // the last used last
	frame  []byte    // memory for one
	spare  []byte    // memory of a block that is kept no more
}

// handle is an open segment, raw or closed.
type handle struct {
	raw    *os.File
	closed *closed
}

type blockAt struct {
	name string
	n    int64
}

// NewReader returns a reader of the segments in a directory.
func NewReader(dir string) *Reader {
	return &Reader{
		dir: filepath.Clean(dir), files: map[string]*handle{}, blocks: map[blockAt][]byte{},
		frame: make([]byte, frameSize),
	}
}

// ReadText implements [abi.TextReader]. It reads and checks no more than the
// frames that the bytes lie in; the digest is the caller's to check.
func (r *Reader) ReadText(t abi.Text, dst []byte, at int64) error {
	if !names.MatchString(t.Segment) {
		return fmt.Errorf("segment %q: no segment has such a name; want 12 hex digits, a hyphen and a number", t.Segment)
	}
	if err := inText(t, len(dst), at); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	raw, err := r.read(t, dst, at)
	if err == nil || !raw {
		return err
	}
	// After a loss of power the raw file can be the worse of the two.
	if err := r.openOther(t.Segment); err == nil {
		if _, err := r.read(t, dst, at); err == nil {
			return nil
		}
		r.forget(t.Segment)
	}
	return err
}

// read reads from the form of the segment that is open, the raw one if none is,
// and says whether that was it.
func (r *Reader) read(t abi.Text, dst []byte, at int64) (raw bool, err error) {
	h, err := r.open(t.Segment)
	if err != nil {
		return errors.Is(err, errDamaged), err
	}
	read := func(p []byte, off int64) error { return r.readClosed(t.Segment, h.closed, p, off) }
	if h.raw != nil {
		read = func(p []byte, off int64) error { _, err := h.raw.ReadAt(p, off); return err }
	}
	return h.raw != nil, readFrames(read, r.frame, t, dst, at)
}

func (r *Reader) readClosed(name string, c *closed, p []byte, off int64) error {
	for len(p) > 0 {
		n := off / blockSize
		block, err := r.block(c, blockAt{name, n})
		if err != nil {
			return err
		}
		if off-n*blockSize >= int64(len(block)) {
			return io.EOF
		}
		c := copy(p, block[off-n*blockSize:])
		p, off = p[c:], off+int64(c)
	}
	return nil
}

// block returns a block, and keeps it.
func (r *Reader) block(c *closed, at blockAt) ([]byte, error) {
	if block, ok := r.blocks[at]; ok {
		if i := slices.Index(r.used, at); i != len(r.used)-1 {
			r.used = append(slices.Delete(r.used, i, i+1), at)
		}
		return block, nil
	}
	block, err := c.block(at.n, r.spare)
	if err != nil {
		return nil, err
	}
	r.spare = nil
	if len(r.used) >= keptBlocks {
		r.spare = r.blocks[r.used[0]]
		delete(r.blocks, r.used[0])
		r.used = slices.Delete(r.used, 0, 1)
	}
	r.blocks[at], r.used = block, append(r.used, at)
	return block, nil
}

// open returns the open segment of a name.
func (r *Reader) open(name string) (*handle, error) {
	if r.files == nil {
		return nil, fmt.Errorf("segment %q: %w", name, os.ErrClosed)
	}
	if h := r.files[name]; h != nil {
		if r.order[len(r.order)-1] != name {
			i := slices.Index(r.order, name)
			r.order = append(slices.Delete(r.order, i, i+1), name)
		}
		return h, nil
	}
	h := &handle{}
	var err error
	if h.raw, err = openRaw(path(r.dir, name, rawSuffix)); errors.Is(err, fs.ErrNotExist) {
		h.closed, err = openClosed(path(r.dir, name, s2Suffix))
	}
	if err != nil {
		return nil, fmt.Errorf("segment %q: %w", name, err)
	}
	r.keep(name, h)
	return h, nil
}

// openOther has the closed form of a segment read from now on.
func (r *Reader) openOther(name string) error {
	c, err := openClosed(path(r.dir, name, s2Suffix))
	if err != nil {
		return err
	}
	r.forget(name)
	r.keep(name, &handle{closed: c})
	return nil
}

func (r *Reader) keep(name string, h *handle) {
	if len(r.order) >= keptFiles {
		r.forget(r.order[0])
	}
	r.files[name], r.order = h, append(r.order, name)
}

// forget closes a segment and drops what is kept of it.
func (r *Reader) forget(name string) {
	h := r.files[name]
	if h == nil {
		return
	}
	// Both were only read, so closing loses nothing.
	if h.raw != nil {
		h.raw.Close()
	} else {
		h.closed.f.Close()
	}
	delete(r.files, name)
	r.order = slices.DeleteFunc(r.order, func(n string) bool { return n == name })
	r.used = slices.DeleteFunc(r.used, func(at blockAt) bool {
		if at.name == name {
			delete(r.blocks, at)
		}
		return at.name == name
	})
}

// Close closes what is open. Later reads fail.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.order) > 0 {
		r.forget(r.order[0])
	}
	r.files = nil
	return nil
}

// openRaw opens a raw file.
func openRaw(p string) (*os.File, error) {
	f, err := openRegular(p)
	if err != nil {
		return nil, err
	}
	var head [headLen]byte
	if _, err := f.ReadAt(head[:], 0); err != nil || string(head[:]) != rawMagic {
		f.Close() // it was only read
		return nil, fmt.Errorf("%q has no header of a segment: %w", p, errDamaged)
	}
	return f, nil
}
