package meter

import "github.com/callgate/callgate/host/wasm/binary"

// The parts of a name section that are kept. Names of labels, types and other
// things are dropped: engines do not read them.
const (
	namesModule = iota
	namesFunctions
	namesLocals
)

// nameSection is the name section with functions numbered anew, or nil when
// there is none or it is malformed: names are for people, and a module is as
// good without.
func (m *module) nameSection() []byte {
	if m.names == nil {
		return nil
	}
	var b buffer
	b.name("name")
	r := binary.NewReader(m.names.Body, m.names.Offset)
	for next := 0; r.OK() && r.Left() > 0; {
		id := r.Byte()
		at := r.Offset()
		part := binary.NewReader(r.Bytes(r.U32()), at)
		var body []byte
		switch id {
		case namesModule:
			body = moduleName(&part)
		case namesFunctions:
			body = m.functionNames(&part, nil)
		case namesLocals:
			body = m.functionNames(&part, localNames)
		default:
			continue
		}
		if !part.OK() || part.Left() > 0 || int(id) < next {
			return nil
		}
		next = int(id) + 1
		b.section(id, body)
	}
	if !r.OK() {
		return nil
	}
	return b
}

func moduleName(r *binary.Reader) []byte {
	var b buffer
	b.name(string(r.Name()))
	return b
}

// functionNames writes a map by function: to a name, or to what inner reads.
func (m *module) functionNames(r *binary.Reader, inner func(*binary.Reader, *buffer)) []byte {
	if inner == nil {
		inner = func(r *binary.Reader, b *buffer) { b.name(string(r.Name())) }
	}
	n := r.Count(2)
	var b buffer
	b.u32(n)
	for range n {
		b.u32(m.shifted(r.U32()))
		inner(r, &b)
	}
	return b
}

// localNames writes a map from locals to names.
func localNames(r *binary.Reader, b *buffer) {
	n := r.Count(2)
	b.u32(n)
	for range n {
		b.u32(r.U32())
		b.name(string(r.Name()))
	}
}
