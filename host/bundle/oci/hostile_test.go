package oci_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
	"github.com/callgate/callgate/host/bundle/oci/ocitest"
)

// serve runs a registry, and says where.
func serve(t testing.TB, r http.Handler) (host string) {
	t.Helper()
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// stocked is a registry with the plugin in it, and where that is.
func stocked(t testing.TB, s signer, r *ocitest.Registry) (text string, p *oci.Pushed) {
	t.Helper()
	login(t)
	text = "oci://" + serve(t, r) + "/acme/no-exfil:1.2.0"
	b := plugin(t, "1.2.0")
	p, err := connect(t, text).Push(context.Background(), b, [][]byte{s.sign(b)}, false)
	if err != nil {
		t.Fatal(err)
	}
	return text, p
}

// impatient is what registries are given that do nothing, for which one that is slow
// on a busy machine may be taken. All others have the time that they have in use.
var impatient = oci.Options{PlainHTTP: true, Step: 300 * time.Millisecond}

const manifestsPath, blobsPath = "/v2/acme/no-exfil/manifests/", "/v2/acme/no-exfil/blobs/"

// on answers requests of a path in place of a registry.
func on(path string, answer func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, path) || r.Method != http.MethodGet {
			return false
		}
		answer(w, r)
		return true
	}
}

// drip sends a little of a body, whose size it does not say, and no more.
func drip(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, "x")
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

func endless(w http.ResponseWriter, _ *http.Request) {
	chunk := bytes.Repeat([]byte("x"), 1<<16)
	for {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func typed(mediaType string, answer func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		answer(w, r)
	}
}

func body(content string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, content) }
}

// sized says how much it sends.
func sized(content string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		body(content)(w, r)
	}
}

const referrer = `{"artifactType":"application/vnd.callgate.signature.minisign.v1"}`

func status(code int, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

const manifestType = "application/vnd.oci.image.manifest.v1+json"

// What a registry does wrong is said, and nothing is written.
func TestHostileRegistries(t *testing.T) {
	s := newSigner(t)
	table := []struct {
		name    string
		instead func(http.ResponseWriter, *http.Request) bool
		want    string
	}{
		{"honest", nil, ""},
		{"never answers", on("/", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "did nothing for 300ms"},
		{"stops in a manifest", on(manifestsPath, typed(manifestType, drip)), "did nothing for 300ms"},
		{"stops in a blob", on(blobsPath, drip), "did nothing for 300ms"},
		{"hangs up", on("/", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), "try again"},
		{"an endless manifest", on(manifestsPath, typed(manifestType, endless)), "try again"},
		{"an endless blob", on(blobsPath, endless), "sends other bytes than it says"},
		{"a huge manifest", on(manifestsPath, typed(manifestType, sized(strings.Repeat(" ", oci.MaxManifest+1)))), "at most 4194304"},
		{"a huge manifest of a size that is not said", on(manifestsPath, typed(manifestType, body(strings.Repeat(" ", oci.MaxManifest+1)))), "sends other bytes than it says"},
		{"a page", on("/", typed("text/html", body("<html>log in</html>"))), `answers with "text/html"`},
		{"another type of manifest", on(manifestsPath, typed("application/vnd.docker.distribution.manifest.list.v2+json", body("{}"))), "not with the manifest of a plugin"},
		{"no JSON", on(manifestsPath, typed(manifestType, body("{"))), "its manifest is not JSON"},
		{"a manifest that says things twice", on(manifestsPath, typed(manifestType, body(`{"a":1,"a":2}`))), "its manifest is not JSON"},
		{"a list", on(manifestsPath, typed(manifestType, body(`[]`))), "no object"},
		{"an image", on(manifestsPath, typed(manifestType, body(`{"mediaType":"`+manifestType+`","config":{"mediaType":"application/vnd.oci.image.config.v1+json"},"layers":[{}]}`))), `its artifactType is ""`},
		{"another artifact", on(manifestsPath, typed(manifestType, body(`{"mediaType":"`+manifestType+`","artifactType":"application/vnd.other\u001b[2J"}`))), `its artifactType is "application/vnd.other\x1b[2J"`},
		{"no layer", on(manifestsPath, typed(manifestType, body(artifact(``)))), "0 layers in its manifest"},
		{"two layers", on(manifestsPath, typed(manifestType, body(artifact(layer("1")+","+layer("1"))))), "2 layers in its manifest"},
		{"a huge layer", on(manifestsPath, typed(manifestType, body(artifact(layer("16777217"))))), "its layer has 16777217 bytes; at most 16777216"},
		{"a layer without a size", on(manifestsPath, typed(manifestType, body(artifact(layer(`"1"`))))), "its layer has no size"},
		{"a layer of a size below nothing", on(manifestsPath, typed(manifestType, body(artifact(layer(`-1`))))), "its layer has no size"},
		{"a digest that is none", on(manifestsPath, typed(manifestType, body(artifact(strings.Replace(layer("1"), "sha256:", "sha256:../", 1))))), "the digest of its layer is"},
		{"not found", on("/", status(404, "")), "does not have it"},
		{"forbidden", on("/", status(403, `{"errors":[{"code":"DENIED","message":"\u001b[2Jno\ncallgate: ok"}]}`)), `it says "denied: \x1b[2Jno\ncallgate: ok"; ask its owner for access`},
		{"down", on("/", status(503, strings.Repeat("x", 1<<20))), "answers 503 Service Unavailable; try again later"},
		{"no content", on("/", status(204, "")), "is it a registry?"},
		{"a blob of other bytes", nil, "sends other bytes than it says"},
		{"a blob that is cut off", nil, "sends other bytes than it says"},
		{"a manifest of other bytes", nil, "sends other bytes than it says"},
		{"a blob that is gone", on(blobsPath, status(404, "")), "does not have it"},
		{"a list of signatures without end", on("/v2/acme/no-exfil/referrers/", typed("application/vnd.oci.image.index.v1+json", body(`{"manifests":[`+strings.Repeat(referrer+`,`, 32)+referrer+`]}`))), "more than 32 signatures"},
		{"pages of signatures without end", on("/v2/acme/no-exfil/referrers/", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Link", "<"+r.URL.Path+">; rel=next")
			typed("application/vnd.oci.image.index.v1+json", body(`{"manifests":[]}`))(w, r)
		}), "exceeded 4 pages"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			r := &ocitest.Registry{Referrers: true}
			ref, _ := stocked(t, s, r)
			r.Instead = func(w http.ResponseWriter, req *http.Request) bool {
				return c.instead != nil && c.instead(w, req)
			}
			r.Change = changes[c.name]
			k := keeper(t, s)
			before := tree(t, k.Store.Dir)
			o := oci.Options{PlainHTTP: true}
			if strings.Contains(c.want, "did nothing") {
				o = impatient
			}
			err := pullWith(t, k, ref, o)
			if err := says(err, c.want); err != nil {
				t.Error(err)
			}
			if err != nil && (strings.ContainsAny(err.Error(), "\x1b\n") || len(err.Error()) > 1200) {
				t.Errorf("says what a stranger wrote as it is: %q", err)
			}
			if after := tree(t, k.Store.Dir); (before == after) != (c.want != "") {
				t.Errorf("before: %s\nafter: %s", before, after)
			}
		})
	}
}

var changes = map[string]func(string, []byte) []byte{
	"a blob of other bytes": func(path string, data []byte) []byte {
		if strings.Contains(path, "/blobs/") {
			data[len(data)/2] ^= 1
		}
		return data
	},
	"a blob that is cut off": func(path string, data []byte) []byte {
		if strings.Contains(path, "/blobs/") {
			return data[:len(data)-1]
		}
		return data
	},
	"a manifest of other bytes": func(path string, data []byte) []byte {
		if strings.Contains(path, "/manifests/") {
			return bytes.Replace(data, []byte("1.2.0"), []byte("1.3.0"), 1)
		}
		return data
	},
}

func layer(size string) string {
	return `{"mediaType":"application/vnd.callgate.plugin.bundle.v1.tar+zstd","digest":"sha256:` + strings.Repeat("0", 64) + `","size":` + size + `}`
}

func artifact(layers string) string {
	return `{"mediaType":"` + manifestType + `","artifactType":"application/vnd.callgate.plugin.v1","config":` +
		strings.Replace(layer("1"), "bundle.v1.tar+zstd", "config.v1+json", 1) + `,"layers":[` + layers + `]}`
}

func pullPlain(t *testing.T, k *oci.Keeper, text string) error {
	t.Helper()
	return pullWith(t, k, text, oci.Options{PlainHTTP: true})
}

func pullWith(t *testing.T, k *oci.Keeper, text string, o oci.Options) error {
	t.Helper()
	c, err := oci.Connect(ref(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Pull(context.Background())
	if err != nil {
		return err
	}
	v, err := k.Verify(text, a)
	if err != nil {
		return err
	}
	return k.Keep(v)
}

func TestARegistryThatIsNotThere(t *testing.T) {
	login(t)
	s := newSigner(t)
	k := keeper(t, s)
	for text, want := range map[string]string{
		"oci://127.0.0.1:1/a:1":       "takes no connection",
		"oci://none.invalid:5000/a:1": "no host \"none.invalid\"",
	} {
		if err := says(pullPlain(t, k, text), want); err != nil || tree(t, k.Store.Dir) != "" {
			t.Error(err)
		}
	}
}

// A bundle that nobody trusts is not kept, whoever hands it over.
func TestWhatARegistryHandsOverIsVerified(t *testing.T) {
	s, other := newSigner(t), newSigner(t)
	b := plugin(t, "1.2.0")
	push := func(sigs ...[]byte) string {
		text := "oci://" + serve(t, &ocitest.Registry{Referrers: true}) + "/acme/no-exfil:1.2.0"
		if _, err := connect(t, text).Push(context.Background(), b, sigs, false); err != nil {
			t.Fatal(err)
		}
		return text
	}
	login(t)
	table := []struct {
		name string
		text string
		want string
	}{
		{"signed", push(s.sign(b)), ""},
		{"signed by others too", push(other.sign(b), s.sign(b), newSigner(t).sign(b)), ""},
		{"unsigned", push(), "unsigned"},
		{"signed by others alone", push(other.sign(b)), "which the trust file does not have"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			k := keeper(t, s)
			if err := says(pullPlain(t, k, c.text), c.want); err != nil || (tree(t, k.Store.Dir) == "") != (c.want != "") {
				t.Error(err, tree(t, k.Store.Dir))
			}
		})
	}
}

func TestWhatIsNoSignatureKeepsNobodyFromTheOthers(t *testing.T) {
	s := newSigner(t)
	r := &ocitest.Registry{Referrers: true}
	text, p := stocked(t, s, r)
	b := plugin(t, "1.2.0")
	others := make([][]byte, bundle.MaxSignatures)
	for i := range others {
		others[i] = newSigner(t).sign(b)
	}
	if _, err := connect(t, text).Push(context.Background(), b, others, false); err != nil {
		t.Fatal(err)
	}
	k := keeper(t, s)
	v, err := fetch(t, k, text)
	if err != nil || len(v.Ignored) != len(others) || len(v.Signatures) != 1 || v.Entry.Manifest != p.Manifest {
		t.Fatal(v, err)
	}
	if !slices.Equal(v.Keys, []string{"acme"}) {
		t.Error(v.Keys)
	}
}

func TestWhatIsNotPushed(t *testing.T) {
	login(t)
	s := newSigner(t)
	b, next := plugin(t, "1.2.0"), plugin(t, "1.3.0")
	r := &ocitest.Registry{Referrers: true}
	host := serve(t, r)
	table := []struct {
		name, at string
		sigs     [][]byte
		want     string
	}{
		{"without a tag", "@sha256:" + strings.Repeat("0", 64), nil, "a digest is no name to push to"},
		{"as something else", ":1@sha256:" + strings.Repeat("0", 64), nil, "leave the digest out"},
		{"with a signature of another", ":1", [][]byte{s.sign(next)}, "a signature is of acme/no-exfil 1.3.0"},
		{"with a signature that is none", ":1", [][]byte{[]byte("x")}, "a signature is not a signature"},
		{"with too many signatures", ":1", make([][]byte, bundle.MaxSignatures+1), "at most 16"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			_, err := connect(t, "oci://"+host+"/acme/no-exfil"+c.at).Push(context.Background(), b, c.sigs, false)
			if err := says(err, c.want); err != nil {
				t.Error(err)
			}
		})
	}
	if asked := r.Requests(); len(asked) != 0 {
		t.Errorf("asked for %q", asked)
	}
}
