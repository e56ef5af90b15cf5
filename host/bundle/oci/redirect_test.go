package oci_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/bundle/oci/ocitest"
)

// Credentials stay with the registry that they are for, whatever it answers.
func TestRedirects(t *testing.T) {
	s := newSigner(t)
	to := func(scheme, host string) func(*http.Request) string {
		return func(r *http.Request) string { return scheme + "://" + host + r.URL.Path + "?secret=presigned" }
	}
	table := []struct {
		name  string
		only  string // which paths are redirected
		where func(elsewhere string) func(*http.Request) string
		want  string
		there bool // whether anything is asked for there
	}{
		{"a blob to where blobs are", "/blobs/", func(e string) func(*http.Request) string { return to("http", e) }, "", true},
		{"a manifest", "/manifests/", func(e string) func(*http.Request) string { return to("http", e) }, "redirect to another host", false},
		{"a list of signatures", "/referrers/", func(e string) func(*http.Request) string { return to("http", e) }, "redirect to another host", false},
		{"everything", "/", func(e string) func(*http.Request) string { return to("http", e) }, "redirect to another host", false},
		{"a blob with credentials in the address", "/blobs/", func(e string) func(*http.Request) string { return to("http", "ann:right@"+e) }, "redirect with credentials", false},
		{"a blob to another kind of address", "/blobs/", func(e string) func(*http.Request) string { return to("ftp", e) }, `by "ftp" and not by https`, false},
		{"a blob for ever", "/blobs/", nil, "redirect: more than 5", false},
		{"a manifest on the same host", "/manifests/1.2.0", func(string) func(*http.Request) string {
			return func(r *http.Request) string { return strings.Replace(r.URL.Path, "1.2.0", "same", 1) }
		}, "", false},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			r := &ocitest.Registry{Referrers: true}
			text, _ := stocked(t, s, r)
			b := plugin(t, "1.2.0")
			if _, err := connect(t, strings.Replace(text, ":1.2.0", ":same", 1)).Push(context.Background(), b, [][]byte{s.sign(b)}, false); err != nil {
				t.Fatal(err)
			}
			host, _, _ := strings.Cut(strings.TrimPrefix(text, "oci://"), "/")
			r.Login = "ann:right"
			login(t, host, "ann", "right")
			var asked []string
			// Elsewhere has the same content, asks for a login, and notes what it got.
			elsewhere := serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				asked = append(asked, req.Method+" "+req.Header.Get("Authorization")+req.Header.Get("Referer")+req.Header.Get("Cookie"))
				back := req.Clone(req.Context())
				back.SetBasicAuth("ann", "right")
				instead := r.Instead
				r.Instead = nil
				r.ServeHTTP(w, back)
				r.Instead = instead
			}))
			r.Instead = func(w http.ResponseWriter, req *http.Request) bool {
				if !strings.Contains(req.URL.Path, c.only) || req.Header.Get("Authorization") == "" {
					return false
				}
				where := func(req *http.Request) string { return req.URL.Path }
				if c.where != nil {
					where = c.where(elsewhere)
				}
				http.Redirect(w, req, where(req), http.StatusTemporaryRedirect)
				return true
			}
			k := keeper(t, s)
			err := pullPlain(t, k, text)
			if err := says(err, c.want); err != nil {
				t.Error(err)
			}
			if err != nil && strings.Contains(err.Error(), "presigned") {
				t.Errorf("tells a secret: %v", err)
			}
			if kept := tree(t, k.Store.Dir) != ""; kept != (c.want == "") || (len(asked) > 0) != c.there {
				t.Errorf("kept %t, asked %q", kept, asked)
			}
			if slices.ContainsFunc(asked, func(a string) bool { return a != "GET " }) {
				t.Errorf("sent elsewhere: %q", asked)
			}
		})
	}
}

// A place to which a registry sends downloads asks for a login of its own: it gets none.
func TestALoginElsewhereGetsNothing(t *testing.T) {
	s := newSigner(t)
	r := &ocitest.Registry{Referrers: true}
	text, _ := stocked(t, s, r)
	var asked []string
	elsewhere := serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		asked = append(asked, req.Header.Get("Authorization"))
		w.Header().Set("Www-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	host, _, _ := strings.Cut(strings.TrimPrefix(text, "oci://"), "/")
	login(t, host, "ann", "right", elsewhere, "eve", "other")
	r.Instead = on(blobsPath, func(w http.ResponseWriter, req *http.Request) {
		http.Redirect(w, req, "http://"+elsewhere+"/x", http.StatusFound)
	})
	k := keeper(t, s)
	if err := says(pullPlain(t, k, text), "401 Unauthorized"); err != nil || tree(t, k.Store.Dir) != "" {
		t.Error(err)
	}
	if len(asked) != 1 || asked[0] != "" {
		t.Errorf("sent elsewhere: %q", asked)
	}
}

// An upload that is to go elsewhere does not.
func TestUploadsStayWhereTheyAre(t *testing.T) {
	login(t)
	s := newSigner(t)
	b := plugin(t, "1.2.0")
	var asked int
	elsewhere := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"a location": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://"+elsewhere+"/v2/acme/no-exfil/blobs/uploads/1")
			w.WriteHeader(http.StatusAccepted)
		},
		"a redirect": func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "http://"+elsewhere+"/", http.StatusTemporaryRedirect)
		},
	} {
		r := &ocitest.Registry{Instead: func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodPost {
				return false
			}
			answer(w, req)
			return true
		}}
		_, err := connect(t, "oci://"+serve(t, r)+"/acme/no-exfil:1").Push(context.Background(), b, [][]byte{s.sign(b)}, false)
		if err := says(err, "host"); err != nil || asked != 0 {
			t.Errorf("%s: asked %d, %v", name, asked, err)
		}
	}
}

// A token is asked for where a registry says, and never where it may not say so.
func TestRealms(t *testing.T) {
	s := newSigner(t)
	r := &ocitest.Registry{Referrers: true}
	text, _ := stocked(t, s, r)
	host, _, _ := strings.Cut(strings.TrimPrefix(text, "oci://"), "/")
	login(t, host, "ann", "right")
	for realm, want := range map[string]string{
		"http://169.254.169.254/latest/meta-data": "says that logins are at a place that is not asked",
		"file:///etc/passwd":                      "says that logins are at a place that is not asked",
		"http://" + host + "/token":               "",
	} {
		t.Run(realm, func(t *testing.T) {
			r.Instead = func(w http.ResponseWriter, req *http.Request) bool {
				switch {
				case req.URL.Path == "/token":
					user, password, _ := req.BasicAuth()
					if user != "ann" || password != "right" {
						t.Errorf("asked for a token as %q", user)
					}
					w.Header().Set("Content-Type", "application/json")
					body(`{"token":"t"}`)(w, req)
				case req.Header.Get("Authorization") != "Bearer t":
					w.Header().Set("Www-Authenticate", `Bearer realm="`+realm+`",service="x"`)
					w.WriteHeader(http.StatusUnauthorized)
				default:
					return false
				}
				return true
			}
			k := keeper(t, s)
			if err := says(pullPlain(t, k, text), want); err != nil {
				t.Error(err)
			}
		})
	}
}

// TLS of a stranger is refused, and there is no way back to plain HTTP.
func TestTLS(t *testing.T) {
	login(t)
	s := httptest.NewUnstartedServer(&ocitest.Registry{})
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	host := strings.TrimPrefix(s.URL, "https://")
	for name, want := range map[bool]string{false: "name its file in SSL_CERT_FILE", true: "400 Bad Request"} {
		c, err := connectWith(t, "oci://"+host+"/a:1", name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Pull(context.Background()); says(err, want) != nil {
			t.Error(says(err, want))
		}
	}
}
