// Package meter rewrites a WebAssembly module so that it counts what it does.
// The result means what the module meant, and besides it stops: at the same
// instruction on every machine and engine, when the fuel that its host granted
// is spent, and when calls nest deeper than allowed. Time plays no part.
//
// # Schedule m1
//
//	an instruction                              1
//	div, rem, sqrt                              8
//	block, loop, else, end                      0, they mark places and do nothing
//	entry of a function                         4, on top of its instructions
//	memory.fill, copy, init, table.*            1 + number of bytes or entries >> 4
//	memory.grow                                 1 + 4,096 a page that was granted
//
// What a host function costs is taken by the host from the exported counter.
//
// The instructions up to the next branch, or place that a branch goes to, are a
// region; it is charged as a whole where it begins. Whether fuel is left is
// looked at after the charges of function entries and loop headers, before each
// bulk instruction, after memory.grow, and after calls of imported functions.
// Where more than 4,096 instructions come between, or 256 after a call, the host is
// asked whether to go on, as within memory.fill below.
//
// # What is added
//
// The import callgate_m1.refuel (i64) -> i64 gets the counter when it is below
// zero and answers how much to add, at most a slice; 0 or less stops the module
// with a trap. It is asked again until the counter is not negative, so the
// total is the same whatever the size of a slice: granted less counter.
//
// memory.fill and memory.copy are charged as a whole, and moved a MiB at a time:
// after each the import gets 0, which asks for no fuel, and whose answer is not
// added. 0 or less stops the module as well. Long code without a look asks the same.
//
// Exports: the counter callgate_m1_fuel (mutable i64, 0 at first, so that the
// first function asks), callgate_m1_depth (mutable i32, callers on the stack;
// DepthExceeded after the guard stopped the module), callgate_m1_pages (mutable
// i32, the size of the memory as the module sees it), and each mutable global of
// the module's own as callgate_m1_g<index>, so that a host can restore it.
//
// A function counts as one on the stack, and as one more for each 32 KiB of its
// code, when it calls another; a host function does not count.
//
// Memory has its largest size from the start. memory.size and memory.grow are
// arithmetic on callgate_m1_pages; growth fails beyond the limit and beyond the
// maximum that the module declares. An access between the size that the module
// sees and the real one does not trap; it is zeros until the module writes.
//
// Floats: a NaN that an instruction makes is the canonical one with the sign 0,
// as in the deterministic profile of WebAssembly 3.0. Otherwise its sign and bits
// would be the processor's, and the compiler's. What only moves bits keeps them:
// loads, stores, constants, abs, neg, copysign, reinterpret.
//
// Custom sections are dropped but for name, whose functions are numbered anew.
// Code that can not be reached is dropped.
package meter
