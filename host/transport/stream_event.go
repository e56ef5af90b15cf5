package transport

import (
	"bytes"

	"github.com/callgate/callgate/host/wire"
)

const comment = ": keep-alive\n\n"

// appendEvent appends a frame as one "message" event (WHATWG HTML section
// 9.2.5). The type is its default, but some clients want to read it.
func appendEvent(dst []byte, id string, frame []byte) []byte {
	frame = bytes.TrimRight(frame, "\r\n")
	if bytes.ContainsAny(frame, "\r\n") {
		// JSON has line ends as white space only. Without them no client has to join lines.
		if one, err := wire.Compact(frame); err == nil {
			frame = one
		}
	}
	return AppendEvent(append(dst, "event: message\n"...), id, frame)
}

// endsEvent says whether raw is a piece as EventReader cuts them, so that
// something else may follow it: it ends with an empty line, or it is a comment, or
// the rest of a line end.
func endsEvent(raw []byte) bool {
	rest, ok := trimLineEnd(raw)
	if !ok || len(rest) == 0 || rest[0] == ':' && !bytes.ContainsAny(rest, "\r\n") {
		return ok
	}
	_, ok = trimLineEnd(rest)
	return ok
}

func trimLineEnd(raw []byte) ([]byte, bool) {
	switch {
	case bytes.HasSuffix(raw, []byte("\r\n")):
		return raw[:len(raw)-2], true
	case bytes.HasSuffix(raw, []byte("\n")), bytes.HasSuffix(raw, []byte("\r")):
		return raw[:len(raw)-1], true
	}
	return nil, false
}
