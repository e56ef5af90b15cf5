package oci

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"oras.land/oras-go/v2/registry/remote/errcode"
)

// Tries is how often one request is sent to a registry that says that it is busy.
const Tries = 3

// firstPause is before the second try where the registry does not say how long to
// wait; each one after it is twice as long.
const firstPause = 500 * time.Millisecond

// busy are the answers of a registry, or of what stands before it, that may be others
// a moment later.
var busy = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// patience says whether a request is sent again, and after which pause: it is the
// retry.Policy of a registry. What it waits in all, for everything about one
// reference, is bounded.
type patience struct {
	now func() time.Time

	mu    sync.Mutex
	left  time.Duration // of what may be waited
	asked time.Duration // how long the last answer asked to wait, below 0: it did not
}

func newPatience(most time.Duration) *patience {
	return &patience{now: time.Now, left: most, asked: -1}
}

// Retry is how long to wait before a request is sent again, below 0 to take the answer
// as it is.
func (p *patience) Retry(attempt int, resp *http.Response, err error) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = -1
	if err != nil || !slices.Contains(busy, resp.StatusCode) {
		return -1, nil
	}
	p.asked = retryAfter(resp.Header.Get("Retry-After"), p.now())
	// What came of an upload is not known, and its place may be gone: see put.
	if r := resp.Request; r != nil && r.Method == http.MethodPut && !strings.Contains(r.URL.Path, "/manifests/") {
		return -1, nil
	}
	return p.pause(attempt), nil
}

// pause is the one after a number of tries, out of what is left.
func (p *patience) pause(attempt int) time.Duration {
	wait := p.asked
	if wait < 0 {
		wait = firstPause << min(attempt, Tries)
	}
	if attempt >= Tries-1 || wait > p.left {
		return -1
	}
	p.left -= wait
	return wait
}

// again waits until an upload that a busy registry did not take may begin anew, and
// says whether it may.
func (p *patience) again(ctx context.Context, attempt int, err error) bool {
	var answer *errcode.ErrorResponse
	if !errors.As(err, &answer) || answer.Method != http.MethodPut || !slices.Contains(busy, answer.StatusCode) {
		return false
	}
	p.mu.Lock()
	wait := p.pause(attempt)
	p.mu.Unlock()
	if wait < 0 {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// wanted is how long the last answer asked to wait, 0 or below: it did not.
func (p *patience) wanted() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// maxRetryAfter is the longest time to wait that is told apart from longer ones.
const maxRetryAfter = 24 * time.Hour

// retryAfter reads the header of that name: seconds, or a date. Below 0: there is none.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return time.Duration(min(n, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	if day, err := http.ParseTime(text); err == nil {
		return min(max(day.Sub(now), 0), maxRetryAfter)
	}
	return -1
}
