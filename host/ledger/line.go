package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// linePrefix opens every line; the hash of the line before it follows.
	linePrefix = `{"prev":"`
	// hashLen is the length of a SHA-256 in lower-case hex.
	hashLen = 64
	// headLen is the length of what the ledger puts before an event's own members.
	headLen = len(linePrefix) + hashLen + len(`",`)
	// maxLine bounds a line in both directions: a 64 MiB frame that is all
	// control characters takes six bytes for each of its own.
	maxLine = 512 << 20
)

// zeroHash is the prev of the first record of the first file.
const zeroHash = "0000000000000000000000000000000000000000000000000000000000000000"

// appendLine appends the line of event, without its LF, to dst.
func appendLine(dst, prev, event []byte) []byte {
	dst = append(dst, linePrefix...)
	dst = append(dst, prev...)
	dst = append(dst, `",`...)
	return append(dst, event[1:]...)
}

// isHash reports whether b is a SHA-256 as lines carry it.
func isHash[T []byte | string](b T) bool {
	if len(b) != hashLen {
		return false
	}
	for i := range len(b) {
		if c := b[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// splitHead returns the prev of a line. It answers false when the line does
// not open exactly as the ledger opens its lines.
func splitHead(line []byte) (prev []byte, ok bool) {
	if len(line) <= headLen || !bytes.HasPrefix(line, []byte(linePrefix)) || string(line[headLen-2:headLen]) != `",` {
		return nil, false
	}
	prev = line[len(linePrefix) : headLen-2]
	return prev, isHash(prev)
}

// tornFrom reports whether tail, the bytes after a file's last LF, can be what
// a write of a line after prev left behind: a beginning of that line, then
// possibly NUL bytes, which some file systems leave where data never arrived.
func tornFrom(tail []byte, prev string) bool {
	head := linePrefix + prev + `",`
	body := bytes.TrimRight(tail, "\x00")
	if bytes.IndexByte(body, 0) >= 0 {
		return false
	}
	n := min(len(head), len(body))
	return string(body[:n]) == head[:n]
}

// checker judges one JSON object at a time and keeps its buffers. The zero
// value is ready; it is not safe for concurrent use.
type checker struct {
	buf bytes.Buffer
	dec jsontext.Decoder
	num []byte

	hasPrev bool // the last object had a member "prev"
}

// object parses b, which must be exactly one strict JSON object that opens
// with a name and ends with its brace, and returns the lexeme of its member
// "seq", nil if there is none. The lexeme holds until the next call.
//
// Escapes of lone surrogates are accepted, as events keep them verbatim; raw
// bytes that are not UTF-8 are not.
func (c *checker) object(b []byte) ([]byte, error) {
	switch {
	case len(b) < len(`{"":0}`) || b[0] != '{' || b[1] != '"' || b[len(b)-1] != '}':
		return nil, errors.New("not a JSON object without surrounding space")
	case bytes.IndexByte(b, '\n') >= 0:
		return nil, errors.New("has an LF inside")
	case !utf8.Valid(b):
		return nil, errors.New("not UTF-8")
	}
	c.buf = *bytes.NewBuffer(b)
	defer func() { c.buf = bytes.Buffer{} }()
	c.dec.Reset(&c.buf, jsontext.AllowInvalidUTF8(true))
	seq, err := c.members()
	if !errors.Is(err, jsontext.ErrDuplicateName) {
		return seq, err
	}
	// The decoder folds all lone surrogates into one name, so its answer is
	// taken only when the names are equal as written, too.
	c.buf = *bytes.NewBuffer(b)
	c.dec.Reset(&c.buf, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if dup := duplicate(&c.dec); dup != nil {
		return nil, dup
	}
	c.buf = *bytes.NewBuffer(b)
	c.dec.Reset(&c.buf, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return c.members()
}

// members reads one object and the end of the input from the decoder.
func (c *checker) members() ([]byte, error) {
	if _, err := c.dec.ReadToken(); err != nil {
		return nil, err
	}
	var seq []byte
	c.hasPrev = false
	for c.dec.PeekKind() != '}' {
		name, err := c.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		isSeq := string(name) == `"seq"`
		c.hasPrev = c.hasPrev || string(name) == `"prev"` || bytes.IndexByte(name, '\\') > 0 && nameKey(name) == "prev"
		value, err := c.dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if isSeq {
			c.num = append(c.num[:0], value...)
			seq = c.num
		}
	}
	if _, err := c.dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := c.dec.ReadToken(); err != io.EOF {
		return nil, errors.New("has data after the object")
	}
	return seq, nil
}

// duplicate reads one value and returns an error when an object in it has two
// equal names. Names with a lone surrogate are compared as written, which is
// exact for canonical JSON, where every string has one spelling.
func duplicate(dec *jsontext.Decoder) error {
	stack := []map[string]bool{}
	for {
		kind := dec.PeekKind()
		if outer, n := dec.StackIndex(dec.StackDepth()); outer == '{' && n%2 == 0 && kind == '"' {
			raw, err := dec.ReadValue()
			if err != nil {
				return err
			}
			name := nameKey(raw)
			if top := stack[len(stack)-1]; top[name] {
				return fmt.Errorf("%w %s", jsontext.ErrDuplicateName, asText(raw))
			}
			stack[len(stack)-1][name] = true
			continue
		}
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
		switch kind {
		case '{', '[':
			stack = append(stack, map[string]bool{})
		case '}', ']':
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			return nil
		}
	}
}

// nameKey returns a text that is equal for equal names: the name's characters,
// or its spelling with the quotes when a lone surrogate keeps it from having any.
func nameKey(raw []byte) string {
	if text, err := jsontext.AppendUnquote(nil, raw); err == nil {
		return string(text)
	}
	return "\xff" + string(raw)
}

// eventSeq checks an event as the caller hands it over and returns its seq.
func (c *checker) eventSeq(event []byte) (uint64, error) {
	if len(event) > maxLine-headLen {
		return 0, fmt.Errorf("%d bytes long; want at most %d", len(event), maxLine-headLen)
	}
	lexeme, err := c.object(event)
	if err != nil {
		return 0, err
	}
	if c.hasPrev {
		return 0, errors.New(`already has a member "prev"`)
	}
	seq, err := strconv.ParseUint(string(lexeme), 10, 63)
	if err != nil || strconv.FormatUint(seq, 10) != string(lexeme) {
		return 0, fmt.Errorf("seq is %s; want a plain decimal number", orMissing(lexeme))
	}
	return seq, nil
}

// orMissing shows a lexeme of a file for an error text.
func orMissing(lexeme []byte) string {
	if lexeme == nil {
		return "missing"
	}
	if lexeme[0] == '"' {
		return "the text " + asText(lexeme)
	}
	return quoted(lexeme)
}

// asText shows a JSON string for an error text, escaped once.
func asText(raw []byte) string {
	if text, err := jsontext.AppendUnquote(nil, raw); err == nil {
		return quoted(text)
	}
	return quoted(raw)
}

// quoted shows hostile bytes for an error text, cut to a readable length.
func quoted(b []byte) string {
	const most = 80
	if len(b) > most {
		return fmt.Sprintf("%q… (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}
