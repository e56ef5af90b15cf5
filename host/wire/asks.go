package wire

import "github.com/go-json-experiment/json/jsontext"

// Ask is one of the requests that a server puts into the inputRequests of a result (MCP 2026-07-28 "multi round-trip requests"): sampling, elicitation or
// roots without a frame of its own. The names in it are held to the rules of a server's own request.
type Ask struct {
	// Key is the unescaped name under which the client is to answer in inputResponses.
	Key string
	// Method is the unescaped method.
	Method string
	// Value is the span of the request object, Params that of its params, an object; zero when absent or null.
	Value, Params Span
}

// asked reads the requests of an input-required result. It returns the code that refuses the result, or none.
// It runs apart from the walk: such results are few, and what they hold is small.
func asked(f *Frame) (all []Ask, code, pointer string) {
	root := jsontext.Pointer(resultInputRequests.pointer())
	if f.InputRequests.IsZero() {
		// A server may give back a state alone, to be called again.
		return nil, "", ""
	}
	for e, err := range Members(f.Raw, f.InputRequests) {
		if err != nil {
			return nil, CodeInputRequests, string(root)
		}
		var c Classifier
		ask, code, below := c.ask(f.Raw, e)
		if code != "" {
			return nil, code, string(root.AppendToken(e.Name)) + below
		}
		all = append(all, ask)
	}
	return all, "", ""
}

// ask judges one request, and says where in it the offence is.
func (c *Classifier) ask(raw []byte, e Entry) (ask Ask, code, pointer string) {
	w := walk{text: e.Value.In(raw), side: FromServer}
	if c.open(raw, e.Value, '{') != nil || c.object(&w, atEnvelope) != nil {
		return ask, CodeInputRequests, ""
	}
	if at := c.folded(&w, envMethod, envParams); at != "" {
		return ask, CodeResultNameFolds, at
	}
	ask = Ask{Key: e.Name, Value: e.Value}
	var ok bool
	if ask.Method, ok = c.stringAt(&w, envMethod); !ok {
		return ask, CodeInputRequests, envMethod.pointer()
	}
	if code := c.nameCode(w.textOf(envMethod), CodeMethodSurrogate); code != "" {
		return ask, code, envMethod.pointer()
	}
	if w.rule = ruleOf(ask.Method, FromServer); w.rule == nil && methodFolds(ask.Method, FromServer) {
		return ask, CodeMethodFolds, envMethod.pointer()
	}
	params := w.at[envParams]
	if params.present() && params.kind != '{' && params.kind != 'n' {
		return ask, CodeInputRequests, envParams.pointer()
	}
	if at := c.paramNames(&w); at != "" {
		return ask, CodeResultNameFolds, at
	}
	if params.kind == '{' {
		ask.Params = Span{e.Value.Start + params.Start, e.Value.Start + params.End}
	}
	return ask, "", ""
}
