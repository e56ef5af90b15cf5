package wasm

import "os"

// program is what is run for a path: for that of this program, the very program
// that runs, though its file was replaced by another version, or is gone.
func program(path string) string {
	const running = "/proc/self/exe"
	if self, err := os.Executable(); err != nil || self != path {
		return path
	}
	if _, err := os.Stat(running); err != nil {
		return path
	}
	return running
}
