package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
)

// demoScene is one part of the demo, with what came of it.
type demoScene struct {
	number       int
	title, story string
	steps        []demoStep
}

// demoStep is one thing that was tried.
type demoStep struct {
	tried   string   // what the client sent
	got     string   // what it got back, or what was found
	did     []string // what the server's own log gained
	log     bool     // a server was involved, so did says something
	meaning string   // what that means, when nothing differs
	wrong   []string // what differs from what is expected
}

// demoAnswer is what a client got back.
type demoAnswer struct {
	text     string
	failed   bool   // an isError result or a JSON-RPC error
	outcome  string // of the gate's verdict in _meta, "" if there is none
	contract string
}

// demoWant is what a step has to show.
type demoWant struct {
	denied  string   // the contract that denies; "" where the server answers
	refused string   // the code of a frame that is not relayed
	says    []string // stands in the answer
	did     []string // exactly what the server's log gains
	meaning string
}

// wrong counts the steps that differ.
func (s *demoScene) wrong() int {
	n := 0
	for _, t := range s.steps {
		if len(t.wrong) > 0 {
			n++
		}
	}
	return n
}

// saw adds a step: what was tried, what came back, and what must have.
func (s *demoScene) saw(log *demoLog, tried string, a demoAnswer, want demoWant) {
	t := demoStep{tried: tried, got: a.text, log: true, meaning: want.meaning}
	differs := func(what string) { t.wrong = append(t.wrong, what) }
	switch {
	case want.denied != "":
		if a.outcome != "deny" || a.contract != want.denied || !a.failed {
			differs("expected a deny of the contract " + want.denied + ", got " + a.was())
		}
	case want.refused != "":
		if !a.failed || !strings.Contains(a.text, want.refused) {
			differs("expected the frame to be refused with " + want.refused + ", got " + a.was())
		}
	case a.failed:
		differs("expected the server's answer, got " + a.was())
	}
	for _, text := range want.says {
		if !strings.Contains(a.text, text) {
			differs("expected the answer to say " + strconv.Quote(text))
		}
	}
	log.want = append(log.want, want.did...)
	var err error
	if t.did, err = log.gained(); err != nil {
		differs("the server's log can not be read: " + err.Error())
	}
	if !slices.Equal(t.did, want.did) {
		differs("expected the server's log to gain " + demoLines(want.did) + ", it gained " + demoLines(t.did))
	}
	s.steps = append(s.steps, t)
}

// check adds a step without a server: something found, and what differs.
func (s *demoScene) check(tried, got, meaning string, wrong ...string) {
	s.steps = append(s.steps, demoStep{tried: tried, got: got, meaning: meaning, wrong: wrong})
}

// was describes an answer.
func (a demoAnswer) was() string {
	switch {
	case a.outcome != "":
		return "a verdict of " + a.contract + ": " + a.outcome
	case a.failed:
		return "an error"
	}
	return "an answer of the server"
}

func demoLines(lines []string) string {
	if len(lines) == 0 {
		return "nothing"
	}
	return strings.Join(lines, " and ")
}

func demoPlural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// json is the scene as one JSON object.
func (s *demoScene) json() abi.Value {
	steps := make([]abi.Value, len(s.steps))
	for i, t := range s.steps {
		steps[i] = t.json()
	}
	return abi.ObjectValue(
		abi.Member{Name: "scene", Value: abi.IntValue(int64(s.number))},
		abi.Member{Name: "title", Value: abi.StringValue(s.title)},
		abi.Member{Name: "ok", Value: abi.BoolValue(s.wrong() == 0)},
		abi.Member{Name: "steps", Value: abi.ArrayValue(steps...)},
	)
}

func (t demoStep) json() abi.Value {
	list := func(lines []string) abi.Value {
		out := make([]abi.Value, len(lines))
		for i, line := range lines {
			out[i] = abi.StringValue(line)
		}
		return abi.ArrayValue(out...)
	}
	members := []abi.Member{
		{Name: "tried", Value: abi.StringValue(t.tried)},
		{Name: "got", Value: abi.StringValue(t.got)},
		{Name: "ok", Value: abi.BoolValue(len(t.wrong) == 0)},
	}
	if t.log {
		members = append(members, abi.Member{Name: "did", Value: list(t.did)})
	}
	if len(t.wrong) > 0 {
		members = append(members, abi.Member{Name: "differs", Value: list(t.wrong)})
	} else {
		members = append(members, abi.Member{Name: "verdict", Value: abi.StringValue(t.meaning)})
	}
	return abi.ObjectValue(members...)
}
