package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// beside is a ledger with a file, and with another that is made durable along
// with it.
func beside(lines, other *fake) *Ledger {
	l := newLedger(lines, "", "x.jsonl", zeroHash)
	l.beside = other.Sync
	return l
}

func TestWhatLiesBesideIsMadeDurableAlongWithTheLines(t *testing.T) {
	cases := 0
	for _, c := range []struct {
		name         string
		lines, other error
		word         string
	}{
		{"both", nil, nil, ""},
		{"not the lines", syscall.EIO, nil, syscall.EIO.Error()},
		{"not the other", nil, syscall.ENOSPC, syscall.ENOSPC.Error()},
		{"neither", syscall.EIO, syscall.ENOSPC, syscall.ENOSPC.Error()},
	} {
		cases++
		lines, other := &fake{sync: c.lines}, &fake{sync: c.other}
		l := beside(lines, other)
		token, err := l.Append(event(0, "a"))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second finds what the first did
			if err := l.Wait(token); (err == nil) != (c.word == "") || err != nil && !strings.Contains(err.Error(), c.word) {
				t.Errorf("%s: %v; want an error with %q", c.name, err, c.word)
			}
			lines.sync, other.sync = nil, nil
		}
		if _, err := l.Append(event(1, "b")); (err == nil) != (c.word == "") {
			t.Errorf("%s: the next event: %v", c.name, err)
		}
		if l.Syncs() != 1 || l.Durable(token) != (c.word == "") {
			t.Errorf("%s: %d syncs, durable %t", c.name, l.Syncs(), l.Durable(token))
		}
	}
	counted(t, cases)
}

// Neither waits for the other: whichever ends first, Wait returns after both.
func TestBothAreMadeDurableAtOnce(t *testing.T) {
	for first := range 2 {
		two := []*fake{}
		for range 2 {
			two = append(two, &fake{entered: make(chan struct{}), release: make(chan struct{})})
		}
		l := beside(two[0], two[1])
		token, err := l.Append(event(0, "a"))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- l.Wait(token) }()
		<-two[1-first].entered
		<-two[first].entered // though the other has not ended
		two[first].release <- struct{}{}
		if l.Durable(token) || len(done) > 0 {
			t.Error("durable when one of both is")
		}
		two[1-first].release <- struct{}{}
		if err := <-done; err != nil || !l.Durable(token) {
			t.Errorf("%v, durable %t", err, l.Durable(token))
		}
	}
}

func TestWaitersShareWhatLiesBeside(t *testing.T) {
	lines, other := &fake{}, &fake{entered: make(chan struct{}, 2), release: make(chan struct{}, 2)}
	l := beside(lines, other)
	crowd(t, l, other)
	if n := len(other.entered); l.Syncs() != 2 || n != 1 {
		t.Errorf("64 waiters took %d syncs, %d beside; want 2 of each", l.Syncs(), 1+n)
	}
}

func TestCloseMakesDurableWhatLiesBeside(t *testing.T) {
	for _, want := range []error{nil, syscall.EIO} {
		calls := 0
		o := options(t.TempDir(), 0)
		o.Sync = func() error { calls++; return want }
		l, _ := mustOpen(t, o)
		if _, err := l.Append(event(0, "a")); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); !errors.Is(err, want) || calls != 1 {
			t.Errorf("close: %v after %d calls; want %v after one", err, calls, want)
		}
	}
}

func TestOtherFilesOfAGroupAreNoLedgers(t *testing.T) {
	dir := t.TempDir()
	path := written(t, options(dir, 0), 2)
	id := filepath.Base(path)[len(nameTime)+len(".files."):][:shortID]
	for _, name := range []string{id + "-1.text", id + "-1.text.s2", id + "-1.text." + id + ".tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := Group(dir)
	if err != nil || len(files) != 1 || files[0].Path != path {
		t.Errorf("the group has %v, %v; want %s", files, err, path)
	}
	read := 0
	tail := NewTail(TailOptions{Dir: dir, Self: "-"})
	if progress, err := tail.Poll(func(File, []byte) error { read++; return nil }); err != nil || len(progress) != 1 || read != 2 {
		t.Errorf("read %d lines of %v, %v; want 2 of one file", read, progress, err)
	}
	if _, priors := mustOpen(t, options(dir, 1)); len(priors) != 1 || priors[0].Lines != 2 {
		t.Errorf("the next process continues %v", priors)
	}
}
