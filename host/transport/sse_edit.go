package transport

import "bytes"

// WithData returns the bytes of the event with other data: its other lines, comments and line endings stay as they are, and its data fields are replaced by
// one for each line of data. An event without data fields is returned as it is. Line endings within data become those of the event, which JSON can not tell
// from one another.
func (e Event) WithData(data []byte) []byte {
	if !e.HasData {
		return e.Raw
	}
	out := make([]byte, 0, len(e.Raw)+len(data)+16)
	written := false
	for at := 0; at < len(e.Raw); {
		end, size := firstLine(e.Raw[at:])
		text, ending := e.Raw[at:at+end], e.Raw[at+end:at+size]
		mark := 0
		if at == 0 && e.first && bytes.HasPrefix(text, []byte(byteOrderMark)) {
			mark = len(byteOrderMark)
		}
		at += size
		if name, _, _ := bytes.Cut(text[mark:], []byte{':'}); string(name) != "data" {
			out = append(append(out, text...), ending...)
			continue
		}
		out = append(out, text[:mark]...)
		if !written {
			out = appendData(out, data, ending)
			written = true
		}
	}
	return out
}

// AppendEvent appends an event with data, its lines ended by LF. An id is written if it is one: it has neither line endings nor NUL, and is not empty.
func AppendEvent(dst []byte, id string, data []byte) []byte {
	if id != "" && bytes.IndexAny([]byte(id), "\r\n\x00") < 0 {
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
