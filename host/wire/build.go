package wire

import (
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Control characters, and U+2028 and U+2029 (at which some line readers split), are escaped;
// bytes that are not UTF-8 become U+FFFD. So what it appends never breaks a line.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, `\ufffd`...)
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case r < ' ' || r == '\u2028' || r == '\u2029':
			dst = append(dst, '\\', 'u', hexDigits[r>>12], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		default:
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return append(dst, '"')
}

// ErrorFrame returns a JSON-RPC error response with one line feed at its end. The zero ID, and one that is no string or number, is written as null.
// data is a JSON value, or nil for none; data that does not parse is left out, since the error itself has to arrive.
func ErrorFrame(id ID, code int, message string, data []byte) []byte {
	dst := appendHead(make([]byte, 0, 128+len(message)+len(data)), id)
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, message)
	if value, ok := authored(data); ok {
		dst = append(dst, `,"data":`...)
		dst = append(dst, value...)
	}
	return append(dst, "}}\n"...)
}

// ResultFrame returns a JSON-RPC response with the JSON value result and one line feed at its end. A result that is not strict JSON cannot be sent:
// its place takes an internal error (-32603), so that the request is answered in any case.
func ResultFrame(id ID, result []byte) []byte {
	value, ok := authored(result)
	if !ok {
		return ErrorFrame(id, rpcInternalError, "the answer could not be encoded", nil)
	}
	dst := appendHead(make([]byte, 0, 64+len(id.Raw)+len(value)), id)
	dst = append(dst, `"result":`...)
	dst = append(dst, value...)
	return append(dst, "}\n"...)
}

// BatchFrame returns the frames as one JSON array with one line feed at its end, nil when there are none (an empty array is no batch).
// An element that is not strict JSON is replaced by an internal error without id.
func BatchFrame(elements [][]byte) []byte {
	if len(elements) == 0 {
		return nil
	}
	dst := []byte{'['}
	for i, element := range elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		value, ok := authored(element)
		if !ok {
			value, _ = authored(ErrorFrame(ID{}, rpcInternalError, "the answer could not be encoded", nil))
		}
		dst = append(dst, value...)
	}
	return append(dst, "]\n"...)
}

const rpcInternalError = -32603

func appendHead(dst []byte, id ID) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if lexeme := []byte(id.Raw); validID(lexeme) {
		dst = appendLineSafe(dst, lexeme)
	} else {
		dst = append(dst, "null"...)
	}
	return append(dst, ',')
}

// authored returns a JSON value as it may stand in a frame of ours: compact and line-safe.
func authored(raw []byte) ([]byte, bool) {
	if raw == nil {
		return nil, false
	}
	value, err := Compact(raw)
	if err != nil {
		return nil, false
	}
	return appendLineSafe(make([]byte, 0, len(value)), value), true
}

// appendLineSafe appends JSON with U+2028 and U+2029 escaped. Outside strings JSON has neither, so the value stays the same.
func appendLineSafe(dst, value []byte) []byte {
	for len(value) > 0 {
		if len(value) >= 3 && value[0] == 0xe2 && value[1] == 0x80 && value[2]&^1 == 0xa8 {
			dst = append(dst, `\u202`...)
			dst = append(dst, hexDigits[value[2]&15])
			value = value[3:]
			continue
		}
		dst = append(dst, value[0])
		value = value[1:]
	}
	return dst
}
