package proxy

import "sync"

// outbox sends what a reload brings, in order and beside everything else: a peer that
// does not read holds up its own frames, and neither the next reload nor anybody who
// asks how the files stand.
type outbox struct {
	mu    sync.Mutex
	queue out
	going bool // somebody sends
}

// put has some sent behind what was put before.
func (b *outbox) put(o out) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = append(b.queue, o...)
	if len(b.queue) > 0 && !b.going {
		b.going = true
		go b.run()
	}
}

// run sends until nothing is left.
func (b *outbox) run() {
	for {
		b.mu.Lock()
		o := b.queue
		b.queue = nil
		b.going = len(o) > 0
		b.mu.Unlock()
		if len(o) == 0 {
			return
		}
		o.send()
	}
}
