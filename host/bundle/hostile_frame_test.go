package bundle_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/callgate/callgate/host/bundle"
)

// frame writes a frame of zstd by hand (RFC 8878, 3.1.1): one that says it has so
// many bytes, in a window of 1 KiB << window, with the blocks as they are given and
// a checksum that is none.
func frame(says uint64, window byte, blocks ...[]byte) []byte {
	out := []byte{0x28, 0xb5, 0x2f, 0xfd, 3<<6 | 1<<2, window << 3}
	out = binary.LittleEndian.AppendUint64(out, says)
	for _, b := range blocks {
		out = append(out, b...)
	}
	return append(out, 0, 0, 0, 0)
}

// block is one block: kind 0 as it is, 1 one byte n times, 2 compressed.
func block(kind, n int, last bool, data ...byte) []byte {
	bits := n<<3 | kind<<1
	if last {
		bits |= 1
	}
	return append([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16)}, data...)
}

// zeros is n blocks of 128 KiB of zeros, in four bytes each.
func zeros(n int) [][]byte {
	var out [][]byte
	for i := range n {
		out = append(out, block(1, 128<<10, i == n-1, 0))
	}
	return out
}

func skippable(data ...byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte{0x50, 0x2a, 0x4d, 0x18}, uint32(len(data))), data...)
}

// streamed compresses as a pipe does, which does not know the size beforehand.
func streamed(t *testing.T, raw []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithWindowSize(bundle.MaxWindow))
	if err != nil {
		t.Fatal(err)
	}
	// Flushed before its end, so that it can not know.
	for _, part := range [][]byte{raw[:512], raw[512:]} {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func gzipped(t *testing.T, raw []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.Copy(w, bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestHostileFrames(t *testing.T) {
	good := noExfil(t)
	raw := untar(t, good)
	flipped := slices.Clone(good)
	flipped[len(flipped)-1] ^= 1
	dictionary := slices.Clone(good)
	dictionary[4] |= 1
	dictionary = slices.Insert(dictionary, 6, 7)
	table := []struct {
		name string
		data []byte
		want string
	}{
		{"zstd_bomb", squeezed(t, make([]byte, bundle.MaxContent+1)), "67108865 bytes once it is decompressed; at most 67108864"},
		{"a bomb that says it is small", frame(2048, 0, zeros(4096)...), "does not decompress"},
		{"a bomb that says it just fits", frame(bundle.MaxContent, 0, zeros(4096)...), "does not decompress"},
		{"a bomb that says it is without end", frame(1<<63, 0, zeros(1)...), "once it is decompressed"},
		{"less than it says", frame(bundle.MaxContent, 0, block(0, 0, true)), "does not decompress"},
		{"a window of 2 GiB", frame(2048, 21, zeros(1)...), "larger window"},
		{"a window of 16 MiB", frame(2048, 14, zeros(1)...), "larger window"},
		{"a single segment", squeezed(t, raw, zstd.WithSingleSegment(true)), "larger window"},
		{"no checksum", squeezed(t, raw, zstd.WithEncoderCRC(false)), "without its size or checksum"},
		{"no size", streamed(t, raw), "without its size or checksum"},
		{"a wrong checksum", flipped, "does not decompress"},
		{"a dictionary", dictionary, "with a dictionary"},
		{"a kind of block that there is not", frame(2048, 0, block(3, 5, true)), "of a kind that there is not"},
		{"a block without end", frame(2048, 0, block(0, 1<<20, true)), "cut off"},
		{"no last block", frame(128<<10, 0, block(1, 128<<10, false, 0)), "cut off"},
		{"a frame to skip in front", append(skippable(1, 2, 3), good...), "to be skipped"},
		{"a frame to skip behind", append(slices.Clone(good), skippable(1, 2, 3)...), "11 bytes too many behind the compressed archive"},
		{"a second frame", append(slices.Clone(good), good...), "bytes too many behind the compressed archive"},
		{"an empty second frame", append(slices.Clone(good), frame(0, 0, block(0, 0, true))...), "bytes too many behind the compressed archive"},
		{"a zero behind", append(slices.Clone(good), 0), "1 byte too many behind the compressed archive"},
		{"a line break behind", append(slices.Clone(good), '\n'), "1 byte too many behind the compressed archive"},
		{"a module behind", append(slices.Clone(good), magic...), "8 bytes too many behind the compressed archive"},
		{"nothing", nil, "cut off"},
		{"a module", []byte(magic), "not a bundle"},
		{"an archive that is not compressed", raw, "not a bundle"},
		{"gzip", gzipped(t, raw), "not a bundle"},
		{"too large", append(slices.Clone(good), make([]byte, bundle.MaxCompressed)...), "at most 16777216"},
		{"nothing in it", frame(0, 0, block(0, 0, true)), "does not decompress"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			if b, err := bundle.Open(c.data); says(err, c.want) != nil || b != nil {
				t.Error(says(err, c.want))
			}
		})
	}
	twins := map[string][]byte{
		"as packed": good, "another level": squeezed(t, raw, zstd.WithEncoderLevel(zstd.SpeedFastest)), "a smaller window": squeezed(t, raw, zstd.WithWindowSize(1<<20)),
		"by hand": squeezed(t, tarOf(t, entriesOf(t))),
	}
	for name, data := range twins {
		if b, err := bundle.Open(data); err != nil || b.About.Name != "acme/no-exfil" {
			t.Errorf("twin %s: %v", name, err)
		}
	}
}

func TestNoTruncatedBundleOpens(t *testing.T) {
	good := noExfil(t)
	for n := range good {
		if _, err := bundle.Open(good[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes open", n, len(good))
		}
	}
	opened(t, good)
}
