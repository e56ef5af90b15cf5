package wire

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Edit replaces the bytes of a span. An empty span inserts, an empty With removes.
type Edit struct {
	Span
	With []byte
}

// Splice returns a copy of raw with the edits made; every byte outside their spans is as it was. The edits may come in any order, insertions at one place keep theirs.
// Spans that overlap or leave raw are an error: then nothing may be sent.
func Splice(raw []byte, edits []Edit) ([]byte, error) {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	size, at := len(raw), 0
	for _, e := range sorted {
		switch {
		case e.Start < 0 || e.End < e.Start || e.End > len(raw):
			return nil, fmt.Errorf("edit of bytes %d to %d lies outside the frame's %d bytes; take spans of this very frame", e.Start, e.End, len(raw))
		case e.Start < at:
			return nil, fmt.Errorf("edit of bytes %d to %d overlaps one that ends at %d; merge the two", e.Start, e.End, at)
		}
		at = e.End
		size += len(e.With) - (e.End - e.Start)
	}
	out := make([]byte, 0, size)
	at = 0
	for _, e := range sorted {
		out = append(out, raw[at:e.Start]...)
		out = append(out, e.With...)
		at = e.End
	}
	return append(out, raw[at:]...), nil
}

// errNotFound is wrapped by the error of a Find whose pointer names nothing.
var errNotFound = errors.New("no such value")

// IsNotFound reports whether Find failed because the value is absent, and not because the text or the pointer is malformed.
func IsNotFound(err error) bool { return errors.Is(err, errNotFound) }

// Find returns the span, in raw, of the value that a JSON Pointer (RFC 6901) names in the value at within. The empty pointer names that value itself.
// Names compare unescaped. Of the text up to the value only, duplicate names are found: call it on classified frames.
func Find(raw []byte, within Span, pointer string) (Span, error) {
	text := within.In(raw)
	if text == nil {
		return Span{}, fmt.Errorf("span %d to %d lies outside the frame's %d bytes; take spans of this very frame", within.Start, within.End, len(raw))
	}
	if pointer != "" && pointer[0] != '/' {
		return Span{}, fmt.Errorf("pointer %q does not start with a slash; write it as in RFC 6901", pointer)
	}
	var c Classifier
	c.start(text)
	if pointer != "" {
		for token := range strings.SplitSeq(pointer[1:], "/") {
			if err := c.descend(token); err != nil {
				return Span{}, fmt.Errorf("pointer %q at %q: %w", pointer, token, err)
			}
		}
	}
	v, err := c.dec.ReadValue()
	if err != nil {
		return Span{}, fmt.Errorf("pointer %q: %w", pointer, err)
	}
	end := within.Start + c.offset()
	return Span{end - len(v), end}, nil
}

// descend moves the decoder in front of the member or element that a pointer's token names.
func (c *Classifier) descend(token string) error {
	for i := 0; i < len(token); i++ {
		if token[i] == '~' && (i+1 == len(token) || token[i+1] != '0' && token[i+1] != '1') {
			return errors.New("a ~ that is not ~0 or ~1; escape it as ~0")
		}
	}
	name := strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	open, err := c.dec.ReadToken()
	if err != nil {
		return err
	}
	switch open.Kind() {
	case '{':
		return c.descendObject(name)
	case '[':
		return c.descendArray(token)
	}
	return errNotFound
}

func (c *Classifier) descendObject(name string) error {
	for c.dec.PeekKind() != '}' {
		lexeme, err := c.dec.ReadValue()
		if err != nil {
			return err
		}
		if string(c.unquote(lexeme)) == name {
			return nil
		}
		if err := c.dec.SkipValue(); err != nil {
			return err
		}
	}
	return errNotFound
}

func (c *Classifier) descendArray(token string) error {
	// RFC 6901 section 4: digits without leading zeros.
	index, err := strconv.ParseUint(token, 10, 31)
	if err != nil || strconv.FormatUint(index, 10) != token {
		return errNotFound
	}
	for ; c.dec.PeekKind() != ']'; index-- {
		if index == 0 {
			return nil
		}
		if err := c.dec.SkipValue(); err != nil {
			return err
		}
	}
	return errNotFound
}

// Compact returns the one JSON value in raw without the whitespace between its tokens. Strings and numbers keep their lexemes, members their order.
// What Classify would refuse for its encoding, its grammar or its names is an error.
func Compact(raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("text is not valid UTF-8; encode it as UTF-8")
	}
	out, err := jsontext.AppendFormat(nil, raw, jsontext.PreserveRawStrings(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("text is not one strict JSON value: %w", err)
	}
	return out, nil
}

// strictEnd reads the end of the text behind its one value.
func (c *Classifier) strictEnd() error {
	if _, err := c.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("text goes on behind its value; pass one value")
	}
	return nil
}
