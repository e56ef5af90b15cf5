package wasm

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapZeroes maps memory that is resident only where it was touched.
func mapZeroes(size int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w", size, err)
	}
	return b, nil
}

func unmap(b []byte) { _ = unix.Munmap(b) } // fails for nothing that was mapped

// imageFile is a sealed file in memory.
type imageFile struct{ file *os.File }

// write makes the file, with holes where nothing is.
func (f *imageFile) write(from []byte, each func(func(from, to int) error) error) error {
	fd, err := unix.MemfdCreate("callgate-image", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3
		fd, err = unix.MemfdCreate("callgate-image", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return fmt.Errorf("memfd_create: %w", err)
	}
	f.file = os.NewFile(uintptr(fd), "callgate-image")
	if err := f.file.Truncate(int64(len(from))); err != nil {
		return err
	}
	err = each(func(at, to int) error {
		_, err := f.file.WriteAt(from[at:to], int64(at))
		return err
	})
	if err != nil {
		return err
	}
	_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE|unix.F_SEAL_SEAL)
	return err
}

// view maps the file's first bytes to read.
func (f *imageFile) view(size int) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	return unix.Mmap(int(f.file.Fd()), 0, size, unix.PROT_READ, unix.MAP_PRIVATE)
}

// lay maps the file over a memory, so that the two share all pages that are not
// written to.
func (f *imageFile) lay(over []byte) error {
	at := unsafe.Pointer(unsafe.SliceData(over))
	_, err := unix.MmapPtr(int(f.file.Fd()), 0, at, uintptr(len(over)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return err
}

func (f *imageFile) close(view *[]byte) error {
	if len(*view) > 0 && f.file != nil {
		unmap(*view)
	}
	*view = nil
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// drop gives pages back; what is read there next is the image.
func drop(memory []byte, spans []span) error {
	for _, s := range spans {
		if err := unix.Madvise(memory[s.from:s.to], unix.MADV_DONTNEED); err != nil {
			return err
		}
	}
	return nil
}

// pageMap says which pages of a private mapping are its own. It belongs to one
// memory at a time; the file may be shared.
type pageMap struct {
	file    *os.File // /proc/self/pagemap
	regions []pageRegion
	entries []byte
	spans   []span
}

// pageRegion and scanArgs have the form of linux/fs.h.
type pageRegion struct{ start, end, categories uint64 }

type scanArgs struct {
	size, flags, start, end, walkEnd, vec, vecLen, maxPages   uint64
	categoryInverted, categoryMask, categoryAnyOf, returnMask uint64
}

const (
	ioctlPagemapScan = 0xC0606610 // _IOWR('f', 16, struct pm_scan_arg)
	pageIsFile       = 1 << 2
	pageIsPresent    = 1 << 3
	pageIsSwapped    = 1 << 4
)

// dirty returns what was written to since the image was laid or dropped.
func (p *pageMap) dirty(b []byte, how reset) ([]span, error) {
	p.spans = p.spans[:0]
	var err error
	if how == resetScan {
		err = p.scan(b)
	} else {
		err = p.read(b)
	}
	runtime.KeepAlive(b)
	return p.spans, err
}

// scan asks for pages that are there, or swapped out, and not the file's.
func (p *pageMap) scan(b []byte) error {
	if p.regions == nil {
		p.regions = make([]pageRegion, 128)
	}
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	end := base + uint64(len(b))
	for at := base; at < end; {
		args := scanArgs{
			size: uint64(unsafe.Sizeof(scanArgs{})), start: at, end: end,
			vec: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(p.regions)))), vecLen: uint64(len(p.regions)),
			categoryInverted: pageIsFile, categoryMask: pageIsFile, categoryAnyOf: pageIsPresent | pageIsSwapped, returnMask: pageIsPresent,
		}
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, p.file.Fd(), ioctlPagemapScan, uintptr(unsafe.Pointer(&args)))
		runtime.KeepAlive(p.regions)
		if errno != 0 {
			return fmt.Errorf("PAGEMAP_SCAN: %w", errno)
		}
		for _, r := range p.regions[:n] {
			p.spans = append(p.spans, span{int(r.start - base), int(r.end - base)})
		}
		if args.walkEnd <= at {
			return errors.New("PAGEMAP_SCAN: no progress")
		}
		at = args.walkEnd
	}
	return nil
}

// read does the same with a kernel before 6.7.
func (p *pageMap) read(b []byte) error {
	const present, swapped, file = 1 << 63, 1 << 62, 1 << 61
	page := os.Getpagesize()
	count := len(b) / page
	if len(p.entries) < 8*count {
		p.entries = make([]byte, 8*count)
	}
	base := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	if _, err := p.file.ReadAt(p.entries[:8*count], int64(base)/int64(page)*8); err != nil {
		return fmt.Errorf("/proc/self/pagemap: %w", err)
	}
	for i := range count {
		e := *(*uint64)(unsafe.Pointer(&p.entries[8*i]))
		if e&(present|swapped) == 0 || e&file != 0 {
			continue
		}
		if last := len(p.spans) - 1; last >= 0 && p.spans[last].to == i*page {
			p.spans[last].to += page
			continue
		}
		p.spans = append(p.spans, span{i * page, (i + 1) * page})
	}
	return nil
}

// openPageMap finds out which reset works here. Sandboxes that look like Linux
// have neither way, or one that says nothing.
func openPageMap(want reset) (*os.File, reset) {
	if want == resetCopy {
		return nil, resetCopy
	}
	file, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil, resetCopy
	}
	for _, how := range []reset{resetScan, resetPagemap} {
		if (want == resetBest || want == how) && tryReset(file, how) {
			return file, how
		}
	}
	_ = file.Close()
	return nil, resetCopy
}

// tryReset says whether exactly the pages that were written to are found.
func tryReset(file *os.File, how reset) bool {
	page := os.Getpagesize()
	from := make([]byte, 8*page)
	from[0], from[5*page] = 1, 1
	m, err := newMemory(len(from), how, pageMap{file: file})
	if err != nil {
		return false
	}
	defer m.Free()
	img, err := newImage(from, how)
	if err != nil {
		return false
	}
	defer img.close()
	if m.adopt(img) != nil || m.bytes[0] != 1 || m.bytes[7*page] != 0 {
		return false
	}
	m.bytes[page], m.bytes[5*page], m.bytes[6*page] = 2, 2, 2
	found, err := m.pages.dirty(m.bytes, how)
	if err != nil || len(found) != 2 || found[0] != (span{page, 2 * page}) || found[1] != (span{5 * page, 7 * page}) {
		return false
	}
	return m.restore() == nil && string(m.bytes) == string(from)
}
