package abi

import "bytes"

// plainParser reads JSON that has nothing wrong with it, several times as fast
// as a decoder that must also say what is wrong and where. It answers false for
// whatever it will not vouch for, which the decoder then judges; a fuzz target
// holds it to accepting nothing that the decoder refuses.
type plainParser struct {
	data []byte // valid UTF-8
	at   int
}

// parsePlain reads exactly one value; depth counts as in parseValue.
func parsePlain(data []byte, depth int) (Value, bool) {
	p := plainParser{data: data}
	v, ok := p.value(depth)
	return v, ok && p.next() == 0 && p.at == len(data)
}

// next skips white space and returns the byte after it, 0 at the end.
func (p *plainParser) next() byte {
	for ; p.at < len(p.data); p.at++ {
		switch c := p.data[p.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (p *plainParser) value(depth int) (Value, bool) {
	c := p.next()
	switch {
	case c == '"':
		s, ok := p.text()
		if !ok {
			return Value{}, false
		}
		return StringValue(s), true
	case c == '{' && depth < MaxDepth:
		p.at++
		return p.object(depth + 1)
	case c == '[' && depth < MaxDepth:
		p.at++
		return p.array(depth + 1)
	case c == 't' && p.literal("true"):
		return BoolValue(true), true
	case c == 'f' && p.literal("false"):
		return BoolValue(false), true
	case c == 'n' && p.literal("null"):
		return Value{kind: Null}, true
	case c == '-' || isDigit(c):
		return p.number()
	}
	return Value{}, false
}

func (p *plainParser) literal(word string) bool {
	rest := p.data[p.at:]
	if len(rest) < len(word) || string(rest[:len(word)]) != word {
		return false
	}
	p.at += len(word)
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits skips digits and says whether there was one.
func (p *plainParser) digits() bool {
	start := p.at
	for p.at < len(p.data) && isDigit(p.data[p.at]) {
		p.at++
	}
	return p.at > start
}

// has skips one of two bytes if it is next.
func (p *plainParser) has(a, b byte) bool {
	if p.at == len(p.data) || p.data[p.at] != a && p.data[p.at] != b {
		return false
	}
	p.at++
	return true
}

// number reads a number of RFC 8259, section 6.
func (p *plainParser) number() (Value, bool) {
	start := p.at
	p.has('-', '-')
	ok := p.has('0', '0') || p.digits()
	if ok && p.has('.', '.') {
		ok = p.digits()
	}
	if ok && p.has('e', 'E') {
		p.has('+', '-')
		ok = p.digits()
	}
	return Value{kind: Number, text: string(p.data[start:p.at])}, ok
}

// quoted skips a string and returns it with its quotes, and whether it has an
// escape. Escapes of surrogates need no pair, as everywhere in this package.
func (p *plainParser) quoted() (raw []byte, escaped, ok bool) {
	start := p.at
	for i := p.at + 1; i < len(p.data); i++ {
		switch c := p.data[i]; {
		case c == '"':
			p.at = i + 1
			return p.data[start:p.at], escaped, true
		case c < ' ':
			return nil, false, false
		case c == '\\':
			escaped = true
			i++
			if i == len(p.data) || bytes.IndexByte([]byte(`"\/bfnrtu`), p.data[i]) < 0 {
				return nil, false, false
			}
			if p.data[i] == 'u' {
				if i+4 >= len(p.data) || !areHex(p.data[i+1:i+5]) {
					return nil, false, false
				}
				i += 4
			}
		}
	}
	return nil, false, false
}

func areHex(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

// text reads a string.
func (p *plainParser) text() (string, bool) {
	raw, escaped, ok := p.quoted()
	switch {
	case !ok:
		return "", false
	case escaped:
		return unquote(raw), true
	}
	return string(raw[1 : len(raw)-1]), true
}

// name reads the name of a member. Those of events are not allocated.
func (p *plainParser) name() (string, bool) {
	raw, escaped, ok := p.quoted()
	switch {
	case !ok:
		return "", false
	case escaped:
		return unquote(raw), true
	}
	raw = raw[1 : len(raw)-1]
	if known := knownNames[string(raw)]; known != "" {
		return known, true
	}
	return string(raw), true
}

// object reads the rest of an object whose brace was just read.
func (p *plainParser) object(depth int) (Value, bool) {
	var few [8]Member // on the stack, so that most objects are allocated once
	members, sorted := few[:0], true
	for c := p.next(); c != '}'; {
		if c != '"' {
			return Value{}, false
		}
		name, ok := p.name()
		if !ok || p.next() != ':' {
			return Value{}, false
		}
		p.at++
		v, ok := p.value(depth)
		if !ok {
			return Value{}, false
		}
		members = append(members, Member{name, v})
		sorted = sorted && sink(members)
		switch c = p.next(); c {
		case ',':
			p.at++
			if c = p.next(); c != '"' {
				return Value{}, false
			}
		case '}':
		default:
			return Value{}, false
		}
	}
	p.at++
	if len(members) == 0 {
		return Value{kind: Object}, true
	}
	kept := make([]Member, len(members))
	copy(kept, members)
	if !sorted {
		sortMembers(kept)
		sorted = distinct(kept, 0) == nil
	}
	return objectOf(kept), sorted
}

// sink moves the last of otherwise sorted members to its place. It answers
// false where that could take long, or where the name is there already.
func sink(members []Member) bool {
	const many = 16
	i := len(members) - 1
	last := members[i]
	for ; i > 0; i-- {
		if order := compareNames(members[i-1].Name, last.Name); order == 0 || order > 0 && len(members) > many {
			return false
		} else if order < 0 {
			break
		}
	}
	if i < len(members)-1 {
		copy(members[i+1:], members[i:])
		members[i] = last
	}
	return true
}

// array reads the rest of an array whose bracket was just read.
func (p *plainParser) array(depth int) (Value, bool) {
	var few [8]Value
	items := few[:0]
	for c := p.next(); c != ']'; {
		v, ok := p.value(depth)
		if !ok {
			return Value{}, false
		}
		items = append(items, v)
		switch c = p.next(); c {
		case ',':
			p.at++
			if c = p.next(); c == ']' {
				return Value{}, false
			}
		case ']':
		default:
			return Value{}, false
		}
	}
	p.at++
	if len(items) == 0 {
		return Value{kind: Array}, true
	}
	kept := make([]Value, len(items))
	copy(kept, items)
	return arrayOf(kept), true
}

// knownNames are the names that most events have.
var knownNames = sameNames(
	"v", "at", "by", "id", "ask", "seq", "uri", "also", "call", "code", "edit", "file", "kind", "last", "mend",
	"name", "path", "prev", "read", "risk", "rule", "text", "time", "tool", "type", "user", "view", "bytes",
	"cause", "error", "facts", "frame", "label", "lines", "tools", "value", "action", "answer", "closed",
	"digest", "failed", "lapsed", "length", "method", "offset", "params", "policy", "reason", "result",
	"server", "content", "isError", "missing", "outcome", "pointer", "refused", "session", "snippet", "verdict",
	"witness", "approval", "contract", "observed", "override", "position", "arguments", "call_labels",
	"obligations", "session_labels", "structuredContent",
)

func sameNames(names ...string) map[string]string {
	out := make(map[string]string, len(names))
	for _, n := range names {
		out[n] = n
	}
	return out
}
