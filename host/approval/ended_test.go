//go:build unix

package approval

import (
	"errors"
	"net"
	"path/filepath"
	"testing"
)

func TestAProcessThatEndedIsToldFromOneThatDoesNotAnswer(t *testing.T) {
	n := 0
	for _, c := range []struct {
		name         string
		before, ends bool // its end: before it is asked; or instead of an answer
		want         bool
	}{
		{"it is gone", true, true, true},
		{"it goes without an answer", false, true, true},
		{"it stays and does not answer", false, false, false},
	} {
		p := Process{Path: filepath.Join(socketDir(t), "1-abcdefgh.sock")}
		l, err := net.Listen("unix", p.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if c.before {
			l.Close()
		}
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				if c.ends {
					l.Close()
				}
				conn.Close()
			}
		}()
		for what, ask := range map[string]func() error{
			"pending": func() error { _, err := p.Pending(); return err },
			"answer":  func() error { _, err := p.Answer("abc", true); return err },
			"context": func() error { return p.AddContext("text") },
		} {
			if err := ask(); err == nil || errors.Is(err, ErrEnded) != c.want {
				t.Errorf("%s, %s: %v; want the end of the process: %v", c.name, what, err, c.want)
			}
		}
		n++
	}
	cases(t, n, 3)
}
