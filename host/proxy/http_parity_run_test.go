package proxy_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

// same holds what every bridge does against what the first one did.
func same(t *testing.T, first map[string]string, what, got string) {
	t.Helper()
	want, ok := first[what]
	if !ok {
		first[what] = got
		return
	}
	if got != want {
		t.Errorf("%s differs:\n%s\nwant:\n%s", what, got, want)
	}
}

// run plays one sequence.
func (w *wired) run(c parity) {
	w.t.Helper()
	if w.modern = c.revision >= "2026"; !w.modern {
		capabilities := "{}"
		if c.forms {
			capabilities = `{"elicitation":{}}`
		}
		w.write(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + c.revision + `","capabilities":` + capabilities + `,"clientInfo":{"name":"t","version":"1"}}}`)
		w.await(`"id":"init"`)
		w.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		if w.b.front {
			w.listen()
		}
	}
	more := ""
	if w.modern {
		more = `,"params":{` + modernPlain + `}`
	}
	w.write(`{"jsonrpc":"2.0","id":"list","method":"tools/list"` + more + `}`)
	w.await(`"id":"list"`)
	questions := 0
	for _, turn := range c.turns {
		frame := strings.ReplaceAll(turn.send, "PROMPT", w.last(`"id":("callgate-[^"]*"),"method":"elicitation/create"`))
		frame = strings.ReplaceAll(frame, "STATE", w.last(`"requestState":("[^"]*")`))
		w.write(frame)
		if turn.person != "" {
			q := w.person.pending(w.t, 1)
			questions++
			if _, err := w.person.answer(w.t, q[0], turn.person == "yes"); err != nil {
				w.t.Fatal(err)
			}
		}
		if turn.there != "" {
			w.arrived(turn.there)
		}
		if turn.want != "" {
			w.await(turn.want)
		}
	}
	w.close()
}

// arrived waits for a frame at the server.
func (w *wired) arrived(text string) {
	w.t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(w.log(), text) {
			return
		}
	}
	w.t.Fatalf("%s: %q does not reach the server: %s", w.b.name, text, w.log())
}

// last is the last text at the client that a pattern finds.
func (w *wired) last(pattern string) string {
	all := regexp.MustCompile(pattern).FindAllStringSubmatch(w.got(), -1)
	if all == nil {
		return "null"
	}
	return all[len(all)-1][1]
}

// forwarded is what reached the server.
func (w *wired) forwarded(c parity) string {
	var out []string
	for line := range strings.Lines(w.log()) {
		if rest, ok := strings.CutPrefix(line, "got "); ok {
			if w.modern {
				rest = anyID.ReplaceAllString(rest, `"$1":*`)
			}
			rest = verdict.ReplaceAllString(rest, "$1*")
			out = append(out, rest)
		}
	}
	return strings.Join(out, "")
}

// received is what reached the client, in no order: streams have none among them.
func (w *wired) received(parity) string {
	var out []string
	for line := range strings.Lines(w.got()) {
		if strings.Contains(line, `"id":null`) {
			continue // HTTP has an answer for everything
		}
		line = strings.TrimSpace(anyState.ReplaceAllString(line, "*"))
		line = size.ReplaceAllString(question.ReplaceAllString(line, "$1*"), "has * bytes")
		out = append(out, verdict.ReplaceAllString(line, "$1*"))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// verdicts are the verdicts in the ledger, in order.
func (w *wired) verdicts() string {
	var out []string
	for _, e := range ledgerEvents(w.t, w.dir) {
		if e.Verdict == nil {
			continue
		}
		text := fmt.Sprint(e.Verdict.Enforced())
		if e.Verdict.Enforced() == abi.Deny {
			text += " " + e.Verdict.Code
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}
