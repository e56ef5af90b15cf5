// Package ocitest is a registry of OCI artifacts for tests: in memory, and as honest
// as its fields let it be.
package ocitest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callgate/callgate/abi"
)

// Registry is an http.Handler that speaks enough of the OCI distribution
// specification 1.1 for plugins.
type Registry struct {
	Referrers bool                                              // list what refers to something
	Login     string                                            // USER:PASSWORD that is asked for, "" for none
	Instead   func(w http.ResponseWriter, r *http.Request) bool // answers in its place; false: it does not
	Change    func(path string, data []byte) (other []byte)     // what it hands over in place of something
	mu        sync.Mutex
	blobs     map[string][]byte // by digest
	manifests map[string]stored // by REPOSITORY@DIGEST and REPOSITORY:TAG
	requests  []string
}

type stored struct {
	mediaType string
	data      []byte
}

var (
	blobPath     = regexp.MustCompile(`^/v2/(.+)/blobs/(sha256:[0-9a-f]{64})$`)
	uploadPath   = regexp.MustCompile(`^/v2/(.+)/blobs/uploads/`)
	manifestPath = regexp.MustCompile(`^/v2/(.+)/manifests/([^/]+)$`)
	referrerPath = regexp.MustCompile(`^/v2/(.+)/referrers/([^/]+)$`)
)

// maxBody is how much is taken of a body.
const maxBody = 64 << 20

// Requests lists what was asked for, METHOD PATH, with the kind of login behind it.
func (s *Registry) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// ServeHTTP answers one request.
func (s *Registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	kind, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	s.requests = append(s.requests, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+kind))
	s.mu.Unlock()
	if s.Instead != nil && s.Instead(w, r) {
		return
	}
	if user, password, ok := r.BasicAuth(); s.Login != "" && (!ok || user+":"+password != s.Login) {
		w.Header().Set("Www-Authenticate", `Basic realm="test"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blobs == nil {
		s.blobs, s.manifests = map[string][]byte{}, map[string]stored{}
	}
	path := r.URL.Path
	if m := blobPath.FindStringSubmatch(path); m != nil {
		data, ok := s.blobs[m[2]]
		s.send(w, r, ok, stored{"application/octet-stream", data}, m[2])
	} else if uploadPath.MatchString(path) {
		s.upload(w, r)
	} else if m := manifestPath.FindStringSubmatch(path); m != nil {
		s.manifest(w, r, m[1], m[2])
	} else if m := referrerPath.FindStringSubmatch(path); m != nil && s.Referrers {
		s.list(w, m[1], m[2])
	} else {
		w.WriteHeader(http.StatusNotFound)
	}
}

func (s *Registry) send(w http.ResponseWriter, r *http.Request, ok bool, what stored, digest string) {
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	data := what.data
	if s.Change != nil && r.Method == http.MethodGet {
		data = s.Change(r.URL.Path, bytes.Clone(data))
	}
	w.Header().Set("Content-Type", what.mediaType)
	w.Header().Set("Docker-Content-Digest", digest)
	if _, err := w.Write(data); err != nil {
		return // whoever asked is gone
	}
}

func (s *Registry) upload(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		w.Header().Set("Location", r.URL.Path+"1")
		w.WriteHeader(http.StatusAccepted)
		return
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if digest := digestOf(data); err != nil || digest != r.URL.Query().Get("digest") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.blobs[digestOf(data)] = data
	w.WriteHeader(http.StatusCreated)
}

func (s *Registry) manifest(w http.ResponseWriter, r *http.Request, repository, name string) {
	key := repository + ":" + name
	if strings.HasPrefix(name, "sha256:") {
		key = repository + "@" + name
	}
	if r.Method != http.MethodPut {
		m, ok := s.manifests[key]
		s.send(w, r, ok, m, digestOf(m.data))
		return
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	m := stored{r.Header.Get("Content-Type"), data}
	s.manifests[key], s.manifests[repository+"@"+digestOf(data)] = m, m
	if _, subject := about(data); s.Referrers && subject != "" {
		w.Header().Set("OCI-Subject", subject)
	}
	w.Header().Set("Docker-Content-Digest", digestOf(data))
	w.WriteHeader(http.StatusCreated)
}

// about is what a manifest is, and what it refers to.
func about(data []byte) (artifactType, subject string) {
	v, err := abi.Parse(data)
	if err != nil {
		return "", ""
	}
	return v.Get("artifactType").Str(), v.Get("subject").Get("digest").Str()
}

func (s *Registry) list(w http.ResponseWriter, repository, digest string) {
	var found []abi.Value
	for _, key := range slices.Sorted(maps.Keys(s.manifests)) {
		m := s.manifests[key]
		if kind, subject := about(m.data); strings.HasPrefix(key, repository+"@") && subject == digest {
			found = append(found, abi.ObjectValue(
				abi.Member{Name: "mediaType", Value: abi.StringValue(m.mediaType)}, abi.Member{Name: "digest", Value: abi.StringValue(digestOf(m.data))},
				abi.Member{Name: "size", Value: abi.IntValue(int64(len(m.data)))}, abi.Member{Name: "artifactType", Value: abi.StringValue(kind)}))
		}
	}
	const index = "application/vnd.oci.image.index.v1+json"
	w.Header().Set("Content-Type", index)
	text := abi.ObjectValue(abi.Member{Name: "schemaVersion", Value: abi.IntValue(2)}, abi.Member{Name: "mediaType", Value: abi.StringValue(index)},
		abi.Member{Name: "manifests", Value: abi.ArrayValue(found...)}).Bytes(nil)
	if _, err := w.Write(text); err != nil {
		return // whoever asked is gone
	}
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
