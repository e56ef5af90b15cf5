package provenance

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"io"
	"math/bits"
	"slices"
)

// maxNamed bounds the records that are kept for one entity. What is named in more
// of them is most likely one's own.
const maxNamed = 32

// entityMap says which records name an entity, exactly. It is append-only, with
// open addressing. Keys are no secret and can be made at will, so what chooses
// the slots is one: no keys are known that collide.
type entityMap struct {
	slots []slot
	used  int
	seed  [2]uint64
}

// slot is one record that names an entity.
type slot struct {
	key    uint64 // 0: empty
	record uint32
	place  uint16 // of the record among those of the key, which each have their own slot
	all    uint16 // in the first slot of a key: its records, and more than maxNamed if some are not kept
}

// add notes that a record names an entity. Records come in ascending order.
func (m *entityMap) add(key uint64, record uint32) {
	if m.used*4 >= len(m.slots)*3 {
		m.grow()
	}
	first := m.at(key, 0)
	switch n := first.all; {
	case first.key == 0:
		*first = slot{key: key, record: record, all: 1}
		m.used++
	case m.at(key, min(n, maxNamed)-1).record == record:
	case n >= maxNamed:
		first.all = maxNamed + 1
	default:
		*m.at(key, n) = slot{key: key, record: record, place: n}
		first.all++
		m.used++
	}
}

// at returns the slot of a record of a key, an empty one if there is none.
func (m *entityMap) at(key uint64, place uint16) *slot {
	mask := uint64(len(m.slots) - 1)
	for i := m.home(key, place); ; i++ {
		s := &m.slots[i&mask]
		if s.key == 0 || s.key == key && s.place == place {
			return s
		}
	}
}

// home says where a record of a key is looked for first.
func (m *entityMap) home(key uint64, place uint16) uint64 {
	high, low := bits.Mul64(key^m.seed[0], (uint64(place)+1)*0x9E3779B97F4A7C15^m.seed[1])
	return high ^ low
}

// grow doubles the slots.
func (m *entityMap) grow() {
	old := m.slots
	if old == nil {
		var b [16]byte
		rand.Read(b[:]) // never fails
		m.seed = [2]uint64{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
	}
	m.slots = make([]slot, max(1<<6, 2*len(old)))
	for _, s := range old {
		if s.key != 0 {
			*m.at(s.key, s.place) = s
		}
	}
}

// find calls visit for every record that is kept for a key, oldest first, and
// says whether there are more.
func (m *entityMap) find(key uint64, visit func(record uint32)) (more bool) {
	if len(m.slots) == 0 {
		return false
	}
	n := m.at(key, 0).all
	for place := range min(n, maxNamed) {
		visit(m.at(key, place).record)
	}
	return n > maxNamed
}

// digest writes what the map holds, whatever its size and its seed.
func (m *entityMap) digest(to io.Writer) {
	held := slices.DeleteFunc(slices.Clone(m.slots), func(s slot) bool { return s.key == 0 })
	slices.SortFunc(held, func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.place, b.place))
	})
	var b []byte
	for _, s := range held {
		b = binary.BigEndian.AppendUint64(b[:0], s.key)
		b = binary.BigEndian.AppendUint32(b, s.record)
		b = binary.BigEndian.AppendUint16(b, s.all)
		to.Write(b)
	}
}
