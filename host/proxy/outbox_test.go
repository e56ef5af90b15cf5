package proxy

import (
	"slices"
	"testing"
)

// What is sent to a peer that does not read comes out in order once it does, and nobody
// waits for it meanwhile.
func TestAnOutboxHoldsUpNobody(t *testing.T) {
	var b outbox
	var got []int
	reads, done := make(chan struct{}), make(chan struct{})
	add := func(n int) func() { return func() { got = append(got, n) } }
	b.put(nil)
	b.put(out{func() { <-reads }, add(1), add(2)})
	b.put(out{add(3)}) // were it to wait, so would the test
	b.put(out{add(4), func() { close(done) }})
	close(reads)
	<-done
	if want := []int{1, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
	again := make(chan struct{})
	b.put(out{func() { close(again) }}) // it begins anew
	<-again
}
