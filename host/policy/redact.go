package policy

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/redact"
)

// redaction is one entry of redact:.
type redaction struct {
	Name    string   `key:"name" is:"name" doc:"Unique in the policy. Required."`
	Pattern *string  `key:"pattern" is:"regex" doc:"RE2 that what is redacted matches, in any text. A group named secret is what is replaced, else the whole match."`
	Keys    []string `key:"keys" is:"text" doc:"Names of members, with *, in any case and with any separators. With a pattern: it is looked for in their values only. Alone: their whole values."`
	With    *string  `key:"with" is:"text" doc:"What stands there instead, literally. Absent: [redacted: NAME]."`
	In      []string `key:"in" enum:"arguments|results|errors|notifications|requests|ledger|prompts" doc:"Where. results: all that a server sends; errors, notifications and requests: only those of it. ledger: what is kept, and prompts too. Absent: everywhere."`
	Verdict *string  `key:"verdict" enum:"deny|ask" doc:"What a match in the arguments of a call yields. Absent: it is redacted, and the call goes on."`
	Except  []string `key:"except" is:"text" doc:"Text that stays, with * for any. Digests, commits and UUIDs stay in any case, unless the list is empty."`
}

// Redact returns the entries of redact: of all files, of the packs that are named
// for it, and of the floor. Nil: there are none.
func (p *Policy) Redact() *redact.Set { return p.redact }

// entry is the entry as it is compiled.
func (r *redaction) entry(rule string) redact.Entry {
	e := redact.Entry{Rule: rule, Name: r.Name, Pattern: text(r.Pattern), Keys: r.Keys, In: r.In, Except: r.Except, Refuse: text(r.Verdict), With: "[redacted: " + r.Name + "]"}
	if r.With != nil {
		e.With = *r.With
	}
	return e
}

// checkRedact finds the mistakes of the entries of a file.
func (c *issues) checkRedact(f *file) {
	names := map[string]int{}
	for i := range f.Redact {
		r, at := &f.Redact[i], abi.JoinIndex("/redact", i)
		first, again := names[r.Name]
		switch {
		case c.spoiled(at):
			continue
		case r.Name == "":
			c.add(at, "no name; give the entry a name of its own")
			continue
		case again:
			c.add(at+"/name", "entry %q is also redact[%d]; give each its own name", r.Name, first)
			continue
		case r.Pattern == nil && r.Keys == nil:
			c.add(at, "says nothing; want a pattern for text, or keys: with the names of members")
			continue
		case r.In != nil && len(r.In) == 0:
			c.add(at+"/in", "an empty list is nowhere; leave it out for everywhere")
			continue
		}
		names[r.Name] = i
		if member, what := r.mistake(); what != "" {
			c.add(at+member, "%s", what)
		}
	}
	if len(c.list) > 0 {
		return
	}
	if i, err := compileRedact(f.Redact, func(int) string { return "" }); err != nil {
		c.add(abi.JoinIndex("/redact", i)+"/pattern", "%v", err)
	}
}

// mistake says what is wrong with an entry by itself.
func (r *redaction) mistake() (member, what string) {
	for i, k := range r.Keys {
		if strings.Trim(k, "*_-. ") == "" {
			return abi.JoinIndex("/keys", i), "the name of every member; write a name, such as \"*password*\""
		}
	}
	switch {
	case r.Verdict != nil && r.In != nil && !slices.Contains(r.In, "arguments"):
		return "/verdict", "verdict is about arguments, and the entry is not; add arguments to in, or remove it"
	case r.Keys != nil && len(r.Keys) == 0:
		return "/keys", "an empty list is about nothing; name members, or leave it out"
	case r.With != nil && strings.ContainsFunc(*r.With, invisible):
		return "/with", "a character that nobody sees; write plain text"
	}
	return "", ""
}

func compileRedact(list []redaction, rule func(int) string) (int, error) {
	entries := make([]redact.Entry, len(list))
	for i := range list {
		entries[i] = list[i].entry(rule(i))
	}
	_, i, err := redact.Compile(entries)
	return i, err
}

// placed is an entry with the file that it stands in.
type placed struct {
	layer *layer
	at    string
	entry redact.Entry
}

// redactions lists the entries of a policy: of packs, of the files from the
// lowest to the highest, of the floor. So what is added to the highest file comes
// after the rest of it.
func (p *Policy) redactions() []placed {
	var list []placed
	add := func(y *layer, entries []redaction) {
		for i := range entries {
			at := abi.JoinIndex("/redact", i)
			list = append(list, placed{y, at, entries[i].entry(y.rule(at))})
		}
	}
	for _, y := range p.packs {
		if y.value.Get("redact").Exists() && p.named(y.pack) {
			add(y, y.typed().Redact)
		}
	}
	for _, y := range slices.Backward(p.layers) {
		add(y, y.doc.Redact)
	}
	if p.floor != nil {
		list = append(list, p.floor.redactions()...)
	}
	return list
}

// Redactions lists the entries of redact: that are in force, as [Policy.Redact]
// has them.
func (p *Policy) Redactions() []redact.Entry {
	var list []redact.Entry
	for _, e := range p.redactions() {
		list = append(list, e.entry)
	}
	return list
}

// named says whether a pack is named by a file: in the list under packs:, or for a
// server. A pack that binds by fit knows tools of its server, and says nothing of
// what others send.
func (p *Policy) named(pack string) bool {
	return slices.ContainsFunc(p.layers, func(y *layer) bool {
		if c := y.doc.Packs; c != nil && c.Of != nil && slices.Contains(*c.Of, pack) {
			return true
		}
		for _, s := range y.doc.Servers {
			if text(s.Pack) == pack {
				return true
			}
		}
		return false
	})
}

// joinRedact compiles the entries of all files together.
func (p *Policy) joinRedact() []error {
	list := p.redactions()
	entries := make([]redact.Entry, len(list))
	names := map[string]string{}
	for i := range list {
		y, name := list[i].layer, list[i].entry.Name
		if first, ok := names[name]; ok {
			return []error{y.errorAt(list[i].at+"/name", "entry %q is already in %s; give each its own name", name, first)}
		}
		names[name] = list[i].entry.Rule
		entries[i] = list[i].entry
	}
	set, i, err := redact.Compile(entries)
	if err != nil {
		return []error{list[i].layer.errorAt(list[i].at+"/pattern", "%v", err)}
	}
	p.redact = set
	return nil
}

// checkResults finds the mistakes of what a tool's results have to be.
func (c *issues) checkResults(t *tool, at string) {
	for i := range t.Results {
		a, here := &t.Results[i], abi.JoinIndex(at+"/results", i)
		c.checkArg(a, here)
		if a.Arg != "" && !strings.HasPrefix(a.Arg, "/") && !slices.Contains([]string{"content", "structuredContent", "isError", "_meta"}, a.Arg) {
			c.add(here+"/arg", "%q is no member of a result; want a JSON Pointer into it, such as /structuredContent/%s", a.Arg, strings.TrimPrefix(a.Arg, "structuredContent/"))
		}
		if a.Origin != nil {
			c.add(here+"/origin", "not of a result, which is always the server's; it is for args:")
		}
		if text(a.Verdict) == "ask" {
			c.add(here+"/verdict", "a result is not asked about, since it is there already; leave it out: deny")
		}
	}
}

// results are the rules of what comes back from a tool.
func results(levels []level, n *notes) []contract.Arg {
	return joinArgsOf(levels, "/results", func(t *tool) []arg { return t.Results }, n)
}

// HasResults says whether any tool has rules about results, of this policy or its
// floor.
func (p *Policy) HasResults() bool { return p.hasResults }

// ResultsOf says whether a tool of a server can have rules about results. Which
// tools a pack binds to is not known here, so that any server may have them.
func (p *Policy) ResultsOf(server string) bool {
	for _, y := range p.layers {
		for i := range y.keys {
			if k := &y.keys[i]; k.tool().Results != nil && (k.key.server == server || glob(k.key.server, server)) {
				return true
			}
		}
	}
	return len(p.packs) > 0 && slices.ContainsFunc(p.packs, (*layer).hasResults) || p.floor != nil && p.floor.ResultsOf(server)
}

func (y *layer) hasResults() bool {
	return slices.ContainsFunc(y.value.Get("tools").Members(), func(m abi.Member) bool { return m.Value.Get("results").Exists() })
}

// countResults notes whether there are rules about results.
func (p *Policy) countResults() {
	p.hasResults = slices.ContainsFunc(slices.Concat(p.layers, p.packs), (*layer).hasResults) || p.floor != nil && p.floor.hasResults
}
