package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// TestEventsOfATailAreThoseOfItsLines: how much is new decides only whether it
// is parsed ahead.
func TestEventsOfATailAreThoseOfItsLines(t *testing.T) {
	cases := []struct {
		name  string
		sizes []int // of the lines, roughly
	}{
		{"none", nil},
		{"few", []int{1, 2, 3}},
		{"many", make([]int, 5*batchEvents)},
		{"much", []int{batchBytes, 1, 1, batchBytes, 1}},
		{"one that nothing is read ahead of", []int{1, aloneBytes, 1, 1}},
	}
	for _, c := range cases {
		for _, failing := range []int{-1, 0, 3} { // the event that is refused at first, -1: none
			dir := t.TempDir()
			l, _ := mustOpen(t, options(dir, 0))
			for seq, size := range c.sizes {
				if _, err := l.Append(event(seq, strings.Repeat("x", size))); err != nil {
					t.Fatal(err)
				}
			}
			byLine := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
			want := byLine.poll()
			tail := NewTail(TailOptions{Dir: dir, Self: selfIn(dir)})
			defer tail.Close()
			// As long after the file was written as a slow machine may be.
			tail.now = func() time.Time { return time.Now().Add(time.Hour) }
			var got []abi.Event
			refused := errors.New("not now")
			each := func(f File, e abi.Event) error {
				if f.Path != l.Path() {
					t.Errorf("%s: an event of %s", c.name, f.Path)
				}
				if len(got) == failing {
					return refused
				}
				got = append(got, e)
				return nil
			}
			progress, err := tail.Events(each)
			if failing >= 0 && failing < len(c.sizes) {
				if err != nil || len(progress) != 1 || !errors.Is(progress[0].Err, refused) || progress[0].Lines != uint64(failing) {
					t.Fatalf("%s: %+v, %v; want event %d refused", c.name, progress, err, failing)
				}
				failing = -1
				if err := os.Chtimes(l.Path(), begin, begin); err != nil { // or it is not read again
					t.Fatal(err)
				}
				progress, err = tail.Events(each)
			}
			if err != nil || len(progress) != len(want) || len(got) != len(c.sizes) {
				t.Fatalf("%s: %d events, %+v, %v; want %d", c.name, len(got), progress, err, len(c.sizes))
			}
			for i, line := range byLine.got[filepath.Base(l.Path())] {
				e, err := abi.ParseEvent([]byte(line))
				if err != nil || e.String() != got[i].String() {
					t.Fatalf("%s: event %d is %.100s; want %.100s", c.name, i, got[i], line)
				}
			}
			if len(progress) > 0 && (progress[0].Last != want[0].Last || progress[0].Lines != want[0].Lines || progress[0].Err != nil) {
				t.Errorf("%s: %+v; want %+v", c.name, progress[0], want[0])
			}
		}
	}
	counted(t, len(cases))
}

// TestALineThatIsNoEventBreaksATailOfEvents: it is strict JSON, which lines may
// be that nobody parses here.
func TestALineThatIsNoEventBreaksATailOfEvents(t *testing.T) {
	for _, size := range []int{1, batchBytes} {
		dir := t.TempDir()
		l, _ := mustOpen(t, options(dir, 0))
		for _, line := range []string{string(event(0, strings.Repeat("x", size))), `{"v":1,"seq":1,"nonsense":{}}`, string(event(2, "x"))} {
			if _, err := l.Append([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		tail := NewTail(TailOptions{Dir: dir, Self: selfIn(dir)})
		defer tail.Close()
		seen := 0
		progress, err := tail.Events(func(File, abi.Event) error { seen++; return nil })
		if err != nil || len(progress) != 1 || progress[0].Err == nil || progress[0].Lines != 1 || seen != 1 || !strings.Contains(progress[0].Err.Error(), "line 2") {
			t.Errorf("%d events, %+v, %v; want one, and line 2 refused", seen, progress, err)
		}
	}
}
