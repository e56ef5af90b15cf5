package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

func TestAppendWritesALineThatNamesTheOneBefore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "groups", "g")
	l, priors := mustOpen(t, options(dir, 0))
	if len(priors) != 0 {
		t.Fatalf("a new directory has priors %v", priors)
	}
	if want := "20261129T195317.123456789Z.files.000000000001.jsonl"; filepath.Base(l.Path()) != want {
		t.Errorf("file is %s; want %s", filepath.Base(l.Path()), want)
	}
	token, err := l.Append(event(0, "a"), event(1, "b"))
	if err != nil || token != 2 {
		t.Fatalf("append = %d, %v; want token 2", token, err)
	}
	if err := l.Wait(token); err != nil {
		t.Fatal(err)
	}
	prev := strings.Repeat("0", 64)
	want := ""
	for i, text := range []string{"a", "b"} {
		line := `{"prev":"` + prev + `",` + string(event(i, text)[1:])
		sum := sha256.Sum256([]byte(line))
		prev = hex.EncodeToString(sum[:])
		want += line + "\n"
	}
	if got := string(mustRead(t, l.Path())); got != want {
		t.Errorf("file is\n%swant\n%s", got, want)
	}
	if l.Prev() != prev {
		t.Errorf("Prev is %s; want %s", l.Prev(), prev)
	}
	if runtime.GOOS != "windows" {
		for path, mode := range map[string]os.FileMode{l.Path(): 0o600, dir: 0o700, filepath.Dir(dir): 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
				t.Errorf("mode of %s is %v, %v; want %v", path, info.Mode(), err, mode)
			}
		}
	}
}

type eventCase struct {
	name, event string
	ok          bool
}

func eventCases() []eventCase {
	return []eventCase{
		{"plain", `{"v":1,"seq":0,"call":{}}`, true},
		{"seq last, as sorted keys have it", `{"call":{"seq":7},"seq":0,"v":1}`, true},
		{"lone surrogate", `{"seq":0,"x":"\ud800"}`, true},
		{"different lone surrogates as names", `{"seq":0,"x":{"\ud800":1,"\ud801":[{"a":1},{"a":2}]}}`, true},
		{"equal lone surrogates as names", `{"seq":0,"x":{"\ud800":1,"\ud800":2}}`, false},
		{"lone surrogates and a plain duplicate", `{"seq":0,"x":{"\ud800":1,"\ud801":2,"a":1,"\u0061":2}}`, false},
		{"nothing", ``, false},
		{"empty object", `{}`, false},
		{"array", `[0]`, false},
		{"no seq", `{"v":1}`, false},
		{"seq of an inner object only", `{"v":{"seq":0}}`, false},
		{"wrong seq", `{"seq":1}`, false},
		{"seq as text", `{"seq":"0"}`, false},
		{"seq with a fraction", `{"seq":0.0}`, false},
		{"seq with an exponent", `{"seq":0e1}`, false},
		{"negative zero seq", `{"seq":-0}`, false},
		{"two seq", `{"seq":0,"seq":0}`, false},
		{"prev already there", `{"prev":"x","seq":0}`, false},
		{"prev further on", `{"seq":0,"prev":"x"}`, false},
		{"prev with an escape", `{"seq":0,"\u0070rev":"x"}`, false},
		{"prev inside a member", `{"seq":0,"x":{"prev":"x"}}`, true},
		{"LF inside", "{\"seq\":0,\n\"a\":1}", false},
		{"LF behind", "{\"seq\":0}\n", false},
		{"space before", ` {"seq":0}`, false},
		{"data behind", `{"seq":0}{}`, false},
		{"invalid UTF-8", "{\"seq\":0,\"a\":\"\xff\"}", false},
		{"duplicate inside", `{"seq":0,"x":{"a":1,"a":2}}`, false},
		{"NaN", `{"seq":0,"x":NaN}`, false},
		{"comment", `{"seq":0/**/}`, false},
		{"unclosed", `{"seq":0,"x":{}`, false},
	}
}

func TestAppendTakesOnlyEventsThatCanBeReadBack(t *testing.T) {
	cases := eventCases()
	for _, c := range cases {
		l := Memory(MemoryOptions{Keep: true})
		_, err := l.Append([]byte(c.event))
		if (err == nil) != c.ok {
			t.Errorf("%s: append answers %v; want ok %v", c.name, err, c.ok)
		}
		if c.ok {
			path := filepath.Join(t.TempDir(), "x.jsonl")
			mustWrite(t, path, l.Bytes())
			if r, err := Verify(path); err != nil || r.Lines != 1 {
				t.Errorf("%s: reading back: %+v, %v", c.name, r, err)
			}
			continue
		}
		if len(l.Bytes()) > 0 || l.Err() == nil {
			t.Errorf("%s: refused, but %d bytes written and Err %v", c.name, len(l.Bytes()), l.Err())
		}
		if _, err := l.Append(event(0, "good")); err == nil {
			t.Errorf("%s: the append after a refused one was taken", c.name)
		}
	}
	counted(t, len(cases))
}

func TestAFailureOfTheFilePoisonsTheLedger(t *testing.T) {
	cases := []struct {
		name             string
		set              func(*fake)
		appended, waited bool // the step that must still succeed
	}{
		{"nothing fails", func(*fake) {}, true, true},
		{"disk full at once", func(f *fake) { f.write = syscall.ENOSPC }, false, false},
		{"disk full in the middle", func(f *fake) { f.write, f.short = syscall.ENOSPC, 40 }, false, false},
		{"short write without an error", func(f *fake) { f.lie, f.short = true, 40 }, false, false},
		{"sync fails", func(f *fake) { f.sync = syscall.EIO }, true, false},
	}
	for _, c := range cases {
		f := &fake{}
		l := newLedger(f, "", "x.jsonl", zeroHash)
		early, err := l.Append(event(0, "before"))
		if err != nil {
			t.Fatal(err)
		}
		c.set(f)
		token, err := l.Append(event(1, "now"))
		if (err == nil) != c.appended {
			t.Errorf("%s: append answers %v; want ok %v", c.name, err, c.appended)
		}
		if err := l.Wait(max(early, token)); (err == nil) != c.waited {
			t.Errorf("%s: wait answers %v; want ok %v", c.name, err, c.waited)
		}
		*f = fake{} // the file works again; the ledger must not
		if err := l.Err(); (err == nil) != c.waited {
			t.Errorf("%s: Err is %v; want ok %v", c.name, err, c.waited)
		}
		if _, err := l.Append(event(2, "later")); (err == nil) != c.waited {
			t.Errorf("%s: a later append answers %v; want ok %v", c.name, err, c.waited)
		}
		if err := l.Wait(early); (err == nil) != c.waited {
			t.Errorf("%s: a later wait answers %v; want ok %v", c.name, err, c.waited)
		}
		if err := l.Close(); (err == nil) != c.waited {
			t.Errorf("%s: close answers %v; want ok %v", c.name, err, c.waited)
		}
	}
	counted(t, len(cases))
}

func TestAFailedSyncIsToldToEveryWaiter(t *testing.T) {
	f := &fake{sync: syscall.EIO, entered: make(chan struct{}), release: make(chan struct{})}
	l := newLedger(f, "", "x.jsonl", zeroHash)
	errs := make(chan error, 8)
	first, err := l.Append(event(0, ""))
	if err != nil {
		t.Fatal(err)
	}
	go func() { errs <- l.Wait(first) }()
	<-f.entered
	for i := 1; i < cap(errs); i++ {
		token, err := l.Append(event(i, ""))
		if err != nil {
			t.Fatal(err)
		}
		go func() { errs <- l.Wait(token) }()
	}
	f.release <- struct{}{}
	for range cap(errs) {
		if err := <-errs; !errors.Is(err, syscall.EIO) {
			t.Errorf("a waiter got %v; want %v", err, syscall.EIO)
		}
	}
	if l.Syncs() != 1 {
		t.Errorf("%d syncs; want 1, for none is tried after a failure", l.Syncs())
	}
}

// crowd has 64 goroutines wait for a line each. All but the first come while the
// first sync of f goes on.
func crowd(t *testing.T, l *Ledger, f *fake) {
	t.Helper()
	var wg sync.WaitGroup
	wait := func(seq int) {
		token, err := l.Append(event(seq, ""))
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := l.Wait(token); err != nil {
				t.Error(err)
			}
		})
	}
	wait(0)
	<-f.entered
	for seq := 1; seq < 64; seq++ {
		wait(seq)
	}
	f.release <- struct{}{}
	f.release <- struct{}{}
	wg.Wait()
}

func TestWaitersShareOneSync(t *testing.T) {
	f := &fake{entered: make(chan struct{}, 2), release: make(chan struct{}, 2)}
	l := newLedger(f, "", "x.jsonl", zeroHash)
	crowd(t, l, f)
	if l.Syncs() != 2 {
		t.Errorf("64 waiters took %d syncs; want 2", l.Syncs())
	}
}

func TestWaitReturnsOnlyWhenASyncThatBeganLaterHasEnded(t *testing.T) {
	f := &fake{}
	l := newLedger(f, "", "x.jsonl", zeroHash)
	var mu sync.Mutex
	var seq int
	var wg sync.WaitGroup
	var done atomic.Int64
	for range 16 {
		wg.Go(func() {
			for range 50 {
				mu.Lock()
				token, err := l.Append(event(seq, "x"))
				seq++
				f.mu.Lock()
				end := len(f.data)
				f.mu.Unlock()
				mu.Unlock()
				if err == nil {
					err = l.Wait(token)
				}
				f.mu.Lock()
				synced := f.synced
				f.mu.Unlock()
				if err != nil || synced < end {
					t.Errorf("wait for %d answers %v with %d bytes durable; want %d", token, err, synced, end)
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	if done.Load() != 800 || l.Syncs() > 800 {
		t.Errorf("%d appends took %d syncs", done.Load(), l.Syncs())
	}
}

func TestWaitRefusesATokenThatWasNotGivenOut(t *testing.T) {
	l := Memory()
	token, err := l.Append(event(0, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Wait(token); err != nil {
		t.Errorf("wait for the last token: %v", err)
	}
	if err := l.Wait(token + 1); err == nil {
		t.Error("wait for a token of the future returned nil")
	}
	if none, err := l.Append(); err != nil || none != token {
		t.Errorf("append of nothing = %d, %v; want the last token %d", none, err, token)
	}
}

func TestALedgerThatIsNotOpenAcceptsNothing(t *testing.T) {
	for name, l := range map[string]*Ledger{"nil": nil, "zero": {}} {
		if _, err := l.Append(event(0, "")); err == nil {
			t.Errorf("%s: append was taken", name)
		}
		if l.Wait(0) == nil || l.Err() == nil || l.Close() == nil {
			t.Errorf("%s: wait, Err or close returned nil", name)
		}
	}
}

func TestCloseMakesDurableWhatWasWritten(t *testing.T) {
	f := &fake{}
	l := newLedger(f, "", "x.jsonl", zeroHash)
	token, err := l.Append(event(0, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil || f.synced != len(f.data) {
		t.Errorf("close answers %v with %d of %d bytes durable", err, f.synced, len(f.data))
	}
	if err := l.Wait(token); err != nil {
		t.Errorf("wait for an event that close made durable: %v", err)
	}
	if _, err := l.Append(event(1, "")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("append after close answers %v; want %v", err, os.ErrClosed)
	}
	if !errors.Is(l.Err(), os.ErrClosed) || l.Close() != nil {
		t.Errorf("after close Err is %v and a second close %v", l.Err(), l.Close())
	}
}

func TestCloseReportsWhatItCannotMakeDurable(t *testing.T) {
	for name, set := range map[string]func(*fake){
		"sync":  func(f *fake) { f.sync = syscall.EIO },
		"close": func(f *fake) { f.close = syscall.EIO },
	} {
		f := &fake{}
		l := newLedger(f, "", "x.jsonl", zeroHash)
		if _, err := l.Append(event(0, "")); err != nil {
			t.Fatal(err)
		}
		set(f)
		if err := l.Close(); !errors.Is(err, syscall.EIO) || !errors.Is(l.Close(), syscall.EIO) {
			t.Errorf("%s: close answers %v; want %v", name, err, syscall.EIO)
		}
	}
}

func TestMemoryChainsLikeAFile(t *testing.T) {
	onDisk, _ := mustOpen(t, options(t.TempDir(), 0))
	kept, dropped := Memory(MemoryOptions{Keep: true, ID: "m"}), Memory()
	for i := range 5 {
		for _, l := range []*Ledger{onDisk, kept, dropped} {
			token, err := l.Append(event(i, "x"))
			if err == nil {
				err = l.Wait(token)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := string(kept.Bytes()); got != string(mustRead(t, onDisk.Path())) {
		t.Errorf("memory kept\n%s", got)
	}
	if kept.Prev() != onDisk.Prev() || dropped.Prev() != onDisk.Prev() || len(dropped.Bytes()) != 0 || kept.ID() != "m" {
		t.Errorf("prevs %s %s %s", kept.Prev(), dropped.Prev(), onDisk.Prev())
	}
}

func TestALargeEventDoesNotHoldItsMemory(t *testing.T) {
	l := Memory()
	if _, err := l.Append(fmt.Appendf(nil, `{"seq":0,"x":"%s"}`, strings.Repeat("x", 2<<20))); err != nil {
		t.Fatal(err)
	}
	if cap(l.buf) > 1<<20 {
		t.Errorf("%d bytes are held after a large event", cap(l.buf))
	}
}
