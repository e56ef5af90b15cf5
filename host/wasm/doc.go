// Package wasm runs contracts that others wrote, as WebAssembly modules in a
// sandbox: what ABI.md says, and nothing that it does not say.
//
// A module is scanned, metered, compiled in a child process, instantiated and
// configured once. What its memory and its mutable globals hold then is the
// state that every evaluation starts from, so that no evaluation sees anything
// of another. A module that is hostile, wrong, huge or slow costs its own
// answer: an [Answer] with a class is a refusal.
package wasm
