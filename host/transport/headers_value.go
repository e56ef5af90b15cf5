package transport

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// The marks of an encoded header value (MCP 2026-07-28 "value encoding"): case-sensitive, exactly so.
const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// DecodeHeaderValue returns what the value of Mcp-Name or Mcp-Param-* says. A
// value between the marks is base64 of UTF-8, with padding; any other is itself.
// It returns false for what is marked and no such base64, and for "=?base64?=",
// which is marked to those readers who let the marks share a character.
func DecodeHeaderValue(value string) (string, bool) {
	if !strings.HasPrefix(value, encodedPrefix) || !strings.HasSuffix(value, encodedSuffix) {
		return value, true
	}
	if len(value) < len(encodedPrefix)+len(encodedSuffix) {
		return "", false
	}
	payload := value[len(encodedPrefix) : len(value)-len(encodedSuffix)]
	// The decoder skips line ends, wherever they are.
	if strings.ContainsAny(payload, "\r\n") {
		return "", false
	}
	text, err := base64.StdEncoding.Strict().DecodeString(payload)
	if err != nil || !utf8.Valid(text) {
		return "", false
	}
	return string(text), true
}

// EncodeHeaderValue returns the header value that DecodeHeaderValue reads as
// text: text itself where a header can carry it, else base64 between the marks.
func EncodeHeaderValue(text string) string {
	marked := strings.HasPrefix(text, encodedPrefix) && strings.HasSuffix(text, encodedSuffix)
	if !marked && strings.Trim(text, " \t") == text && plainValue(text) {
		return text
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}

// isToken says whether text is a token of RFC 9110 section 5.6.2, which names of headers are.
func isToken(text string) bool {
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return text != ""
}
