package oci

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"oras.land/oras-go/v2/registry/remote/retry"
)

// A registry is asked again when it says that it is busy, after the time that it asks
// for, three times, and for no longer than there is to wait.
func TestWhenARequestIsSentAgain(t *testing.T) {
	now := time.Date(2027, 6, 1, 12, 0, 0, 0, time.UTC)
	table := []struct {
		name    string
		method  string
		path    string
		status  int
		after   string
		attempt int
		left    time.Duration
		want    time.Duration // below 0: not again
	}{
		{"busy", "GET", "/v2/", 503, "", 0, time.Minute, 500 * time.Millisecond},
		{"busy again", "GET", "/v2/", 502, "", 1, time.Minute, time.Second},
		{"busy for good", "GET", "/v2/", 504, "", 2, time.Minute, -1},
		{"too much", "HEAD", "/v2/", 429, "7", 0, time.Minute, 7 * time.Second},
		{"at once", "POST", "/v2/a/blobs/uploads/", 429, "0", 1, 0, 0},
		{"at a time", "GET", "/v2/", 503, "Tue, 01 Jun 2027 12:00:09 GMT", 0, time.Minute, 9 * time.Second},
		{"at a time that was", "GET", "/v2/", 503, "Tue, 01 Jun 2027 11:00:00 GMT", 0, time.Minute, 0},
		{"at no time", "GET", "/v2/", 503, "soon", 0, time.Minute, 500 * time.Millisecond},
		{"before now", "GET", "/v2/", 503, "-3", 0, time.Minute, 500 * time.Millisecond},
		{"just as long as there is", "GET", "/v2/", 429, "30", 0, 30 * time.Second, 30 * time.Second},
		{"longer than there is", "GET", "/v2/", 429, "31", 0, 30 * time.Second, -1},
		{"for ever", "GET", "/v2/", 429, "18446744073709551615", 0, time.Minute, -1},
		{"a manifest", "PUT", "/v2/a/manifests/1", 503, "", 0, time.Minute, 500 * time.Millisecond},
		{"an upload", "PUT", "/v2/a/blobs/uploads/1", 503, "", 0, time.Minute, -1},
		{"done", "GET", "/v2/", 200, "1", 0, time.Minute, -1},
		{"not there", "GET", "/v2/", 404, "1", 0, time.Minute, -1},
		{"wants a login", "GET", "/v2/", 401, "1", 0, time.Minute, -1},
		{"broken", "GET", "/v2/", 500, "1", 0, time.Minute, -1},
	}
	for _, c := range table {
		req, err := http.NewRequest(c.method, "https://registry.example"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := newPatience(c.left)
		p.now = func() time.Time { return now }
		resp := &http.Response{StatusCode: c.status, Header: http.Header{}, Request: req}
		if c.after != "" {
			resp.Header.Set("Retry-After", c.after)
		}
		got, err := p.Retry(c.attempt, resp, nil)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
		if left := c.left - max(c.want, 0); p.left != left {
			t.Errorf("%s: %v is left to wait; want %v", c.name, p.left, left)
		}
	}
	if got, err := newPatience(time.Minute).Retry(0, nil, errStalled); got >= 0 || err != nil {
		t.Errorf("without an answer: %v, %v", got, err)
	}
}

// answers counts requests, and answers all of them alike.
type answers struct {
	status int
	bodies []string
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	a.bodies = append(a.bodies, string(body))
	return &http.Response{StatusCode: a.status, Header: http.Header{"Retry-After": {"0"}}, Body: http.NoBody, Request: req}, nil
}

// A body that can be read once only is sent once only; one that can be read again is
// sent as a whole again.
func TestABodyThatIsGoneIsNotSentAgain(t *testing.T) {
	for name, c := range map[string]struct {
		body io.Reader
		want int
	}{
		"once":  {io.LimitReader(strings.NewReader("body"), 4), 1},
		"again": {strings.NewReader("body"), Tries},
	} {
		req, err := http.NewRequest(http.MethodPut, "https://registry.example/v2/a/manifests/1", c.body)
		if err != nil {
			t.Fatal(err)
		}
		client := newClient(time.Second, "registry.example", newPatience(0))
		a := &answers{status: http.StatusServiceUnavailable}
		client.Transport.(*retry.Transport).Base.(*guard).base = a
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != a.status || len(a.bodies) != c.want {
			t.Errorf("%s: %d, sent %d times; want %d", name, resp.StatusCode, len(a.bodies), c.want)
		}
		for _, body := range a.bodies {
			if body != "body" {
				t.Errorf("%s: sent %q", name, body)
			}
		}
	}
}
