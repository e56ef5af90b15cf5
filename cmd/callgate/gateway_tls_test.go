package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/transport"
)

// authority signs certificates in a directory.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T, dir string) *authority {
	t.Helper()
	a := &authority{dir: dir, pool: x509.NewCertPool()}
	a.cert, a.key = a.sign(t, "ca", &x509.Certificate{Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	a.pool.AddCert(a.cert)
	return a
}

// sign writes NAME.pem and NAME.key. The first certificate signs itself.
func (a *authority) sign(t *testing.T, name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	template.SerialNumber, _ = rand.Int(rand.Reader, big.NewInt(1<<62))
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	keepFile(t, filepath.Join(a.dir, name+".pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	keepFile(t, filepath.Join(a.dir, name+".key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// client signs a certificate and returns a client that shows it; "" for none.
func (a *authority) client(t *testing.T, name string, template *x509.Certificate) *http.Client {
	t.Helper()
	config := &tls.Config{RootCAs: a.pool}
	if name != "" {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		a.sign(t, name, template)
		pair, err := tls.LoadX509KeyPair(filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key"))
		if err != nil {
			t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	tr := &http.Transport{TLSClientConfig: config}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func keepFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// upstream is a server that keeps the headers that it got last.
type upstream struct {
	*httptest.Server
	mu   sync.Mutex
	last http.Header
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // what it says is not looked at
		u.mu.Lock()
		u.last = r.Header
		u.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"u","version":"1"}}}`)
	}))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) header() http.Header {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.last
}

// startGateway serves a configuration until the test ends, and returns its
// address.
func startGateway(t *testing.T, dir, config string) string {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(dir, "run"))
	keepFile(t, filepath.Join(dir, "gateway.yaml"), config)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := gatewayFlags{config: filepath.Join(dir, "gateway.yaml"), listen: "127.0.0.1:0"}.setUp(stdio{err: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ln, err := transport.Listen(ctx, s.listen, s.tls != nil, s.clients.known(), 100)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, ln, nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

// initialize sends the first request of a session, and returns its status.
func initialize(t *testing.T, c *http.Client, to string, header map[string]string) (int, http.Header) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, to, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := c.Do(req)
	if err != nil {
		return 0, nil // the handshake
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body) // the status says enough
	return res.StatusCode, res.Header
}

func TestClientsAreNamedByTheirCertificates(t *testing.T) {
	dir := t.TempDir()
	ca, other := newAuthority(t, dir), newAuthority(t, t.TempDir())
	ca.sign(t, "server", &x509.Certificate{Subject: pkix.Name{CommonName: "gw"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	keepFile(t, filepath.Join(dir, "bot.token"), "0123456789abcdef0123456789abcdef")
	up := newUpstream(t)
	spiffe, err := url.Parse("spiffe://corp/alice")
	if err != nil {
		t.Fatal(err)
	}
	alice := ca.client(t, "alice", &x509.Certificate{Subject: pkix.Name{CommonName: "whatever"}, URIs: []*url.URL{spiffe}})
	carol := ca.client(t, "carol", &x509.Certificate{Subject: pkix.Name{CommonName: "carol"}})
	mallory := other.client(t, "alice", &x509.Certificate{Subject: pkix.Name{CommonName: "carol"}})
	mallory.Transport.(*http.Transport).TLSClientConfig.RootCAs = ca.pool
	nobody := ca.client(t, "", nil)
	bot := map[string]string{"Authorization": "bearer 0123456789abcdef0123456789abcdef"}

	const head = "callgate_gateway: 1\nledger: ledger\ntls: {cert: server.pem, key: server.key, client_ca: ca.pem}\n"
	servers := "servers: {up: {url: " + up.URL + "}}\n"
	cases := []struct {
		name, config string
		client       *http.Client
		header       map[string]string
		status       int
		group        string // that has a ledger then
	}{
		{"a URI that is listed", head + "clients: [{name: alice, certificate: \"spiffe://corp/alice\"}]\n", alice, nil, 200, "gateway-alice"},
		{"a name that is not listed", head + "clients: [{name: alice, certificate: \"spiffe://corp/alice\"}]\n", carol, nil, 403, ""},
		{"a name that is listed", head + "clients: [{name: c, certificate: carol}]\n", carol, nil, 200, "gateway-c"},
		{"any name of the CA", head, carol, nil, 200, "gateway-carol"},
		{"a URI of the CA", head, alice, nil, 200, "gateway-spiffe%3A%2F%2Fcorp%2Falice"},
		{"another CA", head, mallory, nil, 0, ""},
		{"no certificate", head, nobody, nil, 0, ""},
		{"a token beside a certificate", head + "clients: [{name: bot, token_file: bot.token}]\n", carol, bot, 200, "gateway-bot"},
		{"a certificate without the token", head + "clients: [{name: bot, token_file: bot.token}]\n", carol, nil, 401, ""},
		{"a token and a certificate of two clients", head + "clients: [{name: bot, token_file: bot.token}, {name: c, certificate: carol}]\n", carol, bot, 403, ""},
		{"a certificate where tokens are too", head + "clients: [{name: bot, token_file: bot.token}, {name: c, certificate: carol}]\n", carol, nil, 200, "gateway-c"},
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := os.RemoveAll(filepath.Join(dir, "ledger")); err != nil {
				t.Fatal(err)
			}
			at := startGateway(t, dir, c.config+servers)
			status, header := initialize(t, c.client, "https://"+at+"/mcp/up", c.header)
			if status != c.status {
				t.Errorf("status %d; want %d", status, c.status)
			}
			if challenged := header.Get("Www-Authenticate"); (challenged == challenge) != (status == http.StatusUnauthorized) {
				t.Errorf("status %d and the challenge %q", status, challenged)
			}
			groups := []string{}
			entries, _ := os.ReadDir(filepath.Join(dir, "ledger")) // no directory: no groups
			for _, e := range entries {
				groups = append(groups, e.Name())
			}
			if got := strings.Join(groups, " "); got != c.group {
				t.Errorf("ledgers of %q; want %q", got, c.group)
			}
			c.client.CloseIdleConnections()
		})
	}
}

func TestSecretsGoWhereTheyBelong(t *testing.T) {
	dir := t.TempDir()
	keepFile(t, filepath.Join(dir, "a.token"), "0123456789abcdef0123456789abcdef")
	keepFile(t, filepath.Join(dir, "up.headers"), "X-Api-Key: key\nAuthorization: Bearer of-the-operator\n")
	up := newUpstream(t)
	const (
		mine   = "Bearer 0123456789abcdef0123456789abcdef"
		theirs = "Bearer for-the-server"
	)
	clients := "clients: [{name: a, token_file: a.token}]\n"
	config := func(lines, server string) string {
		return "callgate_gateway: 1\nledger: ledger\n" + lines + "servers: {up: {url: " + up.URL + server + "}}\n"
	}
	cases := []struct {
		name, config string
		header       map[string]string
		status       int
		want         string // Authorization that arrives
	}{
		{"nothing is passed by default", config("", ""), map[string]string{"Authorization": theirs}, 200, ""},
		{"what is passed", config("", ", authorization: pass"), map[string]string{"Authorization": theirs}, 200, theirs},
		{"the gateway's own token is not", config(clients, ", authorization: pass"), map[string]string{"Authorization": mine}, 200, ""},
		{"nor beside its own header", config(clients, ", authorization: pass"), map[string]string{"Authorization": mine, "Callgate-Token": mine[7:]}, 200, ""},
		{"the server's, beside the gateway's", config(clients, ", authorization: pass"), map[string]string{"Authorization": theirs, "Callgate-Token": mine[7:]}, 200, theirs},
		{"the server's is none of the gateway's", config(clients, ", authorization: pass"), map[string]string{"Authorization": theirs}, 401, ""},
		{"the operator's", config("", ", headers_file: up.headers"), map[string]string{"Authorization": theirs}, 200, "Bearer of-the-operator"},
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			up.mu.Lock()
			up.last = nil
			up.mu.Unlock()
			at := startGateway(t, dir, c.config)
			status, _ := initialize(t, http.DefaultClient, "http://"+at+"/mcp/up", c.header)
			got := up.header()
			if status != c.status || got.Get("Authorization") != c.want || got.Get(tokenHeader) != "" {
				t.Errorf("status %d and %q arrived; want %d and %q", status, got, c.status, c.want)
			}
			if wants := strings.Contains(c.config, "headers_file"); (got.Get("X-Api-Key") == "key") != wants {
				t.Errorf("%q arrived; want the operator's header: %v", got, wants)
			}
			log, err := os.ReadFile(filepath.Join(dir, "log"))
			if err != nil || bytes.Contains(log, []byte("Bearer")) || bytes.Contains(log, []byte(mine[7:])) {
				t.Errorf("the log says %s (%v)", log, err)
			}
		})
	}
}
