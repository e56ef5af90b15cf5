package oci_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/bundle/oci/ocitest"
)

// busyFor answers requests of a method and path that it is busy, so many times.
func busyFor(times, code int, after, method, path string) func(http.ResponseWriter, *http.Request) bool {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if times == 0 || r.Method != method || !strings.HasPrefix(r.URL.Path, path) {
			return false
		}
		times--
		w.Header().Set("Retry-After", after)
		w.WriteHeader(code)
		return true
	}
}

// asked is how often something was asked for.
func asked(r *ocitest.Registry, since int, method, path string) (n int) {
	for _, one := range r.Requests()[since:] {
		if strings.HasPrefix(one, method+" "+path) {
			n++
		}
	}
	return n
}

// A registry that is busy for a moment is asked again, whatever is asked for; one that
// stays so is not asked for ever, and neither is one that says no.
func TestABusyRegistryIsAskedAgain(t *testing.T) {
	s := newSigner(t)
	b := plugin(t, "1.2.0")
	push := func(t *testing.T, text string) error {
		_, err := connect(t, text).Push(context.Background(), b, [][]byte{s.sign(b)}, false)
		return err
	}
	pull := func(t *testing.T, text string) error {
		login(t)
		_, err := fetch(t, keeper(t, s), text)
		return err
	}
	const uploads = "/v2/acme/no-exfil/blobs/uploads/"
	for name, c := range map[string]struct {
		do           func(*testing.T, string) error
		method, path string
	}{
		"a manifest":                {pull, http.MethodGet, manifestsPath + "1.2.0"},
		"the bundle":                {pull, http.MethodGet, blobsPath + b.Digest},
		"the list of signatures":    {pull, http.MethodGet, "/v2/acme/no-exfil/referrers/"},
		"what a tag names":          {push, http.MethodHead, manifestsPath + "1.2.0"},
		"whether a bundle is there": {push, http.MethodHead, blobsPath + b.Digest},
		"where an upload goes":      {push, http.MethodPost, uploads},
		"an upload":                 {push, http.MethodPut, uploads},
		"the tag":                   {push, http.MethodPut, manifestsPath + "1.2.0"},
	} {
		for _, how := range []struct {
			times, code int
			after, want string
			sent        int // at least
		}{
			{1, http.StatusTooManyRequests, "0", "", 2},
			{2, http.StatusServiceUnavailable, "0", "", 3},
			{3, http.StatusBadGateway, "0", "answers 502 Bad Gateway; try again later", 3},
			{1, http.StatusGatewayTimeout, "90", "answers 504 Gateway Timeout; it asks to wait 1m30s: try again then", 1},
			{1, http.StatusInternalServerError, "0", "answers 500 Internal Server Error", 1},
			{1, http.StatusForbidden, "0", "answers 403 Forbidden", 1},
		} {
			t.Run(name+" "+http.StatusText(how.code), func(t *testing.T) {
				r := &ocitest.Registry{Referrers: true}
				text := "oci://" + serve(t, r) + "/acme/no-exfil:1.2.0"
				if login(t); name == "a manifest" || name == "the bundle" || name == "the list of signatures" {
					if err := push(t, text); err != nil {
						t.Fatal(err)
					}
				}
				before := len(r.Requests())
				r.Instead = busyFor(how.times, how.code, how.after, c.method, c.path)
				if err := says(c.do(t, text), how.want); err != nil {
					t.Error(err)
				}
				if n := asked(r, before, c.method, c.path); how.want == "" && n < how.sent || how.want != "" && n != how.sent {
					t.Errorf("asked %d times; want %d: %q", n, how.sent, r.Requests()[before:])
				}
				if how.want == "" {
					if _, err := fetch(t, keeper(t, s), text); err != nil {
						t.Errorf("what came of it: %v", err)
					}
				}
			})
		}
	}
}

// An upload that was not taken begins anew, with a place of its own: the one before may
// be gone.
func TestAnUploadBeginsAnew(t *testing.T) {
	login(t)
	s := newSigner(t)
	b := plugin(t, "1.2.0")
	r := &ocitest.Registry{Referrers: true}
	gone := map[string]bool{}
	var mu sync.Mutex
	places := 0
	r.Instead = func(w http.ResponseWriter, req *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		at, isUpload := strings.CutPrefix(req.URL.Path, "/v2/acme/no-exfil/blobs/uploads/")
		switch {
		case !isUpload:
			return false
		case req.Method == http.MethodPost:
			places++
			w.Header().Set("Location", req.URL.Path+strings.Repeat("x", places))
			w.WriteHeader(http.StatusAccepted)
		case gone[at]:
			w.WriteHeader(http.StatusNotFound)
		case len(gone) < 2:
			gone[at] = true
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			return false
		}
		return true
	}
	text := "oci://" + serve(t, r) + "/acme/no-exfil:1.2.0"
	if _, err := connect(t, text).Push(context.Background(), b, [][]byte{s.sign(b)}, false); err != nil {
		t.Fatal(err)
	}
	r.Instead = nil
	if v, err := fetch(t, keeper(t, s), text); err != nil || !slices.Equal(v.Keys, []string{"acme"}) || len(gone) != 2 {
		t.Errorf("%v, %d places were gone", err, len(gone))
	}
}
