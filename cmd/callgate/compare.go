package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/replay"
)

// tally counts how replayed verdicts compare with recorded ones.
type tally struct {
	outcomes bool // another policy judges: compare outcomes, not bytes
	off      bool // asks are answered otherwise than recorded: compare nothing

	equal, different, gone       int
	unchanged, tightened, looser int
	others                       int // other answers that differ
}

func (t *tally) verdicts() int {
	return t.equal + t.different + t.gone + t.unchanged + t.tightened + t.looser
}

// summary says how it went, if anything was recorded.
func (t *tally) summary(w io.Writer) {
	switch n := t.verdicts(); {
	case n == 0:
	case t.outcomes:
		fmt.Fprintf(w, "replayed %s: %d unchanged, %d tightened, %d loosened, %d not replayable\n", plural.Of(n, "verdict"), t.unchanged, t.tightened, t.looser, t.gone)
	default:
		fmt.Fprintf(w, "replayed %s: %d equal, %d different, %d not replayable\n", plural.Of(n, "verdict"), t.equal, t.different, t.gone)
	}
}

// result is an error if something differs, or if there was nothing to tell it by: a
// comparison of nothing is no proof.
func (t *tally) result() error {
	switch {
	case t.different+t.others > 0:
		return failed(nil)
	case t.gone > 0 && t.gone == t.verdicts():
		return failed(errors.New("nothing could be compared: each verdict rests on text or a module that was not kept here"))
	}
	return nil
}

// maxEarly bounds how many differences are kept before it is known whether they
// are any: a file written by hand records no answers.
const maxEarly = 100

// comparison compares the answers that one file records with new ones.
type comparison struct {
	*tally
	source string
	player *replay.Player
	err    io.Writer

	answers []abi.Event // to the last event, not yet recorded
	line    int         // of the last event
	index   uint64
	any     bool // the file records answers
	// lost says that a verdict could not be replayed, so that the state is
	// another one from there on.
	lost  bool
	early []string // differences found before it was known that the file records answers
}

// fed takes the new answers to an event.
func (c *comparison) fed(answers []abi.Event, line int, index uint64) {
	c.leftover()
	c.answers, c.line, c.index = answers, line, index
}

// leftover reports new answers that were not recorded.
func (c *comparison) leftover() {
	for _, a := range c.answers {
		if c.off || c.outcomes || c.lost || c.player.Gap {
			break
		}
		text := fmt.Sprintf("line %d: %s differs: recorded none, replayed %s", c.line, kindOf(a), outcomeText(a.Verdict))
		if !c.any {
			if len(c.early) < maxEarly {
				c.early = append(c.early, text)
			}
			continue
		}
		c.others++
		c.report(text)
	}
	c.answers = nil
}

// end closes the file. Answers to its last event may be missing: a process that
// was killed leaves them so.
func (c *comparison) end() {
	if !c.any {
		return
	}
	for _, text := range c.early {
		c.others++
		c.report(text)
	}
}

func (c *comparison) report(text string) {
	if c.source != "-" {
		text = c.source + ": " + text
	}
	fmt.Fprintln(c.err, printable(text))
}

// recorded takes an answer of the earlier run.
func (c *comparison) recorded(e abi.Event, line int) {
	c.any = true
	if c.off {
		return
	}
	var again *abi.Event
	if e.Caused && e.Cause == c.index {
		again = c.take(kindOf(e))
	}
	switch {
	case c.outcomes:
		c.outcome(e, again)
	case again != nil && bytes.Equal(again.AppendAnswer(nil), e.AppendAnswer(nil)):
		if e.Verdict != nil {
			c.equal++
		}
	case c.lost || c.player.Gap || missing(&e) || missing(again):
		c.lost = true
		if e.Verdict != nil {
			c.gone++
		}
	default:
		var v *abi.Verdict
		if again != nil {
			v = again.Verdict
		}
		c.differs(e, v, line)
	}
}

func (c *comparison) differs(e abi.Event, again *abi.Verdict, line int) {
	if e.Verdict == nil {
		c.others++
		c.report(fmt.Sprintf("line %d: %s differs", line, kindOf(e)))
		return
	}
	c.different++
	c.report(fmt.Sprintf("line %d: verdict differs: recorded %s, replayed %s", line, outcomeText(e.Verdict), outcomeText(again)))
}

// outcome counts how another policy would have decided. What it does not ask
// about needs no answer, so an answered ask has no counterpart then.
func (c *comparison) outcome(e abi.Event, again *abi.Event) {
	if e.Verdict == nil || again == nil {
		return
	}
	was, is := e.Verdict.Enforced(), again.Verdict.Enforced()
	switch {
	case c.player.Gap || missing(&e) || missing(again):
		c.gone++
	case was == is:
		c.unchanged++
	case is < was:
		c.tightened++
	default:
		c.looser++
	}
}

// take removes the next new answer of a kind.
func (c *comparison) take(kind string) *abi.Event {
	for i, a := range c.answers {
		if kindOf(a) == kind {
			c.answers = append(c.answers[:i:i], c.answers[i+1:]...)
			return &a
		}
	}
	return nil
}

func missing(e *abi.Event) bool { return e != nil && e.Verdict != nil && e.Verdict.Missing }

func kindOf(e abi.Event) string {
	switch {
	case e.Verdict != nil:
		return "verdict"
	case e.Edit != nil:
		return "edit"
	case e.Ask != nil:
		return "ask"
	case e.Label != nil:
		return "label"
	case e.Receipt != nil:
		return "receipt"
	}
	return "event"
}

// outcomeText is a verdict in a few words.
func outcomeText(v *abi.Verdict) string {
	if v == nil {
		return "none"
	}
	text := v.Outcome.String()
	if v.Contract != "" {
		text += " " + v.Contract
	}
	if v.Code != "" {
		text += " " + v.Code
	}
	if v.Observed {
		text += " (observed)"
	}
	return text
}
