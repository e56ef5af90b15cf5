package provenance

import (
	"strings"

	"github.com/callgate/callgate/abi"
)

// piece is a part of a text block: a field that was read out of it, or prose
// between the fields. Every byte of a block that can hold a value is in some
// piece.
type piece struct {
	inner string // JSON Pointer of a field inside the document, "" for prose
	text  string
	at    int  // offset of text in the block, or of the token that was decoded
	span  int  // length of that token; 0: the bytes of text itself stand at at
	field bool // a whole field
	key   bool // a member name
}

// The ways to read a block into fields, as views name them.
const (
	readJSON    = "json"
	readNDJSON  = "ndjson"
	readYAML    = "yaml"
	readHeaders = "headers"
	readProse   = "prose"
)

// maxFields bounds the pieces of one block; a block with more is prose.
const maxFields = 1 << 16

// fields reads a text block into pieces, in the given way or in the first one
// that the whole block fits. It returns the way it was read.
func fields(block, mode string) (string, []piece) {
	type reader struct {
		name string
		read func(string) ([]piece, bool)
	}
	readers := []reader{
		{readJSON, jsonFields},
		{readNDJSON, ndjsonFields},
		{readHeaders, func(s string) ([]piece, bool) { return headerFields(s, mode == readHeaders) }},
		{readYAML, yamlFields},
	}
	for _, r := range readers {
		wanted := mode == "" || mode == r.name || mode == readJSON && r.name == readNDJSON
		if !wanted {
			continue
		}
		if pieces, ok := r.read(block); ok && len(pieces) <= maxFields {
			return r.name, pieces
		}
	}
	return readProse, []piece{{text: block}}
}

// knownHeaders are the mail headers of which auto detection wants one.
const knownHeaders = " from to subject date cc bcc reply-to sender message-id return-path delivered-to "

// addressNames are the fields that hold addresses with display names.
const addressNames = " from to cc bcc replyto sender returnpath deliveredto recipient recipients attendees participants "

// addressName says whether a field of this name holds mail addresses.
func addressName(pointer string) bool {
	tokens, _ := abi.Tokens(pointer)
	for i := len(tokens) - 1; i >= 0; i-- {
		if isIndex(tokens[i]) {
			continue
		}
		return strings.Contains(addressNames, " "+bare(tokens[i])+" ")
	}
	return false
}

// headerFields reads a block of mail headers (RFC 5322, names with blanks as
// servers print them) and the body after the empty line, which is prose.
func headerFields(block string, wanted bool) ([]piece, bool) {
	var out []piece
	known := false
	for at := 0; ; {
		line, next := lineAt(block, at)
		if strings.TrimSpace(line) == "" {
			if next < len(block) {
				out = append(out, piece{text: block[next:], at: next})
			}
			break
		}
		if (line[0] == ' ' || line[0] == '\t') && len(out) > 0 {
			out = append(out, piece{text: line, at: at})
		} else {
			name, ok := headerName(line)
			if !ok {
				return nil, false
			}
			out = append(out, fieldPiece(abi.Join("", strings.ToLower(name)), line, at, len(name)+1))
			known = known || strings.Contains(knownHeaders, " "+strings.ToLower(name)+" ")
		}
		if at = next; at >= len(block) {
			break
		}
	}
	return out, wanted && len(out) > 0 || known && len(out) > 1
}

// headerName returns the name of a header line.
func headerName(line string) (string, bool) {
	i := strings.IndexByte(line, ':')
	if i < 1 || i > 40 || len(line) > i+1 && line[i+1] != ' ' && line[i+1] != '\t' {
		return "", false
	}
	for j := 0; j < i; j++ {
		if c := line[j]; !isWord(c) && c != '-' && (c != ' ' || j == 0 || j == i-1) {
			return "", false
		}
	}
	return line[:i], strings.Count(line[:i], " ") < 3
}

// fieldPiece is the trimmed rest of a line from offset from as a field.
func fieldPiece(inner, line string, at, from int) piece {
	value := strings.TrimRight(line[from:], " \t\r")
	trimmed := strings.TrimLeft(value, " \t")
	return piece{inner: inner, text: trimmed, at: at + from + len(value) - len(trimmed), field: true}
}

// lineAt returns the line at an offset without its end, and the next offset.
func lineAt(s string, at int) (string, int) {
	i := strings.IndexByte(s[at:], '\n')
	if i < 0 {
		return s[at:], len(s)
	}
	return strings.TrimSuffix(s[at:at+i], "\r"), at + i + 1
}
