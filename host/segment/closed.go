package segment

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/klauspost/compress/s2"
)

// A closed file: magic, blocks (length and CRC-32C of what is compressed, then
// that), the offset of each block, then the number of blocks, the CRC of the
// offsets, the size of the raw file and the magic again.
const (
	s2Magic   = "callgate text 2\n"
	blockSize = 64 << 10 // of the raw file
	footSize  = 4 + 4 + 8 + len(s2Magic)
	maxBlocks = 1 << 24
)

// compress writes the closed form of a raw file, durably, under a temporary name
// and then under its own.
func compress(dir, name string, stop func() bool) (size int64, err error) {
	in, err := openRegular(path(dir, name, rawSuffix))
	if err != nil {
		return 0, err
	}
	defer in.Close()
	tmp := path(dir, name, tmpSuffix)
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	out, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	size, err = writeClosed(out, in, stop)
	if err == nil {
		err = out.Sync()
	}
	err = errors.Join(err, out.Close())
	if err == nil {
		err = os.Rename(tmp, path(dir, name, s2Suffix))
	}
	if err == nil {
		return size, syncDir(dir)
	}
	return 0, errors.Join(err, os.Remove(tmp))
}

var errStopped = errors.New("stopped")

func writeClosed(to io.Writer, in io.Reader, stop func() bool) (int64, error) {
	w := bufio.NewWriterSize(to, 256<<10)
	at := int64(len(s2Magic))
	w.WriteString(s2Magic)
	raw, packed := make([]byte, blockSize), make([]byte, s2.MaxEncodedLen(blockSize))
	var offsets []byte
	total := int64(0)
	for {
		n, err := io.ReadFull(in, raw)
		if err == io.EOF {
			break
		}
		if err != nil && err != io.ErrUnexpectedEOF {
			return 0, err
		}
		if stop() {
			return 0, errStopped
		}
		total += int64(n)
		block := s2.Encode(packed, raw[:n])
		var head [8]byte
		binary.LittleEndian.PutUint32(head[:], uint32(len(block)))
		binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(block, castagnoli))
		w.Write(head[:])
		w.Write(block)
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(at))
		at += int64(len(head) + len(block))
	}
	w.Write(offsets)
	foot := binary.LittleEndian.AppendUint32(nil, uint32(len(offsets)/8))
	foot = binary.LittleEndian.AppendUint32(foot, crc32.Checksum(offsets, castagnoli))
	foot = binary.LittleEndian.AppendUint64(foot, uint64(total))
	w.Write(append(foot, s2Magic...))
	return at + int64(len(offsets)+footSize), w.Flush()
}

// closed is an open closed file.
type closed struct {
	f       *os.File
	offsets []uint64 // of the blocks, and of what follows them
	raw     int64    // size of the raw file
}

var errDamaged = errors.New("the file is damaged")

func openClosed(p string) (*closed, error) {
	f, err := openRegular(p)
	if err != nil {
		return nil, err
	}
	c := &closed{f: f}
	if err := c.readIndex(); err != nil {
		return nil, errors.Join(fmt.Errorf("%q: %w", p, err), f.Close())
	}
	return c, nil
}

func (c *closed) readIndex() error {
	st, err := c.f.Stat()
	if err != nil {
		return err
	}
	end := st.Size() - int64(footSize)
	foot := make([]byte, footSize)
	if end < int64(len(s2Magic)) {
		return errDamaged
	}
	if _, err := c.f.ReadAt(foot, end); err != nil {
		return err
	}
	count := int64(binary.LittleEndian.Uint32(foot))
	c.raw = int64(binary.LittleEndian.Uint64(foot[8:]))
	from := end - count*8
	if string(foot[16:]) != s2Magic || count > maxBlocks || from < int64(len(s2Magic)) || c.raw < 0 || (c.raw+blockSize-1)/blockSize != count {
		return errDamaged
	}
	table := make([]byte, count*8)
	if _, err := c.f.ReadAt(table, from); err != nil {
		return err
	}
	if crc32.Checksum(table, castagnoli) != binary.LittleEndian.Uint32(foot[4:]) {
		return errDamaged
	}
	last := uint64(len(s2Magic))
	for ; len(table) > 0; table = table[8:] {
		at := binary.LittleEndian.Uint64(table)
		if at < last || at > uint64(from) {
			return errDamaged
		}
		c.offsets, last = append(c.offsets, at), at
	}
	c.offsets = append(c.offsets, uint64(from))
	return nil
}

// block returns the n-th block of the raw file.
func (c *closed) block(n int64) ([]byte, error) {
	if n < 0 || n >= int64(len(c.offsets)-1) {
		return nil, io.EOF
	}
	size := int64(c.offsets[n+1] - c.offsets[n])
	if size < 8 || size > int64(s2.MaxEncodedLen(blockSize))+8 {
		return nil, errDamaged
	}
	buf := make([]byte, size)
	if _, err := c.f.ReadAt(buf, int64(c.offsets[n])); err != nil {
		return nil, err
	}
	packed := buf[8:]
	if binary.LittleEndian.Uint32(buf) != uint32(len(packed)) || binary.LittleEndian.Uint32(buf[4:]) != crc32.Checksum(packed, castagnoli) {
		return nil, errDamaged
	}
	want := min(blockSize, c.raw-n*blockSize)
	if n, err := s2.DecodedLen(packed); err != nil || int64(n) != want {
		return nil, errDamaged
	}
	return s2.Decode(nil, packed)
}
