package wire

import "github.com/go-json-experiment/json/jsontext"

// judge fills a frame from its walk and refuses what is no frame of JSON-RPC 2.0, or one that a peer could read differently.
func (c *Classifier) judge(f *Frame, w *walk, side Side) {
	c.fill(f, w, side)
	code, pointer := c.envelope(f, w, side)
	if code == "" {
		return
	}
	if code != CodeCallWithoutID {
		f.Call = nil
	}
	f.refuse(code, pointer)
	method, outcome := w.at[envMethod].present(), w.at[envResult].present() || w.at[envError].present()
	var found scanned
	if f.HasID && validID([]byte(f.ID.Raw)) {
		found.add([]ID{f.ID}, method, outcome)
	}
	found.address(f.Problem, side)
	switch {
	case code == CodeCallWithoutID:
		f.Problem.Drop = true
	case side != FromServer && code != CodeNameFolds && f.Method != "" && !f.HasID:
		// A notification: JSON-RPC 2.0 section 4.1 allows no answer. Under a folded name there may be an id, so there it is answered.
		f.Problem.Drop = true
	case side != FromServer && !method && outcome:
		f.Problem.Drop = true
	}
}

// fill takes over what was found, without judging it.
func (c *Classifier) fill(f *Frame, w *walk, side Side) {
	if id := w.at[envID]; id.present() {
		f.HasID, f.IDSpan = true, w.span(id)
		if id.kind == '"' || id.kind == '0' || id.kind == 'n' {
			f.ID.Raw = string(w.lexeme(id))
		}
	}
	f.Method, _ = c.stringAt(w, envMethod)
	f.Params, f.Result, f.Error = w.span(w.at[envParams]), w.span(w.at[envResult]), w.span(w.at[envError])
	version := metaVersion
	if w.at[envResult].present() {
		version = resultVersion
	}
	f.Version, _ = c.stringAt(w, version)
	f.Modern = version == metaVersion && f.Version >= ModernVersion
	f.Cursor, f.HasCursor = c.cursor(w, w.at[paramCursor])
	f.NextCursor, f.HasNext = c.cursor(w, w.at[resultNextCursor])
	f.ResultType, _ = c.stringAt(w, resultType)
	f.InputRequests, f.State = w.span(w.at[resultInputRequests]), w.span(w.at[resultState])
	w.rule = ruleOf(f.Method, side)
	switch {
	case side == FromServer:
		subscription := metaSubscription
		if f.Method == "" {
			subscription = resultMetaSubscription
		}
		f.SubscriptionID = w.span(w.at[subscription])
		if f.Method == "notifications/progress" {
			f.ProgressToken = w.span(w.at[askProgressToken])
		}
	case f.Method != "":
		f.RequestState, f.InputResponses = w.span(w.at[paramRequestState]), w.span(w.at[paramInputResponses])
		f.Capabilities, f.ProgressToken = w.span(w.at[metaCapabilities]), w.span(w.at[metaProgressToken])
		if w.rule != nil {
			f.Target, f.HasTarget = c.stringAt(w, w.rule.target)
		}
	}
}

// stringAt returns the text of a member that is a string.
func (c *Classifier) stringAt(w *walk, s slot) (text string, ok bool) {
	if w.at[s].kind != '"' {
		return "", false
	}
	return string(c.unquote(w.textOf(s))), true
}

func (c *Classifier) cursor(w *walk, v value) (text string, ok bool) {
	switch v.kind {
	case 0, 'n':
		return "", false
	case '"':
		return string(c.unquote(w.lexeme(v))), true
	}
	return string(w.lexeme(v)), true
}

// envelope judges the members of a frame and sets its kind. It returns the code that refuses the frame, or none.
func (c *Classifier) envelope(f *Frame, w *walk, side Side) (code, pointer string) {
	for name := envVersion; name <= envError; name++ {
		if at := c.folded(w, name); at != "" {
			return CodeNameFolds, at
		}
	}
	if w.at[envVersion].kind != '"' || string(c.unquote(w.textOf(envVersion))) != "2.0" {
		return CodeVersion, "/jsonrpc"
	}
	method, result, failure := w.at[envMethod].present(), w.at[envResult].present(), w.at[envError].present()
	switch {
	case method && (result || failure):
		return CodeMethodAndResult, "/method"
	case result && failure:
		return CodeResultAndError, "/error"
	case method:
		return c.request(f, w, side)
	case result || failure:
		return c.response(f, w, side)
	}
	return CodeNoShape, ""
}

// pointer makes a JSON Pointer of a parent and the member name at span.
func (c *Classifier) pointer(w *walk, parent jsontext.Pointer, name Span) string {
	return string(parent.AppendToken(string(c.unquote(w.text[name.Start:name.End]))))
}

func (c *Classifier) response(f *Frame, w *walk, side Side) (code, pointer string) {
	id := w.at[envID]
	isError := w.at[envError].present()
	switch {
	case id.kind == 'n' && !isError:
		return CodeIDNull, "/id"
	case !id.present() && !(isError && side == FromServer):
		return CodeIDMissing, ""
	}
	if code := idCode(w, id); code != "" {
		return code, "/id"
	}
	if side == FromServer {
		if at := c.folded(w, resultNames[:]...); at != "" {
			return CodeResultNameFolds, at
		}
		if code, pointer = asksOf(f, w); code != "" {
			return code, pointer
		}
	}
	f.Kind = Response
	if isError {
		f.Kind = ErrorResponse
	}
	return "", ""
}

// idCode refuses ids that are neither string, integer, null nor absent.
func idCode(w *walk, id value) string {
	switch id.kind {
	case 0, 'n', '"':
		return ""
	case '0':
		// A JSON integer has an optional minus and digits; -0 and 0 are one number to most peers.
		lexeme := w.lexeme(id)
		for _, b := range lexeme {
			if b != '-' && (b < '0' || b > '9') {
				return CodeIDFraction
			}
		}
		if string(lexeme) == "-0" {
			return CodeIDFraction
		}
		return ""
	}
	return CodeIDType
}

func (c *Classifier) request(f *Frame, w *walk, side Side) (code, pointer string) {
	id := w.at[envID]
	if w.at[envMethod].kind != '"' {
		return CodeMethodType, "/method"
	}
	if code := c.nameCode(w.textOf(envMethod), CodeMethodSurrogate); code != "" {
		return code, "/method"
	}
	if w.rule == nil && methodFolds(f.Method, side) {
		return CodeMethodFolds, "/method"
	}
	if code := idCode(w, id); code != "" {
		return code, "/id"
	}
	hasID := id.present() && id.kind != 'n'
	if w.rule != nil {
		if side != FromServer && f.Method == "tools/call" {
			// The target of a call is its tool.
			f.Call = &ToolCall{Name: f.Target, Arguments: w.span(w.at[paramArguments]), Meta: w.span(w.at[paramMeta]), Task: w.span(w.at[paramTask])}
		}
		if !hasID {
			return CodeCallWithoutID, ""
		}
	}
	if id.kind == 'n' {
		return CodeIDNull, "/id"
	}
	if code, pointer := c.params(f, w, side); code != "" {
		return code, pointer
	}
	f.Kind = Notification
	if hasID {
		f.Kind = Request
	}
	return "", ""
}

// params judges the type of params, the names that a case-insensitive peer would fold and, in a client's, the members that MCP gives a type.
func (c *Classifier) params(f *Frame, w *walk, side Side) (code, pointer string) {
	switch w.at[envParams].kind {
	case 0, '{':
	case '[', 'n':
		// JSON-RPC 2.0 section 4.2 allows arrays, and some clients write null for none; MCP's own methods take objects.
		if side != FromServer && (w.rule != nil || f.Method == "tools/list" || f.Method == "initialize") {
			return CodeParamsType, "/params"
		}
	default:
		return CodeParamsType, "/params"
	}
	if at := c.paramNames(w); at != "" {
		return CodeParamNameFolds, at
	}
	if side == FromServer {
		return asksOf(f, w)
	}
	return c.paramTypes(w)
}
