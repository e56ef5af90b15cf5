//go:build !linux

package wasm

// program is what is run for a path.
func program(path string) string { return path }
