package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
)

// ServerTLS returns the configuration of a server that has its certificate and
// key in PEM files: TLS 1.2 or later, HTTP/2 and HTTP/1.1. With a file of client
// CAs, only clients get through whose certificate one of them has signed; "" for
// none.
//
// Files that change are read again at the next handshake. While a new certificate
// does not fit its key, as in the middle of being replaced, the old pair goes on;
// without a readable list of client CAs nobody gets in. Errors name the file.
func ServerTLS(cert, key, clientCA string) (*tls.Config, error) {
	s := &serverTLS{pair: &keyPair{cert: cert, key: key}, clientCA: clientCA}
	if _, err := s.current(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		NextProtos:         nextProtos(),
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return s.current() },
	}, nil
}

func nextProtos() []string { return []string{"h2", "http/1.1"} }

type serverTLS struct {
	pair     *keyPair
	clientCA string

	mu     sync.Mutex
	config *tls.Config
	used   *tls.Certificate // the certificate in config
	seenCA os.FileInfo
}

// current returns the configuration of the files as they are now.
func (s *serverTLS) current() (*tls.Config, error) {
	pair, err := s.pair.current()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var info os.FileInfo
	if s.clientCA != "" {
		if info, err = os.Stat(s.clientCA); err != nil {
			return nil, fmt.Errorf("client CA file %q: %w", s.clientCA, plain(err))
		}
	}
	if s.config != nil && s.used == pair && sameFile(s.seenCA, info) {
		return s.config, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: nextProtos(), Certificates: []tls.Certificate{*pair}}
	if s.clientCA != "" {
		if config.ClientCAs, err = readPool("client CA", s.clientCA); err != nil {
			return nil, err
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
		// A client that resumed would be let in by the list of its first time.
		config.SessionTicketsDisabled = true
	}
	s.config, s.used, s.seenCA = config, pair, info
	return config, nil
}

// ClientTLS returns the configuration of a client: TLS 1.2 or later, servers whose
// certificate a CA in the file ca has signed (of the system's if ca is ""), and a
// certificate of its own if cert and key name one. The own certificate is read
// again when its files change; the CAs are read once. Errors name the file.
func ClientTLS(ca, cert, key string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pool, err := readPool("CA", ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	if cert == "" && key == "" {
		return config, nil
	}
	pair := &keyPair{cert: cert, key: key}
	if _, err := pair.current(); err != nil {
		return nil, err
	}
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return pair.current() }
	return config, nil
}

// keyPair is a certificate with its key in two files.
type keyPair struct {
	cert, key string

	mu                sync.Mutex
	loaded            *tls.Certificate
	seenCert, seenKey os.FileInfo
}

// current returns the pair of the files as they are, or the one before while they do not fit.
func (p *keyPair) current() (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cert == "" || p.key == "" {
		return nil, errors.New("a certificate and its key go together; name both files")
	}
	cert, errCert := os.Stat(p.cert)
	key, errKey := os.Stat(p.key)
	if p.loaded != nil && (errCert != nil || errKey != nil || sameFile(p.seenCert, cert) && sameFile(p.seenKey, key)) {
		return p.loaded, nil
	}
	pair, err := p.read()
	if err != nil {
		if p.loaded != nil {
			return p.loaded, nil
		}
		return nil, err
	}
	p.loaded, p.seenCert, p.seenKey = pair, cert, key
	return pair, nil
}

func (p *keyPair) read() (*tls.Certificate, error) {
	cert, err := os.ReadFile(p.cert)
	if err != nil {
		return nil, fmt.Errorf("certificate file %q: %w", p.cert, plain(err))
	}
	key, err := os.ReadFile(p.key)
	if err != nil {
		return nil, fmt.Errorf("key file %q: %w", p.key, plain(err))
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("certificate file %q with key file %q: %w", p.cert, p.key, err)
	}
	return &pair, nil
}

func readPool(what, name string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s file %q: %w", what, name, plain(err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s file %q holds no certificate in PEM; want BEGIN CERTIFICATE", what, name)
	}
	return pool, nil
}

// sameFile says whether a file is the one that was read, unchanged.
func sameFile(was, is os.FileInfo) bool {
	if was == nil || is == nil {
		return was == is
	}
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}

// plain takes the path out of an error that stands behind it.
func plain(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// PeerName returns the name in the client certificate of a request, as its CA has
// verified it: its URI (SPIFFE has exactly one), or the common name of a
// certificate without. It returns false without such a certificate, and for names
// that could be taken for others: several URIs, a common name that looks like a
// URI or holds more than printable ASCII.
func PeerName(r *http.Request) (string, bool) {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 || len(r.TLS.VerifiedChains[0]) == 0 {
		return "", false
	}
	leaf := r.TLS.VerifiedChains[0][0]
	name := leaf.Subject.CommonName
	switch len(leaf.URIs) {
	case 0:
		if strings.Contains(name, ":") {
			return "", false
		}
	case 1:
		name = leaf.URIs[0].String()
	default:
		return "", false
	}
	ok := name != "" && len(name) <= 512 && !strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c > '~' })
	return name, ok
}
