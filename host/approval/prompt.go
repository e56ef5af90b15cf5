package approval

import (
	"fmt"
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
	p.others(q.Ask.Items)
	p.definition(q.Ask.Definition)
	p.identity(q.Ask.Identity)
	p.arguments(q.Arguments)
	return p.b.String()
}

type prompt struct{ b strings.Builder }

// line writes one line: a word of ours, and text that is safe already.
func (p *prompt) line(name, text string) { fmt.Fprintf(&p.b, "  %-10s%s\n", name, text) }

// title starts a part.
func (p *prompt) title(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

func (p *prompt) head(q Question) {
	a := q.Ask
	p.title("Callgate asks: may the tool %s of the server %s be called?", bare(a.Tool), bare(a.Server))
	if a.Risk != "" {
		p.line("risk", bare(a.Risk))
	}
	if q.Group != "" {
		p.line("group", bare(q.Group))
	}
	if q.Policy != "" {
		p.line("policy", bare(q.Policy))
	}
	p.line("call", bare(a.Call))
	if !q.Asked.IsZero() {
		p.line("asked", q.Asked.UTC().Format(time.RFC3339))
	}
	switch {
	case q.Held && q.Waiting > 1 && a.OfServer():
		p.line("state", strconv.Itoa(q.Waiting)+" calls of the server wait; a yes lets each go that nothing else holds")
	case q.Held && q.Waiting > 1:
		p.line("state", strconv.Itoa(q.Waiting)+" identical calls wait; a yes releases the first of them")
	case q.Held:
		p.line("state", "the call waits for the answer")
	case a.OfServer():
		p.line("state", "no call waits; a yes serves the next call of the server")
	default:
		p.line("state", "no call waits; a yes serves the identical call when it is tried again")
	}
	if a.Channels != nil {
		names := make([]string, len(a.Channels))
		for i, c := range a.Channels {
			names[i] = bare(c)
		}
		p.line("answer by", strings.Join(names, ", "))
	}
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
		p.line("value", quoted(f.Value, maxValue))
		if head, left, tail := cut(f.Value, maxValue); spelled(f.Value) != f.Value {
			text := `"` + spelled(escaped(head)) + `"`
			if left > 0 {
				text += fmt.Sprintf(` {cut: %d bytes} "%s"`, left, spelled(escaped(tail)))
			}
			p.line("spelled", text)
		}
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
	return "tainted: it stands in what an untrusted tool returned"
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
		p.line("witness", place(e))
		if e.Snippet != "" {
			p.line("", quoted(e.Snippet, maxSnippet))
		}
	}
}

// place says where evidence stands.
func place(e abi.Evidence) string {
	var b strings.Builder
	b.WriteString("server " + bare(e.Server))
	if e.Tool != "" {
		b.WriteString(", tool " + bare(e.Tool))
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
func (p *prompt) others(items []abi.AskItem) {
	for _, item := range items {
		if item.Finding == nil {
			p.title("the call as a whole")
			p.why(item)
		}
	}
}

// definition shows the tool that a yes would pin: what a model is told by it.
func (p *prompt) definition(v abi.Value) {
	if !v.Exists() {
		return
	}
	p.title("a yes also pins this definition of the tool, %d bytes, %s", len(v.String()), abi.PinDigest(v))
	p.members(v)
}

// identity shows what a yes would pin of the server.
func (p *prompt) identity(v abi.Value) {
	if !v.Exists() {
		return
	}
	p.title("a yes also pins what the server says of itself, for every call of it, %d bytes", len(v.String()))
	p.members(v)
}

func (p *prompt) arguments(v abi.Value) {
	if !v.Exists() {
		p.title("arguments: none")
		return
	}
	p.title("arguments, %d bytes", len(v.String()))
	p.members(v)
}

// members shows one member of an object per line, so that a long one hides
// nothing but itself.
func (p *prompt) members(v abi.Value) {
	if v.Kind() != abi.Object {
		p.title("  %s", canonical(v))
		return
	}
	for i, m := range v.Members() {
		if i == maxArguments {
			p.title("  {cut: %d more members}", v.Len()-i)
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
