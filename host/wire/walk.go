package wire

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// value is where a member's value lies and what it is; kind is 0 when the member is absent.
type value struct {
	Span
	kind jsontext.Kind
}

func (v value) present() bool { return v.kind != 0 }

// walk is what one pass over a frame's object found. Its spans are offsets into text, in which the frame begins at base.
type walk struct {
	text []byte
	base int
	side Side
	at   [slots]value
	// folded holds the last member name that folds to a known one without being it, as a JSON string.
	folded [slots]Span
	// rule is what a client's method has to look like, nil for a method that has no rule.
	rule *rule
}

// textOf returns the bytes of a member's value, nil when it is absent.
func (w *walk) textOf(s slot) []byte { return w.lexeme(w.at[s]) }

// lexeme returns a member's bytes.
func (w *walk) lexeme(v value) []byte { return w.text[v.Start:v.End] }

// span returns where a member lies in its own frame, zero if it is absent.
func (w *walk) span(v value) Span {
	if !v.present() {
		return Span{}
	}
	return Span{v.Start - w.base, v.End - w.base}
}

// Classifier is the memory that classifications reuse. The zero value is ready; it is not safe for concurrent use, so each pump has its own.
type Classifier struct {
	dec  jsontext.Decoder
	src  bytes.Buffer
	text []byte
}

func (c *Classifier) start(raw []byte) {
	c.src = *bytes.NewBuffer(raw)
	// Lone surrogate escapes are legal in content, and the raw bytes are known to be UTF-8.
	c.dec.Reset(&c.src, jsontext.AllowInvalidUTF8(true))
}

// release drops the decoder's hold on the frame, which may be tens of megabytes.
func (c *Classifier) release() {
	c.src = bytes.Buffer{}
	c.dec.Reset(&c.src)
}

func (c *Classifier) offset() int { return int(c.dec.InputOffset()) }

// object reads the members of the object whose opening brace was just read, up to and with its closing brace.
func (c *Classifier) object(w *walk, at level) error {
	for {
		if c.dec.PeekKind() == '}' {
			_, err := c.dec.ReadToken()
			return err
		}
		name, err := c.dec.ReadValue()
		if err != nil {
			return err
		}
		s := c.lookup(w, at, name)
		kind := c.dec.PeekKind()
		span, err := c.member(w, s, kind)
		if err != nil {
			return err
		}
		if s != noSlot {
			w.at[s] = value{Span: span, kind: kind}
		}
	}
}

// member reads one value, member by member where a level says so.
func (c *Classifier) member(w *walk, s slot, kind jsontext.Kind) (Span, error) {
	inner, ok := w.side.inside(s)
	if !ok || kind != '{' {
		v, err := c.dec.ReadValue()
		end := c.offset()
		return Span{end - len(v), end}, err
	}
	if _, err := c.dec.ReadToken(); err != nil {
		return Span{}, err
	}
	start := c.offset() - 1
	err := c.object(w, inner)
	return Span{start, c.offset()}, err
}

// lookup returns the slot of a member name, noSlot for one that no rule knows, and notes names that only fold to a known one.
func (c *Classifier) lookup(w *walk, at level, lexeme []byte) slot {
	name := c.unquote(lexeme)
	first, end := levelTable[at].first, levelTable[at].end
	for s := first; s < end; s++ {
		if string(name) == slotNames[s] {
			return s
		}
	}
	for s := first; s < end; s++ {
		if folds(name, slotNames[s]) {
			end := c.offset()
			w.folded[s] = Span{end - len(lexeme), end}
		}
	}
	return noSlot
}

// unquote returns the text of a valid JSON string, valid until the next call. Lone surrogates become U+FFFD.
func (c *Classifier) unquote(lexeme []byte) []byte {
	if bytes.IndexByte(lexeme, '\\') < 0 {
		return lexeme[1 : len(lexeme)-1]
	}
	c.text, _ = jsontext.AppendUnquote(c.text[:0], lexeme)
	return c.text
}

// nameCode refuses the name of a method or of what it asks for, a valid JSON string, that decoders do not read alike. surrogate is the code for half of a surrogate pair.
func (c *Classifier) nameCode(lexeme []byte, surrogate string) string {
	if bytes.IndexByte(lexeme, '\\') < 0 {
		return ""
	}
	var err error
	c.text, err = jsontext.AppendUnquote(c.text[:0], lexeme)
	switch {
	case err != nil:
		return surrogate
	case bytes.IndexByte(c.text, 0) >= 0:
		return CodeNameNUL
	}
	return ""
}

// Folds reports whether some peer takes a member's name for one of the known names, without its being one: it folds case, or ends at a U+0000.
func Folds(name string, known ...string) bool {
	for _, k := range known {
		if name == k {
			return false
		}
	}
	for _, k := range known {
		if folds([]byte(name), k) {
			return true
		}
	}
	return false
}

// folds reports whether a peer could take name for known: Unicode simple folding (ſ is s, K is k), which encoding/json uses; the
// dotted and dotless i, which Java's equalsIgnoreCase takes for i; and the text in front of a U+0000, which is all that C strings keep.
func folds(name []byte, known string) bool {
	if i := bytes.IndexByte(name, 0); i >= 0 {
		name = name[:i]
	}
	// The longest letters that fold to an ASCII one have three bytes.
	if len(name) < len(known) || len(name) > 3*len(known) {
		return false
	}
	if bytes.EqualFold(name, []byte(known)) {
		return true
	}
	if bytes.IndexByte(name, 0xc4) < 0 {
		return false
	}
	name = bytes.ReplaceAll(name, []byte("İ"), []byte("i"))
	return bytes.EqualFold(bytes.ReplaceAll(name, []byte("ı"), []byte("i")), []byte(known))
}
