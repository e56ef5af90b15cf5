package provenance

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawKeys returns keys and the records that name them, in order, some of them
// twice and some more often than is kept.
func drawKeys(t *rapid.T) (keys []uint64, want map[uint64][]uint32, more map[uint64]bool) {
	want, more = map[uint64][]uint32{}, map[uint64]bool{}
	shift := rapid.IntRange(0, 58).Draw(t, "shift")
	key := rapid.Custom(func(t *rapid.T) uint64 {
		// Of few keys each is drawn often; with a shift they have low bits in common.
		return rapid.OneOf(rapid.Uint64Range(1, 8), rapid.Uint64Range(1, 1<<20)).Draw(t, "n") << shift
	})
	drawn := rapid.SliceOf(key).Draw(t, "keys")
	for range rapid.IntRange(0, 3*maxNamed).Draw(t, "often") {
		drawn = append(drawn, 5<<shift)
	}
	for _, k := range drawn {
		if k == 0 {
			continue // the shift pushed it out; no key is 0
		}
		record := uint32(len(keys) / 2)
		keys = append(keys, k)
		switch have := want[k]; {
		case slices.Contains(have, record):
		case len(have) == maxNamed:
			more[k] = true
		default:
			want[k] = append(have, record)
		}
	}
	return keys, want, more
}

func addAll(m *entityMap, keys []uint64) {
	for i, k := range keys {
		m.add(k, uint32(i/2))
	}
}

// TestTheEntityMapIsAMap: it holds what a map of Go holds, and says what it does
// not.
func TestTheEntityMapIsAMap(t *testing.T) {
	overfull := 0
	rapid.Check(t, func(t *rapid.T) {
		var m, other entityMap
		keys, want, more := drawKeys(t)
		addAll(&m, keys)
		for _, k := range slices.Sorted(maps.Keys(want)) {
			if got, rest := m.find(k); rest != more[k] || !slices.Equal(got, want[k]) {
				t.Fatalf("key %d: %v, want %v", k, got, want[k])
			}
		}
		if got, rest := m.find(0xBAD<<50 | 1); got != nil || rest {
			t.Fatal("a key that is not there")
		}
		overfull += len(more)
		addAll(&other, keys)
		var a, b bytes.Buffer
		m.digest(&a)
		other.digest(&b)
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Fatal("the digest depends on more than what is held")
		}
		b.Reset()
		other.add(0xBAD<<50|1, 1<<20)
		if other.digest(&b); bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Fatal("another key leaves the digest as it was")
		}
	})
	if overfull == 0 {
		t.Error("no key had more records than are kept")
	}
}
