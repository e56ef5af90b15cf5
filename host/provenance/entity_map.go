package provenance

import (
	"encoding/binary"
	"io"
	"maps"
	"slices"
)

// maxNamed bounds the records that are kept for one entity. What is named in more
// of them is most likely one's own.
const maxNamed = 32

// entityMap says which records name an entity, exactly. It is append-only. Keys
// are no secret and can be made at will; the maps of Go do not let them collide,
// and nothing that is told depends on their order.
type entityMap struct {
	newest map[uint64]uint32 // by key, the place of its newest record in named
	named  []naming
}

// naming is one record that names an entity.
type naming struct {
	record uint32
	before uint32 // place of the one before it, of the same key
	count  uint32 // with those before it; more than maxNamed if some are not kept
}

// add notes that a record names an entity. Records come in ascending order.
func (m *entityMap) add(key uint64, record uint32) {
	at, known := m.newest[key]
	count := uint32(1)
	if known {
		last := &m.named[at]
		if last.record == record {
			return
		}
		if last.count >= maxNamed {
			last.count = maxNamed + 1
			return
		}
		count = last.count + 1
	}
	if m.newest == nil {
		m.newest = map[uint64]uint32{}
	}
	m.newest[key] = uint32(len(m.named))
	m.named = append(m.named, naming{record, at, count})
}

// find returns the records that are kept for a key, oldest first, and says
// whether there are more.
func (m *entityMap) find(key uint64) (out []uint32, more bool) {
	at, known := m.newest[key]
	if !known {
		return nil, false
	}
	last := m.named[at]
	n := min(last.count, maxNamed)
	out = make([]uint32, n)
	for i := range slices.Backward(out) {
		out[i], at = m.named[at].record, m.named[at].before
	}
	return out, last.count > maxNamed
}

// digest writes what the map holds.
func (m *entityMap) digest(to io.Writer) {
	var b []byte
	for _, key := range slices.Sorted(maps.Keys(m.newest)) {
		b = binary.BigEndian.AppendUint64(b[:0], key)
		b = binary.BigEndian.AppendUint32(b, m.named[m.newest[key]].count)
		list, _ := m.find(key)
		for _, record := range list {
			b = binary.BigEndian.AppendUint32(b, record)
		}
		to.Write(b)
	}
}
