// Command golden is a guest of the conformance kit: it uses what a Go program can
// differ by, the order of maps, chance and the clock, and every effect of the
// phases that come after a call.
package main

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"time"

	callgate "github.com/callgate/callgate/sdk/go"
)

var _ = callgate.Register(callgate.Plugin{Evaluate: judge})

var ticket = regexp.MustCompile(`\b[A-Z]{2,4}-[0-9]{3,6}\b`)

// seen would grow from one evaluation to the next, if anything did.
var seen int

func judge(s callgate.Snapshot) *callgate.Verdict {
	seen++
	v := callgate.Abstain()
	if s.Phase() == callgate.PhaseList {
		for item := range s.List().Items() {
			if name := item.Get("name").Text(); strings.HasPrefix(name, "hidden_") {
				v.Hide(name)
			}
		}
		return v
	}
	found := 0
	for text := range s.Result().All() {
		if text.Kind() == callgate.String && ticket.MatchString(text.Text()) {
			v.Redact(text.Pointer())
			found++
		}
	}
	if found > 3 {
		v = callgate.Deny("TICKET").At("/result").Budget(1)
	}
	if found > 0 {
		v.LabelCall("ticket").LabelSession("tickets")
	}
	if s.Session().Has("go-redact:tickets") {
		v.Code("TOLD")
	}
	order := ""
	for name := range map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": true} {
		order += name
	}
	return v.Tag("map", order).Tag("chance", strconv.FormatUint(rand.Uint64(), 16)).Tag("clock", time.Now().UTC().Format(time.RFC3339)).
		Tag("seen", strconv.Itoa(seen))
}

func main() {}
