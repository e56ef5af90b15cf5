//go:build !race

package wasm

// rounds is how often something must come out the same.
const rounds = 1000

// enginesUnderSiege is how many of the engines meet all hostile guests.
const enginesUnderSiege = 2
