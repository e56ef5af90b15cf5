package meter

import "github.com/callgate/callgate/host/wasm/binary"

// Code without a loop or a call has no look at the counter, and 2 MB of it may touch
// every page that there is. So the host is asked whether to go on in between too, as
// within memory.fill; that takes no fuel and changes none.
const (
	// turnEvery is how many instructions run at most before the host has its turn,
	// whichever way they are come by.
	turnEvery = 4096
	// turnAfterCall is the same for what follows a call: 1,000 functions that return
	// one after another have no look in between either.
	turnAfterCall = 256
)

// turn counts the instruction, and writes the question before it where it is due.
func (f *function) turn() {
	if f.since++; f.since <= turnEvery || f.m.opts.Plain {
		return
	}
	f.since = 1
	f.out.ask(f.m)
}

// meet is the count behind a block: the most of all ways there.
func (f *function) meet(last frame, skips bool) {
	if !f.live {
		f.since = 0
	}
	f.since = max(f.since, last.since)
	if skips {
		f.since = max(f.since, last.entry)
	}
}

// ask writes: if the host does not want to go on, stop.
func (b *buffer) ask(m *module) {
	b.number(binary.OpI64Const, 0)
	b.at(binary.OpCall, m.imported)
	b.number(binary.OpI64Const, 0)
	b.op(binary.OpI64LeS)
	b.when()
	b.op(binary.OpUnreachable, binary.OpEnd)
}
