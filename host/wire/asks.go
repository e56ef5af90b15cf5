package wire

import "github.com/go-json-experiment/json/jsontext"

// Ask is one of the requests that a server makes without a frame of its own: sampling, elicitation or roots in the inputRequests of a result, or of what it
// tells of a task (MCP 2026-07-28 "multi round-trip requests", "tasks"), and the URLs of an error that wants them visited (MCP 2025-11-25 "elicitation").
// The names in it are held to the rules of a server's own request.
type Ask struct {
	// Key is the unescaped name under which the client is to answer in inputResponses; empty in an error, which is answered by another call.
	Key string
	// Method is the unescaped method.
	Method string
	// Value is the span of the request object, Params that of its params, an object; zero when absent or null.
	Value, Params Span
}

// asksOf reads what a server's frame asks for besides being what it is. It returns the code that refuses the frame, or none.
// It runs apart from the walk: such frames are few, and what they hold is small.
func asksOf(f *Frame, w *walk) (code, pointer string) {
	switch {
	case w.at[envError].kind == '{':
		f.Asked, code, pointer = urlAsks(f.Raw, f.Error)
	case !f.InputRequests.IsZero():
		// Clients exist that look at the member and not at the type, and a task says by its status that it wants input.
		f.Asked, code, pointer = asked(f.Raw, f.InputRequests, resultInputRequests, f.ResultType == "input_required")
	case f.Method != "" && !f.HasID && w.at[askInputRequests].kind == '{':
		f.Asked, code, pointer = asked(f.Raw, w.span(w.at[askInputRequests]), askInputRequests, false)
	}
	return code, pointer
}

// asked reads the requests at within, the value of the slot s. sure says that they can be nothing else; otherwise what is no request is passed over.
func asked(raw []byte, within Span, s slot, sure bool) (all []Ask, code, pointer string) {
	root := jsontext.Pointer(s.pointer())
	if text := within.In(raw); !sure && (len(text) == 0 || text[0] != '{') {
		return nil, "", ""
	}
	for e, err := range Members(raw, within) {
		if err != nil {
			return nil, CodeInputRequests, string(root)
		}
		var c Classifier
		ask, code, below := c.ask(raw, e)
		if code == CodeInputRequests && !sure && below != envParams.pointer() {
			continue
		}
		if code != "" {
			return nil, code, string(root.AppendToken(e.Name)) + below
		}
		if all = append(all, ask); len(all) > DefaultMaxBatch {
			return nil, CodeInputRequests, string(root)
		}
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
