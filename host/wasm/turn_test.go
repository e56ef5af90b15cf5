package wasm

import (
	"testing"
	"time"
)

// TestAGuestGivesItsProcessorAway once it had it for long enough, and keeps it
// until then.
func TestAGuestGivesItsProcessorAway(t *testing.T) {
	now := time.Now()
	late := run{turned: now.Add(-turnAfter)}
	if at := late.turn(); at.Before(now) || !late.turned.Equal(at) {
		t.Errorf("it had its processor for %v, and kept it", turnAfter)
	}
	since := now.Add(time.Hour)
	early := run{turned: since}
	if at := early.turn(); at.Before(now) || !early.turned.Equal(since) {
		t.Error("it gave its processor away at once")
	}
}

// TestASliceIsShort whatever a guest does with it: 0.3 µs is the most that one fuel
// was made to take, by branches to one of thousands of places, and native code holds
// up whatever stops the world. A host can tell a slice from a larger one only by that.
func TestASliceIsShort(t *testing.T) {
	const worst, most = 300 * time.Nanosecond, 10 * time.Millisecond
	if took := FuelSlice * worst; took > most {
		t.Errorf("a slice of %d may take %v; want %v", FuelSlice, took, most)
	}
	if least := 1000; FuelSlice < least {
		t.Errorf("a slice of %d, which is less than what the call of the host takes; want %d", FuelSlice, least)
	}
}
