package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/approval"
)

// around is how much text is shown on each side of a match, in bytes.
const around = 40

// passage is the text around one piece of evidence.
type passage struct {
	found                bool
	before, match, after string
	shown                string // for people
}

// passages looks for the texts of evidence in the events of a group.
type passages struct {
	evidence []abi.Evidence
	found    map[int]passage
}

func newPassages(evidence []abi.Evidence) *passages {
	return &passages{evidence, map[int]passage{}}
}

// wants says whether text of a call is still to be found; texts that belong to no
// call are only looked for in the verdict's own file.
func (p *passages) wants() bool {
	for i, e := range p.evidence {
		if !p.found[i].found && e.Call != "" {
			return true
		}
	}
	return false
}

// take looks at one event. Of texts that belong to no call the last one that
// fits is kept.
func (p *passages) take(e *abi.Event) {
	for i, ev := range p.evidence {
		if p.found[i].found && ev.Call != "" || !belongs(e, ev) {
			continue
		}
		if text, ok := textAt(e, ev); ok {
			if at, ok := surroundings(text, ev); ok {
				p.found[i] = at
			}
		}
	}
}

// read looks through another file of the group, parsing only lines that name
// a wanted call.
func (p *passages) read(path string) error {
	text := textOf(path)
	defer text.Close()
	return eachLine(path, func(_ int, line []byte) error {
		for i, ev := range p.evidence {
			if p.found[i].found || ev.Call == "" {
				continue
			}
			id := strconv.Quote(ev.Call)
			if !bytes.Contains(line, []byte(`"result":{"call":`+id)) && !bytes.Contains(line, []byte(`"call":{"id":`+id)) {
				continue
			}
			if e, err := wholeEvent(line, text); err == nil {
				p.take(&e)
			}
		}
		return nil
	})
}

// belongs says whether an event has the text that evidence is about. What a
// server asks of its client is a call with the server's text.
func belongs(e *abi.Event, ev abi.Evidence) bool {
	switch {
	case ev.Call != "" && e.Call != nil:
		return e.Call.ID == ev.Call && e.Call.Kind.FromServer()
	case ev.Call != "":
		return e.Result != nil && e.Result.Call == ev.Call
	case e.Call != nil:
		return e.Call.Server == ev.Server && e.Call.Kind.FromServer()
	case e.Frame != nil:
		return e.Frame.Server == ev.Server
	case e.Server != nil:
		return e.Server.Server == ev.Server
	case e.Tools != nil:
		return e.Tools.Server == ev.Server
	case e.Result != nil:
		return e.Result.Server == ev.Server
	case e.Refused != nil:
		return e.Refused.Server == ev.Server && e.Refused.From != "client"
	}
	return false
}

// textAt returns the string that evidence points into: a value, or the member
// name at the pointer.
func textAt(e *abi.Event, ev abi.Evidence) (string, bool) {
	v := abi.Value{}
	pointer := ev.Pointer
	switch {
	case e.Result != nil:
		v = e.Result.Value
		if e.Result.Error.Exists() {
			v = abi.ObjectValue(abi.Member{Name: "error", Value: e.Result.Error})
		}
	case e.Call != nil:
		v = e.Call.Params
	case e.Frame != nil:
		v = e.Frame.Frame
	case e.Server != nil:
		v = e.Server.Result
	case e.Tools != nil:
		v = abi.ObjectValue(abi.Member{Name: "tools", Value: abi.ArrayValue(e.Tools.List...)})
	case e.Refused != nil:
		if pointer == "" {
			return string(e.Refused.Bytes), true
		}
		v, _ = abi.Parse(e.Refused.Bytes) // not JSON: nothing is found in it
	}
	at := v.At(pointer)
	if !at.Exists() {
		return "", false
	}
	text := at.Str()
	if !at.IsString() {
		text = at.Lexeme()
	}
	if fits(text, ev) {
		return text, true
	}
	tokens, _ := abi.Tokens(pointer)
	if len(tokens) > 0 && fits(tokens[len(tokens)-1], ev) {
		return tokens[len(tokens)-1], true
	}
	return "", false
}

// fits says whether a text can be the one that evidence was found in. What was
// decoded before it was found does not stand there as it was found.
func fits(text string, ev abi.Evidence) bool {
	if ev.Offset < 0 || ev.Length <= 0 || ev.Offset+ev.Length > int64(len(text)) {
		return false
	}
	return ev.Call != "" || ev.Snippet == "" || strings.Contains(text, ev.Snippet)
}

// surroundings takes the match and what stands around it out of a text.
func surroundings(text string, ev abi.Evidence) (passage, bool) {
	from, to := int(ev.Offset), int(ev.Offset+ev.Length)
	start, end := max(0, from-around), min(len(text), to+around)
	for start < from && !utf8.RuneStart(text[start]) {
		start++
	}
	for end > to && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	p := passage{found: true, before: text[start:from], match: text[from:to], after: text[to:end]}
	var b strings.Builder
	if start > 0 {
		b.WriteString("…")
	}
	b.WriteString(oneLine(p.before) + markOpen + oneLine(shorten(p.match, maxShown)) + markClose + oneLine(p.after))
	if end < len(text) {
		b.WriteString("…")
	}
	p.shown = b.String()
	return p, true
}

// maxFrame is how much of a refused frame is shown, in bytes.
const maxFrame = 2048

// quoteBytes shows bytes that need not be text: what is no printable character
// is escaped.
func quoteBytes(data []byte) string {
	rest := ""
	if len(data) > maxFrame {
		data, rest = data[:maxFrame], fmt.Sprintf("… (%d more bytes)", len(data)-maxFrame)
	}
	var b strings.Builder
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "{%02X}", data[0])
		case approval.Visible(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "{U+%04X}", r)
		}
		data = data[n:]
	}
	return b.String() + rest
}
