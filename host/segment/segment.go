// Package segment keeps the text of events in files beside the ledger, where an
// event names it by segment, offset and length.
//
// A segment is a raw file `ID-N.text`: a header, then frames of at most 32 KiB
// with their length and CRC-32C, so that any part of a text is read and checked
// without the rest. When it is full the next one begins. Closed segments, but
// the newest, are compressed into `ID-N.text.s2`: the bytes of the raw file in
// blocks of 64 KiB, each s2-compressed and with a CRC of its own. Offsets stay
// what they were. ID is the first 12 digits of the ledger's.
//
// What a crash leaves half written is not readable, and in nobody's way.
package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/callgate/callgate/abi"
)

const (
	rawMagic   = "callgate text 1\n"
	rawSuffix  = ".text"
	s2Suffix   = ".text.s2"
	tmpSuffix  = ".text.tmp"
	frameHead  = 8
	frameBytes = 32<<10 - frameHead // of text in one frame
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// names is what a segment can be called: an event comes from a file that
// anybody of the same user can write.
var names = regexp.MustCompile(`^[0-9a-f]{12}-[1-9][0-9]{0,8}$`)

// segmentName names the n-th segment of a ledger.
func segmentName(id string, n int) string { return id + "-" + strconv.Itoa(n) }

// appendFrames appends a text as frames.
func appendFrames(dst, text []byte) []byte {
	for {
		part := text[:min(len(text), frameBytes)]
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(part)))
		dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(part, castagnoli))
		dst = append(dst, part...)
		if text = text[len(part):]; len(text) == 0 {
			return dst
		}
	}
}

// framed returns how many bytes a text takes in a file.
func framed(n int) int64 {
	frames := max(1, (n+frameBytes-1)/frameBytes)
	return int64(n) + int64(frames)*frameHead
}

// readFrames fills dst with the bytes of a text from offset at on.
func readFrames(read func(p []byte, off int64) error, t abi.Text, dst []byte, at int64) error {
	if at < 0 || t.Offset < int64(len(rawMagic)) || t.Length < 0 || t.Offset > 1<<50 || t.Length > 1<<40 || at+int64(len(dst)) > t.Length {
		return fmt.Errorf("text at byte %d of segment %q: bytes %d-%d lie outside of it", t.Offset, t.Segment, at, at+int64(len(dst)))
	}
	var frame [frameHead + frameBytes]byte
	for len(dst) > 0 {
		n := at / frameBytes
		size := min(frameBytes, t.Length-n*frameBytes)
		off := t.Offset + n*(frameHead+frameBytes)
		buf := frame[:frameHead+size]
		if err := read(buf, off); err != nil {
			return fmt.Errorf("segment %q: byte %d: %w", t.Segment, off, err)
		}
		part := buf[frameHead:]
		if int64(binary.LittleEndian.Uint32(buf)) != size || binary.LittleEndian.Uint32(buf[4:]) != crc32.Checksum(part, castagnoli) {
			return fmt.Errorf("segment %q: the frame at byte %d is damaged", t.Segment, off)
		}
		c := copy(dst, part[at-n*frameBytes:])
		dst, at = dst[c:], at+int64(c)
	}
	return nil
}

// openRegular opens a file that is no link and no device.
func openRegular(path string) (*os.File, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is no regular file: %w", path, fs.ErrInvalid)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(before, now) {
		err = fmt.Errorf("%q was replaced: %w", path, fs.ErrInvalid)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// syncDir makes the names in a directory durable. One that is gone has none.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

func path(dir, name, suffix string) string { return filepath.Join(dir, name+suffix) }
