package wasm

import (
	"errors"
	"math/bits"
	"runtime"
)

// A reset is how a memory gets back to its image. All give the same memory.
type reset int

const (
	// resetBest is the first of the others that works here.
	resetBest reset = iota
	// resetScan asks the kernel for dirty pages by the PAGEMAP_SCAN ioctl.
	resetScan
	// resetPagemap reads which pages are dirty out of /proc/self/pagemap.
	resetPagemap
	// resetCopy compares each page with the image.
	resetCopy
)

// unit is the grain that images are held in: no larger than a page of any
// machine, and a divisor of a page of WebAssembly.
const unit = 4096

// image is the memory that every evaluation of a plugin starts from. It does not
// change.
type image struct {
	view   []byte // up to the last unit that is not all zeroes
	filled []uint64
	file   imageFile
}

// newImage takes a picture of a memory.
func newImage(from []byte, how reset) (*image, error) {
	img := &image{filled: make([]uint64, (len(from)/unit+63)/64)}
	used := 0
	for at := 0; at < len(from); at += unit {
		if !zero(from[at : at+unit]) {
			img.filled[at/unit/64] |= 1 << (at / unit % 64)
			used = at + unit
		}
	}
	if how == resetCopy {
		img.view = append([]byte(nil), from[:used]...)
		return img, nil
	}
	if err := img.file.write(from, img.each); err != nil {
		return nil, errors.Join(err, img.close())
	}
	var err error
	if img.view, err = img.file.view(used); err != nil {
		return nil, errors.Join(err, img.close())
	}
	return img, nil
}

// each calls visit for each run of units that are not all zeroes.
func (img *image) each(visit func(from, to int) error) error {
	from, last := -1, len(img.filled)*64
	for i := 0; i <= last; i++ {
		has := i < last && img.has(i)
		if has && from < 0 {
			from = i
		}
		if !has && from >= 0 {
			if err := visit(from*unit, i*unit); err != nil {
				return err
			}
			from = -1
		}
	}
	return nil
}

func (img *image) has(i int) bool { return img.filled[i/64]&(1<<(i%64)) != 0 }

// size is how many bytes of the image are not zeroes, by units.
func (img *image) size() (n int) {
	for _, w := range img.filled {
		n += bits.OnesCount64(w) * unit
	}
	return n
}

// close gives the image's file back. Memories that map it keep what they have.
func (img *image) close() error { return img.file.close(&img.view) }

// memory is the linear memory of an instance; it is what wazero allocates.
type memory struct {
	bytes []byte
	img   *image // nil until the plugin has one
	how   reset
	pages pageMap // where dirty pages are read from, unless how is resetCopy
}

// newMemory allocates zeroes.
func newMemory(size int, how reset, pages pageMap) (*memory, error) {
	m := &memory{how: how, pages: pages}
	if how == resetCopy {
		m.bytes = make([]byte, size)
		return m, nil
	}
	var err error
	m.bytes, err = mapZeroes(size)
	return m, err
}

// Reallocate is part of experimental.LinearMemory. Memories never grow: the meter
// makes growth virtual.
func (m *memory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.bytes)) {
		return nil
	}
	return m.bytes[:size:size]
}

// Free is part of experimental.LinearMemory. It may be called twice.
func (m *memory) Free() {
	if m.how != resetCopy && m.bytes != nil {
		unmap(m.bytes)
	}
	m.bytes = nil
}

// adopt makes the memory what the image says, whatever it was.
func (m *memory) adopt(img *image) error {
	m.img = img
	if m.how == resetCopy {
		m.compare()
		return nil
	}
	return img.file.lay(m.bytes)
}

// restore makes the memory what its image says, after an evaluation.
func (m *memory) restore() error {
	if m.how == resetCopy {
		m.compare()
		return nil
	}
	dirty, err := m.pages.dirty(m.bytes, m.how)
	if err != nil {
		return err
	}
	total := 0
	for _, r := range dirty {
		total += r.to - r.from
	}
	if total > dropAbove {
		return drop(m.bytes, dirty)
	}
	for _, r := range dirty {
		for at := r.from; at < r.to; at += unit {
			m.put(at)
		}
	}
	runtime.KeepAlive(m.img)
	return nil
}

// dropAbove is how many dirty bytes are given back to the kernel rather than
// copied over: a page that was copied stays the instance's own, and would be
// copied after each evaluation from then on.
const dropAbove = 2 << 20

// span is a part of a memory, by offsets.
type span struct{ from, to int }

// put copies one unit of the image.
func (m *memory) put(at int) {
	to := m.bytes[at : at+unit]
	if !m.img.has(at / unit) {
		clear(to)
		return
	}
	copy(to, m.img.view[at:])
}

// compare puts back what differs. It reads everything, but what nobody wrote to
// does not become resident.
func (m *memory) compare() {
	for at := 0; at < len(m.bytes); at += unit {
		have := m.bytes[at : at+unit]
		if m.img.has(at / unit) {
			copy(have, m.img.view[at:])
		} else if !zero(have) {
			clear(have)
		}
	}
}

// zero says whether a unit is all zeroes.
func zero(b []byte) bool { return string(b) == zeroes }

var zeroes = string(make([]byte, unit))
