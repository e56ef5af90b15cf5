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
	blockHead = 8
	footSize  = 4 + 4 + 8 + len(s2Magic)
	maxBlocks = 1 << 24
)

// pack sees to it that the closed form of a raw file is whole and durable, and
// returns its size. A process works under a temporary name of its own, so two
// that do the same get the same. The raw file stays.
func pack(dir, name, owner string, stop func() bool) (size int64, err error) {
	in, err := openRegular(path(dir, name, rawSuffix))
	if err != nil {
		return 0, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return 0, err
	}
	// A crash may have come between the two steps, and a loss of power may have
	// cut the raw one since.
	if size, err := wholeClosed(dir, name, info.Size()); err == nil {
		return size, nil
	}
	tmp := path(dir, name, temporary(owner))
	if err := os.Remove(tmp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	out, err := create(tmp)
	if err != nil {
		return 0, err
	}
	err = writeClosed(out, in, stop)
	if err == nil {
		err = out.Sync()
	}
	err = errors.Join(err, out.Close())
	if err == nil {
		err = os.Rename(tmp, path(dir, name, s2Suffix))
	}
	if err != nil {
		return 0, errors.Join(err, os.Remove(tmp))
	}
	if err := syncDir(dir); err != nil {
		return 0, err
	}
	return wholeClosed(dir, name, info.Size())
}

// temporary is the suffix of what a process has not finished compressing.
func temporary(owner string) string { return rawSuffix + "." + owner + tmpSuffix }

// wholeClosed returns the size of the closed form of a raw file of at least so
// many bytes, if every block of it can be read.
func wholeClosed(dir, name string, raw int64) (int64, error) {
	c, err := openClosed(path(dir, name, s2Suffix))
	if err != nil {
		return 0, err
	}
	defer c.f.Close()
	if c.raw < raw {
		return 0, errDamaged
	}
	var buf []byte
	for n := range int64(len(c.offsets) - 1) {
		if buf, err = c.block(n, buf); err != nil {
			return 0, err
		}
	}
	return c.size, nil
}

var errStopped = errors.New("stopped")

// writeClosed writes the closed form of what it reads.
func writeClosed(to io.Writer, in io.Reader, stop func() bool) error {
	w := bufio.NewWriterSize(to, 256<<10) // it keeps its first error for Flush
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
			return err
		}
		if stop() {
			return errStopped
		}
		total += int64(n)
		block := s2.Encode(packed, raw[:n])
		var head [blockHead]byte
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
	return w.Flush()
}

// closed is an open closed file.
type closed struct {
	f       *os.File
	offsets []uint64 // of the blocks, and of what follows them
	size    int64    // of the file
	raw     int64    // size of the raw file
	packed  []byte   // memory for one block
}

func openClosed(p string) (*closed, error) {
	f, err := openRegular(p)
	if err != nil {
		return nil, err
	}
	c := &closed{f: f}
	if err := c.readIndex(); err != nil {
		f.Close() // it was only read
		return nil, fmt.Errorf("%q: %w", p, err)
	}
	return c, nil
}

func (c *closed) readIndex() error {
	st, err := c.f.Stat()
	if err != nil {
		return err
	}
	c.size = st.Size()
	end := c.size - int64(footSize)
	head, foot := make([]byte, len(s2Magic)), make([]byte, footSize)
	if end < int64(len(head)) {
		return errDamaged
	}
	if _, err := c.f.ReadAt(head, 0); err != nil {
		return err
	}
	if _, err := c.f.ReadAt(foot, end); err != nil {
		return err
	}
	count := int64(binary.LittleEndian.Uint32(foot))
	c.raw = int64(binary.LittleEndian.Uint64(foot[8:]))
	from := end - count*8
	if string(head) != s2Magic || string(foot[16:]) != s2Magic || count > maxBlocks || from < int64(len(s2Magic)) ||
		c.raw < 0 || c.raw > maxBlocks*blockSize || (c.raw+blockSize-1)/blockSize != count {
		return errDamaged
	}
	table := make([]byte, count*8) // no longer than the file
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

// block returns the n-th block of the raw file, in dst if it has room.
func (c *closed) block(n int64, dst []byte) ([]byte, error) {
	if n < 0 || n >= int64(len(c.offsets)-1) {
		return nil, io.EOF
	}
	size := int64(c.offsets[n+1] - c.offsets[n])
	if size < blockHead || size > int64(s2.MaxEncodedLen(blockSize))+blockHead {
		return nil, errDamaged
	}
	if int64(cap(c.packed)) < size {
		c.packed = make([]byte, s2.MaxEncodedLen(blockSize)+blockHead)
	}
	buf := c.packed[:size]
	if _, err := c.f.ReadAt(buf, int64(c.offsets[n])); err != nil {
		return nil, err
	}
	packed := buf[blockHead:]
	if binary.LittleEndian.Uint32(buf) != uint32(len(packed)) || !intact(buf) {
		return nil, errDamaged
	}
	// What it says that it unpacks to is allocated before it is found wrong.
	want := min(blockSize, c.raw-n*blockSize)
	if size, err := s2.DecodedLen(packed); err != nil || int64(size) != want {
		return nil, errDamaged
	}
	out, err := s2.Decode(dst[:cap(dst)], packed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return out, nil
}
