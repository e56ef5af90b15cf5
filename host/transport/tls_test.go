package transport

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority is a CA of a test, with the directory that it writes files to.
type authority struct {
	t    *testing.T
	dir  string
	name string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	next int64
}

func newAuthority(t *testing.T, dir, name string) *authority {
	t.Helper()
	a := &authority{t: t, dir: dir, name: name}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.cert, a.key = a.issue(template, nil, nil)
	a.write(name+".pem", "CERTIFICATE", a.cert.Raw)
	return a
}

func (a *authority) issue(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if parent == nil {
		parent, signer = template, key
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

// write replaces a file as a whole, so that it is another one.
func (a *authority) write(name, kind string, der []byte) string {
	a.t.Helper()
	to := filepath.Join(a.dir, name)
	if err := os.WriteFile(to+".new", pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	if err := os.Rename(to+".new", to); err != nil {
		a.t.Fatal(err)
	}
	return to
}

// pair writes a certificate and its key.
func (a *authority) pair(name, commonName string, uris ...string) (cert, key string) {
	a.t.Helper()
	a.next++
	template := &x509.Certificate{SerialNumber: big.NewInt(100 + a.next), Subject: pkix.Name{CommonName: commonName}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	for _, u := range uris {
		parsed, err := url.Parse(u)
		if err != nil {
			a.t.Fatal(err)
		}
		template.URIs = append(template.URIs, parsed)
	}
	leaf, secret := a.issue(template, a.cert, a.key)
	der, err := x509.MarshalECPrivateKey(secret)
	if err != nil {
		a.t.Fatal(err)
	}
	return a.write(name+".pem", "CERTIFICATE", leaf.Raw), a.write(name+".key", "EC PRIVATE KEY", der)
}

func (a *authority) file() string { return filepath.Join(a.dir, a.name+".pem") }

// greet serves the peer's name over TLS and returns its address.
func greet(t *testing.T, config *tls.Config) string {
	t.Helper()
	ln, err := Listen(context.Background(), "127.0.0.1:0", true, false, 16)
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(context.Background(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := PeerName(r)
		if !ok {
			name = "nobody"
		}
		_, _ = io.WriteString(w, r.Proto+" "+name)
	}), log.New(io.Discard, "", 0))
	srv.TLSConfig = config
	served := make(chan error, 1)
	go func() { served <- srv.ServeTLS(ln, "", "") }()
	t.Cleanup(func() { _ = srv.Close(); <-served })
	return "https://" + ln.Addr().String()
}

// knock makes one request on a connection of its own, and returns the answer and the name in the server's certificate.
func knock(t *testing.T, to string, config *tls.Config) (answer, server string, err error) {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	r, err := (&http.Client{Transport: transport}).Get(to)
	if err != nil {
		return "", "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return string(body), r.TLS.PeerCertificates[0].Subject.CommonName, err
}

func mustClient(t *testing.T, ca, cert, key string) *tls.Config {
	t.Helper()
	config, err := ClientTLS(ca, cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func TestTLSLetsInWhoeverIsVouchedFor(t *testing.T) {
	dir := t.TempDir()
	ours, others := newAuthority(t, dir, "ours"), newAuthority(t, dir, "others")
	cert, key := ours.pair("server", "gate")
	open, err := ServerTLS(cert, key, "")
	if err != nil {
		t.Fatal(err)
	}
	closed, err := ServerTLS(cert, key, ours.file())
	if err != nil {
		t.Fatal(err)
	}
	alice, aliceKey := ours.pair("alice", "alice")
	agent, agentKey := ours.pair("agent", "agent", "spiffe://example.org/agent")
	two, twoKey := ours.pair("two", "two", "spiffe://example.org/a", "spiffe://example.org/b")
	sham, shamKey := ours.pair("sham", "spiffe://example.org/agent")
	odd, oddKey := ours.pair("odd", "ali\u0441e")
	mallory, malloryKey := others.pair("mallory", "alice")
	openAt, closedAt := greet(t, open), greet(t, closed)
	cases := []struct {
		name   string
		to     string
		config *tls.Config
		want   string // "": no answer
	}{
		{"anybody, where no client CA is", openAt, mustClient(t, ours.file(), "", ""), "HTTP/2.0 nobody"},
		{"somebody who takes the server for another", openAt, mustClient(t, others.file(), "", ""), ""},
		{"a name that nobody has verified", openAt, mustClient(t, ours.file(), alice, aliceKey), "HTTP/2.0 nobody"},
		{"a client", closedAt, mustClient(t, ours.file(), alice, aliceKey), "HTTP/2.0 alice"},
		{"a client with a URI", closedAt, mustClient(t, ours.file(), agent, agentKey), "HTTP/2.0 spiffe://example.org/agent"},
		{"a client with two URIs", closedAt, mustClient(t, ours.file(), two, twoKey), "HTTP/2.0 nobody"},
		{"a common name like a URI", closedAt, mustClient(t, ours.file(), sham, shamKey), "HTTP/2.0 nobody"},
		{"a common name beyond ASCII", closedAt, mustClient(t, ours.file(), odd, oddKey), "HTTP/2.0 nobody"},
		{"a client of another CA", closedAt, mustClient(t, ours.file(), mallory, malloryKey), ""},
		{"a client without certificate", closedAt, mustClient(t, ours.file(), "", ""), ""},
		{"a client of TLS 1.1", openAt, &tls.Config{RootCAs: pool(t, ours), MaxVersion: tls.VersionTLS11}, ""},
	}
	tally(t, len(cases))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			answer, _, err := knock(t, c.to, c.config)
			if answer != c.want || (err == nil) != (c.want != "") {
				t.Errorf("answered %q, %v; want %q", answer, err, c.want)
			}
		})
	}
}

func pool(t *testing.T, a *authority) *x509.CertPool {
	t.Helper()
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

func TestTLSFilesAreReadAgain(t *testing.T) {
	dir := t.TempDir()
	ours, clients := newAuthority(t, dir, "ours"), newAuthority(t, dir, "clients")
	cert, key := ours.pair("server", "first")
	config, err := ServerTLS(cert, key, clients.file())
	if err != nil {
		t.Fatal(err)
	}
	at := greet(t, config)
	alice, aliceKey := clients.pair("alice", "alice")
	client := mustClient(t, ours.file(), alice, aliceKey)
	client.ClientSessionCache = tls.NewLRUClientSessionCache(4)
	expect := func(step, wantServer string) {
		t.Helper()
		answer, server, err := knock(t, at, client)
		if server != wantServer || (err == nil) != (wantServer != "") || err == nil && !strings.HasSuffix(answer, " alice") {
			t.Errorf("%s: %q from %q, %v; want an answer to alice from %q", step, answer, server, err, wantServer)
		}
	}
	expect("at first", "first")
	ours.pair("server", "second")
	expect("with a new certificate", "second")
	stranger := newAuthority(t, t.TempDir(), "stranger")
	half, _ := stranger.pair("server", "third")
	if err := os.Rename(half, cert); err != nil {
		t.Fatal(err)
	}
	expect("with a certificate that does not fit its key", "second")
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	expect("without a key", "second")
	ours.pair("server", "fourth")
	expect("with a new pair", "fourth")
	newAuthority(t, dir, "clients")
	expect("with other client CAs", "")
	if err := os.Remove(clients.file()); err != nil {
		t.Fatal(err)
	}
	expect("without client CAs", "")
	clients.write("clients.pem", "CERTIFICATE", clients.cert.Raw)
	expect("with the client CAs of before", "fourth")
}

func TestTLSErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	ours := newAuthority(t, dir, "ours")
	cert, key := ours.pair("server", "gate")
	_, otherKey := ours.pair("other", "other")
	empty := ours.write("empty.pem", "NOTHING", nil)
	missing := filepath.Join(dir, "missing")
	server := func(cert, key, ca string) error { _, err := ServerTLS(cert, key, ca); return err }
	client := func(ca, cert, key string) error { _, err := ClientTLS(ca, cert, key); return err }
	cases := []struct {
		name string
		err  error
		want string // "": none
	}{
		{"all is there", server(cert, key, ours.file()), ""},
		{"no certificate", server(missing, key, ""), missing},
		{"no key", server(cert, missing, ""), missing},
		{"no name for the key", server(cert, "", ""), "both files"},
		{"no names at all", server("", "", ""), "both files"},
		{"another key", server(cert, otherKey, ""), otherKey},
		{"no certificate in the file", server(empty, key, ""), empty},
		{"no client CA", server(cert, key, missing), missing},
		{"no client CA in the file", server(cert, key, empty), empty},
		{"a client with nothing", client("", "", ""), ""},
		{"a client with all", client(ours.file(), cert, key), ""},
		{"a client without CA", client(missing, "", ""), missing},
		{"a client without CA in the file", client(empty, "", ""), empty},
		{"a client without key", client("", cert, ""), "both files"},
		{"a client without certificate", client("", "", key), "both files"},
		{"a client with another key", client("", cert, otherKey), otherKey},
	}
	tally(t, len(cases))
	for _, c := range cases {
		if c.want == "" && c.err != nil || c.want != "" && (c.err == nil || !strings.Contains(c.err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q in it", c.name, c.err, c.want)
		}
	}
}
