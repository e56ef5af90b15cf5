package approval

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/abi"
)

func yes(by string) Answer { return Answer{Yes: true, By: by} }

func quietDesk() *Desk {
	return NewDesk(func(_ Question, a Answer) (string, error) { return fmt.Sprintf("%v by %s", a.Yes, a.By), nil })
}

func TestExactlyOneAnswerIsTaken(t *testing.T) {
	var called atomic.Int32
	d := NewDesk(func(Question, Answer) (string, error) { called.Add(1); return "done", nil })
	for range 50 {
		called.Store(0)
		q := d.Open(sample())
		var took, late atomic.Int32
		var group sync.WaitGroup
		for i := range 16 {
			group.Go(func() {
				by := []string{abi.ChannelTerminal, abi.ChannelElicitation, abi.ChannelWebhook}[i%3]
				switch result, err := d.Answer(q.ID, Answer{Yes: i%2 == 0, By: by}); {
				case err == nil && result == "done":
					took.Add(1)
				case errors.Is(err, ErrAnswered):
					late.Add(1)
				}
			})
		}
		group.Wait()
		if called.Load() != 1 || took.Load() != 1 || late.Load() != 15 {
			t.Fatalf("%d answers carried out, %d taken, %d told that they are late; want 1, 1, 15", called.Load(), took.Load(), late.Load())
		}
	}
}

func TestOnlyTheChannelsOfAQuestionMayAnswer(t *testing.T) {
	n := 0
	for _, c := range []struct {
		channels []string
		by, want string
	}{
		{nil, abi.ChannelTerminal, ""},
		{nil, abi.ChannelElicitation, ""},
		{nil, abi.ChannelWebhook, ""},
		{nil, "", "may not be answered by"},
		{nil, "telegram", "answer it by terminal or elicitation or webhook"},
		{[]string{abi.ChannelTerminal}, abi.ChannelTerminal, ""},
		{[]string{abi.ChannelTerminal}, abi.ChannelElicitation, "answer it by terminal"},
		{[]string{abi.ChannelTerminal, abi.ChannelElicitation}, abi.ChannelElicitation, ""},
		{[]string{}, abi.ChannelTerminal, "no channel may answer"},
		{[]string{""}, "", "may not be answered by"},
	} {
		for _, answer := range []bool{true, false} {
			d := quietDesk()
			q := sample()
			q.Ask.Channels = c.channels
			id := d.Open(q).ID
			_, err := d.Answer(id, Answer{answer, c.by})
			wants(t, fmt.Sprintf("%q by %q", c.channels, c.by), err, c.want)
			if open := len(d.Pending()) == 1; open != (c.want != "") {
				t.Errorf("%q by %q: open afterwards: %v", c.channels, c.by, open)
			}
			if c.want != "" && len(c.channels) > 0 && c.channels[0] != "" {
				_, err := d.Answer(id, Answer{answer, c.channels[0]})
				wants(t, "the right channel after the wrong one", err, "")
			}
			n++
		}
	}
	cases(t, n, 20)
}

func TestOnlyOpenQuestionsAreAnswered(t *testing.T) {
	d := quietDesk()
	first, second := d.Open(sample()), d.Open(sample())
	if first.ID == second.ID {
		t.Fatal("two questions have one id")
	}
	if list := d.Pending(); len(list) != 2 || list[0].ID != first.ID {
		t.Errorf("pending %v; want both, oldest first", list)
	}
	d.Update(first.ID, func(q *Question) { q.Held, q.Waiting, q.ID = false, 3, "another" })
	if q := d.Pending()[0]; q.Held || q.Waiting != 3 || q.ID != first.ID {
		t.Errorf("after an update: %+v; want its changes, and its id", q)
	}
	d.Withdraw(first.ID)
	d.Withdraw("none")
	d.Update(first.ID, func(*Question) { t.Error("a withdrawn question is changed") })
	near := second.ID[:25] + map[bool]string{true: "b", false: "a"}[strings.HasSuffix(second.ID, "a")]
	for _, c := range []struct {
		id   string
		want error
	}{{first.ID, ErrWithdrawn}, {"", ErrUnknown}, {near, ErrUnknown}, {second.ID + "a", ErrUnknown}, {second.ID, nil}, {second.ID, ErrAnswered}} {
		if _, err := d.Answer(c.id, yes(abi.ChannelTerminal)); !errors.Is(err, c.want) {
			t.Errorf("answer to %q: %v; want %v", c.id, err, c.want)
		}
	}
}

func TestAnAnswerThatCouldNotBeCarriedOutIsNotTakenAgain(t *testing.T) {
	broken := errors.New("the ledger can not be written")
	d := NewDesk(func(Question, Answer) (string, error) { return "", broken })
	q := d.Open(sample())
	for _, want := range []error{broken, ErrAnswered} {
		if _, err := d.Answer(q.ID, yes(abi.ChannelTerminal)); !errors.Is(err, want) {
			t.Errorf("answer: %v; want %v", err, want)
		}
	}
}

func TestTheDeskMayBeCalledWhileItAnswers(t *testing.T) {
	var d *Desk
	d = NewDesk(func(q Question, _ Answer) (string, error) {
		d.Withdraw(q.ID)
		return fmt.Sprint(len(d.Pending()), d.Open(sample()).ID != ""), nil
	})
	if result, err := d.Answer(d.Open(sample()).ID, yes(abi.ChannelTerminal)); result != "0true" && result != "0 true" || err != nil {
		t.Errorf("%q, %v", result, err)
	}
}

func TestClosedQuestionsAreForgottenInTheEnd(t *testing.T) {
	d := quietDesk()
	first := d.Open(sample()).ID
	d.Withdraw(first)
	for range keepClosed - 1 {
		d.Withdraw(d.Open(sample()).ID)
	}
	_, err := d.Answer(first, yes(abi.ChannelTerminal))
	if !errors.Is(err, ErrWithdrawn) {
		t.Errorf("the oldest that is remembered: %v", err)
	}
	d.Withdraw(d.Open(sample()).ID)
	if _, err := d.Answer(first, yes(abi.ChannelTerminal)); !errors.Is(err, ErrUnknown) || len(d.closed) != keepClosed {
		t.Errorf("the one before: %v, %d remembered; want it forgotten", err, len(d.closed))
	}
}

func TestIDsCanNotBeGuessed(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := newID()
		if len(id) != 26 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") != "" || seen[id] {
			t.Fatalf("id %q; want 26 letters and digits that differ each time", id)
		}
		seen[id] = true
	}
}
