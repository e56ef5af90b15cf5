package abi

// Need is a fact from outside that a contract wants to see of a call: where the
// links in a path lead. The host finds it before the call is judged, and it
// becomes part of the call's event, so that replay sees the same.
type Need struct {
	Path string // absolute, slash-separated; it may hold ".." and "."
	// Roots are the directories below which the path may be looked at, as written
	// or resolved; none: wherever it is. They are resolved too.
	Roots []string
}
