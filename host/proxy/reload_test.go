package proxy_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/proxy"
)

// reloadable is a reloader over a text, and the notes that it took.
type reloadable struct {
	*proxy.Reloader
	text  atomic.Pointer[string]
	mu    sync.Mutex
	notes []string
}

func newReloadable(t *testing.T, text string) *reloadable {
	r := &reloadable{}
	r.text.Store(&text)
	load := func() (proxy.Loaded, error) {
		if s := *r.text.Load(); strings.HasPrefix(s, "callgate: 1\n") {
			return proxy.Loaded{Policy: loadPolicy(t, s)}, nil
		}
		return proxy.Loaded{}, errors.New("policy.yaml:1: no version")
	}
	first, err := load()
	if err != nil {
		t.Fatal(err)
	}
	r.Reloader = proxy.NewReloader(proxy.Reloading{Loaded: first, Load: load, Servers: []string{"s"}, Note: func(string, ...any) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.notes = append(r.notes, "note")
	}})
	return r
}

func (r *reloadable) write(text string) {
	r.text.Store(&text)
	r.Check()
}

const (
	reloadAsk  = "callgate: 1\nsettings: {default: deny}\ntools: {s/t: {verdict: ask}}\n"
	reloadDeny = "callgate: 1\nsettings: {default: deny}\ntools: {s/t: {verdict: deny}}\n"
)

func TestOnlyWhatWasListedIsAccepted(t *testing.T) {
	r := newReloadable(t, reloadDeny)
	was := r.State().InForce
	r.write(reloadAsk)
	waits := r.State()
	if waits.State != abi.ReloadWaits || waits.InForce != was || len(waits.Why) != 1 {
		t.Fatalf("%+v; want that it waits", waits)
	}
	r.write(reloadAsk + "budgets: [{name: x, tools: [s/t], max: 1}]\n")
	if err := r.Accept(waits.Digest); err == nil || r.State().InForce != was {
		t.Fatalf("the files changed after they were listed: %v", err)
	}
	if err := r.Accept(r.State().Digest); err != nil || r.State().InForce == was || r.State().State != abi.ReloadInForce {
		t.Fatalf("%v, %+v; want it in force", err, r.State())
	}
	if err := r.Accept(r.State().InForce); err != nil {
		t.Errorf("accepted twice: %v", err)
	}
	r.write("nonsense")
	if s := r.State(); s.State != abi.ReloadFailed || s.Why[0] != "policy.yaml:1: no version" {
		t.Errorf("%+v; want that it does not load", s)
	}
	if err := r.Accept(waits.Digest); err == nil {
		t.Error("what waited long ago is accepted")
	}
	before := len(r.notes)
	r.Check()
	if len(r.notes) != before {
		t.Error("the same mistake is said twice")
	}
}

func TestWhatARunningServerDoesNotFollowIsSaid(t *testing.T) {
	r := newReloadable(t, reloadDeny+"servers: {s: {}}\n")
	r.write(reloadDeny + "servers: {s: {env: [PATH]}}\n")
	if s := r.State(); s.State != abi.ReloadInForce || len(s.Restart) != 1 || !strings.Contains(s.Restart[0], "servers.s.env") {
		t.Errorf("%+v; want it in force, and that the server keeps its variables", s)
	}
}

// Calls and reloads that happen at once are judged under one policy or the other,
// also where the ledger was opened under an older one.
func TestReloadsAndCallsAtOnce(t *testing.T) {
	texts := []string{
		"callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\n",
		"callgate: 1\npacks: none\nsettings: {default: allow, unlisted: allow}\ntools: {\"*/*\": {verdict: deny}}\n",
	}
	r := newReloadable(t, texts[0])
	flip := func(to string) {
		r.write(to)
		if s := r.State(); s.State == abi.ReloadWaits {
			if err := r.Accept(s.Digest); err != nil {
				t.Error(err)
			}
		}
	}
	server, _ := brainChild(t)
	server.Env = append(server.Env, "FAKE_SERVER=plain")
	old := r.Current().Policy
	flip(texts[1])
	_, front := gatewayFor(t, gatewaySetup{policy: old, dir: t.TempDir(), servers: map[string]proxy.GatewayServer{"fake": server}, reloader: r.Reloader})
	s := &served{t: t, url: front.URL + "/mcp/fake"}
	_, header, _ := s.post(helloFrame)
	id := header.Get("Mcp-Session-Id")
	call := func() (denied bool) {
		_, _, body := s.post(noteFrame, "Mcp-Session-Id", id)
		denied = strings.Contains(body, "COVERAGE_DENIED")
		if !denied && strings.Contains(body, "callgate") {
			t.Errorf("judged under neither: %s", body)
		}
		return denied
	}
	if !call() {
		t.Error("the policy came before the ledger was opened, and does not hold")
	}
	var done sync.WaitGroup
	done.Go(func() {
		for i := range 30 {
			flip(texts[i%2])
		}
	})
	for range 40 {
		call()
	}
	done.Wait()
	if !call() {
		t.Error("the last policy denies, and does not hold")
	}
	flip(texts[0])
	if call() {
		t.Error("the accepted policy allows, and does not hold")
	}
}

// TestALookSeesTheFilesAsTheyAre: who looks after a change hears of it at once, and
// several who look together have the files read a few times, not once each.
func TestALookSeesTheFilesAsTheyAre(t *testing.T) {
	r := newReloadable(t, reloadAsk)
	for i, text := range []string{reloadDeny, "callgate: 1\nsettings: {default: deny}\n", "broken", reloadDeny} {
		r.text.Store(&text)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				r.Look()
				if s := r.State(); (s.State == abi.ReloadFailed) != (text == "broken") || s.State == abi.ReloadInForce && s.Digest != loadPolicy(t, text).Digest() {
					t.Errorf("%d: %+v", i, s)
				}
			})
		}
		group.Wait()
	}
}
