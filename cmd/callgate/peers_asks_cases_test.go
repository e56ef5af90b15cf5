package main_test

import (
	"strings"
	"testing"
)

// askCases goes through what can become of an ask, at each revision that has
// elicitation as a request.
func askCases(t *testing.T, p peers, open openSDK) {
	unixOnly(t) // terminals answer through sockets that are not to be had elsewhere
	tests := []struct {
		name, timeout string
		test          func(*testing.T, *asker)
	}{
		{"an accepted call runs, once", "50s", askAccepted},
		{"a declined call does not run", "50s", func(t *testing.T, a *asker) { askRefused(t, a, no) }},
		{"a dismissed call does not run", "50s", func(t *testing.T, a *asker) { askRefused(t, a, dismiss) }},
		{"a form that does not approve runs nothing", "50s", func(t *testing.T, a *asker) {
			askRefused(t, a, object{"action": "accept", "content": object{"approve": false}})
		}},
		{"the second answer does not count", "50s", askTwice},
		{"an answer with another id does not count", "50s", askForeign},
		{"a server can not speak as the gate", "50s", askSpoofed},
		{"other arguments are another question", "50s", askChanged},
		{"of two questions each gets its own answer", "50s", askCrossed},
		{"identical calls share a question and one runs", "50s", askShared},
		{"a call that is given up can not be approved", "50s", askAborted},
		{"a client that is gone has nothing run", "50s", askVanished},
		{"a late approval serves the identical call once", "300ms", askLate},
		{"high risk is for the terminal", "50s", askGrave},
		{"a terminal answers what the client was asked too", "50s", askTerminal},
		{"what descends from the server answers nothing", "50s", askDescendants},
	}
	n := 0
	for _, revision := range []string{"2025-06-18", "2025-11-25"} {
		for _, tt := range tests {
			t.Run(tt.name+" at "+revision, func(t *testing.T) {
				t.Parallel()
				tt.test(t, p.ask(t, open, revision, tt.timeout))
			})
			n++
		}
	}
	if n != 32 {
		t.Errorf("%d cases; want 32", n)
	}
}

// ofServer is the id of the server's own request.
const ofServer = "of-the-server"

var one, two = object{"a": 1}, object{"a": 2}

func askAccepted(t *testing.T, a *asker) {
	a.begin("x", "good", one)
	q := a.asked()
	if shown := a.pending(1)[0]; q.Text != shown.Prompt || !strings.Contains(q.Text, `"a": 1`) || !strings.Contains(q.Text, "the tool good ") || strings.Contains(q.Text, shown.ID) {
		t.Errorf("the client shows %q; want what callgate pending shows: %q", q.Text, shown.Prompt)
	}
	a.reply(q, yes)
	wantText(t, a.result("x"), "ran good")
	a.begin("again", "good", one)
	next := a.asked()
	if next.ID == q.ID {
		t.Error("two questions have one id")
	}
	a.reply(next, no)
	wantDenied(t, a.result("again"), "approval", "DECLINED")
	a.end(`good {"a":1}`)
}

func askRefused(t *testing.T, a *asker, answer object) {
	a.begin("x", "good", one)
	a.refused(t, a.asked(), answer)
}

// refused answers the question of call x with what is no yes, and has the same
// call approved then: nothing but that one ran.
func (a *asker) refused(t *testing.T, q happening, answer object) {
	t.Helper()
	a.reply(q, answer)
	wantDenied(t, a.result("x"), "approval", "DECLINED")
	a.begin("again", "good", one)
	a.reply(a.asked(), yes)
	wantText(t, a.result("again"), "ran good")
	a.end(`good {"a":1}`)
}

func askTwice(t *testing.T, a *asker) {
	a.begin("declined", "good", one)
	q := a.asked()
	a.reply(q, no)
	wantDenied(t, a.result("declined"), "approval", "DECLINED")
	a.raw(q.ID, yes)
	a.begin("accepted", "good", two)
	q = a.asked()
	a.raw(q.ID, yes)
	a.raw(q.ID, yes)
	wantText(t, a.result("accepted"), "ran good")
	a.reply(q, yes)
	a.quiet("asked", "")
	a.end(`good {"a":2}`)
}

func askForeign(t *testing.T, a *asker) {
	a.begin("x", "good", one)
	q := a.asked()
	other := a.pending(1)[0].ID // which is for terminals
	for _, id := range []any{"callgate-x", 1, 0, "x", strings.ToUpper(q.ID), q.ID + " ", strings.TrimPrefix(q.ID, "callgate-"), other} {
		a.raw(id, yes)
		a.quiet("result", "x")
	}
	a.pending(1)
	a.refused(t, q, no)
}

// say has the server write a line to the client.
func (a *asker) say(line object) {
	a.t.Helper()
	a.begin("say", "say", object{"line": asJSON(a.t, line)})
	wantText(a.t, a.result("say"), "said")
}

func askSpoofed(t *testing.T, a *asker) {
	a.begin("x", "good", one)
	q := a.asked()
	form := object{"message": q.Text, "requestedSchema": object{"type": "object", "properties": object{"approve": object{"type": "boolean"}}}}
	a.say(object{"jsonrpc": "2.0", "id": q.ID, "method": "elicitation/create", "params": form})
	a.quiet("asked", "")
	a.say(object{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": object{"requestId": q.ID}})
	a.quiet("withdrawn", "")
	a.say(object{"jsonrpc": "2.0", "id": q.ID, "result": yes})
	a.quiet("result", "x")

	// It may ask in our words. The answer is its own.
	a.say(object{"jsonrpc": "2.0", "id": ofServer, "method": "elicitation/create", "params": form})
	theirs := a.asked()
	if theirs.ID != ofServer {
		t.Fatalf("%+v; want the question of the server", theirs)
	}
	a.reply(theirs, yes)
	eventually(t, "an answer to the server's own question", func() bool {
		return strings.Contains(readFile(t, a.log+".frames"), `"id":"`+ofServer+`"`)
	})
	a.quiet("result", "x")
	a.pending(1)
	a.refused(t, q, no)
}

func askChanged(t *testing.T, a *asker) {
	a.begin("x", "good", one)
	q := a.asked()
	a.reply(q, yes)
	wantText(t, a.result("x"), "ran good")
	changed := []object{two, {"a": "1"}, {"a": 1, "b": nil}, {}}
	for _, arguments := range changed {
		a.begin("changed", "good", arguments)
		next := a.asked()
		a.raw(q.ID, yes)
		a.quiet("result", "changed")
		a.reply(next, no)
		wantDenied(t, a.result("changed"), "approval", "DECLINED")
	}
	a.end(`good {"a":1}`)
}

func askCrossed(t *testing.T, a *asker) {
	a.begin("x", "good", one)
	first := a.asked()
	a.begin("y", "good", two)
	second := a.asked()
	a.reply(second, yes)
	wantText(t, a.result("y"), "ran good")
	a.quiet("result", "x")
	a.reply(first, no)
	wantDenied(t, a.result("x"), "approval", "DECLINED")
	a.end(`good {"a":2}`)
}

func askShared(t *testing.T, a *asker) {
	a.begin("x", "good", one)
	q := a.asked()
	a.begin("y", "good", one)
	eventually(t, "two calls that wait for one answer", func() bool {
		got := a.pending(1)[0]
		return got.Held && got.Waiting == 2
	})
	a.quiet("asked", "")
	a.reply(q, yes)
	wantText(t, a.result("x"), "ran good")
	wantDenied(t, a.result("y"), "approval", "APPROVAL_USED")
	a.end(`good {"a":1}`)
}

func askAborted(t *testing.T, a *asker) {
	a.begin("x", "good", one)
	q := a.asked()
	id := a.pending(1)[0].ID
	a.tell(order{Do: "abort", As: "x"})
	a.await("failed", "x")
	a.await("withdrawn", q.ID)
	a.raw(q.ID, yes)
	a.quiet("result", "x")
	a.pending(0)
	if _, stderr := a.callgate(1, "approve", id); !strings.Contains(stderr, "withdrawn") {
		t.Errorf("got %q; want that the question was withdrawn", stderr)
	}
	a.begin("again", "good", one)
	a.reply(a.asked(), yes)
	wantText(t, a.result("again"), "ran good")
	a.end(`good {"a":1}`)
}

func askVanished(t *testing.T, a *asker) {
	a.begin("ran", "good", two)
	a.reply(a.asked(), yes)
	wantText(t, a.result("ran"), "ran good")
	a.begin("x", "good", one)
	a.asked()
	id := a.pending(1)[0].ID
	a.vanish()
	a.wantEnd(a.gone)
	if _, stderr := a.callgate(1, "approve", id); !strings.Contains(stderr, "no callgate run is live") && !strings.Contains(stderr, "no question has this id") {
		t.Errorf("got %q; want that nobody asks any more", stderr)
	}
	a.wantRan(`good {"a":2}`)
}
