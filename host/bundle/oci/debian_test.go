package oci_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/bundle"
)

// debian runs the registry that Debian has, with a login, and says where. It knows
// nothing of lists of what refers to something.
func debian(t *testing.T) (host string) {
	t.Helper()
	for _, name := range []string{"docker-registry", "htpasswd"} {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CALLGATE_CI") == "1" {
				t.Fatalf("no %s; install docker-registry and apache2-utils", name)
			}
			t.Skipf("no %s; install docker-registry and apache2-utils", name)
		}
	}
	dir, err := os.MkdirTemp("", "reg") // short, as the path of a socket has to be
	if err != nil {
		t.Fatal(err)
	}
	users, err := exec.Command("htpasswd", "-Bbn", "ann", "right").Output()
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	config := fmt.Sprintf("version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage: {filesystem: {rootdirectory: %q}}\n"+
		"http: {net: unix, addr: %q, secret: x}\nauth: {htpasswd: {realm: test, path: %q}}\n", filepath.Join(dir, "data"), socket, filepath.Join(dir, "users"))
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "users"), users, 0o600), os.WriteFile(filepath.Join(dir, "config.yml"), []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command("docker-registry", "serve", filepath.Join(dir, "config.yml"))
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		_ = cmd.Wait() // it was killed, or the log says why not
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("%s", log.Bytes())
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for late := time.Now().Add(time.Minute); time.Now().Before(late); time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("unix", socket); err == nil {
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			return serve(t, before(socket))
		}
		select {
		case <-ended:
			t.Fatal("the registry ended")
		default:
		}
	}
	t.Fatal("the registry does not start")
	return ""
}

// before is a port of a server at a socket: one that is taken by no other process
// between the moment when it is found free and the one when the server listens.
func before(socket string) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", r.In.Host },
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}},
	}
}

func TestWhatIsPushedIsPulled(t *testing.T) {
	host := debian(t)
	login(t, host, "ann", "right")
	s, other := newSigner(t), newSigner(t)
	b := plugin(t, "1.2.0")
	text := "oci://" + host + "/acme/no-exfil:1.2.0"
	sigs := [][]byte{s.sign(b), other.sign(b)}

	first, err := connect(t, text).Push(context.Background(), b, sigs[:1], false)
	if err != nil || first.Was != "" || len(first.Keys) != 1 {
		t.Fatal(first, err)
	}
	// Packed again and pushed again, it is the same; a signature joins the other.
	second, err := connect(t, text).Push(context.Background(), plugin(t, "1.2.0"), sigs, false)
	if err != nil || second.Manifest != first.Manifest || second.Was != first.Manifest || second.Signatures[0] != first.Signatures[0] {
		t.Fatal(second, err)
	}
	elsewhere, err := connect(t, "oci://"+host+"/other/place:x").Push(context.Background(), b, sigs, false)
	if err != nil || elsewhere.Manifest != first.Manifest || !slices.Equal(elsewhere.Signatures, second.Signatures) {
		t.Fatal(elsewhere, err)
	}

	k := keeper(t, s)
	v, err := fetch(t, k, text)
	if err != nil {
		t.Fatal(err)
	}
	if v.Entry.Ref != text || v.Entry.Manifest != first.Manifest || v.Entry.Bundle != b.Digest || v.Entry.Version != "1.2.0" || len(v.Ignored) != 1 || !slices.Equal(v.Keys, []string{"acme"}) {
		t.Errorf("%+v", v)
	}
	data, kept, err := k.Store.Get(b.Digest)
	if err != nil || !bytes.Equal(data, b.Data) || len(kept) != 1 || !bytes.Equal(kept[0], sigs[0]) {
		t.Errorf("kept %d bytes, %d signatures, %v", len(data), len(kept), err)
	}
	if v, err := fetch(t, k, "oci://"+host+"/acme/no-exfil@"+first.Manifest); err != nil || v.Entry.Manifest != first.Manifest {
		t.Error(err)
	}
}

func TestATagThatMoves(t *testing.T) {
	host := debian(t)
	login(t, host, "ann", "right")
	s := newSigner(t)
	old, next := plugin(t, "1.2.0"), plugin(t, "1.3.0")
	text := "oci://" + host + "/acme/no-exfil:stable"
	first, err := connect(t, text).Push(context.Background(), old, [][]byte{s.sign(old)}, false)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := connect(t, text).Push(context.Background(), next, [][]byte{s.sign(next)}, false); says(err, "the tag names \""+first.Manifest+"\" already") != nil || p != nil {
		t.Fatal(err)
	}
	k := keeper(t, s)
	if v, err := fetch(t, k, text); err != nil || v.Entry.Version != "1.2.0" {
		t.Fatal("a push that was refused moved the tag: ", err)
	}
	second, err := connect(t, text).Push(context.Background(), next, [][]byte{s.sign(next)}, true)
	if err != nil || second.Was != first.Manifest {
		t.Fatal(second, err)
	}
	if v, err := fetch(t, k, text); err != nil || v.Entry.Version != "1.3.0" {
		t.Fatal(err)
	}
	// The digest still leads to what it was, whatever the tag beside it names.
	pinned := text + "@" + first.Manifest
	v, err := fetch(t, k, pinned)
	if err != nil || v.Entry.Version != "1.2.0" {
		t.Fatal(err)
	}
	l := &bundle.Lock{}
	if err := l.Put(v.Entry); err != nil {
		t.Fatal(err)
	}
}

func TestLogins(t *testing.T) {
	host := debian(t)
	s := newSigner(t)
	b := plugin(t, "1.2.0")
	text := "oci://" + host + "/acme/no-exfil:1.2.0"
	table := []struct {
		name  string
		login []string
		want  string // of a push
		pull  string
	}{
		{"none", nil, "wants a login", "wants a login"},
		{"of another registry", []string{"example.org", "ann", "right"}, "wants a login", "run docker login " + host},
		{"a wrong password", []string{host, "ann", "wrong"}, "401 Unauthorized; check the login", "401 Unauthorized: it says \"unauthorized: authentication required"},
		{"another user", []string{host, "bob", "right"}, "401 Unauthorized", "check the login: docker login " + host},
		{"the right one", []string{host, "ann", "right"}, "", ""},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			login(t, c.login...)
			_, err := connect(t, text).Push(context.Background(), b, [][]byte{s.sign(b)}, false)
			if err := says(err, c.want); err != nil {
				t.Error(err)
			}
			k := keeper(t, s)
			_, err = fetch(t, k, text)
			if err := says(err, c.pull); err != nil {
				t.Error(err)
			}
			if kept := tree(t, k.Store.Dir); (kept != "") != (c.want == "") {
				t.Errorf("kept %s", kept)
			}
		})
	}
	t.Run("what is not there", func(t *testing.T) {
		login(t, host, "ann", "right")
		for _, text := range []string{"oci://" + host + "/acme/no-exfil:9", "oci://" + host + "/acme/none:1", "oci://" + host + "/acme/no-exfil@sha256:" + strings.Repeat("2a", 32)} {
			if _, err := fetch(t, keeper(t, s), text); says(err, "check the name, and what it was pushed as") != nil {
				t.Error(err)
			}
		}
	})
}
