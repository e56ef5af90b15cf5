package transport

import (
	"bytes"
	"strings"
)

// WithData returns the bytes of the event with other data: its other lines, comments and line endings stay as they are, and its data fields are replaced by
// one for each line of data. An event without data fields is returned as it is. Line endings within data become those of the event, which JSON can not tell
// from one another.
func (e Event) WithData(data []byte) []byte {
	if !e.HasData {
		return e.Raw
	}
	out := make([]byte, 0, len(e.Raw)+len(data)+16)
	// The last data field is the place: what stands before the blank line keeps its ending, so that a CR there never meets a LF.
	last := e.lastData()
	for at := 0; at < len(e.Raw); {
		end, size := firstLine(e.Raw[at:])
		text, ending := e.Raw[at:at+end], e.Raw[at+end:at+size]
		mark := e.mark(at)
		if !isData(text[mark:]) {
			out = append(append(out, text...), ending...)
		} else {
			out = append(out, text[:mark]...)
			if at == last {
				out = appendData(out, data, ending)
			}
		}
		at += size
	}
	return out
}

// lastData returns where the line of the last data field starts.
func (e Event) lastData() (last int) {
	for at := 0; at < len(e.Raw); {
		end, size := firstLine(e.Raw[at:])
		if isData(e.Raw[at+e.mark(at) : at+end]) {
			last = at
		}
		at += size
	}
	return last
}

// mark returns the size of the byte order mark that the line at an offset starts with.
func (e Event) mark(at int) int {
	if at == 0 && e.first && bytes.HasPrefix(e.Raw, []byte(byteOrderMark)) {
		return len(byteOrderMark)
	}
	return 0
}

// isData says whether a line is a data field.
func isData(line []byte) bool {
	name, _, _ := bytes.Cut(line, []byte{':'})
	return string(name) == "data"
}

// AppendEvent appends an event with data, its lines ended by LF. An id is written if it is one: it has neither line endings nor NUL, and is not empty.
func AppendEvent(dst []byte, id string, data []byte) []byte {
	if id != "" && !strings.ContainsAny(id, "\r\n\x00") {
		dst = append(append(append(dst, "id: "...), id...), '\n')
	}
	return append(appendData(dst, data, []byte{'\n'}), '\n')
}

// appendData appends a data field for each line of data.
func appendData(dst, data, ending []byte) []byte {
	for {
		end, size := firstLine(data)
		dst = append(append(append(dst, "data: "...), data[:end]...), ending...)
		if end == size {
			return dst
		}
		data = data[size:]
	}
}

// firstLine returns where the text of the first line ends, and where the line does.
func firstLine(b []byte) (end, size int) {
	at := bytes.IndexAny(b, "\r\n")
	switch {
	case at < 0:
		return len(b), len(b)
	case b[at] == '\r' && at+1 < len(b) && b[at+1] == '\n':
		return at, at + 2
	}
	return at, at + 1
}
