package abi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"unicode/utf8"
)

// Append appends the canonical JSON of v: members sorted by UTF-16 code units
// (RFC 8785 section 3.2.3), no white space, strings with the fewest escapes
// (RFC 8785 section 3.2.2.2), the lexemes of numbers and the escapes of lone
// surrogates as received. An absent value appends nothing.
func (v Value) Append(dst []byte) []byte {
	switch v.kind {
	case Null:
		return append(dst, "null"...)
	case Bool, Number:
		return append(dst, v.text...)
	case String, RawString:
		return AppendString(dst, v.text)
	case Array:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.Append(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range v.Members() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, m.Name)
			dst = append(dst, ':')
			dst = m.Value.Append(dst)
		}
		return append(dst, '}')
	}
	return dst
}

// String returns the canonical JSON of v.
func (v Value) String() string { return string(v.Append(nil)) }

// Digest returns "sha256:" and the hex SHA-256 of the canonical JSON of v.
func (v Value) Digest() string { return DigestBytes(v.Append(nil)) }

// DigestBytes returns "sha256:" and the hex SHA-256 of data.
func DigestBytes(data []byte) string {
	sum := sha256.Sum256(data)
	var out [7 + 2*sha256.Size]byte
	copy(out[:], "sha256:")
	hex.Encode(out[7:], sum[:])
	return string(out[:])
}

const hexDigits = "0123456789abcdef"

// AppendString appends the JSON string of s, which is WTF-8. What is not (a
// file name can hold any byte) becomes U+FFFD, so that the result is always
// JSON.
func AppendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return appendWide(dst, s)
	}
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if i+8 <= len(s) && plain8(s[i:i+8]) {
			i += 8
			continue
		}
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, s[start:i]...), c)
			start = i + 1
		}
		i++
	}
	return append(append(dst, s[start:]...), '"')
}

// appendWide appends the JSON string of what UTF-8 cannot hold.
func appendWide(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for len(s) > 0 {
		r, n := decodeWTF8(s)
		switch {
		case r >= 0xD800 && r <= 0xDFFF:
			dst = append(dst, '\\', 'u', 'd', hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		case r < 0x20 || r == '"' || r == '\\':
			dst = appendEscape(dst, byte(r))
		default:
			dst = utf8.AppendRune(dst, r)
		}
		s = s[n:]
	}
	return append(dst, '"')
}

// plain8 says whether eight bytes are ASCII that needs no escape. It looks at
// all of them at once, and may say no of bytes that need none.
func plain8(s string) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	control, quote, slash := w-0x20*each, (w^'"'*each)-each, (w^'\\'*each)-each
	return (w|control|quote|slash)&high == 0
}

// appendEscape appends the escape of a control character, quote or backslash.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// unquote decodes a valid JSON string into WTF-8.
func unquote(raw []byte) string {
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			end := bytes.IndexByte(raw[i:], '\\')
			if end < 0 {
				end = len(raw) - i
			}
			out = append(out, raw[i:i+end]...)
			i += end
			continue
		}
		if raw[i+1] != 'u' {
			out = append(out, unescape(raw[i+1]))
			i += 2
			continue
		}
		r := hex4(raw[i+2:])
		i += 6
		if r >= 0xD800 && r < 0xDC00 && i+5 < len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
			if lo := hex4(raw[i+2:]); lo >= 0xDC00 && lo < 0xE000 {
				r = 0x10000 + (r-0xD800)<<10 + (lo - 0xDC00)
				i += 6
			}
		}
		out = appendWTF8(out, r)
	}
	return string(out)
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

func hex4(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n)
}

// appendWTF8 appends a code point, lone surrogates included.
func appendWTF8(dst []byte, r rune) []byte {
	if r >= 0xD800 && r <= 0xDFFF {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0xBF, 0x80|byte(r)&0xBF)
	}
	return utf8.AppendRune(dst, r)
}

// decodeWTF8 decodes the first code point of s, lone surrogates included.
func decodeWTF8(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 && len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 {
		return rune(s[0]&0x0F)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, n
}
