package wire

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// judge fills a frame from its walk and refuses what is no frame of JSON-RPC 2.0, or one that a peer could read differently.
func (c *Classifier) judge(f *Frame, w *walk, side Side) {
	c.fill(f, w)
	code, pointer := c.envelope(f, w, side)
	if code == "" {
		return
	}
	if code != CodeCallWithoutID {
		f.Call = nil
	}
	f.refuse(code, pointer)
	env := &w.at[atEnvelope]
	var found scanned
	if f.HasID && validID([]byte(f.ID.Raw)) {
		found.add([]ID{f.ID}, env[inMethod].present(), env[inResult].present() || env[inError].present())
	}
	found.address(f.Problem, side)
	switch {
	case code == CodeCallWithoutID:
		f.Problem.Drop = true
	case side != FromServer && code != CodeNameFolds && f.Method != "" && !f.HasID:
		// A notification: JSON-RPC 2.0 section 4.1 allows no answer. Under a folded name there may be an id, so there it is answered.
		f.Problem.Drop = true
	case side != FromServer && !env[inMethod].present() && (env[inResult].present() || env[inError].present()):
		f.Problem.Drop = true
	}
}

// fill takes over what was found, without judging it.
func (c *Classifier) fill(f *Frame, w *walk) {
	env := &w.at[atEnvelope]
	if id := env[inID]; id.present() {
		f.HasID = true
		if id.kind == '"' || id.kind == '0' || id.kind == 'n' {
			f.ID.Raw = string(w.lexeme(id))
		}
	}
	if env[inMethod].kind == '"' {
		f.Method = string(c.unquote(w.lexeme(env[inMethod])))
	}
	f.Params, f.Result, f.Error = w.span(env[inParams]), w.span(env[inResult]), w.span(env[inError])
	version := w.at[atMeta][inMetaVersion]
	if env[inResult].present() {
		version = w.at[atResult][inResultVersion]
	}
	if version.kind == '"' {
		f.Version = string(c.unquote(w.lexeme(version)))
		f.Modern = !env[inResult].present() && f.Version >= ModernVersion
	}
	f.Cursor, f.HasCursor = c.cursor(w, w.at[atParams][inCursor])
	f.NextCursor, f.HasNext = c.cursor(w, w.at[atResult][inNextCursor])
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
	for i := range w.folded[atEnvelope] {
		if name := w.folded[atEnvelope][i]; !name.IsZero() {
			return CodeNameFolds, c.pointer(w, "", name)
		}
	}
	env := &w.at[atEnvelope]
	if env[inJSONRPC].kind != '"' || string(c.unquote(w.lexeme(env[inJSONRPC]))) != "2.0" {
		return CodeVersion, "/jsonrpc"
	}
	method, result, failure := env[inMethod].present(), env[inResult].present(), env[inError].present()
	switch {
	case method && (result || failure):
		return CodeMethodAndResult, "/method"
	case result && failure:
		return CodeResultAndError, "/error"
	case method:
		return c.request(f, w, side)
	case result || failure:
		return response(f, w, side)
	}
	return CodeNoShape, ""
}

// pointer makes a JSON Pointer of a parent and the member name at span.
func (c *Classifier) pointer(w *walk, parent jsontext.Pointer, name Span) string {
	return string(parent.AppendToken(string(c.unquote(w.text[name.Start:name.End]))))
}

func response(f *Frame, w *walk, side Side) (code, pointer string) {
	id := w.at[atEnvelope][inID]
	isError := w.at[atEnvelope][inError].present()
	switch {
	case id.kind == 'n' && !isError:
		return CodeIDNull, "/id"
	case !id.present() && !(isError && side == FromServer):
		return CodeIDMissing, ""
	}
	if code := idCode(w, id); code != "" {
		return code, "/id"
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
	env := &w.at[atEnvelope]
	if env[inMethod].kind != '"' {
		return CodeMethodType, "/method"
	}
	if code := c.nameCode(w.lexeme(env[inMethod]), CodeMethodSurrogate); code != "" {
		return code, "/method"
	}
	if side != FromServer && f.Method != "tools/call" && folds(bytes.TrimSpace([]byte(f.Method)), "tools/call") {
		return CodeMethodFolds, "/method"
	}
	if code := idCode(w, env[inID]); code != "" {
		return code, "/id"
	}
	hasID := env[inID].present() && env[inID].kind != 'n'
	isCall := side != FromServer && f.Method == "tools/call"
	if isCall {
		f.Call = c.call(w)
		if !hasID {
			return CodeCallWithoutID, ""
		}
	}
	if env[inID].kind == 'n' {
		return CodeIDNull, "/id"
	}
	if code, pointer := c.params(f, w, side); code != "" {
		return code, pointer
	}
	if isCall {
		if code, pointer := c.callCode(w); code != "" {
			return code, pointer
		}
	}
	f.Kind = Notification
	if hasID {
		f.Kind = Request
	}
	return "", ""
}

// params judges the type of params, and the names in a client's that a case-insensitive server would fold.
func (c *Classifier) params(f *Frame, w *walk, side Side) (code, pointer string) {
	switch w.at[atEnvelope][inParams].kind {
	case 0, '{':
	case '[', 'n':
		// JSON-RPC 2.0 section 4.2 allows arrays, and some clients write null for none; MCP's own methods take objects.
		if side != FromServer && (f.Method == "tools/call" || f.Method == "tools/list" || f.Method == "initialize") {
			return CodeParamsType, "/params"
		}
	default:
		return CodeParamsType, "/params"
	}
	if side == FromServer {
		return "", ""
	}
	checked := []int{inMetaOf}
	if f.Method == "tools/call" {
		checked = []int{inMetaOf, inName, inArguments, inTask}
	}
	for _, i := range checked {
		if name := w.folded[atParams][i]; !name.IsZero() {
			return CodeParamNameFolds, c.pointer(w, "/params", name)
		}
	}
	return "", ""
}

func (c *Classifier) callCode(w *walk) (code, pointer string) {
	in := &w.at[atParams]
	if in[inName].kind != '"' {
		return CodeCallName, "/params/name"
	}
	if code := c.nameCode(w.lexeme(in[inName]), CodeCallNameSurrogate); code != "" {
		return code, "/params/name"
	}
	if in[inArguments].present() && in[inArguments].kind != '{' {
		return CodeCallArguments, "/params/arguments"
	}
	return "", ""
}

func (c *Classifier) call(w *walk) *ToolCall {
	in := &w.at[atParams]
	call := &ToolCall{Arguments: w.span(in[inArguments]), Meta: w.span(in[inMetaOf]), Task: w.span(in[inTask])}
	if in[inName].kind == '"' {
		call.Name = string(c.unquote(w.lexeme(in[inName])))
	}
	return call
}
