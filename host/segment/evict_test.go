package segment

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"testing"
)

func TestTheOldestSegmentsGoFirst(t *testing.T) {
	dir := t.TempDir()
	for n := 1; n < 4; n++ {
		s := mustOpen(t, Options{Dir: dir, ID: idOf(n), Segment: 1000})
		s.working = make(chan struct{}) // it is taken to compress already
		close(s.working)
		putAll(t, s, 900, 900)
		must(t, s.Close())
	}
	segment := 16 + 8 + int64(900)
	prior := []string{idOf(3) + "-1", idOf(3) + "-2", idOf(1) + "-1", idOf(1) + "-2"}
	own := []string{idOf(4) + "-1", idOf(4) + "-2"}
	cases := 0
	for _, c := range []struct {
		most int64
		want []string
	}{
		{0, nil},
		{7 * segment, nil},
		{7*segment - 1, prior[:1]},
		{6 * segment, prior[:1]},
		{6*segment - 1, prior[:2]},
		{3 * segment, prior},
		{3*segment - 1, append(slices.Clone(prior), own[0])},
		{1, append(slices.Clone(prior), own...)}, // never the live one
	} {
		cases++
		s := mustOpen(t, Options{Dir: copyDir(t, dir), ID: idOf(4), Segment: 1000, Most: c.most})
		s.working = make(chan struct{})
		close(s.working)
		must(t, s.Adopt([]string{idOf(3) + "ffff", idOf(1), "short"})) // in this order; 2 lives
		all := putAll(t, s, 900, 900, 900)
		got := s.Over()
		if !slices.Equal(got, c.want) {
			t.Errorf("at most %d bytes: %q are over; want %q", c.most, got, c.want)
		}
		for _, name := range got {
			must(t, s.Remove(name))
			must(t, s.Remove(name))
			if _, err := s.Check(name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is still there: %v", name, err)
			}
		}
		if left := s.Over(); len(left) > 0 {
			t.Errorf("at most %d bytes: %q are over then", c.most, left)
		}
		must(t, s.Sync())
		readable(t, s, all[2:])
		for _, name := range []string{idOf(2) + "-1", idOf(2) + "-2", s.name} {
			must(t, s.Remove(name)) // it is not there to be removed
			if _, err := s.Check(name); err != nil {
				t.Error(err)
			}
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

func TestACompressedSegmentCountsAsWhatItIs(t *testing.T) {
	s := mustOpen(t, Options{Dir: t.TempDir(), ID: idOf(1), Segment: 100 << 10, Most: 250 << 10})
	putAll(t, s, 90<<10, 90<<10, 90<<10)
	idle(s)
	if over := s.Over(); len(over) > 0 {
		t.Errorf("%q are over, when one of three is compressed", over)
	}
	sum := s.size
	for _, c := range s.sizes {
		sum += c.bytes
	}
	if disk := onDisk(t, s.dir); disk != sum || sum != s.total+s.size {
		t.Errorf("the directory has %d bytes; they are counted as %d and %d", disk, sum, s.total+s.size)
	}
}

// onDisk is the size of all files of a directory.
func onDisk(t *testing.T, dir string) (sum int64) {
	for _, name := range listed(t, dir) {
		info, err := os.Stat(path(dir, name, ""))
		must(t, err)
		sum += info.Size()
	}
	return sum
}

func TestASegmentThatGoesWhileItIsCompressedIsGone(t *testing.T) {
	for when := range 2 {
		dir := t.TempDir()
		s := mustOpen(t, Options{Dir: dir, ID: idOf(1), Segment: 1000})
		s.working = make(chan struct{})
		close(s.working)
		putAll(t, s, 900, 900, 900)
		first := idOf(1) + "-1"
		if when == 1 {
			must(t, s.Remove(first)) // before its turn
			s.queue = append(s.queue, first)
		} else {
			s.sizes[0].going = true // from then on to the end of its turn
		}
		if !s.next() {
			t.Fatal("nothing to compress")
		}
		wantFiles(t, dir, idOf(1)+"-2.text", idOf(1)+"-3.text")
		must(t, s.Remove(first))
		s.next()
		wantFiles(t, dir, idOf(1)+"-2.text", idOf(1)+"-3.text")
	}
}

// What can not be deleted is named again, and the next attempt is made.
func TestASegmentThatCanNotBeDeletedStaysOver(t *testing.T) {
	s := mustOpen(t, Options{Dir: t.TempDir(), ID: idOf(1), Segment: 1000, Most: 1500})
	putAll(t, s, 900, 900)
	name := idOf(1) + "-1"
	must(t, os.MkdirAll(path(s.dir, name, s2Suffix)+"/full", 0o700))
	if err := s.Remove(name); err == nil || !slices.Equal(s.Over(), []string{name}) {
		t.Errorf("%v, and %q are over", err, s.Over())
	}
	must(t, os.RemoveAll(path(s.dir, name, s2Suffix)))
	if err := s.Remove(name); err != nil || len(s.Over()) > 0 {
		t.Errorf("%v, and %q are over", err, s.Over())
	}
}

func TestTheSizeOfASegmentFitsWhatAllMayHave(t *testing.T) {
	for most, want := range map[int64]int64{0: 16 << 20, 1 << 30: 16 << 20, 64 << 20: 8 << 20, 1 << 20: 256 << 10, 1: 256 << 10} {
		if s := mustOpen(t, Options{Dir: t.TempDir(), ID: idOf(1), Most: most}); s.o.Segment != want {
			t.Errorf("at most %d bytes: segments of %d; want %d", most, s.o.Segment, want)
		}
	}
}

func TestCheckCountsTheFramesThatAreWhole(t *testing.T) {
	dir, _ := crashed(t)
	frames := map[string]int{"-1": 1, "-2": 2, "-3": 4}
	r := NewReader(dir)
	for number, want := range frames {
		if n, err := r.Check(idOf(1) + number); n != want || err != nil {
			t.Errorf("segment %s: %d frames, %v; want %d", number, n, err, want)
		}
	}
	last := path(dir, idOf(1)+"-3", rawSuffix)
	whole, err := os.ReadFile(last)
	must(t, err)
	cases := 0
	for _, c := range []struct {
		what   string
		file   []byte
		frames int
		part   string
	}{
		{"whole", whole, 4, ""},
		{"a head cut short", append(slices.Clone(whole), 1, 2), 4, "ends too soon"},
		{"a frame cut short", whole[:len(whole)-1], 3, "ends too soon"},
		{"a frame of any size", append(slices.Clone(whole), 255, 255, 255, 255, 0, 0, 0, 0), 4, "damaged"},
		{"nothing but the header", whole[:16], 0, ""},
		{"no header", whole[:15], 0, "no header"},
	} {
		cases++
		must(t, os.WriteFile(last, c.file, 0o600))
		n, err := r.Check(idOf(1) + "-3")
		if wantError(t, err, c.part); n != c.frames {
			t.Errorf("%s: %d frames; want %d", c.what, n, c.frames)
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

// More segments than are kept open are read in turns.
func TestManySegmentsAreReadInTurns(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, Options{Dir: dir, ID: idOf(1), Segment: 200 << 10})
	var all []kept
	for range 2 * keptFiles {
		all = append(all, putAll(t, s, 190<<10)...)
	}
	must(t, s.Sync())
	idle(s)
	for range 2 {
		readable(t, s, all)
	}
	slices.Reverse(all)
	readable(t, s, all)
	if len(s.files) > keptFiles || len(s.blocks) > keptBlocks || len(s.order) != len(s.files) || len(s.used) != len(s.blocks) {
		t.Errorf("kept: %d files (%d names), %d blocks (%d uses)", len(s.files), len(s.order), len(s.blocks), len(s.used))
	}
}
