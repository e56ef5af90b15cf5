package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Check reads a segment from its first frame to its last, in the form that is
// there, and returns how many frames are whole. The error names the first that
// is not: nothing behind it can be found without an event that names it. The
// last frame of a segment that is being written, or whose process was killed,
// may be cut short.
func (r *Reader) Check(name string) (frames int, err error) {
	if !names.MatchString(name) {
		return 0, fmt.Errorf("segment %q: no segment has such a name; want 12 hex digits, a hyphen and a number", name)
	}
	in, done, err := r.whole(name)
	if err != nil {
		return 0, fmt.Errorf("segment %q: %w", name, err)
	}
	defer done()
	frame := make([]byte, frameSize)
	for off := headLen; ; frames++ {
		_, err := io.ReadFull(in, frame[:frameHead])
		if err == io.EOF {
			return frames, nil
		}
		if err != nil {
			return frames, frameError(name, off, err)
		}
		size := int64(binary.LittleEndian.Uint32(frame))
		if size > frameBytes {
			return frames, frameError(name, off, errDamaged)
		}
		if _, err := io.ReadFull(in, frame[frameHead:frameHead+size]); err != nil {
			return frames, frameError(name, off, err)
		}
		if !intact(frame[:frameHead+size]) {
			return frames, frameError(name, off, errDamaged)
		}
		off += frameHead + size
	}
}

// whole returns the frames of a segment one after the other, and what is to be
// called when they are read.
func (r *Reader) whole(name string) (io.Reader, func() error, error) {
	f, err := openRaw(path(r.dir, name, rawSuffix))
	if err == nil {
		return io.NewSectionReader(f, headLen, 1<<62), f.Close, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	c, err := openClosed(path(r.dir, name, s2Suffix))
	if err != nil {
		return nil, nil, err
	}
	in := &unpacked{closed: c}
	if _, err := io.CopyN(io.Discard, in, headLen); err != nil {
		c.f.Close() // it was only read
		return nil, nil, errDamaged
	}
	return in, c.f.Close, nil
}

// unpacked reads a raw file out of its closed form.
type unpacked struct {
	*closed
	n    int64
	left []byte
}

// Read implements [io.Reader].
func (u *unpacked) Read(p []byte) (int, error) {
	for len(u.left) == 0 {
		block, err := u.block(u.n, nil)
		if err != nil {
			return 0, err
		}
		u.left = block
		u.n++
	}
	n := copy(p, u.left)
	u.left = u.left[n:]
	return n, nil
}
