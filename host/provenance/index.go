package provenance

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/provenance/signature"
)

// index keeps no text. What is recorded is folded into blocks, a matrix of
// signatures says which blocks a value may stand in, and those are folded again
// from the text where the host keeps it. Only records that hold a form of the
// value are read and graded.
type index struct {
	options Options
	tune    tuning
	origins map[string]*origin
	records []record
	blocks  []place // where each block begins
	matrix  *signature.Matrix
	exact   entityMap
	fill    fill
	gone    []uint32 // records whose text was gone when they came: nothing is known of them
	opaque  []uint32 // records that hold more encoded text than is decoded

	calls  map[string]caller // by id of the call
	echoed map[string]echo   // entity said by a call, where it was said first
	said   map[string]bool   // entity said by the user
	user   []string          // what the user said
	lists  map[string]bool   // digests of tool lists that were recorded

	readings recent[uint32, *reading]
	folds    recent[int, *folded]
	spent    spent
}

// spent is what the destinations of a call have taken of the budgets together.
// What is kept of one for the next counts as well, or the answer were a matter of
// what was asked before.
type spent struct {
	verified, parsed, places int
	last                     uint32 // the record that was read last, and one more
}

// read counts a record of so many bytes. The one that was read last is there still,
// and only looked through.
func (s *spent) read(n uint32, size int) {
	if s.last == n+1 {
		size /= 16
	}
	s.parsed, s.last = s.parsed+size, n+1
}

// tuning holds the sizes that tests change.
type tuning struct {
	block  int  // folded bytes of a block
	rows   int  // of the matrix
	budget int  // blocks that are folded again for one destination
	grade  int  // records that are read for one destination
	all    bool // look at every record: what the index is compared with
}

// The sizes of the index. A record that is graded is parsed whole, so their
// number is bounded apart from that of the blocks.
const (
	blockSize   = 16 << 10
	maxVerified = 512
	maxGraded   = 256
	maxParsed   = 32 << 20 // bytes of all records that are graded
	// What all destinations of a call may take together, as so many that each take
	// all they may: a call names thousands of them at will.
	maxFolding = 32
	maxParsing = 8
	maxPlacing = 16
)

// origin is what records of one tool share.
type origin struct {
	server, tool string
	source       Source
}

// record is one message of a server.
type record struct {
	*origin
	call, writer string
	seq          uint64
	ref          abi.Text
	text         string // where no segment holds it
	prefix       string // pointer of the value in the message
	plain        bool   // the text is no JSON
	evicted      bool   // the text is gone
	viewless     bool   // nothing is encoded in it
	mute         bool   // nothing of it vouches
	quiet        bool   // it does not taint, and is kept for its labels
	size         int    // bytes of its text
	said         []string
}

// echo says when a call named an entity.
type echo struct {
	after  int    // number of records before it
	writer string // of the call
}

type caller struct {
	tool string
	said []string // what it sent to a source, folded
	mute bool     // it sent more than is kept
}

func newIndex(o Options, t tuning) *index {
	if t.block == 0 {
		t.block = blockSize
	}
	if t.budget == 0 {
		t.budget = maxVerified
	}
	if t.grade == 0 {
		t.grade = maxGraded
	}
	return &index{
		options: o, tune: t, origins: map[string]*origin{}, matrix: signature.New(t.rows),
		calls: map[string]caller{}, echoed: map[string]echo{}, said: map[string]bool{}, lists: map[string]bool{},
		readings: newRecent[uint32, *reading](keptReadings), folds: newRecent[int, *folded](keptFolds),
	}
}

// Evict implements [Index].
func (x *index) Evict(segment string) {
	for i := range x.records {
		if r := &x.records[i]; segment != "" && r.ref.Segment == segment {
			r.evicted = true
		}
	}
	x.readings.clear()
	x.folds.clear()
}

// begin starts a record and returns its number.
func (x *index) begin(e abi.Event, call, server, tool string) uint32 {
	key := server + "\x00" + tool
	o := x.origins[key]
	src := Source{}
	if x.options.Source != nil {
		src = x.options.Source(server, tool)
	}
	// The policy, and what another process may vouch for, change.
	if o == nil || !o.source.equal(src) {
		o = &origin{server, tool, src}
		x.origins[key] = o
	}
	x.records = append(x.records, record{origin: o, call: call, writer: x.writer(), seq: e.Seq})
	return uint32(len(x.records) - 1)
}

// equal says whether two sources say the same.
func (s Source) equal(t Source) bool {
	if s.Trusted != t.Trusted || s.WholeField != t.WholeField || s.Text != t.Text || len(s.Fields) != len(t.Fields) {
		return false
	}
	for k, v := range s.Fields {
		if w, ok := t.Fields[k]; !ok || w != v {
			return false
		}
	}
	return true
}

// writer names who wrote what is being recorded.
func (x *index) writer() string {
	if x.options.Writer == nil {
		return ""
	}
	return x.options.Writer()
}

// recent keeps what was used last, and the very last whatever its weight.
type recent[K comparable, V any] struct {
	most  int // weight of all
	held  map[K]V
	order []K // oldest first
	heavy map[K]int
	sum   int
}

func newRecent[K comparable, V any](most int) recent[K, V] {
	return recent[K, V]{most: most, held: map[K]V{}, heavy: map[K]int{}}
}

func (r *recent[K, V]) get(k K) (V, bool) {
	v, ok := r.held[k]
	if i := slices.Index(r.order, k); ok && i >= 0 {
		r.order = append(slices.Delete(r.order, i, i+1), k)
	}
	return v, ok
}

func (r *recent[K, V]) put(k K, v V, weight int) {
	if _, ok := r.held[k]; ok {
		r.held[k] = v // another reading of the same weighs about the same
		return
	}
	r.held[k], r.heavy[k] = v, weight
	r.order = append(r.order, k)
	r.sum += weight
	r.drop(1)
}

// trim drops what is heavier than all may be.
func (r *recent[K, V]) trim() { r.drop(0) }

// drop drops the oldest while all are too heavy, but not the last so many.
func (r *recent[K, V]) drop(but int) {
	for ; r.sum > r.most && len(r.order) > but; r.order = r.order[1:] {
		old := r.order[0]
		r.sum -= r.heavy[old]
		delete(r.held, old)
		delete(r.heavy, old)
	}
}

func (r *recent[K, V]) clear() { *r = newRecent[K, V](r.most) }
