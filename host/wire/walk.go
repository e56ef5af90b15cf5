package wire

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// level is an object whose members classification looks at. All others are validated and passed over whole.
type level uint8

const (
	atEnvelope level = iota
	atParams
	atMeta
	atResult
	levels
)

// Positions of the names in levelNames.
const (
	inJSONRPC, inID, inMethod, inParams, inResult, inError = 0, 1, 2, 3, 4, 5

	inName, inArguments, inMetaOf, inTask, inCursor = 0, 1, 2, 3, 4

	inMetaVersion = 0

	inNextCursor, inResultVersion = 0, 1

	maxNames = 6
)

var levelNames = [levels][maxNames]string{
	atEnvelope: {"jsonrpc", "id", "method", "params", "result", "error"},
	atParams:   {"name", "arguments", "_meta", "task", "cursor"},
	atMeta:     {"io.modelcontextprotocol/protocolVersion"},
	atResult:   {"nextCursor", "protocolVersion"},
}

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
	at   [levels][maxNames]value
	// folded holds the last member name that folds to a known one without being it, as a JSON string.
	folded [levels][maxNames]Span
}

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
		i := c.lookup(w, at, name)
		kind := c.dec.PeekKind()
		span, err := c.member(w, at, i, kind)
		if err != nil {
			return err
		}
		if i >= 0 {
			w.at[at][i] = value{Span: span, kind: kind}
		}
	}
}

// member reads one value, member by member where a level says so.
func (c *Classifier) member(w *walk, at level, i int, kind jsontext.Kind) (Span, error) {
	inner, ok := inside(at, i)
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

// inside names the level of the object at member i of a level.
func inside(at level, i int) (level, bool) {
	switch {
	case at == atEnvelope && i == inParams:
		return atParams, true
	case at == atEnvelope && i == inResult:
		return atResult, true
	case at == atParams && i == inMetaOf:
		return atMeta, true
	}
	return 0, false
}

// lookup returns the position of a member name, -1 for one that no rule knows, and notes names that only fold to a known one.
func (c *Classifier) lookup(w *walk, at level, lexeme []byte) int {
	name := c.unquote(lexeme)
	for i := range levelNames[at] {
		if known := levelNames[at][i]; known != "" && string(name) == known {
			return i
		}
	}
	for i := range levelNames[at] {
		if known := levelNames[at][i]; known != "" && folds(name, known) {
			end := c.offset()
			w.folded[at][i] = Span{end - len(lexeme), end}
		}
	}
	return -1
}

// unquote returns the text of a valid JSON string, valid until the next call. Lone surrogates become U+FFFD.
func (c *Classifier) unquote(lexeme []byte) []byte {
	if bytes.IndexByte(lexeme, '\\') < 0 {
		return lexeme[1 : len(lexeme)-1]
	}
	c.text, _ = jsontext.AppendUnquote(c.text[:0], lexeme)
	return c.text
}

// nameCode refuses a method or tool name, a valid JSON string, that decoders do not read alike. surrogate is the code for half of a surrogate pair.
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
