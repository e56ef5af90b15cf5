package segment

import (
	"bytes"
	"os"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/klauspost/compress/s2"
)

// FuzzReadText reads from files of any bytes, raw and closed. What is read from
// a raw file must be in it, and no call may panic or take more memory than the
// text and a block.
func FuzzReadText(f *testing.F) {
	raw := appendFrames(appendFrames([]byte(rawMagic), []byte("one")), textOf(100, 1))
	f.Add(raw, false, headLen, int64(3), uint16(3), int64(0))
	f.Add(raw, false, int64(27), int64(100), uint16(50), int64(20))
	f.Add(raw[:20], false, headLen, int64(3), uint16(3), int64(0))
	f.Add([]byte{}, false, headLen, int64(0), uint16(0), int64(0))
	packed := closedFile(uint64(len(raw)), s2.Encode(nil, raw))
	f.Add(packed, true, headLen, int64(3), uint16(3), int64(0))
	f.Add(packed, true, int64(27), int64(100), uint16(100), int64(0))
	f.Add(packed[:len(packed)-1], true, headLen, int64(3), uint16(3), int64(0))
	f.Add(closedFile(0), true, headLen, int64(0), uint16(0), int64(0))
	f.Add(closedFile(1<<40, s2.Encode(nil, raw)), true, headLen, int64(1<<40), uint16(9), int64(1<<39))
	f.Fuzz(func(t *testing.T, data []byte, closed bool, offset, length int64, n uint16, at int64) {
		dir := t.TempDir()
		name := idOf(1) + "-1"
		suffix := rawSuffix
		if closed {
			suffix = s2Suffix
		}
		must(t, os.WriteFile(path(dir, name, suffix), data, 0o600))
		r := NewReader(dir)
		defer r.Close()
		ref := abi.Text{Segment: name, Offset: offset, Length: length}
		dst := make([]byte, n)
		err := r.ReadText(ref, dst, at)
		frames, broken := r.Check(name)
		switch {
		case err != nil:
		case at < 0 || at+int64(n) > length:
			t.Error("read bytes that do not lie in the text")
		case !closed && n <= frameBytes && at/frameBytes == (at+max(1, int64(n))-1)/frameBytes && !bytes.Contains(data, dst):
			t.Error("read bytes that are not in the file")
		case broken == nil && n > 0 && frames == 0:
			t.Error("read text from a file without any")
		}
	})
}

// FuzzPut reads back what it puts, before and after it is compressed.
func FuzzPut(f *testing.F) {
	f.Add([]byte("text"), uint16(1), uint16(200))
	f.Add([]byte{}, uint16(0), uint16(0))
	f.Add(textOf(1000, 1), uint16(300), uint16(2000))
	f.Add([]byte(rawMagic+s2Magic), uint16(3000), uint16(60))
	f.Fuzz(func(t *testing.T, text []byte, times, segment uint16) {
		dir := t.TempDir()
		text = bytes.Repeat(text, int(times%512))
		if len(text) > 4<<20 {
			return
		}
		s := mustOpen(t, Options{Dir: dir, ID: idOf(1), Segment: int64(segment) + 1})
		var all []kept
		for i := range 3 {
			part := text[min(i, len(text)):]
			all = append(all, kept{mustPut(t, s, part), part})
		}
		readable(t, s, all)
		must(t, s.Close())
		s = mustOpen(t, Options{Dir: dir, ID: idOf(2)})
		must(t, s.Adopt([]string{idOf(1)}))
		idle(s)
		readable(t, s, all)
		must(t, s.Close())
	})
}
