package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// later makes a tail take every time of a file for long past.
func (r *reading) later() *reading {
	r.tail.now = func() time.Time { return time.Now().Add(time.Hour) }
	return r
}

// breakOf is the one progress of a poll, which must be a break.
func (r *reading) breakOf(path string) *Break {
	r.t.Helper()
	list := r.poll()
	var b *Break
	if len(list) != 1 || list[0].File.Path != path || !errors.As(list[0].Err, &b) {
		r.t.Fatalf("progress %+v; want one break of %s", list, path)
	}
	return b
}

func TestAPeerThatIsNotWhatWasReadGivesNothingUntilItIsMended(t *testing.T) {
	whole := func(_, all [][]byte) []byte { return bytes.Join(all, nil) }
	cases := []struct {
		name string
		edit func(read, all [][]byte) []byte // read: the three lines that were read; all: five
		line int                             // of the break; 0: there is none, and all is read
	}{
		{"goes on", whole, 0},
		{"shortened by a line", func(l, _ [][]byte) []byte { return bytes.Join(l[:2], nil) }, 3},
		{"shortened by a byte", func(l, _ [][]byte) []byte { b := bytes.Join(l, nil); return b[:len(b)-1] }, 3},
		{"emptied", func(_, _ [][]byte) []byte { return nil }, 3},
		{"last line edited", func(l, _ [][]byte) []byte { return bytes.Join(replaced(l, 2, "event 2", "event X"), nil) }, 3},
		{"last line edited, goes on", func(_, a [][]byte) []byte { return bytes.Join(replaced(a, 2, "event 2", "event X"), nil) }, 3},
		{"an earlier line longer", func(_, a [][]byte) []byte { return bytes.Join(replaced(a, 0, "event 0", "event 00"), nil) }, 3},
		{"a line left out", func(l, a [][]byte) []byte { return bytes.Join(append(l, a[4]), nil) }, 4},
		{"a line twice", func(l, a [][]byte) []byte { return bytes.Join(append(l, a[2]), nil) }, 4},
		{"not JSON", func(l, _ [][]byte) []byte { return append(bytes.Join(l, nil), "hello\n"...) }, 4},
		{"no torn line", func(l, _ [][]byte) []byte { return append(bytes.Join(l, nil), "hello"...) }, 4},
		{"the fifth edited", func(_, a [][]byte) []byte { return bytes.Join(replaced(a, 4, `"seq":4`, `"seq":5`), nil) }, 5},
	}
	for _, c := range cases {
		for _, how := range []string{"in place", "by another file"} {
			t.Run(c.name+" "+how, func(t *testing.T) {
				dir := t.TempDir()
				path := written(t, options(dir, 0), 5)
				data := mustRead(t, path)
				mustWrite(t, path, bytes.Join(linesOf(data)[:3], nil))
				r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
				r.poll()
				put := func(content []byte) {
					if how != "in place" {
						mustWrite(t, path+".new", content)
						if err := os.Rename(path+".new", path); err != nil {
							t.Fatal(err)
						}
					} else {
						mustWrite(t, path, content)
					}
					r.tail.settled = false // or only a new process makes a dead one's file looked at
				}
				put(c.edit(linesOf(data)[:3:3], linesOf(data)))
				if c.line == 0 {
					r.poll()
					r.has(path)
					return
				}
				if b := r.breakOf(path); b.Line != c.line || b.Mend == "" || b.Want == "" {
					t.Errorf("%v; want a break of line %d", b, c.line)
				}
				handed := r.lines(path)
				if want := string(bytes.Join(linesOf(data)[:max(c.line-1, 3)], nil)); handed != want {
					t.Errorf("handed out\n%swant\n%s", handed, want)
				}
				r.quiet()
				put(data)
				if list := r.poll(); len(list) != 1 || list[0].Err != nil || list[0].Lines != 5 {
					t.Errorf("mended, it is %+v", list)
				}
				r.has(path)
				r.quiet()
			})
		}
	}
	counted(t, len(cases))
}

func TestABrokenFileIsReadAgainOnlyWhenItChanges(t *testing.T) {
	dir := t.TempDir()
	path := written(t, options(dir, 0), 3)
	stop, calls := errors.New("not now"), 0
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)}).later()
	r.fail = func(_ File, line []byte) error {
		calls++
		if calls >= 2 {
			return stop
		}
		return nil
	}
	list := r.poll()
	if len(list) != 1 || list[0].Lines != 1 || !errors.Is(list[0].Err, stop) || !strings.Contains(list[0].Err.Error(), path) || !strings.Contains(list[0].Err.Error(), "line 2") {
		t.Fatalf("progress %+v; want one line, and the error of the second", list)
	}
	r.quiet()
	r.quiet()
	if calls != 2 || r.tail.open != 0 {
		t.Errorf("handed out %d times, %d files open; want 2, and none", calls, r.tail.open)
	}
	if err := os.Chtimes(path, begin, begin); err != nil {
		t.Fatal(err)
	}
	r.quiet()
	if calls != 3 {
		t.Errorf("after it changed it was handed out %d times; want 3", calls)
	}
	r.fail = nil
	if err := os.Chtimes(path, begin, begin.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if list := r.poll(); len(list) != 1 || list[0].Err != nil || list[0].Lines != 3 {
		t.Errorf("progress %+v", list)
	}
	r.has(path)
}

func TestAnErrorThatLooksLikeAMissingFileIsTold(t *testing.T) {
	dir := t.TempDir()
	written(t, options(dir, 0), 1)
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
	r.fail = func(File, []byte) error { return fmt.Errorf("no such tool: %w", os.ErrNotExist) }
	if list := r.poll(); len(list) != 1 || !errors.Is(list[0].Err, os.ErrNotExist) {
		t.Errorf("progress %+v; want the error", list)
	}
}

func TestAFileThatIsMovedAwayIsForgottenAndGoesOnWhenItReturns(t *testing.T) {
	dir, away := t.TempDir(), filepath.Join(t.TempDir(), "away")
	l, _ := mustOpen(t, options(dir, 0))
	fill(t, l, 2)
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
	r.poll()
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(l.Path(), away)
	r.quiet()
	if r.tail.open != 0 || r.alive() {
		t.Errorf("%d files open after the only one was moved away", r.tail.open)
	}
	fill(t, l, 1)
	move(away, l.Path())
	if list := r.poll(); len(list) != 1 || list[0].Lines != 3 || list[0].Err != nil {
		t.Errorf("progress %+v", list)
	}
	r.has(l.Path())
	mustWrite(t, l.Path(), []byte("hello\n"))
	r.breakOf(l.Path())
	move(l.Path(), away)
	if list := r.poll(); len(list) != 1 || list[0].Err != nil || list[0].Lines != 3 {
		t.Errorf("a broken file that was moved away is %+v; want it out of the way", list)
	}
	r.quiet()
}

func TestAFileInPlaceOfOneThatIsBeingWrittenIsABreak(t *testing.T) {
	dir := t.TempDir()
	l, _ := mustOpen(t, options(dir, 0))
	fill(t, l, 2)
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
	r.poll()
	data := mustRead(t, l.Path())
	mustWrite(t, l.Path()+".new", data)
	if err := os.Rename(l.Path()+".new", l.Path()); err != nil {
		t.Fatal(err)
	}
	if b := r.breakOf(l.Path()); !strings.Contains(b.Found, "still writing") {
		t.Error(b)
	}
	r.quiet()
	r.quiet()
}
