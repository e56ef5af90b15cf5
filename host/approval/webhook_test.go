package approval

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/abi"
)

var hookKey = []byte("0123456789abcdef0123456789abcdef")

// service answers questions as its parts say.
type service struct {
	answer  string
	change  func(*service, abi.Value) // the last word on an answer
	status  int
	id      string // webhook-id
	stamp   string
	body    string
	version string // of the signature
	key     []byte
	header  http.Header // more of them
}

func (s service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	question, parseErr := abi.Parse(body)
	by := Webhook{Key: hookKey}
	if err != nil || parseErr != nil || r.Method != http.MethodPost || r.Header.Get("Webhook-Id") != question.Get("id").Str() ||
		r.Header.Get("Webhook-Signature") != "v1,"+by.sign(r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), body) {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	s.status, s.version, s.key, s.header = http.StatusOK, "v1,", hookKey, http.Header{}
	s.id, s.stamp = question.Get("id").Str(), strconv.FormatInt(time.Now().Unix(), 10)
	s.body = abi.ObjectValue(text("id", s.id), text("fingerprint", question.Get("fingerprint").Str()), text("answer", s.answer)).String()
	signed := ""
	if s.change != nil {
		s.change(&s, question)
		signed = s.header.Get("Signed")
	}
	if signed == "" {
		signed = s.body
	}
	w.Header().Set("Webhook-Id", s.id)
	w.Header().Set("Webhook-Timestamp", s.stamp)
	w.Header().Set("Webhook-Signature", s.version+Webhook{Key: s.key}.sign(s.id, s.stamp, []byte(signed)))
	for name, values := range s.header {
		for _, v := range values {
			w.Header().Add(name, v)
		}
	}
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, s.body)
}

// ask puts the sample to a service.
func ask(t *testing.T, s http.Handler) (Answer, error) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	return Webhook{URL: server.URL + "/secret", Key: hookKey}.Ask(t.Context(), sample())
}

func TestAWebhookAnswersAQuestion(t *testing.T) {
	for answer, want := range map[string]bool{"approve": true, "deny": false} {
		got, err := ask(t, service{answer: answer})
		if err != nil || got != (Answer{want, abi.ChannelWebhook}) {
			t.Errorf("%s: %+v (%v)", answer, got, err)
		}
	}
}

func TestOnlyASignedAnswerToTheQuestionCounts(t *testing.T) {
	n := 0
	old := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(-d).Unix(), 10) }
	for _, c := range []struct {
		name   string
		change func(*service, abi.Value)
		want   string
	}{
		{"good", func(*service, abi.Value) {}, ""},
		{"good, four minutes off", func(s *service, _ abi.Value) { s.stamp = old(4 * time.Minute) }, ""},
		{"good, with another signature beside", func(s *service, _ abi.Value) { s.version = "v1a,xyz v1," }, ""},
		{"another key", func(s *service, _ abi.Value) { s.key = []byte("another key of at least 24 bytes") }, "no signature v1"},
		{"another body than was signed", func(s *service, _ abi.Value) {
			s.header.Set("Signed", strings.Replace(s.body, "approve", "deny", 1))
		}, "no signature v1"},
		{"another version of signature", func(s *service, _ abi.Value) { s.version = "v2," }, "no signature v1"},
		{"no version of signature", func(s *service, _ abi.Value) { s.version = "" }, "no signature v1"},
		{"two signatures", func(s *service, _ abi.Value) { s.header.Set("Webhook-Signature", "v1,x") }, "2 headers webhook-signature"},
		{"another webhook-id", func(s *service, _ abi.Value) { s.id = "ask_" + newID() }, "of another question"},
		{"an id of another question", func(s *service, _ abi.Value) { s.body = strings.Replace(s.body, s.id, "ask_"+newID(), 1) }, "answered the question"},
		{"another fingerprint", func(s *service, _ abi.Value) { s.body = strings.Replace(s.body, "sha256:f", "sha256:e", 1) }, "of another call"},
		{"the question itself", func(s *service, q abi.Value) { s.body = q.String() }, `no string "answer"`},
		{"another word", func(s *service, _ abi.Value) { s.body = strings.Replace(s.body, "approve", "yes", 1) }, "want approve or deny"},
		{"no word", func(s *service, _ abi.Value) { s.body = strings.Replace(s.body, `"approve"`, "true", 1) }, `no string "answer"`},
		{"one member more", func(s *service, _ abi.Value) { s.body = strings.Replace(s.body, "{", `{"note":"",`, 1) }, `a member "note"`},
		{"equal members", func(s *service, _ abi.Value) { s.body = strings.Replace(s.body, "{", `{"answer":"deny",`, 1) }, "not JSON"},
		{"more behind it", func(s *service, _ abi.Value) { s.body += "{}" }, "not JSON"},
		{"no JSON", func(s *service, _ abi.Value) { s.body = "approve" }, "not JSON"},
		{"too old", func(s *service, _ abi.Value) { s.stamp = old(6 * time.Minute) }, "is 6m"},
		{"from the future", func(s *service, _ abi.Value) { s.stamp = old(-6 * time.Minute) }, "at most 5m0s"},
		{"no time", func(s *service, _ abi.Value) { s.stamp = "+" + s.stamp }, "whole seconds"},
		{"another status", func(s *service, _ abi.Value) { s.status = http.StatusAccepted }, "status 202; want 200"},
		{"a redirect", func(s *service, _ abi.Value) {
			s.status = http.StatusTemporaryRedirect
			s.header.Set("Location", "/other")
		}, "a redirect (307)"},
		{"too much", func(s *service, _ abi.Value) { s.body += strings.Repeat(" ", maxReply) }, "more than 65536 bytes"},
	} {
		got, err := ask(t, service{answer: "approve", change: c.change})
		wants(t, c.name, err, c.want)
		if got.Yes != (c.want == "") || err != nil && got != (Answer{}) {
			t.Errorf("%s: %+v; want %v", c.name, got, c.want == "")
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), string(hookKey))) {
			t.Errorf("%s: %v tells what may be secret", c.name, err)
		}
		n++
	}
	cases(t, n, 24)
}

func TestAnAnswerIsNotReplayed(t *testing.T) {
	// The service sends what it sent the first time, headers and all.
	var first http.Header
	var body []byte
	again := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if first == nil {
			rec := httptest.NewRecorder()
			service{answer: "approve"}.ServeHTTP(rec, r)
			first, body = rec.Header().Clone(), rec.Body.Bytes()
		}
		for name := range first {
			w.Header().Set(name, first.Get(name))
		}
		_, _ = w.Write(body)
	})
	server := httptest.NewServer(again)
	defer server.Close()
	w := Webhook{URL: server.URL, Key: hookKey}
	if got, err := w.Ask(t.Context(), sample()); err != nil || !got.Yes {
		t.Errorf("the first time: %+v, %v", got, err)
	}
	got, err := w.Ask(t.Context(), sample())
	wants(t, "the second time", err, "of another question")
	if got.Yes {
		t.Error("an answer counts twice")
	}
}

func TestNoAnswerInTimeIsNone(t *testing.T) {
	var left = make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-left }))
	defer server.Close()
	defer close(left)
	for name, timeout := range map[string]bool{"time-out": true, "the call was given up": false} {
		ctx, cancel := context.WithCancel(t.Context())
		if timeout {
			ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		} else {
			cancel()
		}
		got, err := Webhook{URL: server.URL, Key: hookKey}.Ask(ctx, sample())
		if want := ctx.Err(); !errors.Is(err, want) || got != (Answer{}) {
			t.Errorf("%s: %+v (%v); want %v", name, got, err, want)
		}
		cancel()
	}
	server.CloseClientConnections()
	_, err := Webhook{URL: "http://127.0.0.1:1/", Key: hookKey}.Ask(t.Context(), sample())
	wants(t, "nobody there", err, `the webhook at "127.0.0.1:1"`)
}

func TestTheQuestionSaysWhatAPersonNeeds(t *testing.T) {
	var got abi.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, _ = abi.Parse(body)
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	q := quietDesk().Open(sample())
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	_, err := Webhook{URL: server.URL, Key: hookKey}.Ask(ctx, q)
	wants(t, "a service without answer", err, "status 404")
	for name, want := range map[string]string{"type": "callgate.ask", "fingerprint": "sha256:f", "group": "g", "server": "mail", "tool": "send", "risk": "high", "prompt": wantPrompt, "asked": "2026-11-29T10:00:00Z"} {
		if got.Get(name).Str() != want {
			t.Errorf("%s is %q; want %q", name, got.Get(name).Str(), want)
		}
	}
	if got.Get("kind").Str() != "tool" {
		t.Errorf("the kind is %q", got.Get("kind").Str())
	}
	if v := got.At("/items/0/finding/value").Str(); v != "a@x.example" || got.Get("until").Str() == "" {
		t.Errorf("the destination is %q in %s", v, got)
	}
	if want := sample().Arguments; !want.Exists() || !got.Get("arguments").Equal(want) {
		t.Errorf("the arguments are %s; want %s", got.Get("arguments"), want)
	}
	if strings.Contains(got.String(), q.ID) {
		t.Error("the service learns the id that a terminal answers with")
	}
	_, err = Webhook{URL: server.URL, Key: hookKey}.Ask(ctx, asks(t, abi.KindResource, "resources/read", `{"uri":"docs://a"}`))
	wants(t, "a question about a resource", err, "status 404")
	if got.Get("kind").Str() != "resource" || got.Get("tool").Str() != "resources/read" || !strings.Contains(got.Get("prompt").Str(), `the resource "docs://a"`) {
		t.Errorf("no resource in %s", got)
	}
}

func TestAWebhookIsNotAskedInTheClear(t *testing.T) {
	n := 0
	for url, want := range map[string]string{
		"https://approvals.example/x": "", "http://127.0.0.1:8080/": "", "http://[::1]:1/": "", "http://localhost/x": "",
		"http://approvals.example/": "http on another machine", "http://127.0.0.1.evil.example/": "http on another machine", "http://10.0.0.1/": "http on another machine",
		"http://localhost.evil.example/": "http on another machine", "http://127.0.0.1@evil.example/": "http on another machine",
		"ftp://127.0.0.1/": `scheme "ftp"`, "": "no usable URL", "approvals.example": "no usable URL", "https:": "no usable URL", "http://%zz/": "no usable URL",
	} {
		wants(t, url, CheckURL(url), want)
		if want != "" {
			_, err := Webhook{URL: url, Key: hookKey}.Ask(t.Context(), sample())
			wants(t, "asking "+url, err, want)
		}
		n++
	}
	cases(t, n, 14)
	_, err := Webhook{URL: "https://approvals.example/", Key: hookKey[:23]}.Ask(t.Context(), sample())
	wants(t, "a short key", err, "want 24 at least")
	q := sample()
	q.Ask.Fingerprint = ""
	_, err = Webhook{URL: "https://approvals.example/", Key: hookKey}.Ask(t.Context(), q)
	wants(t, "no fingerprint", err, "without a fingerprint")
}

// TestSignaturesAreThoseOfStandardWebhooks uses the example of its
// specification.
func TestSignaturesAreThoseOfStandardWebhooks(t *testing.T) {
	key, err := ParseKey([]byte("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := Webhook{Key: key}.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signature %q; want %q", got, want)
	}
}

func TestKeysAreLongOneLineAndPrivate(t *testing.T) {
	secret := "whsec_" + base64.StdEncoding.EncodeToString(hookKey)
	n := 0
	for _, c := range []struct{ name, in, want, err string }{
		{"text", string(hookKey), string(hookKey), ""},
		{"text with its line's end", string(hookKey) + "\r\n", string(hookKey), ""},
		{"a secret of Standard Webhooks", secret + "\n", string(hookKey), ""},
		{"24 bytes", string(hookKey[:24]), string(hookKey[:24]), ""},
		{"23 bytes", string(hookKey[:23]), "", "want 24 at least"},
		{"a short secret", "whsec_" + base64.StdEncoding.EncodeToString(hookKey[:23]), "", "want 24 at least"},
		{"no base64", "whsec_" + strings.Repeat("*", 40), "", "does not go on in base64"},
		{"two lines", string(hookKey) + "\n" + string(hookKey), "", "several lines"},
		{"nothing", "", "", "a key of 0 bytes"},
	} {
		got, err := ParseKey([]byte(c.in))
		wants(t, c.name, err, c.err)
		if string(got) != c.want {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
		n++
	}
	path := filepath.Join(t.TempDir(), "key")
	for mode, want := range map[os.FileMode]string{0o600: "", 0o400: "", 0o640: "has mode 0640", 0o604: "has mode 0604", 0o620: "has mode 0620"} {
		if err := errors.Join(os.WriteFile(path, hookKey, 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS == "windows" {
			want = ""
		}
		_, err := ReadKey(path)
		wants(t, fmt.Sprintf("%#o", mode), err, want)
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		n++
	}
	cases(t, n, 14)
	_, err := ReadKey(filepath.Dir(path))
	wants(t, "a directory", err, "no regular file")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", maxKeyFile+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = ReadKey(path)
	wants(t, "a large file", err, "more than 4096 bytes")
}

func FuzzReply(f *testing.F) {
	f.Add([]byte(`{"id":"a","fingerprint":"b","answer":"approve"}`))
	f.Add([]byte(`{"id":"a","fingerprint":"b","answer":"deny","answer":"approve"}`))
	f.Add([]byte(`{"answer":"approve","fingerprint":"c","id":"a"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := parseReply(body, "a", "b")
		if err != nil {
			if got != (Answer{}) {
				t.Errorf("refused, and yet %+v", got)
			}
			return
		}
		v, err := abi.Parse(body)
		want := fmt.Sprintf(`{"answer":%q,"fingerprint":"b","id":"a"}`, map[bool]string{true: "approve", false: "deny"}[got.Yes])
		if err != nil || v.String() != want || got.By != abi.ChannelWebhook {
			t.Errorf("%q is read as %+v", body, got)
		}
	})
}
