package segment

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/klauspost/compress/s2"
)

func TestOnlyASegmentHasTheNameOfOne(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "group")
	must(t, os.Mkdir(dir, 0o700))
	s := mustOpen(t, Options{Dir: dir, ID: idOf(1)})
	ref := mustPut(t, s, []byte("secret"))
	data, err := os.ReadFile(path(dir, ref.Segment, rawSuffix))
	must(t, err)
	cases := 0
	for _, c := range []struct {
		name string
		ok   bool
	}{
		{ref.Segment, true},
		{"", false},
		{"../" + ref.Segment, false},
		{"../group/" + ref.Segment, false},
		{dir + "/" + ref.Segment, false},
		{"./" + ref.Segment, false},
		{ref.Segment + "\x00", false},
		{ref.Segment + "\n", false},
		{ref.Segment + ".text", false},
		{ref.Segment + "/", false},
		{idOf(1), false},
		{idOf(1) + "-", false},
		{idOf(1) + "-0", false},
		{idOf(1) + "-01", false},
		{idOf(1) + "--1", false},
		{idOf(1) + "-1e3", false},
		{idOf(1) + "-1000000000", false},
		{strings.ToUpper("00000000000a") + "-1", false},
		{"00000000001-1", false},
		{"00000000000１-1", false},
	} {
		cases++
		for _, at := range []string{parent, dir} { // where a trick could lead
			if err := os.WriteFile(filepath.Join(at, filepath.Base(c.name)+rawSuffix), data, 0o600); err != nil && c.ok {
				t.Fatal(err)
			}
		}
		bad := ref
		bad.Segment = c.name
		for _, r := range []abi.TextReader{s, NewReader(dir)} {
			if err := r.ReadText(bad, make([]byte, 6), 0); (err == nil) != c.ok {
				t.Errorf("%q: %v", c.name, err)
			}
		}
		if _, err := s.Check(c.name); (err == nil) != c.ok {
			t.Errorf("check of %q: %v", c.name, err)
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

func TestBytesOutsideOfATextAreRefused(t *testing.T) {
	s := mustOpen(t, Options{Dir: t.TempDir(), ID: idOf(1)})
	all := putAll(t, s, 100, 70<<10, 100)
	first, long := all[0].ref, all[1].ref
	cases := 0
	for _, c := range []struct {
		what           string
		offset, length int64
		n              int
		at             int64
		ok             bool
	}{
		{"all", first.Offset, first.Length, 100, 0, true},
		{"all of a long one", long.Offset, long.Length, 70 << 10, 0, true},
		{"the end", long.Offset, long.Length, 10, 70<<10 - 10, true},
		{"one more", first.Offset, first.Length, 101, 0, false},
		{"from one on", first.Offset, first.Length, 100, 1, false},
		{"before", first.Offset, first.Length, 100, -1, false},
		{"the least", first.Offset, first.Length, 100, math.MinInt64, false},
		{"the most", first.Offset, first.Length, 100, math.MaxInt64 - 50, false},
		{"a text that is never kept", -1, first.Length, 100, 0, false},
		{"the header", 0, 8, 8, 0, false},
		{"the middle of a frame", first.Offset + 1, first.Length, 100, 0, false},
		{"the second frame as a text", long.Offset + frameSize, frameBytes, 100, 0, true}, // its digest is wrong
		{"a longer text", first.Offset, first.Length + 1, 100, 0, false},
		{"a shorter one", first.Offset, first.Length - 1, 99, 0, false},
		{"two texts as one", first.Offset, 70 << 10, 101, 0, false},
		{"behind the end", 1 << 30, 100, 100, 0, false},
		{"far behind", math.MaxInt64, math.MaxInt64, 100, 0, false},
		{"far into it", first.Offset, math.MaxInt64, 100, math.MaxInt64 - 100, false},
		{"far into what is not there", first.Offset, 1 << 50, 100, 1<<50 - 100, false},
		{"a length below zero", first.Offset, -1, 0, 0, false},
	} {
		cases++
		ref := abi.Text{Segment: first.Segment, Offset: c.offset, Length: c.length}
		if err := s.ReadText(ref, make([]byte, c.n), c.at); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

// closedFile is a closed file of blocks as they are given, with everything
// around them right.
func closedFile(raw uint64, blocks ...[]byte) []byte {
	out := []byte(s2Magic)
	var offsets []byte
	for _, b := range blocks {
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(len(out)))
		out = binary.LittleEndian.AppendUint32(out, uint32(len(b)))
		out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(b, castagnoli))
		out = append(out, b...)
	}
	out = append(out, offsets...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(blocks)))
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(offsets, castagnoli))
	out = binary.LittleEndian.AppendUint64(out, raw)
	return append(out, s2Magic...)
}

func TestAClosedFileThatLiesIsRefused(t *testing.T) {
	text := textOf(70<<10, 1)
	raw := appendFrames([]byte(rawMagic), text)
	size := uint64(len(raw))
	first, second := s2.Encode(nil, raw[:blockSize]), s2.Encode(nil, raw[blockSize:])
	bomb := binary.AppendUvarint(nil, 1<<31) // what it would unpack to
	zeros := s2.Encode(nil, make([]byte, 1<<24))
	cases := 0
	for _, c := range []struct {
		what string
		file []byte
		ok   bool
	}{
		{"as it is", closedFile(size, first, second), true},
		{"stored, not compressed", closedFile(size, s2.EncodeBetter(nil, raw[:blockSize]), second), true},
		{"a block that says that it is huge", closedFile(size, append(bomb, first...), second), false},
		{"a block that is huge", closedFile(size, zeros, second), false},
		{"a block that is longer than it should be", closedFile(size, s2.Encode(nil, raw), second), false},
		{"a block that is shorter", closedFile(size, s2.Encode(nil, raw[:100]), second), false},
		{"a block that is none", closedFile(size, []byte("no block"), second), false},
		{"an empty block", closedFile(size, nil, second), false},
		{"blocks in another order", closedFile(size, second, first), false},
		{"a block too few", closedFile(size, first), false},
		{"a block too many", closedFile(size, first, second, second), false},
		{"a size that is too small", closedFile(size-1, first, second), false},
		{"a size that is huge", closedFile(math.MaxUint64, first, second), false},
		{"a size that overflows", closedFile(math.MaxInt64, first, second), false},
		{"nothing", nil, false},
		{"no blocks", closedFile(0), false},
		{"a raw file", raw, false},
	} {
		cases++
		dir := t.TempDir()
		name := idOf(1) + "-1"
		must(t, os.WriteFile(path(dir, name, s2Suffix), c.file, 0o600))
		ref := abi.Text{Digest: abi.DigestBytes(text), Segment: name, Offset: headLen, Length: int64(len(text))}
		r := NewReader(dir)
		if _, err := ref.Read(r); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.what, err)
		}
		if _, err := r.Check(name); (err == nil) != c.ok {
			t.Errorf("check of %s: %v", c.what, err)
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

// A file that is not there says so in a way that the caller can ask for.
func TestAMissingSegmentIsSaidToBeMissing(t *testing.T) {
	r := NewReader(t.TempDir())
	ref := abi.Text{Segment: idOf(1) + "-1", Offset: headLen, Length: 1}
	if err := r.ReadText(ref, make([]byte, 1), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v; want os.ErrNotExist", err)
	}
	if _, err := r.Check(ref.Segment); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v; want os.ErrNotExist", err)
	}
}
