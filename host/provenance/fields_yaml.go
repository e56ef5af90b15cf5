package provenance

import (
	"strings"

	"github.com/callgate/callgate/abi"
)

// yamlReader reads the block style that serializers print: nested "key: value"
// and "- item" lines, quoted and folded scalars, literal blocks. It is stricter
// than YAML: a block that does not fit as a whole is prose.
type yamlReader struct {
	block string
	at    int // start of the next line
	open  []yamlLevel
	out   []piece
	count int // fields with a value
}

// yamlLevel is an open mapping or sequence.
type yamlLevel struct {
	indent int
	key    string // "" in a sequence
	index  int    // -1 in a mapping
}

// yamlFields reads a YAML-like block of at least two fields.
func yamlFields(block string) ([]piece, bool) {
	r := yamlReader{block: block}
	for r.at < len(block) {
		at := r.at
		line, next := lineAt(block, at)
		r.at = next
		body := strings.TrimLeft(line, " ")
		if body == "" || line == "---" {
			continue
		}
		if !r.line(body, at+len(line)-len(body), len(line)-len(body)) || len(r.out) > maxFields {
			return nil, false
		}
	}
	return r.out, r.count > 1
}

// line reads one line that starts an item, a member or both.
func (r *yamlReader) line(body string, at, indent int) bool {
	for body == "-" || strings.HasPrefix(body, "- ") {
		if !r.item(indent) {
			return false
		}
		rest := strings.TrimLeft(body[1:], " ")
		at, indent = at+len(body)-len(rest), indent+len(body)-len(rest)
		if body = rest; body == "" {
			return true
		}
	}
	if len(r.open) > 64 || len(r.open) > 0 && indent < r.open[0].indent {
		return false
	}
	key, n := yamlKey(body)
	if n == 0 {
		return len(r.open) > 0 && r.open[len(r.open)-1].index >= 0 && r.scalar(body, at, indent-1)
	}
	if !r.member(indent, key) {
		return false
	}
	r.out = append(r.out, piece{inner: r.pointer(), text: key, at: at, field: true, key: true, span: max(0, n-1-len(key))})
	if last := &r.out[len(r.out)-1]; last.span > 0 {
		last.span = n - 1
	}
	value := strings.TrimLeft(body[n:], " ")
	return value == "" || r.scalar(value, at+len(body)-len(value), indent)
}

// item enters the next item of the sequence at an indent.
func (r *yamlReader) item(indent int) bool {
	r.close(indent, true)
	if n := len(r.open); n > 0 && r.open[n-1].index >= 0 && r.open[n-1].indent == indent {
		r.open[n-1].index++
		return true
	}
	r.open = append(r.open, yamlLevel{indent: indent})
	return len(r.open) <= 64
}

// member enters the member of the mapping at an indent.
func (r *yamlReader) member(indent int, key string) bool {
	r.close(indent, false)
	if n := len(r.open); n > 0 && r.open[n-1].index < 0 && r.open[n-1].indent == indent {
		r.open[n-1].key = key
		return true
	}
	r.open = append(r.open, yamlLevel{indent: indent, key: key, index: -1})
	return len(r.open) <= 64
}

// close leaves what is indented deeper, and a sequence at the same indent when
// a mapping goes on.
func (r *yamlReader) close(indent int, item bool) {
	for n := len(r.open); n > 0; n = len(r.open) {
		top := r.open[n-1]
		if top.indent < indent || top.indent == indent && (item || top.index < 0) {
			return
		}
		r.open = r.open[:n-1]
	}
}

func (r *yamlReader) pointer() string {
	p := ""
	for _, l := range r.open {
		if l.index >= 0 {
			p = abi.JoinIndex(p, l.index)
		} else {
			p = abi.Join(p, l.key)
		}
	}
	return p
}

// scalar reads a value that starts at an offset; lines that are indented deeper
// than indent belong to it.
func (r *yamlReader) scalar(value string, at, indent int) bool {
	r.count++
	value = strings.TrimRight(value, " ")
	switch value[0] {
	case '\'', '"':
		return r.quoted(value, at)
	case '|', '>':
		r.block2prose(at, indent)
		return true
	case '[', '{':
		if pieces, ok := jsonAt(value, at, r.pointer()); ok {
			r.out = append(r.out, pieces...)
			return true
		}
		r.block2prose(at, indent)
		return true
	case '&', '*', '!', '%', '@', '`', '#':
		return false
	}
	if strings.Contains(value, ": ") || strings.HasSuffix(value, ":") || strings.Contains(value, " #") {
		return false
	}
	if r.deeper(indent) {
		r.block2prose(at, indent)
		return true
	}
	r.out = append(r.out, piece{inner: r.pointer(), text: value, at: at, field: true})
	return true
}

// deeper says whether the next line continues a scalar.
func (r *yamlReader) deeper(indent int) bool {
	for at := r.at; at < len(r.block); {
		line, next := lineAt(r.block, at)
		body := strings.TrimLeft(line, " ")
		if body != "" {
			return len(line)-len(body) > indent
		}
		at = next
	}
	return false
}

// block2prose takes everything from an offset through the deeper lines as one
// text that is no whole field.
func (r *yamlReader) block2prose(at, indent int) {
	end := r.at
	for r.deeper(indent) {
		_, end = lineAt(r.block, r.at)
		r.at = end
	}
	r.out = append(r.out, piece{inner: r.pointer(), text: r.block[at:end], at: at})
}

// quoted reads a quoted scalar, which may go over several lines.
func (r *yamlReader) quoted(value string, at int) bool {
	end, ok := closingQuote(r.block, at)
	if !ok {
		return false
	}
	line, next := lineAt(r.block, end)
	if strings.TrimSpace(line) != "" {
		return false
	}
	inside := r.block[at+1 : end-1]
	p := piece{inner: r.pointer(), text: inside, at: at + 1, field: !strings.Contains(inside, "\n")}
	if plain := yamlUnquote(value[0], inside); plain != inside {
		p.text, p.at, p.span = plain, at, end-at
	}
	r.out = append(r.out, p)
	r.at = next
	return true
}

// closingQuote returns the offset after the quote that closes the one at at.
func closingQuote(s string, at int) (int, bool) {
	q := s[at]
	for i := at + 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && q == '"':
			i++
		case s[i] != q:
		case q == '\'' && i+1 < len(s) && s[i+1] == q:
			i++
		default:
			return i + 1, true
		}
	}
	return 0, false
}

// yamlUnquote undoes the escapes of a quoted scalar.
func yamlUnquote(q byte, s string) string {
	if q == '\'' {
		return strings.ReplaceAll(s, "''", "'")
	}
	if v, err := abi.Parse([]byte(`"` + strings.ReplaceAll(s, "\n", " ") + `"`)); err == nil && strings.Contains(s, `\`) {
		return v.Str()
	}
	return s
}

// yamlKey returns the member name that a line starts with, and the length of
// it with the colon; 0 if there is none.
func yamlKey(body string) (string, int) {
	if body[0] == '\'' || body[0] == '"' {
		end, ok := closingQuote(body, 0)
		if !ok || end >= len(body) || body[end] != ':' || end+1 < len(body) && body[end+1] != ' ' {
			return "", 0
		}
		return yamlUnquote(body[0], body[1:end-1]), end + 1
	}
	i := strings.Index(body, ": ")
	if i < 0 && strings.HasSuffix(body, ":") {
		i = len(body) - 1
	}
	if i < 1 || i > 128 || strings.ContainsAny(body[:i], "\"'{}[],&*!|>%`#:") || body[0] == '?' {
		return "", 0
	}
	return body[:i], i + 1
}
