package facts

import (
	"os"
	"strconv"
)

// pinned says whether the very file that was measured is started.
func (l *Launch) pinned() bool {
	if !l.native {
		return false // what interprets a script opens it by its path
	}
	_, err := os.Stat(l.self())
	return err == nil
}

func (l *Launch) self() string { return "/proc/self/fd/" + strconv.Itoa(int(l.program.Fd())) }

// Path is what to start: the open file where the platform can, else its path.
func (l *Launch) Path() string {
	if l.pinned() {
		return l.self()
	}
	return l.parts[0].path
}
