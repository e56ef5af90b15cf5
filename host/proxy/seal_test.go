package proxy

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock is a time that stands still until it is moved.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)} }

func newTestSealer(t testing.TB, now func() time.Time) *sealer {
	t.Helper()
	return newSealer(now)
}

// fullTicket has a value in every field that a caller sets.
func fullTicket() ticket {
	return ticket{
		bound: bound{server: "mail", method: "tools/call", target: "send", digest: "sha256:00", principal: "alice", policy: "sha256:11"},
		kind:  continuationTicket, call: "c-7", round: 3, state: `"step \u0032"`, answers: `{"who":{"action":"accept"}}`,
	}
}

func TestARequestStateSaysWhatWasSealed(t *testing.T) {
	long := fullTicket()
	long.state = `"` + strings.Repeat("x", 1<<20) + `"`
	odd := fullTicket()
	odd.target, odd.principal, odd.call = "a\x00\xff\n\u2028", strings.Repeat("p", 300), ""
	question := ticket{kind: questionTicket}
	cases := []struct {
		name string
		t    ticket
	}{
		{"all of a continuation", fullTicket()},
		{"a question that says nothing more", question},
		{"a large state of the server", long},
		{"bytes that are no text", odd},
		{"the most rounds", ticket{kind: questionTicket, round: math.MaxUint16}},
	}
	ran := 0
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ran++
			clock := newClock()
			s := newTestSealer(t, clock.now)
			state := s.seal(c.t, time.Minute)
			got, err := s.open(state)
			if err != nil {
				t.Fatal(err)
			}
			want := c.t
			want.issued, want.expires, want.nonce = clock.at, clock.at.Add(time.Minute), got.nonce
			if got != want {
				t.Errorf("want %+v, got %+v", want, got)
			}
			if got.nonce == (nonce{}) || s.seal(c.t, time.Minute) == state {
				t.Error("two tickets of one call are the same; want a nonce in each")
			}
			if strings.Trim(state, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" {
				t.Errorf("the state needs escapes: %q", state)
			}
		})
	}
	if ran == 0 {
		t.Fatal("no case ran")
	}
}

func TestARequestStateHidesWhatItSays(t *testing.T) {
	s := newTestSealer(t, newClock().now)
	secret := ticket{kind: continuationTicket, state: `"a secret of the server"`}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(s.seal(secret, time.Minute), s.prefix))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(raw, []byte("secret")) {
		t.Errorf("the state shows what is in it: %q", raw)
	}
}

func TestOnlyWhatThisProcessSealedIsOpened(t *testing.T) {
	clock := newClock()
	s, other := newTestSealer(t, clock.now), newTestSealer(t, clock.now)
	// raw seals a payload that seal would not make.
	raw := func(payload []byte, aad string) string {
		return s.prefix + base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, payload, []byte(aad)))
	}
	payload := func(of ticket) []byte {
		of.issued, of.expires = clock.at, clock.at.Add(time.Minute)
		return of.append(nil, s.start)
	}
	changed := func(at int, to byte) []byte {
		p := payload(fullTicket())
		p[at] = to
		return p
	}
	good := s.seal(fullTicket(), time.Minute)
	encoded := strings.TrimPrefix(good, s.prefix)
	cases := []struct {
		name, state string
		want        error
	}{
		{"as sealed", good, nil},
		{"a payload as seal makes it", raw(payload(fullTicket()), s.prefix), nil},
		{"nothing", "", errNotOurs},
		{"a state of the server", "eyJzdGVwIjoyfQ", errNotOurs},
		{"without the prefix", encoded, errNotOurs},
		{"another version of the prefix", "cg2." + encoded, errNotOurs},
		{"the prefix in another case", "CG1." + encoded, errNotOurs},
		{"something in front of the prefix", " " + good, errNotOurs},
		{"the prefix alone", s.prefix, errForged},
		{"the prefix twice", s.prefix + good, errForged},
		{"sealed by another process", other.seal(fullTicket(), time.Minute), errNotOurs},
		{"the payload without a seal", s.prefix + base64.RawURLEncoding.EncodeToString(payload(fullTicket())), errForged},
		{"a claim in JSON", s.prefix + base64.RawURLEncoding.EncodeToString([]byte(`{"ok":true}`)) + "." + encoded[:43], errForged},
		{"cut short", good[:len(good)-1], errForged},
		{"cut to less than a seal", good[:len(s.prefix)+12], errForged},
		{"longer", good + "A", errForged},
		{"padded", good + "=", errForged},
		{"a line feed in it", good[:40] + "\n" + good[40:], errForged},
		{"a carriage return behind it", good + "\r", errForged},
		{"letters that are none", good[:40] + "ſ" + good[41:], errForged},
		{"the two halves swapped", s.prefix + encoded[len(encoded)/2:] + encoded[:len(encoded)/2], errForged},
		{"a ticket of no kind", s.seal(ticket{}, time.Minute), errForged},
		{"a ticket of an unknown kind", raw(changed(1, 3), s.prefix), errForged},
		{"another version of the payload", raw(changed(0, 2), s.prefix), errForged},
		{"a payload with more behind it", raw(append(payload(fullTicket()), 0), s.prefix), errForged},
		{"a payload that ends early", raw(payload(fullTicket())[:60], s.prefix), errForged},
		{"a text longer than the payload", raw(changed(36, 0xff), s.prefix), errForged},
		{"an empty payload", raw(nil, s.prefix), errForged},
		{"sealed for something else", raw(payload(fullTicket()), "cg2."), errForged},
	}
	opened := 0
	for _, c := range cases {
		got, err := s.open(c.state)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: want %v, got %v", c.name, c.want, err)
		}
		if err == nil {
			opened++
		} else if got != (ticket{}) {
			t.Errorf("%s: a ticket that was refused says %+v", c.name, got)
		}
	}
	if opened == 0 || opened == len(cases) {
		t.Fatalf("%d of %d were opened; want some of each", opened, len(cases))
	}
}

func TestEveryByteOfARequestStateIsSealed(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	s := newTestSealer(t, newClock().now)
	good := s.seal(fullTicket(), time.Minute)
	if _, err := s.open(good); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for i := len(s.prefix); i < len(good); i++ {
		bit := letters[strings.IndexByte(letters, good[i])^1]
		for _, state := range []string{good[:i], good[:i] + good[i+1:], good[:i] + string(bit) + good[i+1:]} {
			tried++
			if _, err := s.open(state); !errors.Is(err, errForged) {
				t.Errorf("changed at %d: want %v, got %v", i, errForged, err)
			}
		}
	}
	if tried == 0 {
		t.Fatal("nothing was tried")
	}
}

func TestARequestStateExpires(t *testing.T) {
	cases := []struct {
		name  string
		after time.Duration
		want  error
	}{
		{"at once", 0, nil},
		{"just before", time.Minute - 1, nil},
		{"just then", time.Minute, errExpired},
		{"much later", time.Hour, errExpired},
	}
	open := 0
	for _, c := range cases {
		clock := newClock()
		s := newTestSealer(t, clock.now)
		state := s.seal(fullTicket(), time.Minute)
		clock.at = clock.at.Add(c.after)
		got, err := s.open(state)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: want %v, got %v", c.name, c.want, err)
		}
		if got.state != fullTicket().state {
			t.Errorf("%s: the server's part is lost: %q", c.name, got.state)
		}
		if err := s.spend(got); !errors.Is(err, c.want) {
			t.Errorf("%s: used: want %v, got %v", c.name, c.want, err)
		}
		if err == nil {
			open++
		}
	}
	if open == 0 || open == len(cases) {
		t.Fatalf("%d of %d are open; want some of each", open, len(cases))
	}
}

func TestTheAgeOfARequestStateIsMeasuredAndNotReadOffTheWall(t *testing.T) {
	s := newTestSealer(t, time.Now)
	got, err := s.open(s.seal(fullTicket(), time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.expires.String(), " m=") {
		t.Errorf("want a monotonic reading, got %v", got.expires)
	}
}

func TestARequestStateIsUsedOnce(t *testing.T) {
	clock := newClock()
	s := newTestSealer(t, clock.now)
	first, second := s.seal(fullTicket(), time.Minute), s.seal(fullTicket(), time.Minute)
	cases := []struct {
		name, state string
		want        error
	}{
		{"the first", first, nil},
		{"the first again", first, errSpent},
		{"another of the same call", second, nil},
		{"that one again", second, errSpent},
		{"and the first once more", first, errSpent},
	}
	used := 0
	for _, c := range cases {
		got, err := s.open(c.state)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err = s.spend(got); !errors.Is(err, c.want) {
			t.Errorf("%s: want %v, got %v", c.name, c.want, err)
		}
		if err == nil {
			used++
		}
	}
	if used == 0 || used == len(cases) {
		t.Fatalf("%d of %d were used; want some of each", used, len(cases))
	}
}

func TestOneOfManyUsesOfARequestStateCounts(t *testing.T) {
	s := newTestSealer(t, newClock().now)
	got, err := s.open(s.seal(fullTicket(), time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan error, 32)
	var all sync.WaitGroup
	for range cap(results) {
		all.Go(func() { results <- s.spend(got) })
	}
	all.Wait()
	close(results)
	used := 0
	for err := range results {
		if err == nil {
			used++
		} else if !errors.Is(err, errSpent) {
			t.Error(err)
		}
	}
	if used != 1 {
		t.Errorf("want one use, got %d", used)
	}
}

func TestUsedStatesAreNotForgottenForNewOnes(t *testing.T) {
	s := spent{max: 3}
	at := func(i byte) nonce { return nonce{i} }
	steps := []struct {
		name         string
		nonce        nonce
		expires, now time.Duration
		want         error
	}{
		{"the first", at(1), 10, 0, nil},
		{"the second", at(2), 20, 0, nil},
		{"the third", at(3), 30, 1, nil},
		{"one too many", at(4), 40, 1, errCrowded},
		{"a used one of a full set", at(1), 10, 1, errSpent},
		{"too many still", at(4), 40, 9, errCrowded},
		{"room once the first has expired", at(4), 40, 10, nil},
		{"the first, which was forgotten", at(1), 10, 10, errExpired},
		{"one too many again", at(5), 50, 19, errCrowded},
		{"room for two", at(5), 50, 35, nil},
		{"the second of the two", at(6), 60, 35, nil},
		{"none for a third", at(7), 70, 35, errCrowded},
		{"the fourth is remembered", at(4), 40, 35, errSpent},
		{"all have expired", at(8), 1000, 999, nil},
	}
	used := 0
	for _, c := range steps {
		err := s.add(c.nonce, c.expires, c.now)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: want %v, got %v", c.name, c.want, err)
		}
		if err == nil {
			used++
		}
		if len(s.until) > s.max {
			t.Fatalf("%s: %d are kept; want %d at most", c.name, len(s.until), s.max)
		}
	}
	if used == 0 || used == len(steps) {
		t.Fatalf("%d of %d were used; want some of each", used, len(steps))
	}
	var zero spent
	if err := zero.add(at(1), 10, 0); !errors.Is(err, errCrowded) {
		t.Errorf("a set without room: want %v, got %v", errCrowded, err)
	}
}

// FuzzRequestState holds whatever a client sends as a state against the states
// that were sealed, and whatever a payload could be against the one way to
// write it.
func FuzzRequestState(f *testing.F) {
	clock := newClock()
	s := newTestSealer(f, clock.now)
	sealed := map[string]ticket{}
	for i := range 3 {
		t := fullTicket()
		t.round = i
		state := s.seal(t, time.Duration(i)*time.Minute)
		sealed[state] = t
		f.Add(state)
		f.Add(state[:len(state)-i-1])
		f.Add(strings.ToUpper(state))
		raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(state, s.prefix))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(s.prefix + string(raw))
		f.Add(string(t.append(nil, s.start)))
	}
	f.Add(fmt.Sprintf("%s%s\n", s.prefix, "AAAA"))
	f.Fuzz(func(t *testing.T, state string) {
		for _, state := range []string{state, s.prefix + state} {
			got, err := s.open(state)
			want, ok := sealed[state]
			if opened := err == nil || errors.Is(err, errExpired); opened != ok || ok && got.round != want.round {
				t.Fatalf("%q: %v, and %+v", state, err, got)
			}
		}
		if got, ok := readTicket([]byte(state), s.start); ok && string(got.append(nil, s.start)) != state {
			t.Fatalf("%q is read as %+v, which is written %q", state, got, got.append(nil, s.start))
		}
	})
}
