package proxy

import (
	"sync"

	"github.com/callgate/callgate/abi"
)

// A task is remembered by the digest of its id, which a server makes as long as
// it likes. maxTasks is how many tasks are remembered with the call that each came of.
const maxTasks = 4096

// tasks says which call a task of the server came of: the result may be fetched
// over another connection. What is forgotten counts as the result of no known
// call, which vouches for nothing.
type tasks struct {
	mu    sync.Mutex
	calls map[string]string // by id of the task
	order []string          // oldest first
}

// add notes the task that a call was answered with.
func (t *tasks) add(task, call string) {
	if task == "" || call == "" {
		return
	}
	task = abi.DigestBytes([]byte(task))
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls == nil {
		t.calls = map[string]string{}
	}
	if _, again := t.calls[task]; again {
		t.calls[task] = "" // two calls claim it
		return
	}
	t.calls[task] = call
	if t.order = append(t.order, task); len(t.order) > maxTasks {
		delete(t.calls, t.order[0])
		t.order = t.order[1:]
	}
}

// call returns the id of the call that a task came of, "" if none is known.
func (t *tasks) call(task string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls[abi.DigestBytes([]byte(task))]
}
