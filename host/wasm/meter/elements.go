package meter

import (
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

// The flags of an element segment.
const (
	segmentPassive  = 1 // or declarative, with segmentExplicit
	segmentExplicit = 2 // names its table
	segmentExprs    = 4 // its elements are expressions
	segmentFlags    = 8
)

func (m *module) elementSection() ([]byte, error) {
	r := m.reader(binary.SectionElement)
	n := r.Count(2)
	var b buffer
	b.u32(n)
	for range n {
		if err := m.segment(&r, &b); err != nil {
			return nil, err
		}
	}
	return b, done(&r)
}

// segment writes an element segment with its functions numbered anew.
func (m *module) segment(r *binary.Reader, b *buffer) error {
	at := r.Offset()
	flags := r.U32()
	if flags >= segmentFlags && r.OK() {
		r.Fail(at, fmt.Sprintf("an element segment with the flags %d", flags))
	}
	b.u32(flags)
	if flags&segmentPassive == 0 {
		if flags&segmentExplicit != 0 {
			b.u32(r.U32())
		}
		if err := m.expr(r, b); err != nil {
			return err
		}
	}
	if flags&(segmentPassive|segmentExplicit) != 0 {
		*b = append(*b, r.Byte()) // the kind, or the type
	}
	n := r.Count(1)
	b.u32(n)
	for range n {
		if flags&segmentExprs != 0 {
			if err := m.expr(r, b); err != nil {
				return err
			}
			continue
		}
		f := r.U32()
		if r.OK() && uint64(f) >= m.count() {
			return fmt.Errorf("function %d of %d", f, m.count())
		}
		m.indirect = m.indirect || f < m.imported
		b.u32(m.shifted(f))
	}
	return r.Err()
}

// expr copies a constant expression that ends somewhere in what is left.
func (m *module) expr(r *binary.Reader, b *buffer) error {
	base := r.Offset()
	e := r.Expr()
	if !r.OK() {
		return r.Err()
	}
	return m.constant(b, e, base)
}
