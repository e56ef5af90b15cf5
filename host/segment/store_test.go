package segment

import (
	"errors"
	"os"
	"sync"
	"testing"
)

func TestTextIsReadAsItWasPut(t *testing.T) {
	sizes := []int{0, 1, 15, frameBytes - 1, frameBytes, frameBytes + 1, 3*frameBytes - 1, piece, piece + 5, 2*piece + frameBytes, 7}
	cases := 0
	for _, form := range []string{"raw", "closed"} {
		dir := t.TempDir()
		s := mustOpen(t, Options{Dir: dir, ID: idOf(1) + "ffff"})
		all := putAll(t, s, sizes...)
		must(t, s.Sync())
		if form == "closed" {
			must(t, s.Close())
			s = mustOpen(t, Options{Dir: dir, ID: idOf(2)})
			must(t, s.Adopt([]string{idOf(1)}))
			idle(s)
			wantFiles(t, dir, idOf(1)+"-1.text.s2")
		}
		readable(t, s, all)
		readable(t, NewReader(dir), all)
		for _, k := range all {
			for _, at := range []int{0, 1, frameBytes - 5, frameBytes, 2*frameBytes - 1, len(k.text) / 2, len(k.text) - 1, len(k.text)} {
				for _, n := range []int{0, 1, 16 << 10, 70 << 10, len(k.text) - at} {
					if at < 0 || n < 0 || at+n > len(k.text) {
						continue
					}
					cases++
					dst := make([]byte, n)
					if err := s.ReadText(k.ref, dst, int64(at)); err != nil || string(dst) != string(k.text[at:at+n]) {
						t.Fatalf("%s: bytes %d-%d of %d: %v", form, at, at+n, len(k.text), err)
					}
				}
			}
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

func TestASegmentThatIsFullIsFollowedByTheNext(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, Options{Dir: dir, ID: idOf(1), Segment: 100 << 10})
	wantFiles(t, dir)
	all := putAll(t, s, 60<<10)
	wantFiles(t, dir, idOf(1)+"-1.text")
	all = append(all, putAll(t, s, 39<<10)...)
	wantFiles(t, dir, idOf(1)+"-1.text")
	all = append(all, putAll(t, s, 60<<10)...)
	wantFiles(t, dir, idOf(1)+"-1.text", idOf(1)+"-2.text")
	must(t, s.Sync())
	all = append(all, putAll(t, s, 300<<10, 1)...) // too large for any, and one more
	must(t, s.Sync())
	idle(s)
	wantFiles(t, dir, idOf(1)+"-1.text.s2", idOf(1)+"-2.text.s2", idOf(1)+"-3.text", idOf(1)+"-4.text")
	readable(t, s, all)
}

func TestAStoreThatIsNotOpenKeepsNothing(t *testing.T) {
	var none *Store
	for i, s := range []*Store{none, {}} {
		if _, err := s.Put([]byte("x")); err == nil {
			t.Errorf("store %d took a text", i)
		}
	}
	s := mustOpen(t, Options{Dir: t.TempDir(), ID: idOf(1)})
	ref := mustPut(t, s, []byte("x"))
	must(t, s.Close())
	must(t, s.Close())
	must(t, s.Sync())
	if _, err := s.Put([]byte("x")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed store: %v; want os.ErrClosed", err)
	}
	if err := s.ReadText(ref, make([]byte, 1), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reading from a closed store: %v; want os.ErrClosed", err)
	}
	if err := new(Reader).ReadText(ref, make([]byte, 1), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the zero Reader: %v; want os.ErrClosed", err)
	}
}

func TestAStoreWantsTheIDOfALedger(t *testing.T) {
	for id, ok := range map[string]bool{
		"": false, "0123": false, "0123456789AB": false, "../../../../etc": false, "0123456789a/": false,
		"0123456789ab": true, "0123456789abcdef0123456789abcdef": true,
	} {
		if _, err := Open(Options{Dir: t.TempDir(), ID: id}); (err == nil) != ok {
			t.Errorf("id %q: %v", id, err)
		}
	}
}

func TestAFailedWriteEndsTheStore(t *testing.T) {
	cases := 0
	for _, c := range []struct {
		what  string
		files []*fake
		good  int // texts of 100 bytes that are taken
		part  string
	}{
		{"there is room", []*fake{{room: 1 << 20}}, 20, ""},
		{"no file", nil, 0, "no space"},
		{"no room for the header", []*fake{{room: 5}}, 0, "no space"},
		{"a header cut short without an error", []*fake{{room: 5, lie: true}}, 0, "no header"},
		{"no room for the first", []*fake{{room: 60}}, 0, "stopped after 44"},
		{"no room for the third", []*fake{{room: 16 + 2*108}}, 2, "stopped after 0"},
		{"a write cut short without an error", []*fake{{room: 16 + 108 + 4, lie: true}}, 1, "took no more"},
		{"no second segment", []*fake{{room: 1 << 20}}, 9, "no space"},
	} {
		cases++
		o := Options{Segment: 1000}
		if c.part == "" {
			o.Segment = 0
		}
		s := faked(t, o, c.files...)
		var err error
		n := 0
		for ; n < 20 && err == nil; n++ {
			_, err = s.Put(textOf(100, n))
		}
		wantError(t, err, c.part)
		if err != nil {
			n--
			if _, again := s.Put([]byte("x")); again == nil || again.Error() != err.Error() {
				t.Errorf("%s: the next text: %v; want the same error", c.what, again)
			}
			if s.Sync() == nil || s.Close() == nil {
				t.Errorf("%s: what was lost is said to be durable", c.what)
			}
		} else {
			must(t, s.Sync())
		}
		if n != c.good {
			t.Errorf("%s: took %d texts; want %d", c.what, n, c.good)
		}
		for i, f := range c.files {
			if s.Close(); f.closes != 1 {
				t.Errorf("%s: file %d was closed %d times", c.what, i, f.closes)
			}
		}
	}
	if cases == 0 {
		t.Fatal("no cases")
	}
}

func TestSyncCoversWhatWasPutBefore(t *testing.T) {
	first, second := &fake{room: 1 << 20}, &fake{room: 1 << 20}
	s := faked(t, Options{Segment: 1000}, first, second)
	count := func(a, b int) {
		t.Helper()
		if first.syncs != a || second.syncs != b {
			t.Errorf("the segments were synced %d and %d times; want %d and %d", first.syncs, second.syncs, a, b)
		}
	}
	must(t, s.Sync())
	count(0, 0)
	putAll(t, s, 100)
	must(t, s.Sync())
	must(t, s.Sync())
	count(1, 0)
	putAll(t, s, 100, 850, 1) // the second and third go into the next segment
	must(t, s.Sync())
	count(2, 1)
	if first.closes != 1 || second.closes != 0 {
		t.Errorf("closed %d and %d times; want 1 and 0", first.closes, second.closes)
	}
	must(t, s.Sync())
	count(2, 1)
	putAll(t, s, 1)
	must(t, s.Close())
	count(2, 2)
}

func TestAFailedSyncEndsTheStore(t *testing.T) {
	f := &fake{room: 1 << 20, sync: errFull}
	s := faked(t, Options{}, f)
	putAll(t, s, 10)
	for range 2 { // a second sync could succeed, and have lost what the first did
		if err := s.Sync(); !errors.Is(err, errFull) {
			t.Errorf("sync: %v; want the error of the file", err)
		}
		f.sync = nil
	}
	if _, err := s.Put([]byte("x")); !errors.Is(err, errFull) {
		t.Errorf("put: %v; want the error of the file", err)
	}
}

func TestTextIsPutWhileOtherIsMadeDurable(t *testing.T) {
	f := &fake{room: 1 << 20, entered: make(chan struct{}, 1), release: make(chan struct{}, 2)}
	s := faked(t, Options{}, f)
	putAll(t, s, 10)
	done := make(chan error)
	go func() { done <- s.Sync() }()
	<-f.entered
	putAll(t, s, 10)
	f.release <- struct{}{}
	must(t, <-done)
	f.release <- struct{}{}
	must(t, s.Sync())
	if <-f.entered; f.syncs != 2 {
		t.Errorf("%d syncs; want one for the text that came meanwhile", f.syncs)
	}
	f.entered = nil
}

func TestManyUseAStoreAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, Options{Dir: dir, ID: idOf(1), Segment: 64 << 10, Most: 300 << 10})
	peer := NewReader(dir)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 40 {
				text := textOf(5000, g*100+i)
				ref, err := s.Put(text)
				if err == nil {
					err = s.Sync()
				}
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range []*Reader{s.Reader, peer} {
					if got, err := ref.Read(r); err == nil && string(got) != string(text) {
						t.Error("read another text")
					}
				}
				for _, name := range s.Over() {
					if err := s.Remove(name); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	idle(s)
	ref := mustPut(t, s, []byte("last"))
	must(t, s.Close())
	readable(t, peer, []kept{{ref, []byte("last")}})
	if len(s.Over()) > 0 {
		t.Errorf("%q are still over", s.Over())
	}
}
