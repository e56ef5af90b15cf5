package ledger

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

func TestLinesThatAreBeingWrittenAreReadOnceAndWhole(t *testing.T) {
	dir := t.TempDir()
	const writers, each = 4, 120
	var paths []string
	done := make(chan error, writers)
	for n := range writers {
		l, _ := mustOpen(t, options(dir, n))
		paths = append(paths, l.Path())
		go func() {
			body := strings.Repeat("x", 90_000) // longer than one read
			for seq := 0; seq < each; seq += 2 {
				if _, err := l.Append(event(seq, "a"), event(seq+1, body)); err != nil {
					done <- err
					return
				}
			}
			done <- l.Close()
		}()
	}
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
	for left := writers; left > 0; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			left--
		default:
		}
		for _, p := range r.poll() {
			if p.Err != nil {
				t.Fatal(p.Err)
			}
		}
	}
	r.poll()
	r.has(paths...)
}

func TestTheFilesOfDeadProcessesCostNothing(t *testing.T) {
	dir := t.TempDir()
	const dead = 200
	var paths []string
	data := mustRead(t, written(t, options(t.TempDir(), 0), 2))
	for n := range dead {
		o := options(dir, n)
		paths = append(paths, filepath.Join(dir, fileName(o.Now, o.Server, o.ID)))
		mustWrite(t, paths[n], data)
	}
	live, _ := mustOpen(t, options(dir, dead))
	fill(t, live, 1)
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)}).later()
	if list := r.poll(); len(list) != dead+1 {
		t.Errorf("progress of %d files; want %d", len(list), dead+1)
	}
	r.has(append(paths, live.Path())...)
	watched := 0
	for _, p := range r.tail.order {
		if p.watch != quiet {
			watched++
		}
	}
	if watched != 1 || r.tail.open != 1 || !r.alive() {
		t.Errorf("%d files are watched and %d open; want the live one", watched, r.tail.open)
	}
	live.Close()
	written(t, options(dir, dead+1), 1)
	r.poll()
	if r.tail.open != 0 || r.alive() {
		t.Errorf("%d files open after the last process ended", r.tail.open)
	}
}

func TestOnlySoManyFilesAreKeptOpen(t *testing.T) {
	dir := t.TempDir()
	const live = maxOpen + 6
	var all []*Ledger
	var paths []string
	for n := range live {
		l, _ := mustOpen(t, Options{Dir: dir, Server: fmt.Sprintf("s%d", n), Now: begin, ID: options(dir, n).ID})
		if _, err := l.Append(event(0, "a")); err != nil {
			t.Fatal(err)
		}
		all, paths = append(all, l), append(paths, l.Path())
	}
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
	r.poll()
	for i, l := range all {
		if _, err := l.Append(event(1, "b")); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			r.poll()
		}
	}
	r.poll()
	r.has(paths...)
	if r.tail.open != maxOpen {
		t.Errorf("%d files open; want %d", r.tail.open, maxOpen)
	}
	if err := r.tail.Close(); err != nil || r.tail.open != 0 {
		t.Errorf("%d files open after Close, %v", r.tail.open, err)
	}
	r.quiet()
}

func TestAFileThatIsNotLockedYetIsNotTakenForADeadOnes(t *testing.T) {
	dir := t.TempDir()
	o := options(dir, 0)
	path := filepath.Join(dir, fileName(o.Now, o.Server, o.ID))
	mustWrite(t, path, nil)
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)}).later()
	r.quiet()
	r.quiet()
	mustWrite(t, path, mustRead(t, written(t, options(t.TempDir(), 0), 2)))
	r.poll()
	r.has(path)
}

func TestANewFileIsFoundByTheTimeOfTheDirectory(t *testing.T) {
	dir := t.TempDir()
	first := written(t, options(dir, 0), 1)
	if err := os.Chtimes(dir, begin, begin); err != nil {
		t.Fatal(err)
	}
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
	now := begin
	r.tail.now = func() time.Time { return now }
	put := func(n int) string {
		path := written(t, options(t.TempDir(), n), 1)
		to := filepath.Join(dir, filepath.Base(path))
		if err := os.Rename(path, to); err != nil {
			t.Fatal(err)
		}
		return to
	}
	r.poll()
	r.has(first)
	second := put(1)
	hide := func() { // the change, as a coarse clock does in the tick of the one before
		now, err := stampAt(dir)
		if err != nil {
			t.Fatal(err)
		}
		r.tail.scanned = now
	}
	hide()
	r.poll()
	r.has(first, second)
	now = begin.Add(200 * 365 * 24 * time.Hour)
	r.poll()
	third := put(2)
	hide()
	r.quiet() // nothing shows the change; the directory was not read
	fourth := put(3)
	r.poll()
	r.has(first, second, third, fourth)
}

// startWriter starts a process that appends until it is killed.
func startWriter(t *testing.T, dir string, n int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("%s_N=%d", childDir, n))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestKilledAndRestartedProcessesAreTailedWithoutALoss(t *testing.T) {
	dir := t.TempDir()
	r := newReading(t, TailOptions{Dir: dir, Self: selfIn(dir)})
	poll := func() (lines int) {
		for _, p := range r.poll() {
			if p.Err != nil {
				t.Fatal(p.Err)
			}
		}
		for _, l := range r.got {
			lines += len(l)
		}
		return lines
	}
	const starts = 6
	for n := range starts {
		cmd := startWriter(t, dir, n) // which also cuts what the one before left torn
		for start, lines := poll(), 0; lines < start+7*(n+1); {
			lines = poll()
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 {
			poll()
		}
		cmd.Wait()
		files, err := Group(dir)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(files[len(files)-1].Path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		whole := mustRead(t, f.Name())
		if n%3 == 0 && whole[len(whole)-1] == '\n' {
			report, err := Verify(f.Name())
			if err == nil {
				_, err = f.WriteString(linePrefix + report.Last[:20])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		f.Close()
	}
	l, priors := mustOpen(t, options(dir, starts))
	l.Close()
	if len(priors) != starts {
		t.Fatalf("%d priors; want %d", len(priors), starts)
	}
	poll()
	var paths []string
	for _, p := range priors {
		paths = append(paths, p.Path)
	}
	r.has(paths...)
	if r.tail.open != 0 {
		t.Errorf("%d files open after all were killed", r.tail.open)
	}
}

func TestALineThatIsParsedOnceIsAcceptedOnlyIfItWouldBeTwice(t *testing.T) {
	cases := append(breakCases(),
		breakCase{"name twice", func(l [][]byte) [][]byte { return replaced(l, 2, `"v":1,`, `"v":1,"v":1,`) }, 3},
		breakCase{"name twice inside", func(l [][]byte) [][]byte { return replaced(l, 2, `{"text":`, `{"text":"","te\u0078t":`) }, 3},
		breakCase{"seq after another", func(l [][]byte) [][]byte { return replaced(l, 2, `"seq":2,`, `"seq":2,"s\u0065q":3,`) }, 3},
		breakCase{"seq as a fraction", func(l [][]byte) [][]byte { return replaced(l, 2, `"seq":2,`, `"seq":2.0,`) }, 3},
		breakCase{"seq longer", func(l [][]byte) [][]byte { return replaced(l, 2, `"seq":2,`, `"seq":20,`) }, 3},
		breakCase{"seq elsewhere", func(l [][]byte) [][]byte { return replaced(l, 2, `"v":1,"seq":2,`, `"seq":2,"v":1,`) }, 0},
		breakCase{"two objects", func(l [][]byte) [][]byte { return replaced(l, 2, `"}}`, `"}}{}`) }, 3},
		breakCase{"space at the end", func(l [][]byte) [][]byte { return replaced(l, 2, "}}\n", "}} \n") }, 3},
	)
	for _, c := range cases {
		path := written(t, options(t.TempDir(), 0), 3)
		data := bytes.Join(c.edit(linesOf(mustRead(t, path))), nil)
		mustWrite(t, path, data)
		_, strict := Verify(path)
		_, _, once := Options{Event: func(File, abi.Event) error { return nil }}.verifyPrior(File{Path: path}, &chain{})
		parses := true
		for _, line := range linesOf(data) {
			_, err := abi.ParseEvent(line)
			parses = parses && err == nil
		}
		if (strict == nil) != (c.line == 0) || (once == nil) != (strict == nil && parses) {
			t.Errorf("%s: strictly %v, the lines are events: %v, parsed once %v", c.name, strict, parses, once)
		}
	}
	counted(t, len(cases))
}
