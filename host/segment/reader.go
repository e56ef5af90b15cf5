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

// Reader reads the text in the segments of one directory. It is safe for
// concurrent use.
type Reader struct {
	dir string

	mu     sync.Mutex
	files  map[string]*handle
	order  []string // names in files, the last used last
	blocks map[blockAt][]byte
	used   []blockAt
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
	return &Reader{dir: filepath.Clean(dir), files: map[string]*handle{}, blocks: map[blockAt][]byte{}}
}

// ReadText implements [abi.TextReader].
func (r *Reader) ReadText(t abi.Text, dst []byte, at int64) error {
	if !names.MatchString(t.Segment) {
		return fmt.Errorf("segment %q: that is no name of one", t.Segment)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.read(t, dst, at)
	if err == nil || r.files == nil {
		return err
	}
	r.forget(t.Segment) // it may have another form by now
	return r.read(t, dst, at)
}

func (r *Reader) read(t abi.Text, dst []byte, at int64) error {
	h, err := r.open(t.Segment)
	if err != nil {
		return err
	}
	return readFrames(func(p []byte, off int64) error {
		if h.raw != nil {
			_, err := h.raw.ReadAt(p, off)
			return err
		}
		return r.readClosed(t.Segment, h.closed, p, off)
	}, t, dst, at)
}

func (r *Reader) readClosed(name string, c *closed, p []byte, off int64) error {
	for len(p) > 0 {
		n := off / blockSize
		block, ok := r.blocks[blockAt{name, n}]
		if !ok {
			var err error
			if block, err = c.block(n); err != nil {
				return err
			}
			r.keep(blockAt{name, n}, block)
		}
		if off-n*blockSize >= int64(len(block)) {
			return io.EOF
		}
		c := copy(p, block[off-n*blockSize:])
		p, off = p[c:], off+int64(c)
	}
	return nil
}

func (r *Reader) keep(at blockAt, block []byte) {
	r.blocks[at] = block
	if r.used = append(r.used, at); len(r.used) > keptBlocks {
		delete(r.blocks, r.used[0])
		r.used = r.used[1:]
	}
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
	if h.raw, err = openRegular(path(r.dir, name, rawSuffix)); errors.Is(err, fs.ErrNotExist) {
		h.closed, err = openClosed(path(r.dir, name, s2Suffix))
	}
	if err != nil {
		return nil, fmt.Errorf("segment %q: %w", name, err)
	}
	if len(r.order) >= keptFiles {
		r.forget(r.order[0])
	}
	r.files[name], r.order = h, append(r.order, name)
	return h, nil
}

// forget closes a segment and drops what is kept of it.
func (r *Reader) forget(name string) {
	h := r.files[name]
	if h == nil {
		return
	}
	if h.raw != nil {
		h.raw.Close() // it was only read
	} else {
		h.closed.f.Close()
	}
	delete(r.files, name)
	i := slices.Index(r.order, name)
	r.order = slices.Delete(r.order, i, i+1)
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
