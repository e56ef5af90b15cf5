package oci

import (
	"context"
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
		if err := outside(addr); (err == nil) != want || err != nil && !errors.Is(err, errRedirect) {
			t.Errorf("%s: %v", addr, err)
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
	if _, err := dial(time.Second)(next.Context(), "tcp", "localhost:1"); !errors.Is(err, errRedirect) {
		t.Errorf("dialed: %v", err)
	}
	// What no redirect named is where the operator says.
	if _, err := dial(time.Second)(context.Background(), "tcp", "localhost:1"); err == nil || errors.Is(err, errRedirect) {
		t.Errorf("not dialed: %v", err)
	}
	next.URL.Scheme = "http"
	if err := redirect(next, []*http.Request{first}); !errors.Is(err, errRedirect) {
		t.Errorf("to plain HTTP: %v", err)
	}
}
