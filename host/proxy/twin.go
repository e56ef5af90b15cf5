package proxy

import (
	"math"
	"strconv"
	"strings"

	"github.com/callgate/callgate/host/wire"
)

// early says whether the server can not have seen the request that it answers:
// a call that is judged, or held for a person, under an id that was guessed.
func (c *Conversation) early(id wire.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.open[id.Key()]
	if twin := c.twin(id); r == nil {
		r = twin
	}
	return r != nil && r.unsent
}

// likely returns a copy of the open request that the client of the TypeScript
// SDK takes an answer for, which compares ids as numbers. It stays open, as
// another client goes on waiting.
func (c *Conversation) likely(id wire.ID) *request {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.twin(id)
	if r == nil {
		return nil
	}
	twin := *r
	twin.unsure = true
	return &twin
}

// twin returns the open request whose id is the number that a string spells, or
// nil. It is called with mu held.
func (c *Conversation) twin(id wire.ID) *request {
	text, isString := strings.CutPrefix(id.Key(), `"`)
	if !isString {
		return nil
	}
	n, ok := number(text)
	if !ok || n != math.Trunc(n) {
		return nil
	}
	if n == 0 {
		n = 0 // not minus zero
	}
	return c.open[wire.ID{Raw: strconv.FormatFloat(n, 'f', -1, 64)}.Key()]
}

// number reads a string as JavaScript's Number does.
func number(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, true
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n, true
	}
	if len(text) < 2 || text[0] != '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 0, 64) // 0x, 0o, 0b
	return float64(n), err == nil
}
