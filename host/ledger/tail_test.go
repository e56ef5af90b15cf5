package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// reading is a tail with all that it has handed out, by base name.
type reading struct {
	t      *testing.T
	tail   *Tail
	got    map[string][]string
	fail   func(f File, line []byte) error
	partly bool // some lines were read before
}

func newReading(t *testing.T, o TailOptions) *reading {
	r := &reading{t: t, tail: NewTail(o), partly: len(o.From) > 0, got: map[string][]string{}}
	t.Cleanup(func() { r.tail.Close() })
	return r
}

// poll polls once and checks that the progress agrees with what was handed out.
func (r *reading) poll() []Progress {
	r.t.Helper()
	list, err := r.tail.Poll(func(f File, line []byte) error {
		if r.fail != nil {
			if err := r.fail(f, line); err != nil {
				return err
			}
		}
		r.got[filepath.Base(f.Path)] = append(r.got[filepath.Base(f.Path)], string(line))
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, p := range list {
		lines := r.got[filepath.Base(p.File.Path)]
		if !r.partly && int(p.Lines) != len(lines) {
			r.t.Errorf("%s: progress says %d lines; %d were handed out", p.File.Path, p.Lines, len(lines))
		}
	}
	return list
}

// alive says whether any other process may still write, as far as the last poll
// found.
func (r *reading) alive() bool {
	return slices.ContainsFunc(r.tail.order, func(p *peer) bool { return p.watch == path || p.watch == handle })
}

// quiet fails when a poll has anything to tell.
func (r *reading) quiet() {
	r.t.Helper()
	if list := r.poll(); list != nil {
		r.t.Errorf("there is nothing new, but: %+v", list)
	}
}

// lines are those of a file that were handed out, each with its LF.
func (r *reading) lines(path string) string {
	var b strings.Builder
	for _, line := range r.got[filepath.Base(path)] {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// has fails unless exactly the content of the files was handed out.
func (r *reading) has(paths ...string) {
	r.t.Helper()
	for _, p := range paths {
		if got, want := r.lines(p), string(mustRead(r.t, p)); got != want {
			r.t.Errorf("%s: handed out\n%swant\n%s", p, got, want)
		}
	}
	if len(r.got) != len(paths) {
		r.t.Errorf("lines of %d files were handed out; want %d", len(r.got), len(paths))
	}
}

// selfIn is a path that no other process's file has.
func selfIn(dir string) string {
	return filepath.Join(dir, fileName(begin, "self", strings.Repeat("f", 32)))
}

func TestEveryNewLineOfTheOthersIsHandedOutOnce(t *testing.T) {
	dir := t.TempDir()
	own, _ := mustOpen(t, options(dir, 0))
	a, _ := mustOpen(t, options(dir, 1))
	fill(t, own, 2)
	fill(t, a, 3)
	r := newReading(t, TailOptions{Dir: dir, Self: own.Path()})
	list := r.poll()
	if len(list) != 1 || list[0].File.Path != a.Path() || list[0].Lines != 3 || list[0].Last != a.Prev() || list[0].Err != nil || list[0].File.Server != "files" {
		t.Errorf("progress %+v", list)
	}
	r.quiet()
	b, _ := mustOpen(t, options(dir, 2))
	r.quiet()
	fill(t, b, 1)
	fill(t, a, 1)
	fill(t, own, 1)
	if list := r.poll(); len(list) != 2 || list[0].File.Path != a.Path() || list[1].File.Path != b.Path() || list[0].Lines != 4 || list[1].Lines != 1 {
		t.Errorf("progress %+v; want both, in the order of their names", list)
	}
	r.quiet()
	a.Close()
	fill(t, b, 1)
	if list := r.poll(); len(list) != 1 {
		t.Errorf("progress %+v", list)
	}
	r.has(a.Path(), b.Path())
}

func TestAPartialLineWaitsForItsRest(t *testing.T) {
	dir := t.TempDir()
	path := written(t, options(dir, 0), 3)
	data := mustRead(t, path)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lock(f); err != nil {
		t.Fatal(err)
	}
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
	for i := range data {
		if _, err := f.Write(data[i : i+1]); err != nil {
			t.Fatal(err)
		}
		list := r.poll()
		if whole := data[i] == '\n'; (len(list) == 1) != whole {
			t.Fatalf("after byte %d: %+v", i, list)
		}
	}
	counted(t, len(data))
	r.has(path)
}

func TestATailGoesOnAfterWhatWasReadWhenTheLedgerWasOpened(t *testing.T) {
	dir := t.TempDir()
	dead := written(t, options(dir, 0), 2)
	alive, _ := mustOpen(t, options(dir, 1))
	fill(t, alive, 2)
	o := options(dir, 2)
	var seen []string
	o.Event = func(f File, e abi.Event) error {
		seen = append(seen, f.Path+" "+e.String())
		return nil
	}
	own, priors := mustOpen(t, o)
	if len(seen) != 4 || !strings.HasPrefix(seen[0], dead) || !strings.HasPrefix(seen[2], alive.Path()) {
		t.Errorf("while it was opened it handed out %q", seen)
	}
	r := newReading(t, TailOptions{Dir: dir, Self: own.Path(), From: priors})
	r.quiet()
	fill(t, alive, 1)
	list := r.poll()
	if len(list) != 1 || list[0].Lines != 3 || list[0].Last != alive.Prev() {
		t.Errorf("progress %+v", list)
	}
	if want := string(linesOf(mustRead(t, alive.Path()))[2]); r.lines(alive.Path()) != want || len(r.got) != 1 {
		t.Errorf("handed out %q; want %q", r.got, want)
	}
	stop := errors.New("stop")
	o = options(dir, 3)
	o.Event = func(File, abi.Event) error { return stop }
	if _, _, err := Open(o); !errors.Is(err, stop) || !strings.Contains(err.Error(), dead) || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("error of Event came back as %v", err)
	}
}

func TestOldFilesAreNotTailedUntilTheyChange(t *testing.T) {
	dir := t.TempDir()
	dead := written(t, options(dir, 0), 2)
	alive, _ := mustOpen(t, options(dir, 1))
	fill(t, alive, 2)
	recent := written(t, options(dir, 2), 1)
	for _, p := range []string{dead, alive.Path()} {
		if err := os.Chtimes(p, begin, begin); err != nil {
			t.Fatal(err)
		}
	}
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir), Since: begin.Add(time.Second)})
	r.poll()
	r.has(recent)
	fill(t, alive, 1)
	r.poll()
	r.has(recent, alive.Path())
	alive.Close()
	r.quiet()
}
