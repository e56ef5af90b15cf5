package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/callgate/callgate/host/plural"
)

// errShort is a bundle that ends before its frame does.
var errShort = errors.New("cut off; get the whole file again")

// oneFrame says why data is not exactly one zstd frame (RFC 8878, section 3.1.1)
// of the kind that [Pack] writes. It decodes nothing: a decoder passes over frames
// that are to be skipped, and over what follows.
func oneFrame(data []byte) error {
	var h zstd.Header
	if err := h.Decode(data); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return errShort
		}
		return errors.New("not a bundle, which is compressed with zstd; make one with callgate plugin pack")
	}
	switch {
	case h.Skippable:
		return errors.New("a frame of zstd that is to be skipped; pack it again with callgate plugin pack")
	case h.DictionaryID != 0:
		return errors.New("compressed with a dictionary; pack it again with callgate plugin pack")
	case !h.HasCheckSum || !h.HasFCS:
		return errors.New("a frame of zstd without its size or checksum; pack it again with callgate plugin pack")
	case h.FrameContentSize > MaxContent:
		return fmt.Errorf("%d bytes once it is decompressed; at most %d", h.FrameContentSize, MaxContent)
	case h.SingleSegment || h.WindowSize > MaxWindow:
		return fmt.Errorf("needs a larger window than %d bytes to decompress; pack it again with callgate plugin pack", MaxWindow)
	}
	end, err := frameEnd(data, h.HeaderSize)
	if err != nil {
		return err
	}
	if end != len(data) {
		return fmt.Errorf("%s too many behind the compressed archive; a bundle ends there", plural.Of(len(data)-end, "byte"))
	}
	return nil
}

// frameEnd walks over the blocks of a frame, from behind its header, to behind its
// checksum.
func frameEnd(data []byte, at int) (int, error) {
	const header, checksum = 3, 4
	for last := false; !last; {
		if len(data)-at < header {
			return 0, errShort
		}
		bits := uint32(data[at]) | uint32(data[at+1])<<8 | uint32(data[at+2])<<16
		last = bits&1 != 0
		size := int(bits >> 3)
		switch bits >> 1 & 3 {
		case 1: // one byte, repeated
			size = 1
		case 3:
			return 0, errors.New("a block of zstd of a kind that there is not; get the file again")
		}
		at += header
		if len(data)-at < size {
			return 0, errShort
		}
		at += size
	}
	if len(data)-at < checksum {
		return 0, errShort
	}
	return at + checksum, nil
}

// decompress is what [oneFrame] has admitted.
func decompress(data []byte) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(MaxContent), zstd.WithDecoderMaxWindow(MaxWindow))
	if err != nil {
		return nil, fmt.Errorf("does not decompress: %w", err)
	}
	defer r.Close()
	raw, err := io.ReadAll(io.LimitReader(r, MaxContent+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("does not decompress: %w; get the file again", err)
	case len(raw) > MaxContent:
		return nil, fmt.Errorf("more than %d bytes once it is decompressed; at most that many", MaxContent)
	}
	return raw, nil
}
