//go:build !linux

package facts

// pinned says whether the very file that was measured is started.
func (l *Launch) pinned() bool { return false }

// Path is what to start: the open file where the platform can, else its path.
func (l *Launch) Path() string { return l.parts[0].path }
