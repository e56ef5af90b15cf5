package segment

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// crashed is the directory of a process that was killed after it made its texts
// durable: a live segment and two closed ones that are raw.
func crashed(t testing.TB) (dir string, all []kept) {
	dir = t.TempDir()
	s := mustOpen(t, Options{Dir: dir, ID: idOf(1), Segment: 4000})
	s.working = make(chan struct{}) // it is taken to compress already
	close(s.working)
	all = putAll(t, s, 3000, 2000, 1500, 3000, 100, 0, 20)
	must(t, s.Sync())
	return dir, all
}

// restart has the next process start where one was killed, and returns it.
func restart(t testing.TB, dir string) *Store {
	t.Helper()
	s := mustOpen(t, Options{Dir: dir, ID: idOf(2), Segment: 4000})
	must(t, s.Adopt([]string{idOf(1)}))
	readable(t, s, putAll(t, s, 10, 5000)) // it goes on
	must(t, s.Sync())
	idle(s)
	return s
}

func TestARestartFindsWhatWasMadeDurable(t *testing.T) {
	dir, all := crashed(t)
	for n := range 3 {
		s := restart(t, copyDir(t, dir))
		readable(t, s, all)
		wantFiles(t, s.dir, idOf(1)+"-1.text.s2", idOf(1)+"-2.text.s2", idOf(1)+"-3.text.s2", idOf(2)+"-1.text", idOf(2)+"-2.text")
		if n == 1 {
			must(t, s.Close())
		}
	}
}

// The last segment of a killed process can end anywhere in what was not made
// durable. What was before is whole, in either form.
func TestATornEndIsInNobodysWay(t *testing.T) {
	dir, all := crashed(t)
	last := path("", idOf(1)+"-3", rawSuffix)
	whole, err := os.ReadFile(filepath.Join(dir, last))
	must(t, err)
	cases := 0
	for cut := range len(whole) {
		if cut > 40 && cut < len(whole)-160 {
			continue // inside of one frame
		}
		cases++
		dir := copyDir(t, dir)
		must(t, os.Truncate(filepath.Join(dir, last), int64(cut)))
		want, lost := []kept{}, 0
		for _, k := range all {
			if k.ref.Segment == idOf(1)+"-3" && k.ref.Offset+framed(len(k.text)) > int64(cut) {
				lost++
				continue
			}
			want = append(want, k)
		}
		readable(t, NewReader(dir), want)
		s := restart(t, dir)
		readable(t, s, want)
		if n := honest(t, s, all); n < len(want) || lost > 1 && n == len(all) {
			t.Fatalf("cut at byte %d: %d texts are read; want %d", cut, n, len(want))
		}
		must(t, s.Close())
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

// Whatever one byte of a file becomes, no text is read as another.
func TestADamagedByteIsNoticed(t *testing.T) {
	dir, all := crashed(t)
	closed := restart(t, copyDir(t, dir))
	must(t, closed.Close())
	cases := 0
	for _, c := range []struct{ dir, file string }{
		{dir, idOf(1) + "-3.text"},
		{closed.dir, idOf(1) + "-3.text.s2"},
	} {
		name := filepath.Join(c.dir, c.file)
		whole, err := os.ReadFile(name)
		must(t, err)
		of := slices.DeleteFunc(slices.Clone(all), func(k kept) bool { return k.ref.Segment != idOf(1)+"-3" || len(k.text) == 0 })
		if n := honest(t, NewReader(c.dir), of); n != len(of) {
			t.Fatalf("%s: %d texts are read before any damage", c.file, n)
		}
		for i := range whole {
			cases++
			bad := bytes.Clone(whole)
			bad[i] ^= 1 << (i % 8)
			must(t, os.WriteFile(name, bad, 0o600))
			r := NewReader(c.dir)
			_, err := r.Check(idOf(1) + "-3")
			if honest(t, r, of); err == nil {
				t.Errorf("%s: nobody notices that byte %d is another", c.file, i)
			}
			must(t, r.Close())
		}
		must(t, os.WriteFile(name, whole, 0o600))
		readable(t, NewReader(c.dir), of)
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

// A process can be killed at every step of compressing a segment.
func TestAKillWhileCompressingLosesNothing(t *testing.T) {
	dir, all := crashed(t)
	done := restart(t, copyDir(t, dir))
	must(t, done.Close())
	name := idOf(1) + "-1"
	raw, err := os.ReadFile(path(dir, name, rawSuffix))
	must(t, err)
	packed, err := os.ReadFile(path(done.dir, name, s2Suffix))
	must(t, err)
	tmp := temporary(idOf(1))
	type files map[string][]byte
	cases := []files{
		{rawSuffix: raw},
		{rawSuffix: raw, tmp: packed},
		{rawSuffix: raw, s2Suffix: packed},
		{s2Suffix: packed},
		{rawSuffix: raw[:len(raw)/2], s2Suffix: packed}, // after a loss of power
		{rawSuffix: nil, s2Suffix: packed},
		{rawSuffix: make([]byte, len(raw)), s2Suffix: packed},
		{rawSuffix: raw, s2Suffix: packed[:len(packed)/2]},
		{rawSuffix: raw, s2Suffix: make([]byte, len(packed))},
	}
	for n := 0; n < len(packed); n += max(1, len(packed)/20) {
		cases = append(cases, files{rawSuffix: raw, tmp: packed[:n]})
	}
	for i, c := range cases {
		dir := copyDir(t, dir)
		must(t, os.Remove(path(dir, name, rawSuffix)))
		for suffix, data := range c {
			must(t, os.WriteFile(path(dir, name, suffix), data, 0o600))
		}
		readable(t, NewReader(dir), all)
		s := restart(t, dir)
		readable(t, s, all)
		must(t, s.Close())
		readable(t, NewReader(dir), all)
		if _, err := os.Stat(path(dir, name, tmp)); err == nil {
			t.Errorf("case %d: what was half compressed stays", i)
		}
		if _, err := os.Stat(path(dir, name, rawSuffix)); err == nil {
			t.Errorf("case %d: the raw file stays", i)
		}
	}
}

// Two processes of the same server that start at once take in the same segments.
func TestTwoProcessesCompressTheSameSegments(t *testing.T) {
	for range 20 {
		dir, all := crashed(t)
		var two []*Store
		for n := 2; n < 4; n++ {
			s := mustOpen(t, Options{Dir: dir, ID: idOf(n), Segment: 4000})
			must(t, s.Adopt([]string{idOf(1)}))
			two = append(two, s)
		}
		for _, s := range two {
			readable(t, s, all)
			idle(s)
		}
		for _, s := range two {
			readable(t, s, all)
		}
		wantFiles(t, dir, idOf(1)+"-1.text.s2", idOf(1)+"-2.text.s2", idOf(1)+"-3.text.s2")
	}
}

func TestWhatALivingProcessCompressesIsLeftToIt(t *testing.T) {
	dir, all := crashed(t)
	theirs := path(dir, idOf(1)+"-1", temporary(idOf(9)))
	must(t, os.WriteFile(theirs, []byte("half"), 0o600))
	peer := mustOpen(t, Options{Dir: dir, ID: idOf(9)})
	ref := mustPut(t, peer, []byte("of a peer"))
	s := restart(t, dir)
	readable(t, s, append(all, kept{ref, []byte("of a peer")}))
	if got, err := os.ReadFile(theirs); err != nil || string(got) != "half" {
		t.Errorf("it has %q, %v", got, err)
	}
	if !slices.Contains(listed(t, dir), idOf(9)+"-1.text") {
		t.Error("the segment of a peer is gone")
	}
}

func TestASegmentThatCanNotBeCompressedStaysRaw(t *testing.T) {
	dir, all := crashed(t)
	must(t, os.Mkdir(path(dir, idOf(1)+"-1", s2Suffix), 0o700)) // nothing can be renamed to it
	s := restart(t, dir)
	readable(t, s, all)
	must(t, s.Close())
	wantFiles(t, dir, idOf(1)+"-1.text", idOf(1)+"-1.text.s2", idOf(1)+"-2.text.s2", idOf(1)+"-3.text.s2", idOf(2)+"-1.text", idOf(2)+"-2.text")
}

func TestClosingDoesNotWaitForAllSegments(t *testing.T) {
	dir, all := crashed(t)
	s := mustOpen(t, Options{Dir: dir, ID: idOf(2)})
	must(t, s.Adopt([]string{idOf(1)}))
	must(t, s.Close())
	readable(t, NewReader(dir), all)
	for _, name := range listed(t, dir) {
		if filepath.Ext(name) == tmpSuffix {
			t.Errorf("%s stays", name)
		}
	}
}
