package suggest

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
)

// Limits of a cases file, in bytes and calls.
const (
	maxCall       = 32 << 10 // of one call's arguments, as written
	maxDefinition = 64 << 10 // of one tool's schema
	maxCasesFile  = 3 << 20  // of all cases
	maxSteps      = 40       // calls of one case
	maxTainted    = 8        // cases of values that came from an output
)

// caseWriter writes a cases file.
type caseWriter struct {
	d    *draft
	p    *policy.Policy
	b    strings.Builder
	left []string // what is not replayed, for comments
}

// cases writes the calls that the draft is made for, and beside them some that
// it has to refuse.
func (d *draft) cases(p *policy.Policy) []byte {
	w := &caseWriter{d: d, p: p}
	for _, g := range d.granted() {
		w.does(g)
		w.outside(g)
		w.elsewhere(g)
		w.otherValue(g)
	}
	w.tainted()
	w.ungranted()
	var head strings.Builder
	head.WriteString("# What was recorded, as tests of the policy beside it: run callgate test on this file.\n")
	for _, note := range w.left[:min(len(w.left), maxNotes)] {
		head.WriteString("# " + note + "\n")
	}
	head.WriteString("policy: " + Quote(d.opts.beside()) + "\ncases:\n")
	return []byte(head.String() + w.b.String())
}

// beside is the policy's path as the cases file names it.
func (o Options) beside() string {
	rel, err := filepath.Rel(filepath.Dir(o.Cases), o.Path)
	if err != nil {
		return o.Path
	}
	return filepath.ToSlash(rel)
}

// open begins a case at a place, with tools of a server; what a model wrote does
// not stand in its name.
func (w *caseWriter) open(name string, place abi.Place, tools ...toolName) {
	w.b.WriteString("  - name: " + Quote(name) + "\n    steps:\n")
	w.at(place)
	var servers []string
	for _, t := range tools {
		add(&servers, t.server)
	}
	for _, server := range servers {
		w.b.WriteString("      - tools:\n          server: " + Quote(server) + "\n          list:\n")
		var done []string
		for _, t := range tools {
			if t.server == server && !slices.Contains(done, t.tool) {
				done = append(done, t.tool)
				w.b.WriteString("            - {name: " + Quote(t.tool) + ", inputSchema: " + w.schema(t) + "}\n")
			}
		}
	}
}

// at has the server stand at a place.
func (w *caseWriter) at(p abi.Place) {
	w.b.WriteString("      - session: {dir: " + Quote(p.Dir) + ", home: " + Quote(p.Home) + ", platform: " + Quote(p.Platform) + "}\n")
}

// schema is the input schema of a tool as it was listed.
func (w *caseWriter) schema(t toolName) string {
	text, ok := flow(w.d.s.definition(t).Get("inputSchema"), maxDefinition)
	if !ok {
		return "{type: object}"
	}
	return text
}

// step writes one call and what it has to get; false: there is no room.
func (w *caseWriter) step(t toolName, arguments abi.Value, want string) bool {
	text, ok := w.arguments(arguments)
	if ok {
		w.b.WriteString("      - {call: " + Quote(t.server+"/"+t.tool) + ", args: " + text + ", want: {" + want + "}}\n")
	}
	return ok
}

// arguments is how arguments are written, if there is room.
func (w *caseWriter) arguments(v abi.Value) (string, bool) {
	if !v.Exists() {
		v = abi.ObjectValue()
	}
	text, ok := flow(v, maxCall)
	return text, ok && w.b.Len()+len(text) < maxCasesFile
}

// does is the case of a tool doing what it did.
func (w *caseWriter) does(g *grant) {
	picked, more := w.pick(g)
	if more > 0 {
		w.left = append(w.left, counted(more, "more call")+" of "+g.name.shown()+" "+
			"not replayed here: alike, too big, or of values that the file has no room or spelling for.")
	}
	if len(picked) == 0 {
		return
	}
	w.open(fmt.Sprintf("%s/%s does what it did", g.name.server, g.name.tool), picked[0].place, g.name)
	place := picked[0].place
	for _, c := range picked {
		if c.place != place {
			w.open(fmt.Sprintf("%s/%s does what it did elsewhere", g.name.server, g.name.tool), c.place, g.name)
			place = c.place
		}
		want := "outcome: allow"
		if c.asks {
			want = "outcome: ask"
		}
		w.step(g.name, c.arguments, want)
	}
}

// pick chooses the calls that show every part of a grant, then others, as many as
// the grant has attempts. A call that is asked about for what was read before it
// does not stand alone.
func (w *caseWriter) pick(g *grant) (picked []*call, more int) {
	seen := map[string]bool{}
	shown := map[string]bool{}
	var needed, others []*call
	for _, c := range g.calls {
		id := c.arguments.Digest() + c.place.Dir
		if _, ok := w.arguments(c.arguments); seen[id] || !ok || c.asks && w.trial(c.name, c.place, c.arguments) != abi.Ask {
			more++
			continue
		}
		seen[id] = true
		news := false
		for _, part := range g.parts(c) {
			news = news || !shown[part]
			shown[part] = true
		}
		if news {
			needed = append(needed, c)
		} else {
			others = append(others, c)
		}
	}
	picked = append(needed, others...)
	room := min(int(min(g.most, 1<<30)), max(maxSteps, len(needed)))
	if len(picked) > room {
		more += len(picked) - room
		picked = picked[:room]
	}
	slices.SortStableFunc(picked, func(a, b *call) int { return strings.Compare(a.place.Dir, b.place.Dir) })
	return picked, more
}

// trial is what the draft says of a call in a session of its own.
func (w *caseWriter) trial(t toolName, place abi.Place, arguments abi.Value) abi.Outcome {
	player := replay.New(replay.Options{Policy: w.p, Specs: w.d.opts.Specs, Place: place})
	if !arguments.Exists() {
		arguments = abi.ObjectValue()
	}
	member := func(name string, v abi.Value) abi.Member { return abi.Member{Name: name, Value: v} }
	definition := abi.ObjectValue(member("name", abi.StringValue(t.tool)), member("inputSchema", w.d.s.definition(t).Get("inputSchema")))
	outcome := abi.Deny
	for i, v := range []abi.Value{
		abi.ObjectValue(member("tools", abi.ObjectValue(member("server", abi.StringValue(t.server)), member("list", abi.ArrayValue(definition))))),
		abi.ObjectValue(member("call", abi.ObjectValue(
			member("server", abi.StringValue(t.server)), member("tool", abi.StringValue(t.tool)), member("arguments", arguments)))),
	} {
		answers, _, err := player.Feed(v, uint64(i))
		if err != nil {
			return abi.Deny
		}
		for _, a := range answers {
			if a.Verdict != nil {
				outcome = a.Verdict.Outcome.Known()
			}
		}
	}
	return outcome
}

// parts names the parts of a grant that a call makes use of.
func (g *grant) parts(c *call) []string {
	out := []string{"tool"}
	for _, f := range c.files {
		out = append(out, "path "+f.canonical)
	}
	for _, f := range c.targets {
		out = append(out, "to "+f.Kind+" "+f.Identity)
	}
	for _, v := range g.values {
		out = append(out, "value "+v.arg+" "+c.arguments.Get(v.arg).String())
	}
	return out
}
