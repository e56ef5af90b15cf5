package policy

import (
	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// RulesFor returns what calls of a kind are judged by: of a tool [Policy.Rules]
// without its definition, of any other kind what `servers:` says of it. method
// is the call's method, see [abi.Call.Target].
func (p *Policy) RulesFor(server string, kind abi.CallKind, method string) contract.Rules {
	if kind.IsTool() {
		return p.Rules(server, abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue(method)}))
	}
	return p.kindRules(server, kind, method, nil)
}

func (p *Policy) kindRules(server string, kind abi.CallKind, method string, n *notes) contract.Rules {
	r := p.common(server, method)
	r.Kind, r.Tool = kind, method
	if !kind.Known() {
		r.Grant = contract.Grant{Set: true, Rule: "default: no policy knows this kind of call"}
		return r
	}
	if light(kind) && r.Default == abi.Ask {
		r.Default = abi.Allow
	}
	var levels []level
	for _, y := range p.layers {
		if hits := y.kindHits(server, kind, method); len(hits) > 0 {
			levels = append(levels, level{hits: hits, trust: true})
		}
	}
	if kind == abi.KindResource && !p.isFloor {
		levels = append(levels, p.resourceLevels(server)...)
	}
	if kind == abi.KindSampling && !p.isFloor {
		levels = append(levels, level{hits: samplingGuesses(), trust: true})
	}
	for i := range levels {
		if h := levels[i].replaces(); h != nil {
			n.replaced(h, levels[i+1:])
			levels = levels[:i+1]
			break
		}
	}
	if v := tighten(levels, kindVerdict, stricterOutcome, "/verdict", n); v.ok {
		r.Grant = contract.Grant{Set: true, Outcome: v.value, Rule: v.hit.rule("/verdict")}
	}
	r.Args = joinArgs(levels, n)
	p.flowRules(&r)
	r.Plugins = p.plugins(kind, server, method)
	return r
}

// light says whether calls of a kind are so many, or tell so little, that asking
// about each is of no use: a default that asks lets them pass.
func light(kind abi.CallKind) bool {
	switch kind {
	case abi.KindResource, abi.KindPrompt, abi.KindSampling:
		return false
	}
	return true
}

// kindVerdict picks the verdict of a level. Unlike that of a tool it names no
// single thing, so it is never looser than a lower level's.
func kindVerdict(l *level) said[abi.Outcome] {
	return pick(l, func(t *tool) *abi.Outcome { return outcomeOf(t.Verdict) }, stricterOutcome)
}

// permitted is what an entry says of a kind of call.
type permitted struct {
	kind abi.CallKind
	at   string // pointer of the entry below its server
	tool *tool  // with the members that a kind can have
	leaf bool   // the entry is only a verdict
}

// permitsOf lists what an entry of servers: says of kinds of calls, methods
// apart.
func permitsOf(s *server) []permitted {
	var list []permitted
	add := func(kind abi.CallKind, at string, p *permit) {
		if p != nil {
			list = append(list, permitted{kind, at, &tool{Verdict: p.Verdict, Args: p.Args, Replace: p.Replace}, false})
		}
	}
	word := func(kind abi.CallKind, at string, p *orWord[permit]) {
		switch {
		case p == nil:
		case p.Of != nil:
			add(kind, at, p.Of)
		default:
			list = append(list, permitted{kind, at, &tool{Verdict: &p.Word}, true})
		}
	}
	add(abi.KindResource, "/resources", s.Resources)
	add(abi.KindPrompt, "/prompts", s.Prompts)
	add(abi.KindCompletion, "/completions", s.Completions)
	if r := s.Requests; r != nil {
		word(abi.KindSampling, "/requests/sampling", r.Sampling)
		word(abi.KindElicitation, "/requests/elicitation", r.Elicitation)
		word(abi.KindRoots, "/requests/roots", r.Roots)
	}
	return list
}

// eachPermit visits what a layer says of kinds of calls, methods apart.
func (y *layer) eachPermit(visit func(server string, kind abi.CallKind, at string, t *tool)) {
	for _, name := range sortedKeys(y.doc.Servers) {
		s := y.doc.Servers[name]
		for _, p := range permitsOf(&s) {
			visit(name, p.kind, abi.Join("/servers", name)+p.at, p.tool)
		}
	}
}

// kindHits finds what a file says of a kind of call: what the server's own
// verdict says holds where nothing nearer does.
func (y *layer) kindHits(name string, kind abi.CallKind, method string) []hit {
	var list []hit
	if kind == abi.KindResource {
		list = y.resourceHits(name)
	}
	s, ok := y.typed().Servers[name]
	if !ok {
		return list
	}
	at := abi.Join("/servers", name)
	for _, p := range permitsOf(&s) {
		if p.kind == kind {
			list = append(list, hit{layer: y, at: at + p.at, key: key{name, "of its own"}, tool: p.tool, leaf: p.leaf})
		}
	}
	if kind == abi.KindMethod {
		for _, pattern := range sortedKeys(s.Methods) {
			if verdict := s.Methods[pattern]; glob(pattern, method) {
				list = append(list, hit{layer: y, at: abi.Join(at+"/methods", pattern), key: key{name, pattern}, tool: &tool{Verdict: &verdict}, leaf: true})
			}
		}
	}
	if s.Verdict != nil || s.Replace != nil {
		verdict := s.Verdict
		if light(kind) && verdict != nil && *verdict == abi.Ask.String() {
			verdict = wordOf(abi.Allow)
		}
		list = append(list, hit{layer: y, at: at, key: key{"*", "*"}, tool: &tool{Verdict: verdict, Replace: s.Replace}})
	}
	return list
}

// samplingGuesses are what a request for the client's model should not have
// without a question: context that other servers gave, and tools, which the
// server invents and runs without a call that anybody judges. They are the
// lowest level, as heuristics are.
func samplingGuesses() []hit {
	ask := wordOf(abi.Ask)
	forbid := true
	return []hit{
		{why: "the context of other servers goes to this one", tool: &tool{Args: []arg{{
			Arg: "includeContext", In: []abi.Value{abi.StringValue("none"), abi.StringValue("thisServer")}, Verdict: ask,
		}}}},
		{why: "the server runs the tools that it brings along", tool: &tool{Args: []arg{{Arg: "tools", Forbid: &forbid, Verdict: ask}}}},
	}
}

func wordOf(o abi.Outcome) *string {
	word := o.String()
	return &word
}

// methodOf is the method of a kind that has one.
func methodOf(kind abi.CallKind) string { return (&abi.Call{Kind: kind}).Target() }

// checkPermits finds the mistakes in what an entry of servers: says of kinds of
// calls.
func (c *issues) checkPermits(s *server, at string) {
	for _, p := range permitsOf(s) {
		at := at + p.at
		if p.tool.Verdict == nil && p.tool.Args == nil && p.tool.Replace == nil {
			c.entry(at, "says nothing; want verdict: allow, ask or deny, or args:")
		}
		for i := range p.tool.Args {
			c.checkArg(&p.tool.Args[i], abi.JoinIndex(at+"/args", i))
		}
	}
	for _, name := range sortedKeys(s.Methods) {
		if mend := knownMethods[name]; mend != "" {
			c.add(abi.Join(at+"/methods", name), "%q is a method that Callgate knows, which methods: is not about; %s", name, mend)
		}
	}
	if r := s.Requests; r != nil && r.Sampling == nil && r.Elicitation == nil && r.Roots == nil {
		c.entry(at+"/requests", "says nothing; want sampling, elicitation or roots")
	}
}

// kindNotes finds what is worth a look in what the layers say of a server's
// calls of other kinds.
func (p *Policy) kindNotes(server string, methods map[string]string, n *notes) {
	for _, kind := range abi.Kinds {
		if !kind.IsTool() && kind != abi.KindMethod {
			p.kindRules(server, kind, methodOf(kind), n)
		}
	}
	for _, pattern := range sortedKeys(methods) {
		p.kindRules(server, abi.KindMethod, pattern, n)
	}
}
