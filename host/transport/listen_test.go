package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

func TestListenAddressesThatMayBe(t *testing.T) {
	cases := []struct {
		addr       string
		tls, peers bool
		want       string // in the error; "": none
	}{
		{"127.0.0.1:8080", false, false, ""},
		{"127.9.9.9:8080", false, false, ""},
		{"[::1]:8080", false, false, ""},
		{"localhost:8080", false, false, ""},
		{"127.0.0.1:0", false, false, ""},
		{"192.0.2.7:8080", false, false, "configure tls: or clients:"},
		{"192.0.2.7:8080", true, false, ""},
		{"192.0.2.7:8080", false, true, ""},
		{"[2001:db8::1]:8080", false, false, "configure tls: or clients:"},
		{"[2001:db8::1]:8080", true, false, ""},
		{"[fe80::1%eth0]:8080", true, true, ""},
		{"gate.example.org:8080", false, false, "configure tls: or clients:"},
		{"gate.example.org:8080", true, false, ""},
		{"localhost.example.org:8080", false, false, "configure tls: or clients:"},
		{":8080", true, true, "name one"},
		{"0.0.0.0:8080", true, true, "name one"},
		{"[::]:8080", true, true, "name one"},
		{"[::%eth0]:8080", true, true, "name one"},
		{"[::ffff:0.0.0.0]:8080", true, true, "name one"},
		{"224.0.0.1:8080", true, true, "multicast"},
		{"0:8080", true, true, "neither an address nor a host name"},
		{"0x0:8080", true, true, "neither an address nor a host name"},
		{"127.1:8080", false, false, "neither an address nor a host name"},
		{"LOCALHOST:8080", false, false, "neither an address nor a host name"},
		{"*:8080", true, true, "neither an address nor a host name"},
		{"127.0.0.1", true, true, "not host:port"},
		{"127.0.0.1:", true, true, "port"},
		{"127.0.0.1:http", true, true, "port"},
		{"127.0.0.1:65536", true, true, "port"},
		{"127.0.0.1:-1", true, true, "port"},
		{"127.0.0.1:080", true, true, "port"},
		{"::1:8080", true, true, "not host:port"},
		{"", true, true, "not host:port"},
	}
	tally(t, len(cases))
	for _, c := range cases {
		err := CheckListen(c.addr, c.tls, c.peers)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q, TLS %t, client authentication %t: %v; want %q", c.addr, c.tls, c.peers, err, c.want)
		}
	}
}

func TestListenOpensOnlyWhatMayBe(t *testing.T) {
	ctx := context.Background()
	ln, err := Listen(ctx, "127.0.0.1:0", false, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if _, err := Listen(ctx, ln.Addr().String(), false, false, 1); err == nil {
		t.Error("one address was opened twice")
	}
	if _, err := Listen(ctx, "127.0.0.1:0", false, false, 0); err == nil {
		t.Error("a limit of no connections was accepted; want it named")
	}
	if _, err := Listen(ctx, "0.0.0.0:0", true, true, 1); err == nil {
		t.Error("every address was opened")
	}
}

func TestListenHoldsBackConnectionsOverTheLimit(t *testing.T) {
	ln, err := Listen(context.Background(), "127.0.0.1:0", false, false, 1)
	if err != nil {
		t.Fatal(err)
	}
	var free atomic.Bool
	accepted, early := make(chan net.Conn), make(chan bool, 1)
	go func() {
		defer close(accepted)
		for n := range 2 {
			c, err := ln.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			if n == 1 {
				early <- !free.Load()
			}
			accepted <- c
		}
	}()
	for range 2 {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first := <-accepted
	// Time for the second to come too early; however little it is, the test does not fail without cause.
	for range 1000 {
		runtime.Gosched()
	}
	free.Store(true)
	first.Close()
	second := <-accepted
	second.Close()
	ln.Close()
	<-accepted
	if <-early {
		t.Error("a second connection was accepted while the first was open; the limit is one")
	}
}

func TestServerEndsItsRequestsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	ln, err := Listen(ctx, "127.0.0.1:0", false, false, 8)
	if err != nil {
		t.Fatal(err)
	}
	started, gone := make(chan struct{}), make(chan bool, 1)
	srv := NewServer(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := NewStream(w, r, StreamOptions{Events: true})
		if err := s.Open(); err != nil {
			t.Error(err)
		}
		close(started)
		s.Wait()
		gone <- s.Gone()
	}), nil)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	client := &http.Client{Transport: &http.Transport{}}
	answer, err := client.Get("http://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	<-started
	cancel()
	if !<-gone {
		t.Error("the end of the server is taken for the end of the response")
	}
	if _, err := io.ReadAll(answer.Body); err != nil {
		t.Errorf("the stream ended with %v; want its end", err)
	}
	answer.Body.Close()
	if err := srv.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	client.CloseIdleConnections()
}
