//go:build !wasip1

package callgate

import "errors"

// world is what get looks into.
var world Value

// Logged is what the plugin has logged since the last [Load] or [Try].
var Logged []string

// Load makes a snapshot of JSON text, for a test that calls a plugin's functions
// itself. The next Load or [Try] takes its place: tests that use them do not run
// in parallel.
func Load(snapshot string) (Snapshot, error) {
	v := Parse(snapshot)
	if v.Kind() != Object {
		return Snapshot{}, errors.New("the snapshot is no JSON object")
	}
	world, Logged = v, nil
	return Snapshot{}, nil
}

// Try configures the registered plugin with the snapshot's settings, and has it
// judge the snapshot, as the host does. It returns the verdict as the host gets
// it, members sorted by name.
func Try(snapshot string) (string, error) {
	if _, err := Load(snapshot); err != nil {
		return "", err
	}
	if err := configured(); err != nil {
		return "", err
	}
	return string(evaluate()), nil
}

func get(path string, buf []byte) (Kind, int) {
	v := lookup(path)
	text := v.JSON()
	if v.Kind() == String {
		text = v.Text()
	}
	if len(text) <= len(buf) {
		copy(buf, text)
	}
	return v.Kind(), len(text)
}

// lookup finds what a pointer leads to, with a pointer of its own.
func lookup(path string) Value {
	v := world
	v.frozen = false
	return v.At(path)
}

func log(_ uint32, text string) { Logged = append(Logged, text) }

func logEnabled(uint32) bool { return true }
