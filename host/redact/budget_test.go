package redact

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

// plenty is a budget that no text of a test spends.
func plenty() *budget {
	b := budget(1 << 40)
	return &b
}

// slow is a line in which all entries of a set look for a match.
const slow = "kkk x0 1 2 3 4 5 6 7 8 9 ? "

// slowSet has so many entries that each text made of slow lines costs too much.
func slowSet(t *testing.T) *Set {
	var list []Entry
	for i := range 20 {
		list = append(list, Entry{Name: fmt.Sprint(i), Pattern: "(?:kkk|qqq|jjj|zzz)[a-z0-9 ]*[?#]x", With: "[gone]", Except: []string{"*"}})
	}
	return compiled(t, append(list, Entry{Name: "token", Pattern: `AKIA[A-Z0-9]{16}`, With: "[token]"})...)
}

// TestATextThatCostsTooMuchIsRedactedWhole: none of it is shown, whatever is
// excepted, and what takes its place stays. Shorter ones and those with other lines
// between are read.
func TestATextThatCostsTooMuchIsRedactedWhole(t *testing.T) {
	s := slowSet(t)
	const key = " AKIAQQQQEXAMPLEZZZZ1 "
	lines := slow + "\n" + strings.Repeat("The quick brown fox passes over the lazy dog\n", 9)
	for _, c := range []struct{ name, text, want string }{
		{"long", strings.Repeat(slow, least/len(slow)*2) + key, "[gone]"},
		{"twice as long", strings.Repeat(slow, least/len(slow)*4) + key, "[gone]"},
		{"with what nobody sees", strings.Repeat(slow, least/len(slow)*2) + key + "\u200b", "[gone]"},
		{"short", strings.Repeat(slow, 20) + key, strings.Repeat(slow, 20) + " [token] "},
		{"lines between", strings.Repeat(lines, 100) + key, strings.Repeat(lines, 100) + " [token] "},
	} {
		got := s.Text(Results, c.text)
		if got != c.want {
			t.Errorf("%s: got %.100q (%d bytes), want %.100q", c.name, got, len(got), c.want)
		}
		if again := s.Text(Results, got); again != got {
			t.Errorf("%s: a second time %.100q", c.name, again)
		}
		f := s.Value(Results, abi.StringValue(c.text), true)
		if len(f.Edits) != 1 || f.Failed() {
			t.Errorf("%s: edits %v, stuck at %q", c.name, f.Edits, f.Stuck)
		}
	}
}

// TestWhatThePolicyWantsReadWholeCostsNothing: entries without a literal read all of
// each text, and no long text is cut for it.
func TestWhatThePolicyWantsReadWholeCostsNothing(t *testing.T) {
	var list []Entry
	for i := range 60 {
		list = append(list, Entry{Name: fmt.Sprint(i), Pattern: "[b-e]*[g-k]*[m-q]*[A-Z]", With: "[*]"})
	}
	s := compiled(t, list...)
	text := strings.Repeat("the fox 1 the dog 2\n", least/10)
	if got := s.Text(Results, text+"theX"); got != text+"th[*]" {
		t.Errorf("got %d bytes, want %d", len(got), len(text)+5)
	}
}

// TestOddLettersAreNoReasonToReadLonger: a long text with one stays as it is but for
// its match, and a pattern with such a letter finds it.
func TestOddLettersAreNoReasonToReadLonger(t *testing.T) {
	s := slowSet(t)
	for _, odd := range oddFolds {
		text := strings.Repeat("The quick brown fox passes over the lazy dog 0123456789\n", least/10) + odd
		if got := s.Text(Results, text+" AKIAQQQQEXAMPLEZZZZ1"); got != text+" [token]" {
			t.Errorf("%q: got %d bytes, want %d", odd, len(got), len(text)+len(" [token]"))
		}
		for _, pattern := range []string{"x" + odd + "y", "(?i)x[ks]y", "(?i)xky|xsy", "x[" + odd + "q]y"} {
			s := compiled(t, Entry{Name: "e", Pattern: pattern, With: "*"})
			if got := s.Text(Results, "a x"+odd+"y b"); got != "a * b" {
				t.Errorf("%q: got %q", pattern, got)
			}
		}
	}
}
