package meter_test

import (
	"math/rand/v2"

	wasm "github.com/callgate/callgate/host/wasm/binary"
)

// generator makes valid modules that end. Functions call later ones only, and
// each loop has a counter of its own that nothing else writes.
type generator struct {
	*rand.Rand
	a     *asm
	types [][2][]wasm.ValType // params, results
	sigs  []uint32            // type of each defined function
	hostT uint32              // (i32) -> i32

	// of the function that is being made:
	self   int
	locals []wasm.ValType // parameters first
	groups []group
	fixed  map[uint32]bool // counters
	labels []genLabel      // innermost last
	budget int
}

// genLabel is an open block: what a branch to it carries, and for a loop the
// counter that bounds it, plus 1.
type genLabel struct {
	types   []wasm.ValType
	counter uint32
}

const (
	genPages = 3 // most pages a generated module can have
	genFuncs = 6
)

// generate makes the module of a seed. Its export f takes nothing and gives an
// i64.
func generate(seed uint64) *asm {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), a: &asm{memory: []byte{1, 1, genPages}}}
	shapes := [][2][]wasm.ValType{{nil, {i64}}, {{i32}, {i32}}, {nil, nil}, {{i32, i64}, {i64}}, {{i64}, {i32, i64}}, {{i32}, nil}}
	for _, s := range shapes {
		g.types = append(g.types, s)
		g.a.typ(s[0], s[1])
	}
	g.hostT = 1
	g.a.importFunc("env", "host", g.hostT)
	g.sigs = []uint32{0}
	for len(g.sigs) < genFuncs {
		g.sigs = append(g.sigs, uint32(g.IntN(len(shapes))))
	}
	g.a.global(i32, true, c32(int32(g.Uint32())))
	g.a.global(i64, true, c64(int64(g.Uint64())))
	g.a.global(i32, false, c32(int32(g.Uint32())))
	g.tables()
	for i := range g.sigs {
		g.function(i)
	}
	g.a.export("f", wasm.KindFunc, 1)
	return g.a
}

// tables makes a table of the last function of each kind and the host's, so
// that indirect calls from the first ones can not recur.
func (g *generator) tables() {
	g.a.tables = [][]byte{{0x70, 0, 3}}
	g.a.elems = [][]byte{join(u(0), c32(0), ins(wasm.OpEnd), u(3), u(genFuncs), u(0), u(genFuncs-1))}
}

// tableOf is the table that tables makes, for the naive model.
var tableOf = []uint32{genFuncs, 0, genFuncs - 1}

func (g *generator) function(i int) {
	s := g.types[g.sigs[i]]
	g.self, g.budget = i, 60
	g.locals = append([]wasm.ValType(nil), s[0]...)
	g.groups, g.fixed = nil, map[uint32]bool{}
	for range 3 {
		g.local(i32)
		g.local(i64)
	}
	g.labels = []genLabel{{types: s[1]}}
	body := g.stmts(4)
	for _, t := range s[1] {
		body = join(body, g.expr(t, 2))
	}
	g.a.fn(g.sigs[i], g.groups, body)
}

func (g *generator) local(t wasm.ValType) uint32 {
	g.locals = append(g.locals, t)
	g.groups = append(g.groups, group{1, t})
	return uint32(len(g.locals) - 1)
}

// pick is a local of a type; to write, one that is no counter.
func (g *generator) pick(t wasm.ValType, write bool) uint32 {
	for {
		i := uint32(g.IntN(len(g.locals)))
		if g.locals[i] == t && !(write && g.fixed[i]) {
			return i
		}
	}
}

// stmts is a row of statements that leave the stack as it is.
func (g *generator) stmts(depth int) (b []byte) {
	for range 1 + g.IntN(4) {
		if g.budget--; g.budget < 0 {
			return b
		}
		b = join(b, g.stmt(depth))
	}
	return b
}

func (g *generator) typ() wasm.ValType {
	if g.IntN(2) == 0 {
		return i32
	}
	return i64
}

func (g *generator) stmt(depth int) []byte {
	t := g.typ()
	n := g.IntN(18)
	if depth <= 0 && n >= 10 {
		n -= 10
	}
	switch n {
	case 0, 1:
		return join(g.expr(t, 3), ins(wasm.OpLocalSet, g.pick(t, true)))
	case 2:
		return join(g.address(), g.expr(t, 2), ins(store(t), 0, g.offset()))
	case 3:
		return join(g.expr(t, 2), ins(wasm.OpGlobalSet, uint32(truth(t == i64))))
	case 4:
		return join(g.address(), g.expr(i32, 1), c32(int32(g.IntN(300))), ins(wasm.OpMemoryFill, 0))
	case 5:
		return join(g.address(), g.address(), c32(int32(g.IntN(300))), ins(wasm.OpMemoryCopy, 0, 0))
	case 6:
		return g.callStmt()
	case 7:
		return join(g.expr(i32, 1), g.branchIf())
	case 8:
		return ins(wasm.OpNop)
	case 9:
		return join(c32(int32(g.IntN(3))), ins(wasm.OpMemoryGrow, 0), drop)
	case 10, 11:
		return g.loop(depth)
	case 12, 13:
		return g.ifStmt(depth)
	case 14:
		return g.block(depth)
	case 15:
		return g.table(depth)
	case 16:
		return g.away(depth)
	}
	return g.multi(depth)
}

func store(t wasm.ValType) wasm.Op {
	if t == i32 {
		return wasm.OpI32Store
	}
	return wasm.OpI64Store
}

// address is mostly inside the memory that there is at least.
func (g *generator) address() []byte {
	if g.IntN(200) == 0 {
		return g.expr(i32, 0)
	}
	return join(g.expr(i32, 1), c32(0x3fff), ins(wasm.OpI32And))
}

func (g *generator) offset() uint32 { return uint32(g.IntN(1 << g.IntN(15))) }

// inner makes statements inside a block with a label.
func (g *generator) inner(l genLabel, depth int, more ...func() []byte) []byte {
	g.labels = append(g.labels, l)
	b := g.stmts(depth - 1)
	for _, f := range more {
		b = join(b, f())
	}
	g.labels = g.labels[:len(g.labels)-1]
	return b
}

// again counts a loop's counter down and leaves whether it is above zero.
func again(counter uint32) []byte {
	return join(ins(wasm.OpLocalGet, counter), c32(1), ins(wasm.OpI32Sub), ins(wasm.OpLocalTee, counter), c32(0), ins(wasm.OpI32GtS))
}

func (g *generator) loop(depth int) []byte {
	c := g.local(i32)
	g.fixed[c] = true
	body := g.inner(genLabel{counter: c + 1}, depth, func() []byte { return join(again(c), ins(wasm.OpBrIf, 0)) })
	return join(c32(int32(1+g.IntN(4))), ins(wasm.OpLocalSet, c), blk(wasm.OpLoop, noBlock, body))
}

func (g *generator) ifStmt(depth int) []byte {
	parts := [][]byte{g.inner(genLabel{}, depth)}
	if g.IntN(2) == 0 {
		parts = append(parts, ins(wasm.OpElse), g.inner(genLabel{}, depth))
	}
	return join(g.expr(i32, 2), blk(wasm.OpIf, noBlock, parts...))
}

func (g *generator) block(depth int) []byte {
	t := g.typ()
	body := g.inner(genLabel{types: []wasm.ValType{t}}, depth, func() []byte { return g.expr(t, 2) })
	return join(blk(wasm.OpBlock, byte(t), body), ins(wasm.OpLocalSet, g.pick(t, true)))
}

// multi is a block, loop or if with a parameter and two results: type 4.
func (g *generator) multi(depth int) []byte {
	kept := g.local(i64)
	open := func() []byte { return ins(wasm.OpLocalSet, kept) }
	results := []wasm.ValType{i32, i64}
	arm := func(l genLabel) []byte {
		return join(open(), g.inner(l, depth, func() []byte { return join(g.expr(i32, 1), g.expr(i64, 1)) }))
	}
	rest := join(ins(wasm.OpLocalSet, g.pick(i64, true)), ins(wasm.OpLocalSet, g.pick(i32, true)))
	switch g.IntN(3) {
	case 0:
		return join(g.expr(i64, 1), blk(wasm.OpBlock, 4, arm(genLabel{types: results})), rest)
	case 1:
		// A branch to a loop would need its counter; give it none that is free.
		return join(g.expr(i64, 1), blk(wasm.OpLoop, 4, arm(genLabel{counter: ^uint32(0)})), rest)
	}
	return join(g.expr(i64, 1), g.expr(i32, 1), blk(wasm.OpIf, 4, arm(genLabel{types: results}), ins(wasm.OpElse), arm(genLabel{types: results})), rest)
}

// branchIf takes an i32 from the stack and may branch.
func (g *generator) branchIf() []byte {
	i := g.IntN(len(g.labels))
	l := g.labels[len(g.labels)-1-i]
	switch {
	case l.counter == ^uint32(0):
		return drop
	case l.counter > 0:
		return join(again(l.counter-1), ins(wasm.OpI32And), ins(wasm.OpBrIf, uint32(i)))
	}
	cond := g.pick(i32, true)
	b := ins(wasm.OpLocalSet, cond)
	for _, t := range l.types {
		b = join(b, g.expr(t, 1))
	}
	b = join(b, ins(wasm.OpLocalGet, cond), ins(wasm.OpBrIf, uint32(i)))
	for range l.types {
		b = join(b, drop)
	}
	return b
}

// table is three blocks and a br_table over them.
func (g *generator) table(depth int) []byte {
	index := join(g.expr(i32, 1), c32(3), ins(wasm.OpI32And))
	b := blk(wasm.OpBlock, noBlock, index, ins(wasm.OpBrTable), u(3), u(uint32(g.IntN(3))), u(1), u(2), u(uint32(g.IntN(3))), g.dead())
	return blk(wasm.OpBlock, noBlock, blk(wasm.OpBlock, noBlock, b, g.inner2(depth)), g.inner2(depth))
}

// inner2 is inner where fewer blocks are open than the code will lie in: no
// statement of it branches out.
func (g *generator) inner2(depth int) []byte {
	saved := g.labels
	g.labels = []genLabel{{counter: ^uint32(0)}}
	defer func() { g.labels = saved }()
	return g.stmts(depth - 2)
}

// dead is code behind a branch: valid, and never run.
func (g *generator) dead() []byte {
	switch g.IntN(5) {
	case 0:
		return blk(wasm.OpBlock, noBlock, ins(wasm.OpBr, 0), ins(wasm.OpI32Add), drop)
	case 1:
		return join(ins(wasm.OpI32Add), blk(wasm.OpIf, noBlock, ins(wasm.OpNop), ins(wasm.OpElse), ins(wasm.OpUnreachable)))
	case 2:
		return join(ins(wasm.OpMemoryGrow, 0), ins(wasm.OpCall, 0), drop, blk(wasm.OpLoop, noBlock, ins(wasm.OpBr, 0)))
	}
	return nil
}

// away leaves the block it is in: a branch, a return or a trap, with code that
// can not be reached behind it.
func (g *generator) away(depth int) []byte {
	var out []byte
	if g.IntN(60) == 0 {
		out = ins(wasm.OpUnreachable)
	} else {
		out = ins(wasm.OpBr, 0)
	}
	if g.IntN(6) == 0 && g.labels[0].counter == 0 {
		out = nil
		for _, t := range g.labels[0].types {
			out = join(out, g.expr(t, 1))
		}
		out = join(out, ins(wasm.OpReturn))
	}
	body := g.inner(genLabel{}, depth, func() []byte { return join(out, g.dead()) })
	if g.IntN(2) == 0 {
		return blk(wasm.OpBlock, noBlock, body)
	}
	return join(g.expr(i32, 1), blk(wasm.OpIf, noBlock, body, ins(wasm.OpElse), g.inner(genLabel{}, depth)))
}
