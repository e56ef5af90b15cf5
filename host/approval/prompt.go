package approval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
)

// How much of hostile text a prompt shows, in bytes and pieces. Destinations
// are all listed, however many there are: one that was left out could be the
// one that matters.
const (
	maxName      = 200  // a name, a pointer
	maxValue     = 1024 // a destination
	maxArgument  = 1024 // one member of the arguments
	maxArguments = 60   // members of the arguments
	maxReason    = 600
	maxSnippet   = 400
	maxWitnesses = 5 // of one destination
)

// Prompt is the text that a person reads before answering: our own words, one
// per line, with hostile text only behind them, quoted, on the same line. It
// never holds the question's id.
func Prompt(q Question) string {
	p := &prompt{}
	p.head(q)
	p.destinations(q.Ask.Items)
	p.others(&q.Ask)
	p.definition(&q.Ask)
	p.identity(&q.Ask)
	p.contents(q)
	return p.b.String()
}

type prompt struct{ b strings.Builder }

// line writes one line: a word of ours, and text that is safe already.
func (p *prompt) line(name, text string) { fmt.Fprintf(&p.b, "  %-10s%s\n", name, text) }

// title starts a part.
func (p *prompt) title(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *prompt) head(q Question) {
	a := q.Ask
	p.title("Callgate asks: may %s?", wish(q))
	if a.Risk != "" {
		p.line("risk", bare(a.Risk))
	}
	if q.Group != "" {
		p.line("group", bare(q.Group))
	}
	if q.Policy != "" {
		p.line("policy", bare(q.Policy))
	}
	if !a.Kind.IsTool() {
		p.line("method", bare(a.Tool))
	}
	if a.OfServer() {
		p.line("first", "a call of "+subject(q))
	}
	p.line("call", bare(a.Call))
	if !q.Asked.IsZero() {
		p.line("asked", q.Asked.UTC().Format(time.RFC3339))
	}
	p.line("state", state(q))
	if a.Channels != nil {
		names := make([]string, len(a.Channels))
		for i, c := range a.Channels {
			names[i] = bare(c)
		}
		p.line("answer by", strings.Join(names, ", "))
	}
}

// state says who waits for the answer, and what a yes serves.
func state(q Question) string {
	one := "call"
	if q.Ask.Kind.FromServer() {
		one = "request"
	}
	switch many := strconv.Itoa(q.Waiting); {
	case q.Held && q.Waiting > 1 && q.Ask.OfServer():
		return many + " calls of the server wait; a yes lets each go that nothing else holds"
	case q.Held && q.Waiting > 1:
		return many + " identical " + one + "s wait; a yes releases the first of them"
	case q.Held:
		return "the " + one + " waits for the answer"
	case q.Ask.OfServer():
		return "no call waits; a yes serves the next call of the server"
	}
	return "no " + one + " waits; a yes serves the identical " + one + " when it is tried again"
}

// destination is a finding with everything that asks about it.
type destination struct {
	finding *abi.Finding
	items   []abi.AskItem
}

// gather joins the items that are about one destination.
func gather(items []abi.AskItem) (list []destination) {
	type key struct {
		at    string
		key   bool
		part  int
		value string
	}
	seen := map[key]int{}
	for _, item := range items {
		f := item.Finding
		if f == nil {
			continue
		}
		k := key{f.At, f.Key, f.Part, f.Value}
		i, ok := seen[k]
		if !ok {
			i = len(list)
			seen[k] = i
			list = append(list, destination{finding: f})
		}
		list[i].items = append(list[i].items, item)
	}
	return list
}

func (p *prompt) destinations(items []abi.AskItem) {
	list := gather(items)
	for i, d := range list {
		f := d.finding
		where := "at"
		if f.Key {
			where = "at the name of"
		}
		p.title("destination %d of %d, %s %s", i+1, len(list), where, bare(f.At))
		p.place("value", f.Value)
		if f.Kind != "" {
			p.line("kind", bare(f.Kind))
		}
		p.line("class", class(f.Origin))
		if f.Spoiled != "" {
			p.line("spoiled", quoted(f.Spoiled, maxReason))
		}
		for _, item := range d.items {
			p.why(item)
		}
		p.witnesses(f.Evidence)
	}
}

// place shows a name of something that is reached, and spells it where it is
// not all printable ASCII.
func (p *prompt) place(name, s string) {
	p.line(name, quoted(s, maxValue))
	if spelled(s) == s {
		return
	}
	head, left, tail := cut(s, maxValue)
	text := `"` + spelled(escaped(head)) + `"`
	if left > 0 {
		text += fmt.Sprintf(` {cut: %d bytes} "%s"`, left, spelled(escaped(tail)))
	}
	p.line("spelled", text)
}

// class says in words what an origin means.
func class(o abi.Origin) string {
	switch o {
	case abi.OriginTrusted:
		return "trusted: the operator or a remembered answer vouches for it"
	case abi.OriginClient:
		return "client: the user said it"
	case abi.OriginUnproven:
		return "unproven: nothing is known about where it comes from"
	}
	return "tainted: it stands in what an untrusted server said"
}

func (p *prompt) why(item abi.AskItem) {
	p.line("asked by", strings.TrimSpace(bare(item.Contract)+" "+code(item.Code)))
	if item.Reason != "" {
		p.line("reason", quoted(item.Reason, maxReason))
	}
	if item.Once {
		p.line("once", "a yes to this is never remembered")
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return bare(s)
}

func (p *prompt) witnesses(list []abi.Evidence) {
	for i, e := range list {
		if i == maxWitnesses {
			p.line("witness", fmt.Sprintf("%d more places", len(list)-i))
			return
		}
		p.line("witness", stands(e))
		if e.Snippet != "" {
			p.line("", quoted(e.Snippet, maxSnippet))
		}
	}
}

// stands says where evidence stands. What a server answered is named by its
// tool or its method.
func stands(e abi.Evidence) string {
	var b strings.Builder
	b.WriteString("server " + bare(e.Server))
	if e.Tool != "" {
		b.WriteString(", through " + bare(e.Tool))
	}
	if e.Call != "" {
		b.WriteString(", call " + bare(e.Call))
	}
	if e.Pointer != "" {
		b.WriteString(", " + bare(e.Pointer))
	}
	if e.Length > 0 {
		fmt.Fprintf(&b, ", bytes %d-%d", e.Offset, e.Offset+e.Length)
	}
	if e.Position != "" {
		b.WriteString(", found as " + bare(string(e.Position)))
	}
	if e.View != "" && e.View != "raw" {
		b.WriteString(", read as " + bare(e.View))
	}
	return b.String()
}

// others lists what is asked and is about no destination.
func (p *prompt) others(a *abi.AskEvent) {
	for _, item := range a.Items {
		if item.Finding == nil {
			p.title("the %s as a whole", about(a, item))
			p.why(item)
		}
	}
}

// members shows one member of an object per line, so that a long one hides
// nothing but itself.
func (p *prompt) members(v abi.Value, but ...string) {
	if v.Kind() != abi.Object {
		p.title("  %s", canonical(v))
		return
	}
	list := slices.DeleteFunc(slices.Clone(v.Members()), func(m abi.Member) bool { return slices.Contains(but, m.Name) })
	for i, m := range list {
		if i == maxArguments {
			p.title("  {cut: %d more members}", len(list)-i)
			return
		}
		p.title("  %s: %s", quoted(m.Name, maxName), canonical(m.Value))
	}
}

// canonical shows canonical JSON on one line.
func canonical(v abi.Value) string {
	if v.IsString() {
		return quoted(v.Str(), maxArgument)
	}
	head, left, tail := cut(v.String(), maxArgument)
	if left == 0 {
		return shown(head)
	}
	return fmt.Sprintf("%s {cut: %d bytes} %s", shown(head), left, shown(tail))
}
