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
// What a crash leaves half written is not readable, and in nobody's way: a
// process writes to no file that it has not made itself.
package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/callgate/callgate/abi"
)

const (
	rawMagic   = "callgate text 1\n"
	headLen    = int64(len(rawMagic))
	rawSuffix  = ".text"
	s2Suffix   = ".text.s2"
	tmpSuffix  = ".tmp"
	frameHead  = 8
	frameBytes = 32<<10 - frameHead // of text in one frame
	frameSize  = frameHead + frameBytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// names is what a segment can be called: an event comes from a file that
// anybody of the same user can write.
var names = regexp.MustCompile(`^[0-9a-f]{12}-[1-9][0-9]{0,8}$`)

// segmentName names the n-th segment of a ledger.
func segmentName(id string, n int) string { return id + "-" + strconv.Itoa(n) }

// path returns where a form of a segment lies.
func path(dir, name, suffix string) string { return filepath.Join(dir, name+suffix) }

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

// inText refuses bytes that do not lie in a text, and a text that no segment can
// hold.
func inText(t abi.Text, n int, at int64) error {
	const most = 1 << 50 // no sum below overflows
	if t.Offset < headLen || t.Offset > most || t.Length < 0 || t.Length > most || at < 0 || at > t.Length-int64(n) {
		return fmt.Errorf("segment %q: %d bytes from byte %d on do not lie in a text of %d bytes at byte %d", t.Segment, n, at, t.Length, t.Offset)
	}
	return nil
}

// readFrames fills dst with the bytes of a text from offset at on. It needs a
// frame's worth of memory.
func readFrames(read func(p []byte, off int64) error, frame []byte, t abi.Text, dst []byte, at int64) error {
	for len(dst) > 0 {
		n := at / frameBytes
		size := min(frameBytes, t.Length-n*frameBytes)
		off := t.Offset + n*frameSize
		buf := frame[:frameHead+size]
		if err := read(buf, off); err != nil {
			return frameError(t.Segment, off, err)
		}
		if int64(binary.LittleEndian.Uint32(buf)) != size || !intact(buf) {
			return frameError(t.Segment, off, errDamaged)
		}
		c := copy(dst, buf[frameHead:][at-n*frameBytes:])
		dst, at = dst[c:], at+int64(c)
	}
	return nil
}

// intact says whether a frame holds what its CRC is of.
func intact(frame []byte) bool {
	return binary.LittleEndian.Uint32(frame[4:]) == crc32.Checksum(frame[frameHead:], castagnoli)
}

var errDamaged = errors.New("the file is damaged")

func frameError(name string, off int64, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = errors.New("the file ends too soon")
	}
	return fmt.Errorf("segment %q: frame at byte %d: %w: its text is lost unless a copy of the file is put back", name, off, err)
}
