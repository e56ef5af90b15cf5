package oci

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// Where a redirect may lead, the address decides, and not the name.
func TestAddressesThatRedirectsDoNotReach(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:443": false, "[::1]:443": false, "[::ffff:127.0.0.1]:443": false, "169.254.169.254:80": false, "[fe80::1%eth0]:443": false,
		"0.0.0.0:443": false, "[fd00:ec2::254]:80": false, "100.100.100.200:80": false,
		"192.0.2.1:443": true, "[2001:db8::1]:443": true, "10.0.0.1:443": true,
	} {
		if err := outside(addr, false); (err == nil) != want || err != nil && !errors.Is(err, errRedirect) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	// A registry on the loopback names others there, and no more.
	for addr, want := range map[string]bool{
		"127.0.0.1:443": true, "[::1]:443": true, "[::ffff:127.0.0.1]:443": true, "192.0.2.1:443": true,
		"169.254.169.254:80": false, "[fe80::1%eth0]:443": false, "0.0.0.0:443": false, "[fd00:ec2::254]:80": false,
	} {
		if err := outside(addr, true); (err == nil) != want || err != nil && !errors.Is(err, errRedirect) {
			t.Errorf("%s, of the loopback: %v", addr, err)
		}
	}
}

func TestARedirectIsHeldToItsAddress(t *testing.T) {
	first, err := http.NewRequest(http.MethodGet, "https://registry.example/v2/a/blobs/sha256:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	next, err := http.NewRequest(http.MethodGet, "https://localhost:1/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	next.Header.Set("Authorization", "Basic x")
	if err := redirect(next, []*http.Request{first}); err != nil || next.Header.Get("Authorization") != "" {
		t.Fatal(err, next.Header)
	}
	next.URL.Scheme = "http"
	if err := redirect(next, []*http.Request{first}); !errors.Is(err, errRedirect) {
		t.Errorf("to plain HTTP: %v", err)
	}
}

// Whoever names a host, in a redirect or as where logins are, the one that is not the
// registry's is held to its address.
func TestHostsThatARegistryNames(t *testing.T) {
	for _, c := range []struct {
		registry, asked string
		redirected      bool
		want            bool // it is dialed
	}{
		{"registry.example", "https://localhost:1/token", false, false},
		{"registry.example", "https://localhost:1/x", true, false},
		{"localhost:2", "https://localhost:1/token", false, true},
		{"localhost:2", "https://localhost:1/x", true, true},
		{"localhost:1", "https://localhost:1/v2/", false, true}, // where the operator says
		{"127.0.0.1:1", "https://localhost:1/x", true, true},
	} {
		req, err := http.NewRequest(http.MethodGet, c.asked, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.redirected {
			req.Response = &http.Response{}
		}
		resp, err := newClient(time.Second, c.registry, newPatience(0)).Transport.RoundTrip(req)
		if err == nil {
			t.Fatal(errors.Join(errors.New("something listens on port 1"), resp.Body.Close()))
		}
		if errors.Is(err, errRedirect) == c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
