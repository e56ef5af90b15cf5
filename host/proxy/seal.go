package proxy

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"sync"
	"time"
)

// statePrefix begins every request state that Callgate makes. A tag of the
// process follows: behind one gate there may be another, whose states are to this
// one like those of any server.
const statePrefix = "cg1."

// maxSpent is how many used tickets are remembered at once.
const maxSpent = 65536

// Reasons for which a request state counts for nothing.
var (
	// errNotOurs: the state is the server's, and goes to it as it is. So does one
	// of ours from before a restart, which no key opens any more.
	errNotOurs = errors.New("the request state is not one of callgate's")
	// errForged: it has this process's tag, and is nothing that it has sealed.
	errForged = errors.New("the request state was not sealed by this process; make the call again without it")
	// errExpired: sealed here, and too old.
	errExpired = errors.New("the request state has expired; make the call again without it")
	// errSpent: it was used before.
	errSpent = errors.New("the request state was used before; make the call again without it")
	// errCrowded: so many are used and not expired that no more can be remembered.
	errCrowded = errors.New("too many request states are in use; wait for some to expire, then make the call again without it")
)

// ticketKind is what a ticket stands for. The zero value stands for nothing.
type ticketKind uint8

const (
	noTicket ticketKind = iota
	// questionTicket: a person is asked. It approves nothing; the answer that
	// comes with it does.
	questionTicket
	// continuationTicket: the call was approved and sent, and the server's answer
	// was a question of its own.
	continuationTicket
)

// bound is what a ticket holds for, and for nothing else. The retry of a call
// is the one that was asked about exactly when the two are equal.
type bound struct {
	server, method, target string // Target: name of the tool or prompt, or the URI
	digest                 string // of the call, see [callDigest]
	principal              string // who may come back with it
	policy                 string // digest of the policy that asked
}

// nonce tells two tickets of one call apart.
type nonce [16]byte

// ticket is what a request state of ours says. It travels through the client,
// which can neither read nor change it (MCP 2026-07-28, "input required
// results": the state has to be authenticated, bound to the request and the
// principal, limited in time and used once).
type ticket struct {
	bound
	kind  ticketKind
	call  string // id of the call that was asked about
	round int    // how often the client was asked about this call, 0 to 65535
	// state and answers are the server's part of the request that was answered by
	// us: its own requestState, and the inputResponses to its own questions. JSON
	// as received; empty: there was none.
	state, answers string

	// The sealer sets these.
	issued, expires time.Time
	nonce           nonce
}

// sealer makes request states and reads them. Its key lives as long as the
// process, and so do they. It is safe for concurrent use.
type sealer struct {
	aead   cipher.AEAD
	prefix string // of its states
	now    func() time.Time
	// start is what the times in tickets count from, so that setting the clock
	// back makes none of them younger.
	start time.Time
	spent spent
}

// newSealer returns a sealer with a key of its own. now is the clock, with a
// monotonic reading where there is one.
func newSealer(now func() time.Time) *sealer {
	key := make([]byte, 32)
	rand.Read(key) // never fails, see crypto/rand
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // of a key of 32 bytes it has no reason to
	}
	// The payload may be a secret of the server's, so it is sealed and not signed.
	// With random nonces a key is good for 2^32 tickets.
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // of AES it has no reason to
	}
	tag := make([]byte, 9)
	rand.Read(tag) // never fails, see crypto/rand
	prefix := statePrefix + base64.RawURLEncoding.EncodeToString(tag)
	return &sealer{aead: aead, prefix: prefix, now: now, start: now(), spent: spent{max: maxSpent}}
}

// seal returns the request state that says t for so long from now.
func (s *sealer) seal(t ticket, life time.Duration) string {
	t.issued = s.now()
	t.expires = t.issued.Add(life)
	rand.Read(t.nonce[:]) // never fails, see crypto/rand
	sealed := s.aead.Seal(nil, nil, t.append(nil, s.start), []byte(s.prefix))
	return s.prefix + base64.RawURLEncoding.EncodeToString(sealed)
}

// open reads a request state, the text of the JSON string. The ticket counts
// only without an error; with [errExpired] it is returned all the same, since
// what it says of the server's part is still true.
func (s *sealer) open(state string) (ticket, error) {
	text, ours := strings.CutPrefix(state, s.prefix)
	if !ours {
		return ticket{}, errNotOurs
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") { // which the decoder passes over
		return ticket{}, errForged
	}
	payload, err := s.aead.Open(nil, nil, sealed, []byte(s.prefix))
	if err != nil {
		return ticket{}, errForged
	}
	t, ok := readTicket(payload, s.start)
	if !ok {
		return ticket{}, errForged
	}
	if !s.now().Before(t.expires) {
		return t, errExpired
	}
	return t, nil
}

// spend uses a ticket up. Only the first to do so gets no error, and only while
// the ticket has not expired.
func (s *sealer) spend(t ticket) error {
	return s.spent.add(t.nonce, t.expires.Sub(s.start), s.now().Sub(s.start))
}

// spent are the tickets that were used and could be used again, were they not
// remembered. The zero value remembers none, and so lets none be used.
type spent struct {
	max int

	mu    sync.Mutex
	until map[nonce]time.Duration
	// next is a time before which no ticket in until expires.
	next time.Duration
}

// add remembers a ticket, or says why it can not be used. Expired ones are
// refused here again: they are forgotten, so one that expires on its way from
// [sealer.open] could be used twice.
func (s *spent) add(n nonce, expires, now time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now >= expires {
		return errExpired
	}
	if _, used := s.until[n]; used {
		return errSpent
	}
	if len(s.until) >= s.max && now >= s.next {
		s.forget(now)
	}
	if len(s.until) >= s.max {
		return errCrowded
	}
	if s.until == nil {
		s.until, s.next = map[nonce]time.Duration{}, expires
	}
	s.until[n] = expires
	s.next = min(s.next, expires)
	return nil
}

// forget makes room. It is called with mu held.
func (s *spent) forget(now time.Duration) {
	s.next = math.MaxInt64
	for n, expires := range s.until {
		if now >= expires {
			delete(s.until, n)
			continue
		}
		s.next = min(s.next, expires)
	}
}

// ticketVersion begins every payload.
const ticketVersion = 1

// append appends the payload of a ticket: version, kind, round, both times, the
// nonce, then each text behind its length. All numbers are big-endian.
func (t ticket) append(dst []byte, start time.Time) []byte {
	dst = append(dst, ticketVersion, byte(t.kind))
	dst = binary.BigEndian.AppendUint16(dst, uint16(min(max(t.round, 0), math.MaxUint16)))
	dst = binary.BigEndian.AppendUint64(dst, uint64(t.issued.Sub(start)))
	dst = binary.BigEndian.AppendUint64(dst, uint64(t.expires.Sub(start)))
	dst = append(dst, t.nonce[:]...)
	for _, text := range t.texts() {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(*text)))
		dst = append(dst, *text...)
	}
	return dst
}

// texts are the texts of a ticket in the order of the payload.
func (t *ticket) texts() []*string {
	return []*string{&t.server, &t.method, &t.target, &t.digest, &t.principal, &t.policy, &t.call, &t.state, &t.answers}
}

// readTicket reads a payload. It takes exactly what append writes.
func readTicket(payload []byte, start time.Time) (ticket, bool) {
	const head = 1 + 1 + 2 + 8 + 8 + len(nonce{})
	if len(payload) < head || payload[0] != ticketVersion {
		return ticket{}, false
	}
	t := ticket{kind: ticketKind(payload[1]), round: int(binary.BigEndian.Uint16(payload[2:]))}
	if t.kind != questionTicket && t.kind != continuationTicket {
		return ticket{}, false
	}
	t.issued = start.Add(time.Duration(binary.BigEndian.Uint64(payload[4:])))
	t.expires = start.Add(time.Duration(binary.BigEndian.Uint64(payload[12:])))
	copy(t.nonce[:], payload[20:])
	rest := payload[head:]
	for _, text := range t.texts() {
		if len(rest) < 4 {
			return ticket{}, false
		}
		size := uint64(binary.BigEndian.Uint32(rest))
		if rest = rest[4:]; size > uint64(len(rest)) {
			return ticket{}, false
		}
		*text, rest = string(rest[:size]), rest[size:]
	}
	return t, len(rest) == 0
}
