package ledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func mustLock(t *testing.T, dir string) *GroupLock {
	t.Helper()
	g, err := OpenGroupLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

func TestOneProcessAtATimeHoldsTheGroupLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g")
	a, b := mustLock(t, dir), mustLock(t, dir+"/")
	if err := a.Lock(0); err != nil {
		t.Fatal(err)
	}
	err := b.Lock(0)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) || !strings.Contains(err.Error(), filepath.Join(dir, lockName)) {
		t.Errorf("the second lock answers %v; want who holds it, and where", err)
	}
	if err := b.Lock(time.Millisecond); err == nil {
		t.Error("the second lock was granted after a while")
	}
	if err := a.Lock(0); err == nil {
		t.Error("a lock that is held was taken again")
	}
	a.Unlock()
	a.Unlock()
	if err := b.Lock(0); err != nil {
		t.Errorf("after the first let go: %v", err)
	}
	b.Close()
	if err := b.Lock(0); err == nil {
		t.Error("a closed lock was taken")
	}
	if err := a.Lock(time.Hour); err != nil {
		t.Errorf("after the holder closed it: %v", err)
	}
	if files, err := Group(dir); err != nil || len(files) != 0 {
		t.Errorf("the lock is taken for a ledger file: %v, %v", files, err)
	}
}

func TestNobodyWaitsForTheGroupLockOfAProcessThatEnds(t *testing.T) {
	dir := t.TempDir()
	a, b := mustLock(t, dir), mustLock(t, dir)
	if err := a.Lock(0); err != nil {
		t.Fatal(err)
	}
	waits := make(chan error)
	go func() { waits <- b.Lock(time.Hour) }()
	b.End()
	for _, err := range []error{<-waits, b.Lock(time.Hour)} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("it answers %v; want that it is closed", err)
		}
	}
	a.Unlock()
	if err := b.Lock(0); err != nil {
		t.Errorf("one that is free: %v", err)
	}
	var none *GroupLock
	none.End() // of a ledger in memory
}

func TestWaitingForTheGroupLockEndsWhenItIsFree(t *testing.T) {
	dir := t.TempDir()
	var count, holders atomic.Int64
	const goroutines, times = 8, 50
	done := make(chan error, goroutines)
	for range goroutines {
		g := mustLock(t, dir)
		go func() {
			for range times {
				if err := g.Lock(time.Hour); err != nil {
					done <- err
					return
				}
				if n := holders.Add(1); n != 1 {
					done <- fmt.Errorf("%d hold the lock", n)
					return
				}
				count.Add(1)
				holders.Add(-1)
				g.Unlock()
			}
			done <- nil
		}()
	}
	for range goroutines {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if n := count.Load(); n != goroutines*times {
		t.Errorf("counted %d; want %d", n, goroutines*times)
	}
}

func TestALockFileThatWasDeletedIsNotHeldBesideTheNewOne(t *testing.T) {
	dir := t.TempDir()
	a, b := mustLock(t, dir), mustLock(t, dir)
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	if err := a.Lock(0); err != nil {
		t.Fatal(err)
	}
	if b.Lock(0) == nil {
		t.Fatal("both hold the lock")
	}
	a.Unlock()
	if err := b.Lock(0); err != nil {
		t.Fatal(err)
	}
}

func TestWithoutAGroupTheLockIsFree(t *testing.T) {
	var g *GroupLock
	if err := g.Lock(0); err != nil {
		t.Error(err)
	}
	g.Unlock()
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if _, err := OpenGroupLock(""); err == nil {
		t.Error("a lock without a directory was opened")
	}
}

func TestTheHolderIsNamedOnlyAsItIsWritten(t *testing.T) {
	cases := []struct{ text, want string }{
		{signature(), fmt.Sprintf("process %d", os.Getpid())},
		{"17", "process 17"},
		{"", "another process of the group"},
		{"0", "another process of the group"},
		{"-1", "another process of the group"},
		{"1; rm -rf /", "another process of the group"},
		{"\x00\xff", "another process of the group"},
		{"99999999999999999999", "another process of the group"},
	}
	for _, c := range cases {
		if got := holderFrom([]byte(c.text)); got != c.want {
			t.Errorf("%q names %s; want %s", c.text, got, c.want)
		}
	}
	counted(t, len(cases))
}
