package main

import (
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci/ocitest"
)

// scriptRegistry runs a registry, which $REGISTRY is: registry [USER:PASSWORD]. With
// "html" it is a page, with "elsewhere" it redirects to the registry before it, with
// "tls" it has a certificate that is its own authority, authority.pem.
func scriptRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: registry [USER:PASSWORD | html | elsewhere | tls]")
	}
	r := &ocitest.Registry{Referrers: true}
	var h http.Handler = r
	before := ts.Getenv("REGISTRY")
	switch strings.Join(args, "") {
	case "", "tls":
	case "html":
		h = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if _, err := w.Write([]byte("<html>\x1b[2J</html>")); err != nil {
				return // whoever asked is gone
			}
		})
	case "elsewhere":
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+before+r.URL.Path, http.StatusTemporaryRedirect)
		})
	default:
		r.Login = args[0]
	}
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	ts.Defer(s.Close)
	if strings.Join(args, "") == "tls" {
		s.StartTLS()
		ts.Check(os.WriteFile(ts.MkAbs("authority.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	} else {
		s.Start()
	}
	_, host, _ := strings.Cut(s.URL, "://")
	ts.Setenv("REGISTRY", host)
}

// scriptProxy runs a proxy, which $PROXY is, that leads everywhere to $REGISTRY and
// wants a login: proxy USER:PASSWORD.
func scriptProxy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: proxy USER:PASSWORD")
	}
	to := ts.Getenv("REGISTRY")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if want := "Basic " + base64.StdEncoding.EncodeToString([]byte(args[0])); r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != want {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		there, err := net.Dial("tcp", to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		here, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return // who asked is gone
		}
		if _, err := io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n"); err != nil {
			return
		}
		for _, way := range [][2]net.Conn{{here, there}, {there, here}} {
			go func() {
				_, _ = io.Copy(way[0], way[1]) // until one of them ends
				_ = way[0].Close()
			}()
		}
	}))
	ts.Defer(s.Close)
	ts.Setenv("PROXY", strings.TrimPrefix(s.URL, "http://"))
}

// scriptSigned writes a bundle and its signature: signed FILE VERSION [KEY]. The key
// "acme", unless another is named, is made when it is first used, as KEY.pub as well,
// and is trusted with acme/; any other is not.
func scriptSigned(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: signed FILE VERSION [KEY]")
	}
	key := "acme"
	if len(args) == 3 {
		key = args[2]
	}
	manifest := []byte(`{"schema":"callgate.plugin/v0","name":"acme/no-exfil","version":"` + args[1] + `","abi":"1.0","license":"MIT","phases":["call"],"effects":["deny"],"codes":{"HOST":"a host that is not listed"}}` + "\n")
	module, err := abi.WithManifest([]byte("\x00asm\x01\x00\x00\x00"), manifest)
	ts.Check(err)
	data, err := bundle.Pack(bundle.Files{Manifest: manifest, Module: module})
	ts.Check(err)
	b, err := bundle.Open(data)
	ts.Check(err)
	secretFile := ts.MkAbs(key + ".secret")
	secret, err := os.ReadFile(secretFile)
	if errors.Is(err, fs.ErrNotExist) {
		var public []byte
		public, secret, err = bundle.NewKey("")
		ts.Check(err)
		ts.Check(os.WriteFile(secretFile, secret, 0o600))
		ts.Check(os.WriteFile(ts.MkAbs(key+".pub"), public, 0o600))
		if key == "acme" {
			p, err := bundle.ParsePublicKey(public)
			ts.Check(err)
			ts.Check(bundle.EditTrust(filepath.Join(ts.Getenv("XDG_STATE_HOME"), "callgate", bundle.TrustFile), func(t *bundle.Trust) error {
				_, err := t.Grant(bundle.Grant{Name: key, Public: p, Scopes: []string{"acme/"}})
				return err
			}))
		}
	}
	ts.Check(err)
	s, err := bundle.ParseSecretKey(secret, "")
	ts.Check(err)
	text, err := b.Sign(s)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+bundle.SignatureSuffix), text, 0o600))
	ts.Setenv("DIGEST", b.Digest)
}

// scriptLogin is the login that the configuration of Docker has for $REGISTRY: login
// USER:PASSWORD.
func scriptLogin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: login USER:PASSWORD")
	}
	user, password, _ := strings.Cut(args[0], ":")
	file := filepath.Join(ts.Getenv("HOME"), ".docker", "config.json")
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o700))
	ts.Check(os.WriteFile(file, []byte(`{"auths":{"`+ts.Getenv("REGISTRY")+`":{"username":"`+user+`","password":"`+password+`"}}}`), 0o600))
}

// scriptPolicies writes policies that name bundles: p/policy.yaml and p/other.yaml.
func scriptPolicies(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: policies")
	}
	const top = "callgate: 1\nplugins:\n"
	remote := "  - {name: remote, use: \"oci://" + ts.Getenv("REGISTRY") + "/acme/no-exfil:stable\", on: {tools: [\"*\"]}}\n"
	ts.Check(os.WriteFile(ts.MkAbs("p/policy.yaml"), []byte(top+"  - {name: local, use: ./local.cgp, on: {tools: [\"*\"]}}\n"+remote), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("p/other.yaml"), []byte(top+remote), 0o600))
}
