package provenance

import (
	"math/big"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// plain is the index that keeps folded text in memory and searches it whole.
type plain struct {
	options  Options
	records  []record
	segments []*segment
	calls    map[string]caller // by id of the call
	echoed   map[string]echo   // entity said by a call, where it was said first
	said     map[string]bool   // entity said by the user
	user     []string          // what the user said
	lists    map[string]bool   // digests of tool lists that were recorded
}

// echo says when a call named an entity.
type echo struct {
	after  int    // number of records before it
	writer string // of the call
}

type caller struct {
	tool string
	said []string // what it sent to a source, folded
	mute bool     // it sent more than is kept
}

// maxSaid bounds the arguments of a call that are kept to know its echo.
const maxSaid = 64 << 10

// record is one message of a server.
type record struct {
	call, server, tool string
	writer             string
	source             Source
	evicted            bool     // its text, or some of it, was not available
	said               []string // what its call sent: a source that returns it does not vouch for it
	mute               bool     // nothing of it vouches
}

// leaf is one text of a record: a string of the JSON value, or a piece of a
// text block.
type leaf struct {
	record  int32
	raw     string // the text as it stands, or decoded
	pointer string // of the string in the message
	view    string // how the text was read, with the inner pointer
	inner   string // pointer below structured content or in a read document
	at      int    // offset in the string
	span    int    // length of the token it was decoded from, 0: offsets are exact
	field   bool   // a whole field
	names   bool   // a field for addresses with display names
	vouches bool   // a place where whole fields can vouch
	decoded bool   // offsets mean nothing: raw was decoded from a text
	aligned bool   // offsets in the folded image are offsets in raw
	fold    int    // start in the segment's folded image
	bare    int    // start in the segment's bare image
}

// Record implements [Index].
func (x *plain) Record(e abi.Event) {
	switch {
	case e.Call != nil && e.Call.Kind.FromServer():
		v, ok := x.resolve(e.Call.Params, e.Text)
		x.recordValue(x.begin(e.Call.ID, e.Call.Server, e.Call.Target(), !ok), "", v)
	case e.Call != nil:
		x.calls[e.Call.ID] = x.caller(e.Call, e.Text)
		x.recordCall(e.Call, e.Text)
	case e.Result != nil:
		x.recordResult(e.Result, e.Text)
	case e.Frame != nil:
		v, ok := x.resolve(e.Frame.Frame, e.Text)
		n := x.begin("", e.Frame.Server, "", !ok)
		x.recordValue(n, "", v)
	case e.Server != nil:
		x.recordValue(x.begin("", e.Server.Server, "", false), "", e.Server.Result)
	case e.Tools != nil:
		x.recordTools(e.Tools)
	case e.User != nil:
		x.recordUser(x.userText(e))
	case e.Refused != nil && e.Refused.From != "client":
		n := x.begin("", e.Refused.Server, "", e.Refused.Size > int64(len(e.Refused.Bytes)))
		if v, err := abi.Parse(e.Refused.Bytes); err == nil {
			x.recordValue(n, "", v)
		} else {
			x.add(leaf{record: n, raw: string(e.Refused.Bytes)})
		}
	}
}

// resolve returns the value of an event, inline or by reference.
func (x *plain) resolve(inline abi.Value, ref *abi.Text) (abi.Value, bool) {
	if inline.Exists() || ref == nil {
		return inline, true
	}
	data, err := ref.Read(x.options.Text)
	if err != nil {
		return abi.Value{}, false
	}
	v, err := abi.Parse(data)
	return v, err == nil
}

// begin starts a record and returns its number.
func (x *plain) begin(call, server, tool string, evicted bool) int32 {
	r := record{call: call, server: server, tool: tool, writer: x.writer(), evicted: evicted}
	if x.options.Source != nil {
		r.source = x.options.Source(server, tool)
	}
	x.records = append(x.records, r)
	return int32(len(x.records) - 1)
}

func (x *plain) recordResult(r *abi.ResultEvent, ref *abi.Text) {
	inline, prefix := r.Value, ""
	if r.Error.Exists() || ref != nil && ref.Error {
		inline, prefix = r.Error, "/error"
	}
	v, ok := x.resolve(inline, ref)
	said := x.calls[r.Call]
	n := x.begin(r.Call, r.Server, said.tool, !ok)
	if r.Call == "" {
		x.records[n].source = Source{} // whose output it is nobody knows
	}
	x.records[n].said = said.said
	x.records[n].mute = said.mute || prefix != "" || v.Get("isError").True()
	x.recordValue(n, prefix, v)
}

// caller notes a call, and what it sends to a tool whose fields vouch.
func (x *plain) caller(c *abi.Call, ref *abi.Text) caller {
	who := caller{tool: c.Target()}
	if x.options.Source == nil {
		return who
	}
	if src := x.options.Source(c.Server, who.tool); !src.WholeField && len(src.Fields) == 0 {
		return who
	}
	values, _ := c.Values()
	v, ok := x.resolve(values, ref)
	who.mute = !ok
	size := 0
	v.Walk("", func(_ string, v abi.Value, _ bool) {
		s, ok := scalarText(v)
		if size += len(s); !ok || s == "" {
			return
		}
		if who.mute = who.mute || size > maxSaid; who.mute {
			who.said = nil
			return
		}
		who.said = append(who.said, Fold(s))
	})
	return who
}

// echoes says whether a leaf repeats what the call sent.
func (r *record) echoes(l *leaf) bool {
	text := Fold(strings.TrimSpace(l.raw))
	return slices.ContainsFunc(r.said, func(s string) bool { return strings.Contains(s, text) })
}

// recordTools records definitions: descriptions and schemas are the server's
// words. A list that was seen before says nothing new, and one made up from
// calls is not the server's.
func (x *plain) recordTools(t *abi.ToolsEvent) {
	if t.Source == abi.ToolsCalled || len(t.List) == 0 {
		return
	}
	list := abi.ArrayValue(slices.Clone(t.List)...)
	id := t.Server + "\x00" + list.Digest()
	if x.lists[id] {
		return
	}
	x.lists[id] = true
	x.recordValue(x.begin("", t.Server, "", false), "/tools", list)
}

// writer names who wrote what is being recorded.
func (x *plain) writer() string {
	if x.options.Writer == nil {
		return ""
	}
	return x.options.Writer()
}

// recordCall notes what the client said in a call before any server did.
func (x *plain) recordCall(c *abi.Call, ref *abi.Text) {
	values, _ := c.Values()
	v, ok := x.resolve(values, ref)
	if !ok {
		return
	}
	v.Walk("", func(_ string, v abi.Value, _ bool) {
		s, ok := scalarText(v)
		if !ok || len(s) > 4096 {
			return
		}
		entities, _ := Canonicalise(s)
		for _, e := range entities {
			if _, seen := x.echoed[e.key()]; !seen && e.Spoiled == "" {
				x.echoed[e.key()] = echo{len(x.records), x.writer()}
			}
		}
	})
}

// userText returns what the user said, "" where it is gone: then it vouches for
// nothing.
func (x *plain) userText(e abi.Event) string {
	if e.Text == nil {
		return e.User.Text
	}
	v, _ := x.resolve(abi.Value{}, e.Text) // absent where it fails
	return v.Str()
}

// recordUser notes what the user said. Each word is an entity; longer values
// are looked up in the text.
func (x *plain) recordUser(s string) {
	x.user = append(x.user, s)
	inside, _ := extract(s)
	for _, e := range inside {
		if e.Spoiled == "" {
			x.said[e.key()] = true
		}
	}
	for _, word := range strings.Fields(s) {
		for _, w := range []string{word, strings.Trim(word, ".,;:!?()[]<>\"'`")} {
			entities, _ := Canonicalise(w)
			if len(entities) == 1 && entities[0].Spoiled == "" && entities[0].Kind != KindText {
				x.said[entities[0].key()] = true
			}
		}
	}
}

// key names an entity for exact comparison. A channel with and without its
// sigil is one.
func (e Entity) key() string {
	kind := e.Kind
	if kind == KindHandle {
		kind = KindText
	}
	return kind + "\x00" + e.Identity
}

// recordValue records every string, every member name and every long number.
func (x *plain) recordValue(n int32, prefix string, v abi.Value) {
	if src := x.records[n].source; src.Trusted && !src.WholeField && len(src.Fields) == 0 {
		return
	}
	v.Walk(prefix, func(at string, v abi.Value, key bool) {
		s, ok := scalarText(v)
		if !ok || v.Kind() == abi.Number && !longNumber(s) {
			return
		}
		if !key && isTextBlock(at) {
			x.recordBlock(n, at, s)
			return
		}
		l := leaf{record: n, raw: s, pointer: at, field: true, names: addressName(at)}
		if key {
			l.view = "key"
		}
		if inner, ok := strings.CutPrefix(at, "/structuredContent"); ok && (inner == "" || inner[0] == '/') {
			l.inner, l.vouches = inner, !key
		}
		x.add(l)
	})
}

// recordBlock records a text block, read into fields.
func (x *plain) recordBlock(n int32, at, block string) {
	mode, pieces := fields(block, x.records[n].source.Text)
	for _, p := range pieces {
		if p.field && !p.key && allNumber(p.text) && !longNumber(p.text) {
			continue
		}
		l := leaf{record: n, raw: p.text, pointer: at, at: p.at, span: p.span, field: p.field, inner: p.inner}
		l.names = p.field && addressName(p.inner)
		l.vouches = mode == readJSON && p.field && !p.key
		if mode != readProse {
			l.view = mode
			if p.inner != "" {
				l.view += ":" + p.inner
			}
		}
		x.add(l)
	}
}

// isTextBlock says whether a pointer names the text of a content block, of a
// resource or of a prompt message.
func isTextBlock(at string) bool {
	tokens, _ := abi.Tokens(at)
	if n := len(tokens); n < 2 || tokens[n-1] != "text" {
		return false
	}
	switch tokens[0] {
	case "content", "contents":
		return len(tokens) == 3 && isIndex(tokens[1]) || len(tokens) == 4 && tokens[2] == "resource"
	case "messages":
		return len(tokens) <= 5
	}
	return false
}

// add indexes a leaf, and a second one with its escapes decoded.
func (x *plain) add(l leaf) {
	if l.raw == "" {
		return
	}
	x.put(l)
	view, plain := decodeText(l.raw)
	if plain == l.raw {
		return
	}
	l.decoded, l.raw, l.vouches = true, plain, false
	if l.view != "" {
		view = l.view + "+" + view
	}
	l.view = view
	x.put(l)
}

// scalarText returns the text of a string or a number.
func scalarText(v abi.Value) (string, bool) {
	switch {
	case v.IsString():
		return v.Str(), true
	case v.Kind() == abi.Number:
		return numberText(v.Lexeme()), true
	case v.Kind() == abi.Bool:
		return v.Lexeme(), false
	}
	return "", false
}

// numberText writes a whole number without point and exponent, and any other
// number as it was received.
func numberText(lexeme string) string {
	if !strings.ContainsAny(lexeme, ".eE") || len(lexeme) > 32 {
		return lexeme
	}
	if i := strings.IndexAny(lexeme, "eE"); i >= 0 && len(lexeme)-i > 4 {
		return lexeme
	}
	n, ok := new(big.Rat).SetString(lexeme)
	if !ok || !n.IsInt() || n.Num().BitLen() > 64 {
		return lexeme
	}
	return n.Num().String()
}

// longNumber says whether a number has enough digits to be an account or an id.
func longNumber(s string) bool {
	n := 0
	for i := 0; i < len(s); i++ {
		if isDigit(s[i]) {
			n++
		}
	}
	return n >= 8
}

// allNumber says whether s is written with digits and signs only.
func allNumber(s string) bool {
	return strings.Trim(s, "0123456789.-+eE") == ""
}
