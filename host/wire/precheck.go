package wire

import (
	"bytes"
	"unicode/utf8"
)

const byteOrderMark = "\xef\xbb\xbf"

// precheck finds what a JSON parser passes over or reports badly: the encoding, bytes that split a line for some readers, and the nesting.
// It returns the code, empty when there is nothing to refuse.
func precheck(raw []byte, maxDepth int) string {
	switch {
	case bytes.HasPrefix(raw, []byte(byteOrderMark)):
		return CodeBOM
	case !utf8.Valid(raw):
		return CodeNotUTF8
	case bytes.IndexByte(raw, 0) >= 0:
		return CodeNUL
	case hasRawCR(raw):
		return CodeRawCR
	case tooDeep(raw, maxDepth):
		return CodeTooDeep
	}
	return ""
}

// hasRawCR reports a carriage return anywhere but directly before the final line feed.
func hasRawCR(raw []byte) bool {
	i := bytes.IndexByte(raw, '\r')
	return i >= 0 && !(i == len(raw)-2 && raw[i+1] == '\n')
}

// tooDeep is exact on valid JSON; on anything else its answer does not matter, because the parser refuses the text.
func tooDeep(raw []byte, limit int) bool {
	// Most frames do not have that many brackets at all, and counting them is far cheaper than following them.
	if bytes.Count(raw, []byte{'{'})+bytes.Count(raw, []byte{'['}) <= limit {
		return false
	}
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
		case '{', '[':
			if depth++; depth > limit {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// stringEnd returns the offset of the quote that ends the string which begins at i, or the text's length.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(raw)
}

// skipSpace returns the text behind its leading JSON whitespace.
func skipSpace(raw []byte) []byte {
	for i, c := range raw {
		if !isSpace(c) {
			return raw[i:]
		}
	}
	return nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
