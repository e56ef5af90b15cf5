package proxy

import (
	"bytes"
	"testing"

	"github.com/callgate/callgate/host/wire"
)

// answered takes answers, and tries to get ahead of them, as an exchange would that
// ends at the same moment.
type answered struct {
	r     *relay
	n     int
	ahead bool
}

func (a *answered) send(f frame) {
	if bytes.Contains(f.bytes, []byte(`"error"`)) {
		a.n++
	}
	if a.r.ending.TryLock() {
		a.ahead = true
		a.r.ending.Unlock()
	}
}

// A session and each of its exchanges end at once when the gateway does: only one of
// them finds what is open, and no exchange ends before that is answered.
func TestNoExchangeEndsBeforeItsAnswers(t *testing.T) {
	r := (&Keeper{}).newRelay()
	to := &answered{r: r}
	r.toClient = to
	for _, id := range []string{"1", "2"} {
		r.talk.client(wire.Classify([]byte(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`), wire.FromClient, wire.Options{}), nil)
	}
	r.end()
	if to.n != 2 || to.ahead {
		t.Errorf("%d answers, ahead of them: %v; want 2, and nobody", to.n, to.ahead)
	}
	r.said() // nothing is under way any more
	if r.end(); to.n != 2 {
		t.Errorf("%d answers; want none again", to.n)
	}
}
