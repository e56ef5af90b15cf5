package wire

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// rule is the shape of a request that a policy decides on, because it reaches data or brings some: what is decided on has to be where every peer reads it,
// in one spelling and, in a client's, of its type. The request needs an id as well: some servers run such a frame without one, and nobody would see the answer.
type rule struct {
	method string
	// target is what the request is for: the member that the header Mcp-Name repeats (MCP 2026-07-28 "transports"). noSlot when there is none.
	target    slot
	surrogate string // the code for a target with half of a surrogate pair
	// members are judged in order; reads are other names that must not come in another spelling.
	members []memberRule
	reads   []slot
}

// memberRule is a member's type and the code that refuses any other. Each counts among its rule's reads.
type memberRule struct {
	slot
	kind     jsontext.Kind
	optional bool
	code     string
}

// clientRules are in the order of how often clients send the methods.
var clientRules = [...]rule{
	{method: "tools/call", target: paramName, surrogate: CodeCallNameSurrogate, members: []memberRule{
		{paramName, '"', false, CodeCallName}, {paramArguments, '{', true, CodeCallArguments}}, reads: []slot{paramTask}},
	{method: "resources/read", target: paramURI, surrogate: CodeTargetSurrogate, members: ruleURI[:]},
	{method: "prompts/get", target: paramName, surrogate: CodeTargetSurrogate, members: []memberRule{
		{paramName, '"', false, CodePromptName}, {paramArguments, '{', true, CodePromptArguments}}},
	{method: "completion/complete", members: []memberRule{
		{paramRef, '{', false, CodeCompletion}, {paramArgument, '{', false, CodeCompletion}, {paramContext, '{', true, CodeCompletion},
		{refType, '"', true, CodeCompletion}, {refName, '"', true, CodeCompletion}, {refURI, '"', true, CodeCompletion},
		{argumentName, '"', true, CodeCompletion}, {argumentValue, '"', true, CodeCompletion}, {contextArguments, '{', true, CodeCompletion}}},
	{method: "tasks/get", target: paramTaskID, surrogate: CodeTargetSurrogate, members: ruleTask[:]},
	{method: "tasks/result", target: paramTaskID, surrogate: CodeTargetSurrogate, members: ruleTask[:]},
	{method: "tasks/cancel", target: paramTaskID, surrogate: CodeTargetSurrogate, members: ruleTask[:]},
	{method: "tasks/update", target: paramTaskID, surrogate: CodeTargetSurrogate, members: ruleTask[:]},
	{method: "resources/subscribe", target: paramURI, surrogate: CodeTargetSurrogate, members: ruleAnyURI[:]},
	{method: "resources/unsubscribe", target: paramURI, surrogate: CodeTargetSurrogate, members: ruleAnyURI[:]},
	{method: "subscriptions/listen", members: []memberRule{
		{paramNotifications, '{', true, CodeListen}, {listenResources, '[', true, CodeListen}, {listenTasks, '[', true, CodeListen}}},
}

var (
	ruleURI = [...]memberRule{{paramURI, '"', false, CodeURI}}
	// MCP 2026-07-28 has these no more. Without a uri they ask for nothing, and the server says so better than we can.
	ruleAnyURI = [...]memberRule{{paramURI, '"', true, CodeURI}}
	ruleTask   = [...]memberRule{{paramTaskID, '"', false, CodeTaskID}}

	// everyParams are the names in a client's params that are the protocol's whatever the method: _meta (MCP "base protocol") and the two of a retry
	// (MCP 2026-07-28 "multi round-trip requests").
	everyParams = [...]slot{paramMeta, paramRequestState, paramInputResponses, metaVersion, metaCapabilities, metaProgressToken}

	// retryMembers have one type in every method.
	retryMembers = [...]memberRule{{paramRequestState, '"', true, CodeRequestState}, {paramInputResponses, '{', true, CodeInputResponses}}

	// resultNames make a client ask, store or answer: under another spelling a client that folds would, and nobody had judged it.
	resultNames = [...]slot{resultType, resultInputRequests, resultState}

	// serverRules are the requests of a server, of its own or in the inputRequests of a result. Their types are judged by whoever reads them.
	serverRules = [...]rule{
		{method: "sampling/createMessage", reads: []slot{askMessages, askSystemPrompt, askIncludeContext, askMaxTokens, askTools, askToolChoice,
			askTemperature, askStopSequences, askModelPreferences, askMetadata, askTask}},
		{method: "elicitation/create", reads: []slot{askMode, askMessage, askSchema, askURL, askElicitation, askTask}},
		{method: "roots/list"},
	}
)

// rules returns those for the frames of a side.
func (side Side) rules() []rule {
	if side == FromServer {
		return serverRules[:]
	}
	return clientRules[:]
}

// ruleOf returns the rule of a method, nil when it has none.
func ruleOf(method string, side Side) *rule {
	of := side.rules()
	for i := range of {
		if of[i].method == method {
			return &of[i]
		}
	}
	return nil
}

// methodFolds reports whether a method without a rule is one that has a rule, in another case or with space around it.
func methodFolds(method string, side Side) bool {
	name := bytes.TrimSpace([]byte(method))
	for _, r := range side.rules() {
		if folds(name, r.method) {
			return true
		}
	}
	return false
}

// folded returns the pointer of the first of the slots that came in another spelling, empty when none did.
func (c *Classifier) folded(w *walk, of ...slot) string {
	for _, s := range of {
		if name := w.folded[s]; !name.IsZero() {
			return c.pointer(w, s.path(), name)
		}
	}
	return ""
}

// paramNames refuses the names in params that a peer could take for ones the policy reads.
func (c *Classifier) paramNames(w *walk) string {
	if w.side != FromServer {
		if at := c.folded(w, everyParams[:]...); at != "" {
			return at
		}
	} else if at := c.folded(w, askInputRequests); at != "" {
		return at
	}
	if w.rule == nil {
		return ""
	}
	for _, m := range w.rule.members {
		if at := c.folded(w, m.slot); at != "" {
			return at
		}
	}
	return c.folded(w, w.rule.reads...)
}

// paramTypes refuses members of a client's params that are not of the type the method gives them, and a target that decoders do not read alike.
func (c *Classifier) paramTypes(w *walk) (code, pointer string) {
	if w.rule != nil {
		for _, m := range w.rule.members {
			v := w.at[m.slot]
			if v.kind != m.kind && !(m.optional && !v.present()) {
				return m.code, m.pointer()
			}
			if m.slot == w.rule.target {
				if code := c.nameCode(w.lexeme(v), w.rule.surrogate); code != "" {
					return code, m.pointer()
				}
			}
		}
	}
	for _, s := range [...]slot{listenResources, listenTasks} {
		if code, pointer := c.listed(w, s); code != "" {
			return code, pointer
		}
	}
	for _, m := range retryMembers {
		if v := w.at[m.slot]; v.present() && v.kind != m.kind {
			return m.code, m.pointer()
		}
	}
	return "", ""
}

// listed refuses items of a list of targets that are no strings, or that decoders do not read alike.
func (c *Classifier) listed(w *walk, s slot) (code, pointer string) {
	list := w.at[s]
	if w.rule == nil || w.rule.method != "subscriptions/listen" || list.kind != '[' {
		return "", ""
	}
	n := -1
	for item, err := range Items(w.text, list.Span) {
		if n++; err != nil || w.text[item.Start] != '"' {
			return CodeListen, s.pointer() + "/" + strconv.Itoa(n)
		}
		if code := c.nameCode(item.In(w.text), CodeTargetSurrogate); code != "" {
			return code, s.pointer() + "/" + strconv.Itoa(n)
		}
	}
	return "", ""
}
