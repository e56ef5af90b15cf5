package proxy

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestAFrameThatMayWaitHereIsWrittenHere(t *testing.T) {
	lost := errors.New("lost")
	cases := []struct {
		name string
		wait error
		want string
	}{
		{"durable", nil, "call\n"},
		{"lost", lost, ""},
	}
	ran := 0
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ran++
			var to bytes.Buffer
			s := newSender(&to)
			var failed error
			s.send(frame{bytes: []byte("call\n"), here: true, wait: func() error { return c.wait }, fail: func(err error) { failed = err }})
			// No close before: what send has done it has done by itself.
			if to.String() != c.want || !errors.Is(failed, c.wait) {
				t.Errorf("want %q and %v, got %q and %v", c.want, c.wait, to.String(), failed)
			}
			s.close()
		})
	}
	if ran == 0 {
		t.Fatal("no case ran")
	}
}

func TestAFrameThatMayWaitHereStaysBehindTheOthers(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := newSender(w)
	durable := make(chan struct{})
	s.send(frame{bytes: []byte("first\n"), wait: func() error { <-durable; return nil }})
	s.send(frame{bytes: []byte("second\n"), here: true, wait: func() error { return nil }})
	s.send(frame{bytes: []byte("third\n")})
	close(durable)
	s.close()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := got.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	if want := "first second third"; strings.Join(strings.Fields(got.String()), " ") != want {
		t.Errorf("want %q, got %q", want, got.String())
	}
}
