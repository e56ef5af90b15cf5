package provenance

import (
	"hash/fnv"
	"io"
)

type entityMap struct{ m map[uint64][]uint32 }

func (m *entityMap) add(k uint64, n uint32) {
	if m.m == nil {
		m.m = map[uint64][]uint32{}
	}
	m.m[k] = append(m.m[k], n)
}
func (m *entityMap) find(k uint64, visit func(uint32) bool) bool {
	for _, n := range m.m[k] {
		visit(n)
	}
	return false
}
func (m *entityMap) digest(w io.Writer) {}

func keyHash(e Entity) uint64 {
	h := fnv.New64a()
	io.WriteString(h, e.key())
	return h.Sum64()
}
func (e Entity) aliasKeys() []uint64 { return nil }

func scanEntities(s string, emit func(uint64)) bool {
	l, _ := extract(s)
	for _, e := range l {
		emit(keyHash(e))
	}
	return false
}
