package provenance

import (
	"io"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonReader walks one JSON text and notes where each string stands.
type jsonReader struct {
	dec  *jsontext.Decoder
	base int
	out  []piece
}

// jsonFields reads a block that is one JSON object, array or string. Duplicate
// names are read too, both of them.
func jsonFields(block string) ([]piece, bool) { return jsonAt(block, 0, "") }

// jsonAt reads a JSON text that stands at offset base of the block.
func jsonAt(text string, base int, inner string) ([]piece, bool) {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	if trimmed == "" || !strings.ContainsRune("{[\"", rune(trimmed[0])) {
		return nil, false
	}
	r := jsonReader{
		dec:  jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)),
		base: base,
	}
	if !r.value(inner, 0) {
		return nil, false
	}
	_, err := r.dec.ReadToken()
	return r.out, err == io.EOF
}

// value reads one value and what is below it.
func (r *jsonReader) value(inner string, depth int) bool {
	if len(r.out) > maxFields {
		return false
	}
	switch r.dec.PeekKind() {
	case '{', '[':
		if depth >= abi.MaxDepth {
			return false
		}
		return r.inside(inner, depth+1)
	}
	raw, err := r.dec.ReadValue()
	if err != nil {
		return false
	}
	r.scalar(inner, raw, false)
	return true
}

func (r *jsonReader) inside(inner string, depth int) bool {
	open, err := r.dec.ReadToken()
	if err != nil {
		return false
	}
	object := open.Kind() == '{'
	for i := 0; ; i++ {
		switch r.dec.PeekKind() {
		case '}', ']':
			_, err := r.dec.ReadToken()
			return err == nil
		}
		at := abi.JoinIndex(inner, i)
		if object {
			raw, err := r.dec.ReadValue()
			if err != nil {
				return false
			}
			at = abi.Join(inner, r.scalar("", raw, true))
			r.out[len(r.out)-1].inner = at
		}
		if !r.value(at, depth) {
			return false
		}
	}
}

// scalar notes a string or a number and returns its text.
func (r *jsonReader) scalar(inner string, raw jsontext.Value, key bool) string {
	end := int(r.dec.InputOffset())
	p := piece{inner: inner, at: r.base + end - len(raw), field: true, key: key}
	switch raw.Kind() {
	case '"':
		v, err := abi.Parse(raw)
		if err != nil {
			// Invalid UTF-8 stays as it is; it can not be a destination.
			p.text, p.span = string(raw), len(raw)
			break
		}
		p.text = v.Str()
		if len(p.text) == len(raw)-2 {
			p.at++
		} else {
			p.span = len(raw)
		}
	case '0':
		p.text = numberText(string(raw))
		if p.text != string(raw) {
			p.span = len(raw)
		}
	default:
		return ""
	}
	r.out = append(r.out, p)
	return p.text
}

// ndjsonFields reads a block of several lines that are one JSON object or
// array each.
func ndjsonFields(block string) ([]piece, bool) {
	var out []piece
	n := 0
	for at := 0; at < len(block); {
		line, next := lineAt(block, at)
		if strings.TrimSpace(line) != "" {
			pieces, ok := jsonAt(line, at, abi.JoinIndex("", n))
			if !ok || len(out) > maxFields {
				return nil, false
			}
			out = append(out, pieces...)
			n++
		}
		at = next
	}
	return out, n > 1
}
