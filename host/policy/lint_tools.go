package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
)

// settings finds what settings leave open.
func (l *linter) settings(y *layer) {
	s := y.doc.Settings
	if s == nil {
		return
	}
	if text(s.Mode) == "observe" {
		l.add(codeObserve, y.rule("/settings/mode"), "contracts decide and record, and block nothing; write mode: enforce, or remove it, where calls are to be blocked")
	}
	if s.MaxAsks != nil && *s.MaxAsks == 0 {
		l.add(codeNobodyAsked, y.rule("/settings/max_asks"), "whatever asks is denied, since nobody is asked; write a number above 0, or deny where ask stands")
	}
	if s.Approval != nil && strings.HasPrefix(text(s.Approval.Webhook), "http://") {
		l.add(codePlainWebhook, y.rule("/settings/approval/webhook"), "whoever listens on that port of this machine is sent the asks in clear; use https")
	}
	if risk := parseRisk(s.AskFrom); risk != nil && y.value.Get("packs").Str() == "none" {
		reached := slices.ContainsFunc(l.p.layers, func(o *layer) bool {
			return slices.ContainsFunc(o.keys, func(k keyed) bool { r := parseRisk(k.tool().Risk); return r != nil && *r >= *risk })
		})
		if !reached {
			l.add(codeShadowed, y.rule("/settings/ask_from"), "no tool has a risk that reaches it; state risk: at the tools, or let packs bind")
		}
	}
}

// servers finds what the entries of servers: open widely.
func (l *linter) servers(y *layer) {
	for _, name := range sortedKeys(y.doc.Servers) {
		s, at := y.doc.Servers[name], abi.Join("/servers", name)
		if text(s.Outputs) == "trusted" {
			l.add(codeTrustWide, y.rule(at+"/outputs"), "nothing that the server returns taints, whoever wrote it; name the tools whose outputs nobody else writes under sources")
		}
	}
	y.eachPermit(func(_ string, _ abi.CallKind, at string, t *tool) { l.args(y, at+"/args", t.Args) })
}

// tools looks at each entry of tools: of a file.
func (l *linter) tools(y *layer) {
	for i := range y.keys {
		k := &y.keys[i]
		t := k.tool()
		l.key(y, k.at, k.key)
		if text(t.Verdict) == "allow" && isGlob(k.key.server) && k.key.tool == "*" {
			l.add(codeGrantWide, y.rule(k.at+"/verdict"), "grants every tool of every server; name the servers or tools")
		}
		l.denied(y, k.at, t)
		l.args(y, k.at+"/args", t.Args)
		l.args(y, k.at+"/results", t.Results)
		l.never(y, k)
		l.sink(y, k, t)
	}
	for _, name := range sortedKeys(y.doc.Sources) {
		l.key(y, abi.Join("/sources", name), parseKey(name))
	}
}

// key looks at the key of an entry.
func (l *linter) key(y *layer, at string, k key) {
	for _, half := range []string{k.server, k.tool} {
		if why := voidGlob(half); why != "" {
			l.add(codeNeverPasses, y.rule(at), "no tool has such a name: %s", why)
		}
	}
	named := map[string]bool{}
	for _, o := range l.p.layers {
		for name := range o.doc.Servers {
			named[name] = true
		}
	}
	if len(named) > 0 && !isGlob(k.server) && !named[k.server] {
		mend := "name it there too"
		if best := Closest(k.server, sortedKeys(named)); best != "" {
			mend = fmt.Sprintf("did you mean %q?", best)
		}
		l.add(codeServerUnknown, y.rule(at), "servers: does not name %q, so unknown_server decides about it; %s", k.server, mend)
	}
}

// denied finds the rules of a tool that is denied anyway.
func (l *linter) denied(y *layer, at string, t *tool) {
	by := "verdict: deny"
	if yes(t.Hide) {
		by = "hide: true"
	} else if text(t.Verdict) != "deny" {
		return
	}
	l.nothingToDo(y, at, by)
	if yes(t.Hide) && text(t.Verdict) != "" {
		l.add(codeShadowed, y.rule(at+"/verdict"), "verdict has nothing to do beside hide: true, which denies every call; keep one of the two")
	}
}

// nothingToDo finds the rules of an entry beside what denies every call.
func (l *linter) nothingToDo(y *layer, at, by string) {
	v := y.value.At(at)
	for _, name := range []string{"args", "sink", "max_calls", "approve", "results", "undeclared"} {
		if v.Get(name).Exists() {
			l.add(codeShadowed, y.rule(at+"/"+name), "%s has nothing to do beside %s, which denies every call; keep one of the two", name, by)
		}
	}
}

// never finds tools that no call of passes, for a reason that stands elsewhere or
// does not say deny.
func (l *linter) never(y *layer, k *keyed) {
	t := k.tool()
	if t.MaxCalls != nil && *t.MaxCalls == 0 {
		l.add(codeAllowsNothing, y.rule(k.at+"/max_calls"), "0 lets no call pass; say so with verdict: deny, or write how many may")
	}
	if !k.key.exact() || t.When != nil || t.Verdict != nil || yes(t.Hide) {
		return
	}
	if grant := l.p.Rules(k.key.server, object("name", abi.StringValue(k.key.tool))).Grant; grant.Set && grant.Outcome == abi.Deny {
		l.nothingToDo(y, k.at, grant.Rule)
	}
}

// sink finds sinks that judge nothing, or trust strangers.
func (l *linter) sink(y *layer, k *keyed, t *tool) {
	if t.Sink == nil {
		return
	}
	at := k.at + "/sink"
	if t.Sink.Word == "none" {
		l.add(codeSinkDropped, y.rule(at), "no destination of the tool is judged that only heuristics find; make sure that it sends nothing")
		return
	}
	s := t.Sink.Of
	if s.To != nil && len(s.To) == 0 {
		l.add(codeSinkAll, y.rule(at+"/to"), "every argument is judged as a destination; name those that are")
	}
	if s.To == nil && s.Content == nil && k.key.exact() && !l.declares(k.key) {
		l.add(codeSinkNothing, y.rule(at), "adds to a sink that no file declares; write to: with the destinations, unless heuristics find them")
	}
	for i, trusted := range s.Trusted {
		if why := wideTrust(trusted); why != "" {
			l.add(codeTrustWide, y.rule(abi.JoinIndex(at+"/trusted", i)), "%q: %s; name the addresses, or a domain of your own", trusted, why)
		}
	}
}

// declares says whether a file, or a pack that may bind, declares a sink for a
// tool.
func (l *linter) declares(k key) bool {
	has := func(t *tool) bool {
		return t.Sink != nil && t.Sink.Of != nil && (t.Sink.Of.To != nil || t.Sink.Of.Content != nil)
	}
	for _, o := range l.p.layers {
		for i := range o.keys {
			if o.keys[i].key.matches(k.server, k.tool) && has(o.keys[i].tool()) {
				return true
			}
		}
	}
	return slices.ContainsFunc(l.p.packs, func(o *layer) bool {
		return slices.ContainsFunc(o.keys, func(p keyed) bool { return glob(p.key.tool, k.tool) && has(p.tool()) })
	})
}

// budgets finds those that another one always ends first.
func (l *linter) budgets(y *layer) {
	for i := range y.doc.Budgets {
		b, at := &y.doc.Budgets[i], abi.JoinIndex("/budgets", i)
		if *b.Max == 0 {
			l.add(codeAllowsNothing, y.rule(at+"/max"), "0 lets no call pass; say so with verdict: deny at the tools, or write how many may")
		}
		for j, tool := range b.Tools {
			l.key(y, abi.JoinIndex(at+"/tools", j), parseKey(tool))
		}
		for _, o := range l.p.layers {
			for j := range o.doc.Budgets {
				c := &o.doc.Budgets[j]
				if c == b || !sameCount(b, c) || *c.Max > *b.Max || *c.Max == *b.Max && c.Name > b.Name {
					continue
				}
				l.add(codeShadowed, y.rule(at), "%s counts the same and ends at %d already; keep one of the two", o.rule(abi.JoinIndex("/budgets", j)), *c.Max)
			}
		}
	}
}

// sameCount says whether two budgets count the same calls in the same time.
func sameCount(a, b *budget) bool {
	per := func(b *budget) string { return strings.Replace(text(b.Per), "session", "", 1) }
	count := func(b *budget) string { return strings.Replace(text(b.Count), "attempts", "", 1) }
	return slices.Equal(set(a.Tools), set(b.Tools)) && per(a) == per(b) && count(a) == count(b) && text(a.Weight) == text(b.Weight)
}

// numberOf reads a number of a policy for a comparison that nothing is decided
// by.
func numberOf(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64) // checked when the file was read
	return f
}
