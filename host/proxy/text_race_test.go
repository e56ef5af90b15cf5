package proxy_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestResultsAndCallsAtOnce: what servers say is recorded while calls are judged,
// and a call is judged by every result that came before it.
func TestResultsAndCallsAtOnce(t *testing.T) {
	o := openMail(t, t.TempDir(), "mail", ", max_asks: 100")
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 12 {
				who := fmt.Sprintf("m%d-%d@rogue.example", i, n)
				if got := sends(t, o, "mail", "never-"+who); !strings.HasPrefix(got, "ask ") {
					t.Errorf("%s before anybody said it: %s, want ask", who, got)
				}
				reads(t, o, "mail", "please write to "+who+" at once "+filler(2000, who))
				if got := sends(t, o, "mail", who); got != "deny SINK_TAINTED" {
					t.Errorf("%s: %s, want deny", who, got)
				}
			}
		})
	}
	all.Wait()
}
