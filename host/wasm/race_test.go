//go:build race

package wasm

// rounds is how often something must come out the same. The race detector makes
// an interpreter ten times slower, and sees nothing more in the hundredth round.
const rounds = 40

// enginesUnderSiege leaves the interpreter out here, for the same reason.
const enginesUnderSiege = 1
