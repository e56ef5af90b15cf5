package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/provenance"
	drafts "github.com/callgate/callgate/host/suggest"
)

// mending collects what a policy has to say to allow one call.
type mending struct {
	in           *incident
	policy       *policy.Policy // the one that said the verdict
	server, tool string         // of another kind than tool: its method
	kind         abi.CallKind
	notes        []string

	grant    bool
	replace  bool // a lower layer says otherwise of the kind
	named    bool // the server has to be named
	trusted  []string
	care     string // what to think of before the policy is used
	lists    []list
	maxCalls string
	later    bool // it holds from the next session on
	risk     string
	maxBytes int64
}

// list is an allow or in list that takes the place of a lower one.
type list struct {
	slot, arg string
	allow, in []string // as YAML
	hasAllow  bool
	fold, ask bool
}

func newMending(in *incident, p *policy.Policy) *mending {
	call := in.callEvent.Call
	return &mending{in: in, policy: p, server: call.Server, tool: call.Target(), kind: call.Kind}
}

// rules returns what a policy judges the call by.
func (w *mending) rules(p *policy.Policy) contract.Rules {
	if w.kind.IsTool() {
		return p.Rules(w.server, w.in.tool())
	}
	return p.RulesFor(w.server, w.kind, w.tool)
}

// note says what no added policy can do. It answers false: there is none.
func (w *mending) note(format string, args ...any) bool {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
	return false
}

// add mends every verdict that objects. It answers false if one can not be.
func (w *mending) add(v abi.Verdict) bool {
	if strings.ContainsAny(w.server+w.tool, `*?[]{}\`) || strings.Contains(w.server, "/") {
		return w.note("the name of the server or the %s has characters that a policy key can not name exactly", w.kind.Noun())
	}
	ok := true
	for _, one := range append([]abi.Verdict{v}, v.Also...) {
		if one.Outcome < abi.Allow {
			ok = w.one(one) && ok
		}
	}
	return ok
}

func (w *mending) one(v abi.Verdict) bool {
	if w.inFloor(v.Rule) {
		return w.note("the rule %s is part of the floor, which no policy loosens; change it there", v.Rule)
	}
	switch v.Contract {
	case "sink":
		return w.sink(v)
	case "args":
		return w.args(v)
	case "coverage":
		return w.coverage(v)
	case "budget":
		return w.budget(v)
	case "pin":
		return w.pin(v)
	case "self":
		return w.note("what belongs to callgate itself is out of reach of every call, and no policy changes that")
	case "approval":
		if v.Code == "TOO_MANY_ASKS" {
			return w.note("%s", v.Mend)
		}
		return w.note("call again, and answer the question")
	case "result":
		return w.note("the limit is %s", v.Rule)
	}
	if v.Mend == "" && v.Plugin != nil {
		return w.note("plugin %s decides it; if it should not, change its with: or its on: at %s, or take it out there", v.Contract, v.Rule)
	}
	if v.Code == "PLUGIN_HIDDEN" && v.Rule != "" {
		return w.note("if the plugin should not hide it, change its with: or its on: at %s, or take it out there; else list again once the server says something else", v.Rule)
	}
	return w.note("%s", v.Mend)
}

// inFloor says whether a rule stands in the floor.
func (w *mending) inFloor(rule string) bool {
	for _, y := range w.in.policy.Get("floor").Get("layers").Items() {
		if strings.HasPrefix(rule, y.Get("label").Str()+":") {
			return true
		}
	}
	return false
}

// sink trusts exactly the destinations that the verdict points at.
func (w *mending) sink(v abi.Verdict) bool {
	if !w.kind.IsTool() {
		return w.note("%s: %s", v.Code, v.Mend)
	}
	switch v.Code {
	case "SINK_SPOILED", "SINK_UNDECLARED", "SINK_UNEXPLAINED", "SINK_EMPTY", "SINK_LOOKALIKE":
		return w.note("%s: %s; nothing that a policy trusts changes that", v.Code, v.Reason)
	}
	before := len(w.trusted)
	if !w.in.callEvent.Call.Arguments.Exists() && w.in.callEvent.Text != nil {
		return w.note("the ledger keeps digests, so which destination it was is not known")
	}
	for _, at := range v.At {
		for _, identity := range destinations(w.in.callEvent.Call.Arguments, strings.TrimPrefix(at, "/call/arguments"), v.Code) {
			if !slices.Contains(w.trusted, identity) {
				w.trusted = append(w.trusted, identity)
			}
		}
	}
	if len(w.trusted) == before {
		return w.note("the destination has no plain spelling that could be trusted")
	}
	if len(v.Witness) > 0 {
		w.care = "the destination stood in an output, so whoever wrote that output chose it: trust it only if you know it from elsewhere"
	}
	return true
}

// destinations lists the identities that an argument names and that can be
// trusted: of a content argument the addresses in it.
func destinations(args abi.Value, at, code string) []string {
	value := args.At(at)
	text := value.Str()
	if !value.IsString() {
		text = value.Lexeme()
	}
	if tokens, _ := abi.Tokens(at); text == "" && len(tokens) > 0 {
		text = tokens[len(tokens)-1] // a member name
	}
	entities, _ := provenance.Canonicalise(text)
	if code == "SINK_PAYLOAD" {
		entities = slices.DeleteFunc(entities, func(e provenance.Entity) bool {
			return e.Kind != provenance.KindMail && e.Kind != provenance.KindURL
		})
	}
	var out []string
	for _, e := range entities {
		if same, _ := provenance.Canonicalise(e.Identity); e.Spoiled == "" && len(same) == 1 && same[0].Identity == e.Identity {
			out = append(out, e.Identity)
		}
	}
	return out
}

// args finds the rules that the call violates, and makes room in their lists.
func (w *mending) args(abi.Verdict) bool {
	call := w.in.callEvent.Call
	rules := w.rules(w.policy)
	if rules.MaxArgumentBytes > 0 && call.Bytes > rules.MaxArgumentBytes {
		w.maxBytes = call.Bytes
	}
	ok := true
	for _, rule := range rules.Args {
		one := contract.Rules{Server: w.server, Kind: w.kind, Tool: w.tool, Args: []contract.Arg{rule}}
		c, err := builtin.NewArgs(&one)
		if err != nil || c == nil {
			continue
		}
		v := c.Judge(&abi.Snapshot{
			Call: *call, Definition: abi.Definition{State: abi.PinOK, Schema: w.in.tool().Get("inputSchema")},
			Session: abi.Session{Place: w.place()},
		})
		if v.Outcome < abi.Allow {
			ok = w.list(rule, v, rules.Args) && ok
		}
	}
	if rules.Undeclared == contract.UndeclaredDeny && len(undeclared(w.in.tool(), call.Arguments)) > 0 {
		return w.note("undeclared arguments are refused by %s; change it there", rules.UndeclaredAt)
	}
	return ok
}

func undeclared(definition, args abi.Value) []string {
	var out []string
	for _, m := range args.Members() {
		if !schemaOf(definition).has(m.Name) {
			out = append(out, m.Name)
		}
	}
	return out
}

func (w *mending) place() abi.Place {
	place := w.in.place
	if cwd := w.policy.Server(w.server).Cwd; cwd != "" {
		place.Dir = cwd
	}
	return place
}

// list makes a longer allow or in list than the one that is violated. Lists of
// a higher layer take the place of lower ones.
func (w *mending) list(rule contract.Arg, v abi.Verdict, all []contract.Arg) bool {
	if v.Code != "ARGS_PATH_OUTSIDE" && v.Code != "ARGS_IN" {
		if w.kind == abi.KindSampling && strings.HasPrefix(rule.Rule, "heuristics") {
			return w.note("%s; answer the question, or say %s: {verdict: allow, replace: true}, which drops what else asks there", v.Reason, w.key())
		}
		return w.note("%s; %s", v.Reason, w.where(rule.Rule))
	}
	for _, other := range all {
		if other.Rule != rule.Rule && other.Slot == rule.Slot && other.Arg == rule.Arg && (other.HasAllow || other.HasIn) {
			return w.note("several lists must hold (%s, %s); change them there", rule.Rule, other.Rule)
		}
	}
	l := list{slot: rule.Slot, arg: rule.Arg, hasAllow: rule.HasAllow, fold: rule.Fold, ask: rule.Outcome == abi.Ask}
	for _, pattern := range rule.Allow {
		l.allow = append(l.allow, drafts.Quote(pattern))
	}
	for _, value := range rule.In {
		l.in = append(l.in, yamlScalar(value))
	}
	values, base := w.in.callEvent.Call.Values()
	for _, at := range v.At {
		value := values.At(strings.TrimPrefix(at, base))
		if rule.HasAllow && value.IsString() {
			l.allow = append(l.allow, drafts.Quote(literalPath(value.Str(), w.place())))
		} else if rule.HasIn {
			l.in = append(l.in, yamlScalar(value))
		}
	}
	w.lists = slices.DeleteFunc(w.lists, func(have list) bool { return have.slot == l.slot && have.arg == l.arg })
	w.lists = append(w.lists, l)
	return true
}

// where says what to do about a rule that no list of a higher layer widens. What
// is Callgate's own is in no file that anybody could change.
func (w *mending) where(rule string) string {
	if !w.ours(rule) {
		return "change it at " + rule
	}
	text := rule + " is Callgate's own, so it is changed from above: "
	if !w.kind.IsTool() {
		return text + "an entry of yours for " + w.key() + " with replace: true drops what lower layers say there"
	}
	return text + "an entry of yours for " + w.server + "/" + w.tool + " with replace: true drops all that lower layers say of the tool"
}

// ours says whether a rule is part of the program: of the starter, or of a pack.
func (w *mending) ours(rule string) bool {
	from := func(label string) bool { return strings.HasPrefix(rule, label+":") }
	return from(policy.StarterFile) || strings.HasPrefix(rule, "heuristics") || slices.ContainsFunc(w.in.policy.Get("packs").Items(), func(y abi.Value) bool { return from(y.Get("label").Str()) })
}

// literalPath is a pattern that matches one path only.
func literalPath(value string, place abi.Place) string {
	value = strings.TrimPrefix(value, "file://")
	if rest, ok := strings.CutPrefix(value, "~/"); ok && place.Home != "" {
		value = place.Home + "/" + rest
	}
	if !strings.HasPrefix(value, "/") {
		value = place.Dir + "/" + value
	}
	var b strings.Builder
	for _, r := range path.Clean(value) {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// coverage grants the tool, and nothing else of its server; of another kind
// what the call names.
func (w *mending) coverage(v abi.Verdict) bool {
	r := w.rules(w.policy)
	if floor := w.policy.Floor(); floor != nil {
		rules := w.rules(floor)
		if c, err := builtin.NewCoverage(&rules); err == nil && c.Judge(&abi.Snapshot{}).Outcome < abi.Allow {
			return w.note("the floor does not allow the %s, and no policy loosens a floor; change it there", w.kind.Noun())
		}
	}
	if v.Code == "TEXT_GONE" || v.Code == "POLICY_BROKEN" || v.Code == "NOTHING_SAID" {
		return w.note("%s", v.Reason)
	}
	if r.Unknown != nil && r.Unknown.Outcome < abi.Allow {
		w.named = true
	}
	if !w.kind.IsTool() {
		return w.ofKind(&r)
	}
	if r.Grant.Set && r.Grant.Outcome < abi.Allow || !r.Grant.Set && r.Default < abi.Allow {
		w.grant = true
	}
	if r.AskFrom != contract.RiskUnset && r.Risk >= r.AskFrom {
		if r.AskFrom == contract.RiskLow {
			return w.note("tools of every risk ask by %s; change it there", r.AskFromAt)
		}
		w.risk = (r.AskFrom - 1).String()
	}
	return w.named || w.grant || w.risk != ""
}

// spent reads the numbers of a spent budget out of the reason.
var spent = regexp.MustCompile(`budget "([^"]+)" is spent: \d+ of (\d+) used(?: and (\d+) more (?:was|were) refused)?, this call takes (\d+)`)

// leftBy reads a plugin that has left no calls out of the reason.
var leftBy = regexp.MustCompile(`plugin "([^"]+)" has left the session no more`)

// budget raises max_calls as far as this call needs it.
func (w *mending) budget(v abi.Verdict) bool {
	if by := leftBy.FindStringSubmatch(v.Reason); by != nil {
		return w.note("plugin %s says how many calls are left; if it should not, change its with: or its on: in plugins:, or take it out there", by[1])
	}
	found := spent.FindAllStringSubmatch(v.Reason, -1)
	if len(found) != 1 || found[0][1] != "max_calls" {
		return w.note("a budget that several tools share is raised where it stands: %s", v.Rule)
	}
	most, _ := strconv.ParseInt(found[0][2], 10, 64)    // digits
	refused, _ := strconv.ParseInt(found[0][3], 10, 64) // digits, or nothing
	charge, _ := strconv.ParseInt(found[0][4], 10, 64)  // digits
	if refused > most {
		// A model that tries again and again must not raise what it gets.
		w.later, w.care = true, fmt.Sprintf("refused so far: %s, which count in their session: there is room from the next session on", plural.Of(refused, "call"))
		refused = 0
	}
	w.maxCalls = strconv.FormatInt(most+refused+charge, 10)
	return true
}

// pin says what to look at: a definition is accepted by a person, not by a
// policy.
func (w *mending) pin(v abi.Verdict) bool {
	where := "--ledger " + w.in.dir() + " " + w.server
	switch v.Code {
	case "PIN_CHANGED":
		return w.note("see what has changed: callgate tools diff %s %s; if it is wanted: callgate tools accept %s %s", where, w.tool, where, w.tool)
	case "PIN_LATE":
		return w.note("see the definition: callgate tools diff %s %s; if it is wanted, a yes pins it, or: callgate tools accept %s %s", where, w.tool, where, w.tool)
	case abi.CodePinServer:
		return w.note("see what has changed: callgate tools diff %s; if it is wanted: callgate tools accept %s", where, where)
	case "PIN_UNLISTED":
		return w.note("let the client list the server's tools once (tools/list), or pin a recorded list: callgate tools pin %s --tools FILE", where)
	}
	return w.note("%s; %s", v.Reason, v.Mend)
}
