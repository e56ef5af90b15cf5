package provenance

import (
	"encoding/binary"
	"io"
	"slices"
)

// entityMap says which records name an entity, exactly. It is append-only, with
// open addressing; the slots of one key follow each other in the order of the
// records.
type entityMap struct {
	slots []slot
	used  int
	full  map[uint64]bool // keys of which more records are not kept
}

// slot is one record that names an entity.
type slot struct {
	key    uint64 // 0: empty
	record uint32
}

const (
	// maxNamed bounds the records that are kept for one entity: what is named in
	// more of them is found by its signatures.
	maxNamed = 32
	// maxProbe bounds the slots that are looked at, so that keys that were made to
	// collide cost no more than that.
	maxProbe = 256
)

// keyHash is the key of an entity: FNV-1a over what [Entity.key] says, the same in
// every process.
func keyHash(e Entity) uint64 {
	kind := e.Kind
	if kind == KindHandle {
		kind = KindText
	}
	h := hashOn(hashOn(hashOn(0xcbf29ce484222325, kind), "\x00"), e.Identity)
	// The low bits choose the slot.
	h ^= h >> 32
	h *= 0x9E3779B97F4A7C15
	h ^= h >> 29
	return max(h, 1)
}

// hashOn goes on with an FNV-1a hash.
func hashOn(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// add notes that a record names an entity.
func (m *entityMap) add(key uint64, record uint32) {
	if m.used*4 >= len(m.slots)*3 {
		m.grow()
	}
	mask := uint64(len(m.slots) - 1)
	named := 0
	for i := range uint64(maxProbe) {
		s := &m.slots[(key+i)&mask]
		switch {
		case s.key == 0:
			*s = slot{key, record}
			m.used++
			return
		case s.key != key:
		case s.record == record:
			return
		default:
			if named++; named == maxNamed {
				m.drop(key)
				return
			}
		}
	}
	m.drop(key)
}

// drop notes that not all records of a key are kept.
func (m *entityMap) drop(key uint64) {
	if m.full == nil {
		m.full = map[uint64]bool{}
	}
	m.full[key] = true
}

func (m *entityMap) grow() {
	old := m.slots
	m.slots, m.used = make([]slot, max(1<<6, 2*len(old))), 0
	// From the first empty slot on, so that a run that goes over the end keeps its
	// order.
	from := slices.IndexFunc(old, func(s slot) bool { return s.key == 0 })
	for i := range old {
		if s := old[(from+i)%len(old)]; s.key != 0 {
			m.add(s.key, s.record)
		}
	}
}

// find calls visit for every record that is kept for a key, oldest first, and
// says whether there are more.
func (m *entityMap) find(key uint64, visit func(record uint32)) (more bool) {
	if len(m.slots) == 0 {
		return false
	}
	mask := uint64(len(m.slots) - 1)
	for i := range uint64(maxProbe) {
		s := m.slots[(key+i)&mask]
		if s.key == 0 {
			break
		}
		if s.key == key {
			visit(s.record)
		}
	}
	return m.full[key]
}

// digest writes what the map holds, whatever its size.
func (m *entityMap) digest(to io.Writer) {
	held := slices.DeleteFunc(slices.Clone(m.slots), func(s slot) bool { return s.key == 0 })
	slices.SortFunc(held, func(a, b slot) int {
		if a.key != b.key {
			return cmpUint(a.key, b.key)
		}
		return int(a.record) - int(b.record)
	})
	var b []byte
	for _, s := range held {
		b = binary.BigEndian.AppendUint64(b[:0], s.key)
		if m.full[s.key] {
			b = append(b, 1)
		}
		to.Write(binary.BigEndian.AppendUint32(b, s.record))
	}
}

func cmpUint(a, b uint64) int {
	if a < b {
		return -1
	}
	return 1
}
