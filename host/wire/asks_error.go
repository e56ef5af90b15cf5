package wire

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// urlElicitationRequired is the code of an error that has the client visit the URLs in its data before it makes the call again (MCP 2025-11-25 "elicitation").
const urlElicitationRequired = -32042

// found are the values of the members that a peer could read under one name, and the pointer of the first that is spelled in another way.
type found struct {
	values []Span
	folded string
}

// under finds the members of an object that a peer could read under a name.
func under(raw []byte, object Span, at jsontext.Pointer, name string) (out found) {
	for e, err := range Members(raw, object) {
		if err != nil {
			return found{} // it is no object
		}
		switch {
		case e.Name == name:
		case folds([]byte(e.Name), name):
			if out.folded == "" {
				out.folded = string(at.AppendToken(e.Name))
			}
		default:
			continue
		}
		out.values = append(out.values, e.Value)
	}
	return out
}

// urlAsks reads the elicitations of an error that wants URLs visited. Every other error has none, whatever its data holds.
func urlAsks(raw []byte, object Span) (all []Ask, code, pointer string) {
	codes := under(raw, object, "/error", "code")
	wants := false
	for _, v := range codes.values {
		n, err := strconv.ParseFloat(string(v.In(raw)), 64)
		wants = wants || err == nil && n == urlElicitationRequired
	}
	if !wants {
		return nil, "", ""
	}
	data := under(raw, object, "/error", "data")
	odd := codes.folded + data.folded
	for _, d := range data.values {
		lists := under(raw, d, "/error/data", "elicitations")
		odd += lists.folded
		for _, list := range lists.values {
			more, code, at := urlItems(raw, list)
			if code != "" {
				return nil, code, at
			}
			if all = append(all, more...); len(all) > DefaultMaxBatch {
				return nil, CodeInputRequests, "/error/data/elicitations"
			}
		}
	}
	if odd != "" && len(all) > 0 {
		return nil, CodeResultNameFolds, odd
	}
	return all, "", ""
}

// urlItems reads the elicitations of one list. What is no object is passed over: no client can make a request of it.
func urlItems(raw []byte, list Span) (all []Ask, code, pointer string) {
	n := -1
	for item, err := range Items(raw, list) {
		if err != nil {
			return nil, "", "" // it is no list
		}
		if n++; item.In(raw)[0] != '{' {
			continue
		}
		var c Classifier
		w := walk{text: item.In(raw), side: FromServer, rule: ruleOf("elicitation/create", FromServer)}
		if c.open(raw, item, '{') != nil || c.object(&w, atAsk) != nil {
			return nil, CodeInputRequests, "/error/data/elicitations"
		}
		if at := c.folded(&w, w.rule.reads...); at != "" {
			return nil, CodeResultNameFolds, "/error/data/elicitations/" + strconv.Itoa(n) + at[len("/params"):]
		}
		all = append(all, Ask{Method: w.rule.method, Value: item, Params: item})
	}
	return all, "", ""
}
