package oci_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/bundle/oci"
	"github.com/callgate/callgate/host/bundle/oci/ocitest"
)

// A registry on the loopback, which may be the end of a tunnel, names other places on
// the loopback, and none that only this machine's network has.
func TestARegistryOnTheLoopbackNamesNoOtherPlacesOfThisMachine(t *testing.T) {
	s := newSigner(t)
	r := &ocitest.Registry{Referrers: true}
	text, _ := stocked(t, s, r)
	elsewhere := serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		instead := r.Instead
		r.Instead = nil
		r.ServeHTTP(w, req)
		r.Instead = instead
	}))
	for where, want := range map[string]string{
		elsewhere:                "",
		"169.254.169.254":        "redirect to 169.254.169.254, which is not an address of the internet",
		"[fd00:ec2::254]":        "redirect to fd00:ec2::254, which is not an address of the internet",
		"[::ffff:169.254.0.1]":   "redirect to 169.254.0.1, which is not an address of the internet",
		"0.0.0.0:" + port(text):  "redirect to 0.0.0.0, which is not an address of the internet",
		"100.100.100.200/latest": "redirect to 100.100.100.200, which is not an address of the internet",
	} {
		t.Run(where, func(t *testing.T) {
			r.Instead = on(blobsPath, func(w http.ResponseWriter, req *http.Request) {
				http.Redirect(w, req, "http://"+where+req.URL.Path, http.StatusTemporaryRedirect)
			})
			k := keeper(t, s)
			if err := says(pullPlain(t, k, text), want); err != nil || (tree(t, k.Store.Dir) == "") != (want != "") {
				t.Error(err)
			}
		})
	}
}

// port is the one of a reference.
func port(text string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(text, "oci://"), "/")
	return host[strings.LastIndexByte(host, ':')+1:]
}

// What is gone from a registry is named, and is not the plugin.
func TestPartsThatAreGone(t *testing.T) {
	s := newSigner(t)
	r := &ocitest.Registry{Referrers: true}
	text, p := stocked(t, s, r)
	b := plugin(t, "1.2.0")
	gone := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }
	for path, want := range map[string]string{
		"/none":                         "",
		blobsPath + b.Digest:            "names its bundle, " + b.Digest + ", and does not have it",
		manifestsPath + p.Signatures[0]: "names its signature, " + p.Signatures[0] + ", and does not have it",
		manifestsPath + "1.2.0":         "does not have it; check the name",
	} {
		r.Instead = on(path, gone)
		k := keeper(t, s)
		if err := says(pullPlain(t, k, text), want); err != nil || (tree(t, k.Store.Dir) == "") != (want != "") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Where the list of signatures is a tag, whoever pushes at the same moment writes
// over it. What is lost in that way is put back, once and again.
func TestSignaturesThatGetLostAreListedAgain(t *testing.T) {
	login(t)
	s := newSigner(t)
	b := plugin(t, "1.2.0")
	for lost, want := range map[int]string{0: "", 1: "", 3: "", 100: "took 1 signature and does not list all of them"} {
		t.Run(strconv.Itoa(lost), func(t *testing.T) {
			r := &ocitest.Registry{}
			var mu sync.Mutex
			left := lost
			r.Instead = func(w http.ResponseWriter, req *http.Request) bool {
				mu.Lock()
				defer mu.Unlock()
				if req.Method != http.MethodPut || !strings.HasPrefix(req.URL.Path, manifestsPath+"sha256-") || left == 0 {
					return false
				}
				left--
				w.WriteHeader(http.StatusCreated)
				return true
			}
			text := "oci://" + serve(t, r) + "/acme/no-exfil:1.2.0"
			_, err := connect(t, text).Push(context.Background(), b, [][]byte{s.sign(b)}, false)
			if err := says(err, want); err != nil {
				t.Fatal(err)
			}
			if want == "" {
				if _, err := fetch(t, keeper(t, s), text); err != nil {
					t.Error(err)
				}
			} else if err := says(pullPlain(t, keeper(t, s), text), "does not have it"); err != nil {
				t.Errorf("it is tagged, and nobody can verify it: %v", err)
			}
		})
	}
}

// A helper that hangs, and what it left behind, is given up on.
func TestAHelperThatHangs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sh")
	}
	s := newSigner(t)
	r := &ocitest.Registry{Referrers: true}
	text, _ := stocked(t, s, r)
	host, _, _ := strings.Cut(strings.TrimPrefix(text, "oci://"), "/")
	r.Login = "ann:right"
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("DOCKER_CONFIG", dir)
	for name, file := range map[string]string{
		"config.json":            `{"credHelpers":{"` + host + `":"test"}}`,
		"docker-credential-test": "#!/bin/sh\nread host\ncase `cat " + dir + "/mode` in hangs) sleep 20; esac\n" + `echo '{"Username":"ann","Secret":"right"}'` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(file), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for mode, c := range map[string]struct {
		total time.Duration
		want  string
	}{"answers": {0, ""}, "hangs": {2 * time.Second, "its helper did not answer in 2s"}} {
		if err := os.WriteFile(filepath.Join(dir, "mode"), []byte(mode), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := oci.Connect(ref(t, text), oci.Options{PlainHTTP: true, Total: c.total})
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.Pull(context.Background())
		if err := says(err, c.want); err != nil || c.want == "" && !bytes.Equal(a.Data, plugin(t, "1.2.0").Data) {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
