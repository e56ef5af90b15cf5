package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheSuccessorShowsThatLastLinesAreGone(t *testing.T) {
	for k := range 5 {
		dir := t.TempDir()
		base := written(t, options(dir, 0), 2)
		first := written(t, options(dir, 1), 4)
		second := written(t, options(dir, 2), 2)
		lines := linesOf(mustRead(t, first))
		mustWrite(t, first, bytes.Join(lines[:len(lines)-k], nil))
		_, _, err := Open(options(dir, 3))
		_, groupErr := VerifyGroup(dir)
		if k == 0 {
			if err != nil || groupErr != nil {
				t.Errorf("nothing is gone, but: %v, %v", err, groupErr)
			}
			continue
		}
		wantBreak(t, err, second, 1, 0)
		wantBreak(t, groupErr, second, 1, 0)
		if suspect := []string{4: base, 3: first, 2: first, 1: first}[k]; !strings.Contains(err.Error(), filepath.Base(suspect)) {
			t.Errorf("error %q does not name %s, the newest earlier file with lines", err, suspect)
		}
	}
}

func TestFilesThatWereMovedAwayAreNotMissed(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for n := range 3 {
		paths = append(paths, written(t, options(dir, n), 2))
	}
	keep := mustRead(t, paths[1])
	if err := os.Remove(paths[1]); err != nil {
		t.Fatal(err)
	}
	_, _, err := Open(options(dir, 3))
	wantBreak(t, err, paths[2], 1, 0)
	mustWrite(t, paths[1], keep)
	for _, p := range paths[:2] {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
		_, priors, err := Open(options(dir, 3))
		if err != nil || len(priors) == 0 {
			t.Fatalf("after the oldest was moved away: %v, priors %v", err, priors)
		}
		if files, _ := Group(dir); os.Remove(files[len(files)-1].Path) != nil {
			t.Fatal("remove")
		}
	}
}

func TestAFileWithoutLinesIsNobodysPredecessor(t *testing.T) {
	dir := t.TempDir()
	a, _ := mustOpen(t, options(dir, 0))
	b, _ := mustOpen(t, options(dir, 1))
	a.Close() // as a client's probe ends that never sent a thing
	fill(t, b, 2)
	b.Close()
	c, priors := mustOpen(t, options(dir, 2))
	if c.Prev() != b.Prev() || len(priors) != 2 {
		t.Errorf("continues %s with priors %+v; want %s", c.Prev(), priors, b.Prev())
	}
	c.Close()
	lines := linesOf(mustRead(t, b.Path()))
	first := appendLine(nil, []byte(strings.Repeat("a", 64)), event(0, "after a file that was moved away"))
	mustWrite(t, b.Path(), append(first, '\n'))
	if _, _, err := Open(options(dir, 3)); err != nil {
		t.Errorf("the oldest file with lines names one that is gone: %v", err)
	}
	mustWrite(t, a.Path(), lines[0])
	_, _, err := Open(options(dir, 4))
	wantBreak(t, err, b.Path(), 1, 0)
}

func TestInstancesThatLiveAtOnceMayForkTheChain(t *testing.T) {
	dir := t.TempDir()
	written(t, options(dir, 0), 2)
	a, _ := mustOpen(t, options(dir, 1))
	b, _ := mustOpen(t, options(dir, 2))
	if a.Prev() != b.Prev() {
		t.Fatalf("both start after the same line; got %s and %s", a.Prev(), b.Prev())
	}
	fill(t, b, 2)
	fill(t, a, 2)
	c, priors := mustOpen(t, options(dir, 3))
	if c.Prev() != b.Prev() || len(priors) != 3 {
		t.Errorf("the third continues %s; want the newest file's %s", c.Prev(), b.Prev())
	}
	fill(t, b, 2)
	fill(t, c, 1)
	for _, l := range []*Ledger{a, b, c} {
		l.Close()
	}
	d, priors := mustOpen(t, options(dir, 4))
	if d.Prev() != c.Prev() || len(priors) != 4 {
		t.Errorf("after all ended the chain continues %s; want %s", d.Prev(), c.Prev())
	}
	if _, err := VerifyGroup(dir); err != nil {
		t.Error(err)
	}
}

func TestInstancesThatStartAtOnceAllStart(t *testing.T) {
	dir := t.TempDir()
	const n = 8
	opened := make(chan error, n)
	for i := range n {
		go func() {
			l, _, err := Open(options(dir, i))
			if err == nil {
				var token Token
				if token, err = l.Append(event(0, "first")); err == nil {
					err = l.Wait(token)
				}
				l.Close()
			}
			opened <- err
		}()
	}
	for range n {
		if err := <-opened; err != nil {
			t.Error(err)
		}
	}
	if _, err := VerifyGroup(dir); err != nil {
		t.Error(err)
	}
	if _, priors := mustOpen(t, options(dir, n)); len(priors) != n {
		t.Errorf("%d priors; want %d", len(priors), n)
	}
}
