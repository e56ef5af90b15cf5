package transport

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// begin takes a session to where the client has said that it is initialized.
func begin(t *testing.T, s *script, r *Remote) {
	t.Helper()
	send(t, r, initializeFrame)
	wantNext(t, r, initializeResult)
	send(t, r, initializedFrame)
	s.await("GET")
}

func TestABrokenStreamIsTakenUpAgain(t *testing.T) {
	nothingLeft(t)
	const with = "Protocol-Version=2025-11-25"
	for _, c := range []struct {
		name   string
		first  string
		later  []string // what each GET brings: a stream, or a status
		want   []string
		gets   []string // Last-Event-ID of each
		waited []time.Duration
	}{
		{
			"a priming event and a retry", "id: p1\nretry: 500\ndata:\n\n", []string{"id: p2\ndata: " + response(1) + "\n\n"},
			[]string{response(1) + " on 1"}, []string{"p1"}, []time.Duration{500 * time.Millisecond},
		},
		{
			"no retry", "id: p1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n", []string{"data: " + response(1) + "\n\n"},
			[]string{`{"jsonrpc":"2.0","method":"n"} on 1`, response(1) + " on 1"}, []string{"p1"}, []time.Duration{retryWait},
		},
		{
			"several times", "id: p1\nretry: 0\ndata:\n\n", []string{"", "id: p2\ndata:\n\n", "data: " + response(1) + "\n\n"},
			[]string{response(1) + " on 1"}, []string{"p1", "p1", "p2"}, []time.Duration{retryLeast, retryLeast, retryLeast},
		},
		{
			"a server that is away for a while", "id: p1\nretry: 100\ndata:\n\n", []string{"503", "503", "data: " + response(1) + "\n\n"},
			[]string{response(1) + " on 1"}, []string{"p1", "p1", "p1"}, []time.Duration{100 * time.Millisecond, 150 * time.Millisecond, 225 * time.Millisecond},
		},
		{
			"a server that stays away", "id: p1\nretry: 100\ndata:\n\n", []string{"503", "503", "503", "503", "503"},
			[]string{"error 5 on 1"}, []string{"p1", "p1", "p1", "p1", "p1"}, nil,
		},
		{"a stream that is gone", "id: p1\nretry: 100\ndata:\n\n", []string{"404"}, []string{"error 5 on 1"}, []string{"p1"}, nil},
		{"a server that resumes nothing", "id: p1\nretry: 100\ndata:\n\n", []string{"405"}, []string{"error 5 on 1"}, []string{"p1"}, nil},
		{"no id", "retry: 100\ndata:\n\n", nil, []string{"error 0 on 1"}, nil, nil},
		{"an id taken back", "id: p1\ndata:\n\nid\ndata:\n\n", nil, []string{"error 0 on 1"}, nil, nil},
		{"an id of half an event", "id: p1\ndata:\n", nil, []string{"error 0 on 1"}, nil, nil},
		{"the answer was there", "id: p1\ndata: " + response(1) + "\n\n", nil, []string{response(1) + " on 1"}, nil, nil},
	} {
		s := newScript(t)
		s.on["poll"] = func(x *exchanged) { x.say(c.first) }
		r, waited := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
		begin(t, s, r)
		gets := []string{}
		s.mu.Lock()
		s.on["GET"] = func(x *exchanged) {
			s.mu.Lock()
			n := len(gets)
			gets = append(gets, x.r.Header.Get("Last-Event-Id"))
			s.mu.Unlock()
			if n < len(c.later) {
				var status int
				if _, err := fmt.Sscanf(c.later[n], "%d", &status); err == nil {
					x.w.WriteHeader(status)
					return
				}
				x.say(c.later[n])
			}
		}
		s.mu.Unlock()
		send(t, r, callFrame(1, "poll"))
		for _, want := range c.want {
			if got := next(r); got != want {
				t.Errorf("%s: came %s, want %s", c.name, got, want)
			}
		}
		r.CloseSend()
		wantNext(t, r, "end")
		r.Close()
		if !slices.Equal(gets, c.gets) && len(gets)+len(c.gets) > 0 {
			t.Errorf("%s: asked for what comes behind %q, want %q", c.name, gets, c.gets)
		}
		for _, want := range c.waited {
			if got := <-waited; got != want {
				t.Errorf("%s: waited %v, want %v", c.name, got, want)
			}
		}
		for _, line := range s.list()[1:] {
			if !strings.Contains(line, with) {
				t.Errorf("%s: asked %s", c.name, line)
			}
		}
	}
}

func TestOnlyWhatMayPassIsTriedAgain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&Error{Kind: KindBroken}, true},
		{&Error{Kind: KindDial}, true},
		{&Error{Kind: KindStatus, Status: 500}, true},
		{&Error{Kind: KindStatus, Status: 503}, true},
		{&Error{Kind: KindStatus, Status: 429}, true},
		{&Error{Kind: KindStatus, Status: 401}, false},
		{&Error{Kind: KindStatus, Status: 404}, false},
		{&Error{Kind: KindTLS}, false},
		{&Error{Kind: KindRedirect}, false},
		{&Error{Kind: KindContent}, false},
		{&Error{Kind: KindTooLong}, false},
		{&Error{Kind: KindRequest}, false},
		{ErrEnded, false},
	} {
		if got := passing(c.err); got != c.want {
			t.Errorf("%+v: %v", c.err, got)
		}
	}
}

func TestAPauseGrowsWithEachTryInVain(t *testing.T) {
	for _, c := range []struct {
		c    cursor
		want time.Duration
	}{
		{cursor{fresh: true}, 0},
		{cursor{fresh: true, tries: 1}, 1500 * time.Millisecond},
		{cursor{}, retryWait},
		{cursor{tries: 2}, 2250 * time.Millisecond},
		{cursor{tries: 1000}, retryMost},
		{cursor{named: true}, retryLeast},
		{cursor{named: true, retry: time.Minute}, time.Minute},
		{cursor{named: true, retry: time.Minute, tries: 9}, time.Minute},
		{cursor{named: true, retry: time.Second, tries: 1}, 1500 * time.Millisecond},
	} {
		if got := c.c.pause(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.c, got, c.want)
		}
	}
}

func TestAModernStreamIsNotTakenUpAgain(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.on["poll"] = func(x *exchanged) { x.say("id: p1\nretry: 1\ndata:\n\n") }
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	send(t, r, modernFrame(1, "poll", ""))
	wantNext(t, r, "error 0 on 1")
	s.wants("poll Protocol-Version=2026-07-28 Method=poll")
}

func TestWhatTheServerSaysByItselfArrives(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.session = "?"
	streams := make(chan string)
	s.on["GET"] = func(x *exchanged) {
		x.say(": open\n\n")
		select {
		case text := <-streams:
			x.say(text)
		case <-x.r.Context().Done():
		}
	}
	r, waited := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	begin(t, s, r)
	streams <- "retry: 70\nid: g1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n"
	a, err := r.Next()
	if err != nil || string(a.Frame.Raw) != `{"jsonrpc":"2.0","method":"n"}` || a.On.Raw != "" || a.Event == nil || a.Event.ID != "g1" || a.Frame.Kind != wire.Notification {
		t.Errorf("came %+v %v", a, err)
	}
	if got := s.await("GET"); got != "GET Session-Id=s1 Protocol-Version=2025-11-25 Last-Event-Id=g1" {
		t.Errorf("then it asked %s", got)
	}
	if d := <-waited; d != 70*time.Millisecond {
		t.Errorf("waited %v", d)
	}
	streams <- "data: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"roots/list\"}\n\n"
	wantNext(t, r, `{"jsonrpc":"2.0","id":"x","method":"roots/list"}`)
}

func TestWithoutAStreamOfItsOwnAServerIsLeftInPeace(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		status int
		told   bool
	}{{405, false}, {404, true}, {400, true}, {200, true}} {
		s := newScript(t)
		s.on["GET"] = func(x *exchanged) { x.w.WriteHeader(c.status) }
		r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
		begin(t, s, r)
		if c.told {
			if a, err := r.Next(); err != nil || a.Err == nil || a.On.Raw != "" {
				t.Errorf("%d: %+v %v", c.status, a, err)
			}
		}
		send(t, r, callFrame(1, "ping"))
		wantNext(t, r, response(1)+" on 1")
		r.Close()
		gets := 0
		for _, line := range s.list() {
			if strings.HasPrefix(line, "GET") {
				gets++
			}
		}
		if gets != 1 {
			t.Errorf("%d: it was asked %d times", c.status, gets)
		}
	}
}

func TestAForgottenSessionIsStartedAgainOnce(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.session = "?"
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	begin(t, s, r)
	s.forget()
	send(t, r, callFrame(1, "tools/list"))
	wantNext(t, r, response(1)+" on 1") // and nothing of the second initialize
	send(t, r, callFrame(2, "ping"))
	wantNext(t, r, response(2)+" on 2")
	r.Close()
	const one, two = " Session-Id=s1 Protocol-Version=2025-11-25", " Session-Id=s2 Protocol-Version=2025-11-25"
	got := slices.DeleteFunc(slices.Clone(s.list()), func(line string) bool { return strings.HasPrefix(line, "GET") })
	want := []string{
		"initialize", "notifications/initialized" + one, "tools/list" + one,
		"initialize", "notifications/initialized" + two, "tools/list" + two, "ping" + two, "DELETE" + two,
	}
	if !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
}

func TestManyRequestsStartASessionAgainOnce(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.session = "?"
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	begin(t, s, r)
	const n = 20
	all := make(chan struct{})
	count := 0
	s.mu.Lock()
	s.check = func(_ *http.Request, f wire.Frame) int {
		if f.Kind == wire.Request && f.Method == "many" {
			if count++; count == n {
				close(all)
			}
		}
		return 0
	}
	s.mu.Unlock()
	s.forget()
	for i := range n {
		send(t, r, callFrame(i+1, "many"))
	}
	got := map[string]bool{}
	for range n {
		got[next(r)] = true
	}
	for i := range n {
		if want := response(i+1) + fmt.Sprintf(" on %d", i+1); !got[want] {
			t.Errorf("%s did not come", want)
		}
	}
	<-all
	started := 0
	for _, line := range s.list() {
		if strings.HasPrefix(line, "initialize") {
			started++
		}
	}
	if started != 2 {
		t.Errorf("the session was started %d times", started)
	}
}

func TestASessionThatCanNotBeStartedAgainIsAnError(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		name string
		set  func(*script)
		want string
		kind ErrorKind
	}{
		{"it is forgotten again", func(s *script) {
			s.on["initialize"] = func(x *exchanged) { x.initialize(); s.forget() }
		}, "status 404", KindStatus},
		{"another revision", func(s *script) { s.version = "2025-06-18" }, `revision "2025-06-18"`, 255},
		{"an error", func(s *script) {
			s.on["initialize"] = func(x *exchanged) {
				x.json(200, `{"jsonrpc":"2.0","id":0,"error":{"code":-1,"message":"no"}}`)
			}
		}, "refuses another", 255},
		{"a status", func(s *script) { s.on["initialize"] = func(x *exchanged) { x.w.WriteHeader(503) } }, "status 503", KindStatus},
		{"no answer", func(s *script) { s.on["initialize"] = func(x *exchanged) { x.w.WriteHeader(202) } }, "no answer", KindContent},
		{"not initialized", func(s *script) {
			s.on["notifications/initialized"] = func(x *exchanged) { x.w.WriteHeader(400) }
		}, "status 400", KindStatus},
	} {
		s := newScript(t)
		s.session = "?"
		r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
		begin(t, s, r)
		s.forget()
		s.mu.Lock()
		c.set(s)
		s.mu.Unlock()
		send(t, r, callFrame(1, "tools/list"))
		a, err := r.Next()
		for err == nil && a.On.Raw == "" { // the stream that it does not offer
			a, err = r.Next()
		}
		if err != nil || a.Err == nil || a.On.Raw != "1" || !strings.Contains(a.Err.Error(), c.want) || kindOf(a.Err) != c.kind {
			t.Errorf("%s: %+v %v", c.name, a, err)
		}
		r.Close()
	}
}

func TestAnAnswerToAForgottenSessionIsNotRepeated(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.session = "?"
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	begin(t, s, r)
	s.forget()
	send(t, r, `{"jsonrpc":"2.0","id":"x","result":{}}`)
	wantNext(t, r, "error 5")
	send(t, r, `{"jsonrpc":"2.0","method":"n"}`)
	s.await("n Session-Id=s2")
}

func TestAModernRequestIsNotRepeated(t *testing.T) {
	nothingLeft(t)
	s := newScript(t)
	s.session = "?"
	s.on["none"] = func(x *exchanged) {
		x.json(404, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, x.frame.ID.Raw))
	}
	r, _ := remote(t, RemoteOptions{Options: Options{URL: s.URL}})
	begin(t, s, r)
	send(t, r, modernFrame(1, "none", ""))
	wantNext(t, r, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}} on 1`)
	if len(s.list()) != 4 {
		t.Errorf("asked %q", s.list())
	}
}
