package transport

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/wire"
)

func cancelFrame(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

func TestACancelledRequestIsGivenUpAsItsRevisionSays(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		name, frame string
		posted      bool
	}{
		{"with words", callFrame(1, "hang"), true},
		{"by its end", modernFrame(1, "hang", ""), false},
		{"by the end of its body", modernFrame(1, "mute", ""), false},
	} {
		s := newScript(t)
		gone, cancelled := make(chan struct{}), make(chan struct{})
		s.on["hang"] = func(x *exchanged) {
			x.say("id: 1\nretry: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n")
			select {
			case <-x.r.Context().Done():
				close(gone)
			case <-cancelled:
			}
		}
		s.on["mute"] = func(x *exchanged) { <-x.r.Context().Done(); close(gone) }
		s.on["notifications/cancelled"] = func(x *exchanged) { close(cancelled); x.w.WriteHeader(202) }
		r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
		begin(t, s, r)
		send(t, r, c.frame)
		if strings.Contains(c.frame, "hang") {
			wantNext(t, r, `{"jsonrpc":"2.0","method":"n"} on 1`)
		} else {
			s.await("mute")
		}
		send(t, r, cancelFrame(1))
		wantNext(t, r, "error 8 on 1") // and the stream is not taken up again
		if !c.posted {
			<-gone
		}
		send(t, r, callFrame(2, "ping"))
		wantNext(t, r, response(2)+" on 2")
		posted := slices.ContainsFunc(s.list(), func(line string) bool { return strings.HasPrefix(line, "notifications/cancelled") })
		if posted != c.posted {
			t.Errorf("%s: asked %q", c.name, s.list())
		}
		r.Close()
	}
}

func TestACancellationOfNothingIsForOldServersOnly(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	send(t, r, cancelFrame(1), callFrame(2, "ping"))
	wantNext(t, r, response(2)+" on 2")
	s.wants("ping")
	begin(t, s, r)
	send(t, r, cancelFrame(2), callFrame(3, "ping"))
	wantNext(t, r, response(3)+" on 3")
	if !slices.Contains(s.list(), "notifications/cancelled Protocol-Version=2025-11-25") {
		t.Errorf("asked %q", s.list())
	}
}

func TestTheEndLetsAnswersArriveAndTheSecondEndDoesNot(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.session = "?"
	release, gone := make(chan struct{}), make(chan struct{}, 2)
	s.on["wait"] = func(x *exchanged) { <-release; x.json(200, x.result()) }
	s.on["hang"] = func(x *exchanged) { x.say(":\n"); <-x.r.Context().Done(); gone <- struct{}{} }
	s.on["GET"] = s.on["hang"]
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	begin(t, s, r)
	send(t, r, callFrame(1, "wait"))
	r.CloseSend()
	close(release)
	wantNext(t, r, response(1)+" on 1", "end")
	<-gone // the stream of its own ends with the session
	r.Close()
	if last := s.deletion(); last != "DELETE Session-Id=s1 Protocol-Version=2025-11-25" {
		t.Errorf("last it was asked %s", last)
	}

	r, _ = remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	begin(t, s, r)
	send(t, r, callFrame(1, "hang"))
	s.await("hang")
	r.Close()
	<-gone
	<-gone
	wantNext(t, r, "end")
	r.Close() // twice is once
}

func TestAStreamThatHasNothingMoreToBringIsCutOff(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		name, answer string
		cancel       bool
		want         []string
	}{
		{"the answer is there", "data: " + response(1) + "\n\n", false, []string{response(1) + " on 1"}},
		{"nobody wants the answer", "data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n", true, []string{`{"jsonrpc":"2.0","method":"n"} on 1`, "error 8 on 1"}},
	} {
		s := newScript(t)
		gone := make(chan struct{})
		s.on["endless"] = func(x *exchanged) { x.say(c.answer); <-x.r.Context().Done(); close(gone) }
		r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}, linger: time.Millisecond})
		begin(t, s, r)
		send(t, r, callFrame(1, "endless"))
		wantNext(t, r, c.want[0])
		if c.cancel {
			send(t, r, cancelFrame(1))
		}
		wantNext(t, r, c.want[1:]...)
		<-gone
		r.Close()
	}
}

func TestASessionOverHTTP2(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.session = "?"
	s.on["GET"] = func(x *exchanged) { x.say(":\n"); <-x.r.Context().Done() }
	var major atomic.Int64
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		major.Store(int64(r.ProtoMajor))
		s.serve(w, r)
	}))
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	trust := secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	r, _ := remote(t, RemoteOptions{Options: Options{URL: secure.URL, TLS: &tls.Config{RootCAs: trust}}})
	begin(t, s, r)
	send(t, r, callFrame(1, "a"), callFrame(2, "b"))
	got := map[string]bool{next(r): true, next(r): true}
	if !got[response(1)+" on 1"] || !got[response(2)+" on 2"] || major.Load() != 2 {
		t.Errorf("came %v over HTTP/%d", got, major.Load())
	}
	r.Close()
	if s.deletion() != "DELETE Session-Id=s1 Protocol-Version=2025-11-25" {
		t.Errorf("last it was asked %s", s.deletion())
	}
}

func TestAServerThatDoesNotEndASessionKeepsNobody(t *testing.T) {
	nothingLeft(t)
	for _, status := range []int{200, 204, 404, 405, 500} {
		s := newScript(t)
		s.session = "?"
		s.on["DELETE"] = func(x *exchanged) { x.w.WriteHeader(status) }
		r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
		begin(t, s, r)
		r.Close()
		if s.deletion() == "" {
			t.Errorf("%d: it was asked %s", status, s.list())
		}
	}
	s := newScript(t)
	s.session = "?"
	s.on["DELETE"] = func(x *exchanged) { _, _ = io.Copy(io.Discard, x.r.Body); <-x.r.Context().Done() }
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	begin(t, s, r)
	r.Close() // the test would not end
}

func TestAnOldServerIsFoundOutByInitialize(t *testing.T) {
	nothingLeft(t)
	s := newOldServer(t, "event: endpoint\ndata: /messages?session=1\n\n")
	// Its stream is where the client posts, too: there it knows no POST.
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL + "/sse", Header: http.Header{"Authorization": {"secret"}}}})
	send(t, r, modernFrame(9, "server/discover", ""))
	wantNext(t, r, "error 5 on 9")
	send(t, r, initializeFrame)
	wantNext(t, r, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05"}}`)
	send(t, r, initializedFrame, callFrame(1, "tools/list"), `{"jsonrpc":"2.0","method":"bad"}`)
	got := map[string]bool{next(r): true, next(r): true}
	if !got[response2024(1)] || !got["error 5"] {
		t.Errorf("came %v", got)
	}
	send(t, r, callFrame(2, "slow"), cancelFrame(2), callFrame(3, "slow"))
	wantNext(t, r, "error 8 on 2")
	for _, want := range []string{initializeFrame, initializedFrame, callFrame(1, "tools/list"), `{"jsonrpc":"2.0","method":"bad"}`, callFrame(2, "slow"), cancelFrame(2), callFrame(3, "slow")} {
		if got := <-s.posts; got != "secret session=1 "+want {
			t.Errorf("posted %s, want %s", got, want)
		}
	}
	close(s.cut) // the end of the stream is the end of the session
	wantNext(t, r, "error 0 on 3", "end")
}

func response2024(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2024-11-05"}}`, id)
}

func TestAServerThatRefusesInitializeIsNoOldServer(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		status int
		gets   int
	}{{400, 1}, {404, 1}, {405, 1}, {401, 0}, {403, 0}, {500, 0}} {
		s := newScript(t)
		s.check = func(r *http.Request, _ wire.Frame) int { return c.status }
		r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
		send(t, r, initializeFrame)
		a, err := r.Next()
		if err != nil || kindOf(a.Err) != KindStatus || a.On.Raw != "0" || !strings.Contains(a.Err.Error(), fmt.Sprint(c.status)) {
			t.Errorf("%d: %+v %v", c.status, a, err)
		}
		r.Close()
		if len(s.list()) != 1+c.gets {
			t.Errorf("%d: asked %q", c.status, s.list())
		}
	}
}
