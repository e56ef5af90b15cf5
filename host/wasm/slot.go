package wasm

import (
	"sync/atomic"

	"github.com/callgate/callgate/abi"
)

// Slot holds the plugin of the current epoch. Its zero value has none, and
// refuses.
type Slot struct{ now atomic.Pointer[Plugin] }

// Swap puts a plugin in, and closes the one that was there: evaluations that are
// under way end with it, later ones ask the new one. nil: none.
func (s *Slot) Swap(p *Plugin) {
	if was := s.now.Swap(p); was != nil && was != p {
		was.Close()
	}
}

// Plugin returns the current plugin, nil for none. It may be closed at any time.
func (s *Slot) Plugin() *Plugin { return s.now.Load() }

// Evaluate asks the current plugin.
func (s *Slot) Evaluate(snapshot abi.Value) Answer {
	for {
		p := s.now.Load()
		if p == nil {
			return Answer{Class: abi.FailLoad, Detail: "no plugin is loaded"}
		}
		if p.enter() {
			defer p.leave()
			return p.evaluate(snapshot)
		}
		if s.now.Load() == p { // closed by someone else, and still here
			return Answer{Class: abi.FailHost, Detail: "the plugin is closed"}
		}
	}
}
