package wire

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"
)

// Cut replaces a piece of a string: the bytes From to To of its text, in which a lone surrogate has the three bytes that UTF-8 would give it.
type Cut struct {
	From, To int
	With     string
}

var errCut = errors.New("a cut lies outside of the text, or in the middle of a character")

// CutString returns the edits of a frame that make cuts in the JSON string at a span, in order and apart from each other. The rest of the string keeps
// its bytes, escapes as they were.
func CutString(raw []byte, at Span, cuts []Cut) ([]Edit, error) {
	lexeme := at.In(raw)
	if len(lexeme) < 2 || lexeme[0] != '"' {
		return nil, errors.New("no string to cut")
	}
	edits := make([]Edit, 0, len(cuts))
	text := 0 // bytes of the text before the lexeme's byte i
	i, end := 1, len(lexeme)-1
	seek := func(to int) error {
		for text < to && i < end {
			n := bytes.IndexByte(lexeme[i:end], '\\')
			if n < 0 {
				n = end - i
			}
			width := n // but for escapes, the text is what is written
			if n == 0 {
				n, width = escape(lexeme[i:end])
			} else if n > to-text {
				n, width = to-text, to-text
			}
			if n == 0 {
				return errCut
			}
			i += n
			text += width
		}
		if text != to || i < end && !utf8.RuneStart(lexeme[i]) {
			return errCut
		}
		return nil
	}
	for _, c := range cuts {
		if c.From < text || c.To < c.From {
			return nil, errCut
		}
		if err := seek(c.From); err != nil {
			return nil, err
		}
		from := i
		if err := seek(c.To); err != nil {
			return nil, err
		}
		with := AppendString(nil, c.With)
		edits = append(edits, Edit{Span{at.Start + from, at.Start + i}, with[1 : len(with)-1]})
	}
	return edits, nil
}

// escape returns how many bytes an escape has at the start of a lexeme's inside, and in its text; 0 is none.
func escape(lexeme []byte) (n, width int) {
	if len(lexeme) < 2 {
		return 0, 0
	}
	if lexeme[1] != 'u' {
		return 2, 1
	}
	r, ok := hex4(lexeme)
	switch {
	case !ok:
		return 0, 0
	case r >= 0xD800 && r < 0xDC00 && len(lexeme) >= 12 && lexeme[6] == '\\' && lexeme[7] == 'u':
		if low, ok := hex4(lexeme[6:]); ok && low >= 0xDC00 && low < 0xE000 {
			return 12, 4
		}
		return 6, 3
	case r >= 0xD800 && r < 0xE000:
		return 6, 3
	}
	return 6, utf8.RuneLen(r)
}

// hex4 reads the escape \uXXXX.
func hex4(lexeme []byte) (rune, bool) {
	if len(lexeme) < 6 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(lexeme[2:6]), 16, 16)
	return rune(n), err == nil
}
