package approval

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/callgate/callgate/abi"
)

// The errors of Desk.Answer for a question that is not open.
var (
	ErrUnknown   = errors.New("no question has this id; callgate pending lists those that are open")
	ErrAnswered  = errors.New("this question is already answered; a new call asks again")
	ErrWithdrawn = errors.New("this question was withdrawn, because its call was given up; a new call asks again")
)

// keepClosed is how many closed questions are remembered, so that a second
// answer learns what became of the first.
const keepClosed = 256

// Desk keeps the open questions of a process. It is safe for concurrent use.
type Desk struct {
	answer func(q Question, a Answer) (string, error)

	mu     sync.Mutex
	open   []*Question // oldest first
	closed []closedQuestion
}

type closedQuestion struct {
	id  string
	why error
}

// NewDesk makes a desk. The function is called once for each question that is
// answered, outside the desk's lock, and says what came of the answer.
func NewDesk(answer func(q Question, a Answer) (result string, err error)) *Desk {
	return &Desk{answer: answer}
}

// Open puts a question on the desk and returns it with its id.
func (d *Desk) Open(q Question) Question {
	q.ID = newID()
	kept := q
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = append(d.open, &kept)
	return q
}

// newID is 130 bits of chance, of which base32 makes 26 letters and digits.
func newID() string {
	var raw [17]byte
	rand.Read(raw[:]) // it never fails: the runtime ends the process instead
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw[:]))[:26]
}

// Update changes an open question: whether a call is held for it, and how many
// wait. It does nothing to one that is open no longer. The function must not
// call the desk.
func (d *Desk) Update(id string, change func(*Question)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := d.find(id)
	if i < 0 {
		return
	}
	change(d.open[i])
	d.open[i].ID = id
}

// Withdraw takes a question off the desk: nobody may answer it any more.
func (d *Desk) Withdraw(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := d.find(id); i >= 0 {
		d.close(i, ErrWithdrawn)
	}
}

// Pending lists the open questions, oldest first.
func (d *Desk) Pending() []Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]Question, len(d.open))
	for i, q := range d.open {
		out[i] = *q
	}
	return out
}

// Answer answers a question and says what came of it. Exactly one answer of
// those that arrive is taken. One through a channel that the question does not
// allow is refused, and the question stays open. Where the error comes from
// the desk's own function, the question is closed nevertheless: nobody knows
// how far the answer got, and a new call asks again.
func (d *Desk) Answer(id string, a Answer) (string, error) {
	q, err := d.take(id, a)
	if err != nil {
		return "", err
	}
	return d.answer(q, a)
}

func (d *Desk) take(id string, a Answer) (Question, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := d.find(id)
	if i < 0 {
		return Question{}, d.past(id)
	}
	q := *d.open[i]
	if err := mayAnswer(q.Ask.Channels, a.By); err != nil {
		return Question{}, err
	}
	d.close(i, ErrAnswered)
	return q, nil
}

// mayAnswer says why a channel may not answer. Nil allows every channel, and
// an empty list none.
func mayAnswer(allowed []string, by string) error {
	if allowed == nil {
		allowed = []string{abi.ChannelTerminal, abi.ChannelElicitation, abi.ChannelWebhook}
	}
	switch {
	case slices.Contains(allowed, by) && by != "":
		return nil
	case len(allowed) == 0:
		return fmt.Errorf("no channel may answer this question, so %q may not; change settings.approval of the policy", by)
	}
	return fmt.Errorf("this question may not be answered by %q; answer it by %s", by, strings.Join(allowed, " or "))
}

// find is the place of an open question, -1 if none has the id. It takes as
// long for an id that is nearly right as for any other.
func (d *Desk) find(id string) int {
	at := -1
	for i, q := range d.open {
		if same(q.ID, id) {
			at = i
		}
	}
	return at
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// past says why no question with this id is open.
func (d *Desk) past(id string) error {
	err := ErrUnknown
	for _, c := range d.closed {
		if same(c.id, id) {
			err = c.why
		}
	}
	return err
}

func (d *Desk) close(i int, why error) {
	d.closed = append(d.closed, closedQuestion{d.open[i].ID, why})
	if len(d.closed) > keepClosed {
		d.closed = slices.Delete(d.closed, 0, len(d.closed)-keepClosed)
	}
	d.open = slices.Delete(d.open, i, i+1)
}
