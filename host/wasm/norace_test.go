//go:build !race

package wasm

// rounds is how often something must come out the same.
const rounds = 1000
