package meter_test

import wasm "github.com/callgate/callgate/host/wasm/binary"

// expr is code that leaves a value of a type.
func (g *generator) expr(t wasm.ValType, depth int) []byte {
	if depth <= 0 || g.IntN(3) == 0 {
		return g.leaf(t)
	}
	x := func() []byte { return g.expr(t, depth-1) }
	y := func() []byte { return g.expr(g.typ(), depth-1) }
	switch g.IntN(9) {
	case 0:
		return join(x(), x(), g.expr(i32, depth-1), g.selects(t))
	case 1:
		return g.convert(t, depth-1)
	case 2:
		return g.loads(t)
	case 3:
		return join(x(), blk(wasm.OpBlock, noBlock, y(), drop))
	case 4:
		return join(g.expr(i32, depth-1), blk(wasm.OpIf, byte(t), x(), ins(wasm.OpElse), x()))
	case 5:
		if t == i32 {
			return join(g.expr(i32, depth-1), ins(wasm.OpCall, 0))
		}
	case 6:
		if t == i32 {
			return g.indirect(depth)
		}
	}
	return g.binary(t, x, x)
}

// indirect calls through the table: the host function, or what traps.
func (g *generator) indirect(depth int) []byte {
	at := int32(1)
	if g.IntN(40) == 0 {
		at = int32(g.IntN(4))
	}
	return join(g.expr(i32, depth-1), c32(at), ins(wasm.OpCallIndirect, g.hostT, 0))
}

func (g *generator) leaf(t wasm.ValType) []byte {
	switch n := g.IntN(5); {
	case n == 0 && t == i32:
		return ins(wasm.OpMemorySize, 0)
	case n == 1:
		return ins(wasm.OpGlobalGet, uint32(truth(t == i64)))
	case n == 2 && t == i32:
		return c32(int32(g.Uint32() >> g.IntN(32)))
	case n == 2:
		return c64(int64(g.Uint64() >> g.IntN(64)))
	}
	for _, l := range g.locals {
		if l == t {
			return ins(wasm.OpLocalGet, g.pick(t, false))
		}
	}
	panic("no local of the type")
}

func (g *generator) selects(t wasm.ValType) []byte {
	if g.IntN(2) == 0 {
		return ins(wasm.OpSelect)
	}
	return append(ins(wasm.OpSelectT), 1, byte(t))
}

func (g *generator) convert(t wasm.ValType, depth int) []byte {
	if t == i64 {
		return join(g.expr(i32, depth), ins([]wasm.Op{wasm.OpI64ExtendI32S, wasm.OpI64ExtendI32U}[g.IntN(2)]))
	}
	switch g.IntN(4) {
	case 0:
		return join(g.expr(i64, depth), ins(wasm.OpI32WrapI64))
	case 1:
		return join(g.expr(i64, depth), ins(wasm.OpI64Eqz))
	case 2:
		return join(g.expr(i32, depth), ins(wasm.OpI32Popcnt))
	}
	return join(g.expr(i64, depth), g.expr(i64, depth), ins(wasm.OpI64Eq+wasm.Op(g.IntN(10))))
}

func (g *generator) loads(t wasm.ValType) []byte {
	op := wasm.OpI64Load
	if t == i32 {
		op = []wasm.Op{wasm.OpI32Load, wasm.OpI32Load8U}[g.IntN(2)]
	}
	return join(g.address(), ins(op, 0, g.offset()))
}

// binary is an operation on two numbers. A division is mostly by an odd
// number, so that most modules do not trap.
func (g *generator) binary(t wasm.ValType, x, y func() []byte) []byte {
	op, or, odd := wasm.OpI32Add, wasm.OpI32Or, c32(1)
	if t == i64 {
		op, or, odd = wasm.OpI64Add, wasm.OpI64Or, c64(1)
	}
	n := wasm.Op(g.IntN(15))
	left, right := x(), y()
	if n >= 3 && n <= 6 && g.IntN(50) > 0 {
		right = join(right, odd, ins(or))
	}
	if t == i32 && g.IntN(5) == 0 {
		return join(left, right, ins(wasm.OpI32Eq+wasm.Op(g.IntN(10))))
	}
	return join(left, right, ins(op+n))
}

// callStmt calls a later function and drops what it gives.
func (g *generator) callStmt() []byte {
	later := len(g.sigs) - g.self - 1
	if later == 0 {
		return ins(wasm.OpNop)
	}
	i := g.self + 1 + g.IntN(later)
	s := g.types[g.sigs[i]]
	var b []byte
	for _, p := range s[0] {
		b = join(b, g.expr(p, 1))
	}
	if i == len(g.sigs)-1 && g.IntN(2) == 0 {
		b = join(b, c32(2), ins(wasm.OpCallIndirect, g.sigs[i], 0))
	} else {
		b = join(b, ins(wasm.OpCall, uint32(i+1)))
	}
	for range s[1] {
		b = join(b, drop)
	}
	return b
}
