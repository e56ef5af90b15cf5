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

// begin is the time of the first start in every test.
var begin = time.Date(2026, 11, 29, 19, 53, 17, 123456789, time.UTC)

func event(seq int, text string) []byte {
	return fmt.Appendf(nil, `{"v":1,"seq":%d,"time":"2026-11-29T19:53:17Z","user":{"text":%q}}`, seq, text)
}

// options are those of the n-th start of server "files" in dir.
func options(dir string, n int) Options {
	return Options{Dir: dir, Server: "files", Now: begin.Add(time.Duration(n) * time.Second), ID: fmt.Sprintf("%012x%020x", n+1, 0)}
}

func mustOpen(t testing.TB, o Options) (*Ledger, []Prior) {
	t.Helper()
	l, priors, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, priors
}

// fill appends n events, one at a time, and waits for them.
func fill(t testing.TB, l *Ledger, n int) {
	t.Helper()
	for range n {
		l.mu.Lock()
		next := int(l.lines)
		l.mu.Unlock()
		token, err := l.Append(event(next, fmt.Sprintf("event %d of %s", next, l.ID())))
		if err == nil {
			err = l.Wait(token)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// written makes a closed file with n events and returns its path.
func written(t testing.TB, o Options, n int) string {
	t.Helper()
	l, _ := mustOpen(t, o)
	fill(t, l, n)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Path()
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustWrite(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func linesOf(data []byte) [][]byte {
	lines := bytes.SplitAfter(data, []byte("\n"))
	return lines[:len(lines)-1]
}

// wantBreak checks that err is a break of the file at path, in the given line,
// that says where and what to do.
func wantBreak(t testing.TB, err error, path string, line int, offset int64) {
	t.Helper()
	var b *Break
	if !errors.As(err, &b) {
		t.Fatalf("error is %v; want a break", err)
	}
	if b.Path != path || b.Line != line || b.Offset != offset {
		t.Errorf("break is at %s line %d byte %d; want %s line %d byte %d: %v", filepath.Base(b.Path), b.Line, b.Offset, filepath.Base(path), line, offset, err)
	}
	for _, word := range []string{path, fmt.Sprintf("line %d", line), fmt.Sprintf("byte %d", offset), "want ", "move "} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not say %q", err, word)
		}
	}
}

// counted fails a data-driven test that ran no case.
func counted(t *testing.T, n int) {
	t.Helper()
	if n == 0 {
		t.Fatal("no case was run")
	}
}
