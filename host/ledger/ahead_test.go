package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// bigFile writes a file with lines of the given lengths and some.
func bigFile(t *testing.T, sizes ...int) string {
	l, _ := mustOpen(t, options(t.TempDir(), 0))
	for seq, size := range sizes {
		if _, err := l.Append(event(seq, strings.Repeat("x", size))); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	return l.Path()
}

func TestEventsThatAreParsedAheadAreThoseOfTheLines(t *testing.T) {
	small := make([]int, 3*batchEvents+7)
	cases := map[string][]int{
		"none": {}, "one": {1}, "many": small, "a full batch": small[:batchEvents],
		"large": {batchBytes, 1, aloneBytes, 1, aloneBytes, aloneBytes, 3},
	}
	for name, sizes := range cases {
		file := File{Path: bigFile(t, sizes...)}
		lines := linesOf(mustRead(t, file.Path))
		var events []string
		p, first, err := Options{}.verifyPrior(file, &chain{})
		if err != nil {
			t.Fatal(err)
		}
		q, second, err := Options{Event: func(f File, e abi.Event) error {
			if f != file {
				t.Errorf("%s: an event of %v", name, f)
			}
			events = append(events, e.String())
			return nil
		}}.verifyPrior(file, &chain{})
		if err != nil || p != q || first != second {
			t.Errorf("%s: %+v, %v; want %+v", name, q, err, p)
		}
		if len(events) != len(sizes) || len(lines) != len(sizes) {
			t.Fatalf("%s: %d events of %d lines; want %d", name, len(events), len(lines), len(sizes))
		}
		for i := range events {
			want, err := abi.ParseEvent(lines[i])
			if err != nil || events[i] != want.String() {
				t.Fatalf("%s: event %d is %.200s; want %.200s", name, i, events[i], lines[i])
			}
		}
	}
	counted(t, len(cases))
}

func TestTheFirstErrorOfAFileIsTheOneThatCounts(t *testing.T) {
	stop := errors.New("stop")
	sizes := make([]int, 5*batchEvents)
	sizes[2*batchEvents] = aloneBytes
	whole := mustRead(t, bigFile(t, sizes...))
	cases := []struct {
		name      string
		refuse    int // index of the event that the caller refuses; -1: none
		old, new  string
		line      int // in the error; 0: none
		isStopped bool
	}{
		{"nothing wrong", -1, "", "", 0, false},
		{"the first is refused", 0, "", "", 1, true},
		{"a late one is refused", 4*batchEvents + 3, "", "", 4*batchEvents + 4, true},
		{"one alone is refused", 2 * batchEvents, "", "", 2*batchEvents + 1, true},
		{"refused before a break", 10, `"seq":20,`, `"seq":21,`, 11, true},
		{"a break before what is refused", 30, `"seq":20,`, `"seq":21,`, 21, false},
		{"no event before what is refused", 300, `"seq":20,"time":"2026-11-29T19:53:17Z","user"`, `"seq":20,"time":"2026-11-29T19:53:17Z","usher"`, 21, false},
	}
	for _, c := range cases {
		path := bigFile(t, 1)
		data := bytes.Replace(whole, []byte(c.old), []byte(c.new), 1)
		mustWrite(t, path, data)
		seen := 0
		_, _, err := Options{Event: func(File, abi.Event) error {
			seen++
			if seen-1 == c.refuse {
				return stop
			}
			return nil
		}}.verifyPrior(File{Path: path}, &chain{})
		if c.line == 0 {
			if err != nil || seen != len(sizes) {
				t.Errorf("%s: %d events, %v", c.name, seen, err)
			}
			continue
		}
		if err == nil || errors.Is(err, stop) != c.isStopped || !strings.Contains(err.Error(), fmt.Sprintf("line %d", c.line)) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %.300v; want line %d", c.name, err, c.line)
		}
		if want := c.line; c.isStopped && seen != want || !c.isStopped && seen != want-1 {
			t.Errorf("%s: %d events before the error of line %d", c.name, seen, c.line)
		}
	}
	counted(t, len(cases))
}
