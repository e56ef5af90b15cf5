package provenance

import (
	"math/big"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// maxSaid bounds the arguments of a call that are kept to know its echo.
const maxSaid = 64 << 10

// Record implements [Index].
func (x *index) Record(e abi.Event) {
	switch {
	case e.Call != nil && e.Call.Kind.FromServer():
		x.take(x.begin(e, e.Call.ID, e.Call.Server, e.Call.Target()), "", e.Call.Params, e.Text)
	case e.Call != nil:
		values, _ := e.Call.Values()
		v, ok := x.resolve(values, e.Text)
		x.calls[e.Call.ID] = x.caller(e.Call, v, ok)
		x.recordCall(v)
	case e.Result != nil:
		x.recordResult(e)
	case e.Frame != nil:
		x.take(x.begin(e, "", e.Frame.Server, ""), "", e.Frame.Frame, e.Text)
	case e.Server != nil:
		x.take(x.begin(e, "", e.Server.Server, ""), "", e.Server.Result, nil)
	case e.Tools != nil:
		x.recordTools(e)
	case e.User != nil:
		x.recordUser(x.userText(e))
	case e.Refused != nil && e.Refused.From != "client":
		x.recordRefused(e)
	case e.Evicted != nil:
		x.Evict(e.Evicted.Segment)
	}
}

// take records the value of a message, inline or by reference.
func (x *index) take(n uint32, prefix string, inline abi.Value, ref *abi.Text) {
	r := &x.records[n]
	r.prefix = prefix
	src := &r.source
	if r.quiet = src.Trusted && !src.WholeField && len(src.Fields) == 0; r.quiet && x.labelled(n) == nil {
		return
	}
	switch {
	case inline.Exists():
		text := string(inline.Append(nil))
		r.text, r.size = text, len(text)
		x.enter(n, text)
	case ref != nil:
		data, err := ref.Read(x.options.Text)
		if err != nil {
			x.lose(n)
			return
		}
		r.ref, r.size = *ref, len(data)
		x.enter(n, string(data))
	}
}

// lose notes that the text of a record is gone before anything of it was seen.
func (x *index) lose(n uint32) {
	x.records[n].evicted = true
	if !x.records[n].quiet {
		x.gone = append(x.gone, n)
	}
}

// resolve returns the value of an event, inline or by reference.
func (x *index) resolve(inline abi.Value, ref *abi.Text) (abi.Value, bool) {
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

func (x *index) recordResult(e abi.Event) {
	r := e.Result
	inline, prefix := r.Value, ""
	if r.Error.Exists() || e.Text != nil && e.Text.Error {
		inline, prefix = r.Error, "/error"
	}
	said := x.calls[r.Call]
	n := x.begin(e, r.Call, r.Server, said.tool)
	if r.Call == "" {
		x.records[n].origin = &origin{server: r.Server} // whose output it is nobody knows
	}
	x.records[n].said = said.said
	x.records[n].mute = said.mute || r.Failed()
	x.take(n, prefix, inline, e.Text)
}

// recordRefused records a frame that was not relayed.
func (x *index) recordRefused(e abi.Event) {
	n := x.begin(e, "", e.Refused.Server, "")
	data := e.Refused.Bytes
	if e.Text != nil {
		var err error
		if data, err = e.Text.Read(x.options.Text); err != nil {
			x.lose(n)
			return
		}
		x.records[n].ref = *e.Text
	} else {
		x.records[n].text = string(data)
	}
	if e.Refused.Size > int64(len(data)) {
		x.gone = append(x.gone, n) // the rest of it was not kept
	}
	x.records[n].size = len(data)
	_, err := abi.Parse(data)
	x.records[n].plain = err != nil
	x.enter(n, string(data))
}

// caller notes a call, and what it sends to a tool whose fields vouch.
func (x *index) caller(c *abi.Call, v abi.Value, ok bool) caller {
	who := caller{tool: c.Target()}
	if x.options.Source == nil {
		return who
	}
	if src := x.options.Source(c.Server, who.tool); !src.WholeField && len(src.Fields) == 0 {
		return who
	}
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
func (x *index) recordTools(e abi.Event) {
	t := e.Tools
	if t.Source == abi.ToolsCalled || len(t.List) == 0 {
		return
	}
	list := abi.ArrayValue(slices.Clone(t.List)...)
	id := t.Server + "\x00" + list.Digest()
	if x.lists[id] {
		return
	}
	x.lists[id] = true
	x.take(x.begin(e, "", t.Server, ""), "/tools", list, nil)
}

// recordCall notes what the client said in a call before any server did.
func (x *index) recordCall(v abi.Value) {
	v.Walk("", func(_ string, v abi.Value, _ bool) {
		s, ok := scalarText(v)
		if !ok || len(s) > 4096 {
			return
		}
		entities, _ := Canonicalise(s)
		for _, e := range entities {
			if e.Spoiled != "" {
				continue
			}
			x.named(e)
			if a, ok := e.alias(); ok {
				x.named(a)
			}
		}
	})
}

// named notes that the client named an entity, the first time.
func (x *index) named(e Entity) {
	if _, seen := x.echoed[e.key()]; !seen {
		x.echoed[e.key()] = echo{len(x.records), x.writer()}
	}
}

// userText returns what the user said, "" where it is gone: then it vouches for
// nothing.
func (x *index) userText(e abi.Event) string {
	if e.Text == nil {
		return e.User.Text
	}
	v, _ := x.resolve(abi.Value{}, e.Text) // absent where it fails
	return v.Str()
}

// recordUser notes what the user said. Each word is an entity; longer values
// are looked up in the text.
func (x *index) recordUser(s string) {
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
