package approval

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
)

// Limits of a webhook.
const (
	minKey      = 24       // bytes
	maxReply    = 64 << 10 // bytes of an answer
	maxClockGap = 5 * time.Minute
)

// The headers of the Standard Webhooks specification, version 1.
const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
)

// Webhook asks a service of the operator. Question and answer are signed alike,
// as https://www.standardwebhooks.com describes: the header webhook-signature
// holds "v1," and the base64 HMAC-SHA256 of ID.TIMESTAMP.BODY.
//
// The question is a POST of one JSON object whose type is "callgate.ask". The
// answer is its response: status 200 and
//
//	{"id": ID, "fingerprint": FINGERPRINT, "answer": "approve" or "deny"}
//
// with the id and the fingerprint of the question, no other member, the
// question's webhook-id, a webhook-timestamp of at most five minutes' distance,
// and its own signature.
type Webhook struct {
	URL string // https, or http of this machine
	Key []byte // at least 24 bytes, of ParseKey
	// Client sends the questions; nil: one of its own. Redirects are never
	// followed, and cookies not kept.
	Client *http.Client

	now func() time.Time // nil: the clock
}

// Ask puts a question to the service and waits for the answer until the context
// ends. Whatever is not a well-signed answer to this very question is an error,
// which means no.
func (w Webhook) Ask(ctx context.Context, q Question) (Answer, error) {
	if err := CheckURL(w.URL); err != nil {
		return Answer{}, err
	}
	if len(w.Key) < minKey {
		return Answer{}, fmt.Errorf("the webhook has a key of %d bytes; want %d at least", len(w.Key), minKey)
	}
	if q.Ask.Fingerprint == "" {
		return Answer{}, errors.New("a question without a fingerprint; an answer could be to any")
	}
	id := "ask_" + newID() // of this request alone: an answer to an earlier one has another
	body, err := webhookBody(ctx, id, q)
	if err != nil {
		return Answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return Answer{}, errors.New("the URL of the webhook can not be used; check settings.approval.webhook")
	}
	stamp := strconv.FormatInt(w.time().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept-Encoding", "identity") // what is signed is what is sent
	req.Header.Set("User-Agent", "callgate")
	req.Header.Set(headerID, id)
	req.Header.Set(headerTimestamp, stamp)
	req.Header.Set(headerSignature, "v1,"+w.sign(id, stamp, body))
	res, err := w.client().Do(req)
	if err != nil {
		return Answer{}, w.unreached(ctx, err)
	}
	defer res.Body.Close()
	reply, err := w.reply(res, id)
	if err != nil {
		return Answer{}, w.unreached(ctx, err)
	}
	return parseReply(reply, id, q.Ask.Fingerprint)
}

func (w Webhook) time() time.Time {
	if w.now != nil {
		return w.now()
	}
	return time.Now()
}

func (w Webhook) client() *http.Client {
	c := http.Client{}
	if w.Client != nil {
		c = *w.Client
	}
	c.Jar = nil
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// unreached is an error without the URL, whose path or query may be a secret.
func (w Webhook) unreached(ctx context.Context, err error) error {
	host := ""
	if u, parseErr := url.Parse(w.URL); parseErr == nil {
		host = u.Host
	}
	if ctx.Err() != nil {
		return fmt.Errorf("the webhook at %q gave no answer in time: %w", host, ctx.Err())
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	return fmt.Errorf("the webhook at %q: %w", host, err)
}

// webhookBody is the question as JSON.
func webhookBody(ctx context.Context, id string, q Question) ([]byte, error) {
	ask := q.Ask
	event, err := abi.ParseEventValue(abi.Event{Ask: &ask}.Append(nil))
	if err != nil {
		return nil, fmt.Errorf("the question can not be written down: %w", err)
	}
	items := event.Get("ask").Get("items")
	if !items.Exists() {
		items = abi.ArrayValue()
	}
	kind := ask.Kind
	if kind.IsTool() {
		kind = abi.KindTool
	}
	members := []abi.Member{
		text("type", "callgate.ask"), text("id", id), text("fingerprint", ask.Fingerprint), text("group", q.Group), text("policy", q.Policy),
		text("call", ask.Call), text("kind", string(kind)), text("server", ask.Server), text("tool", ask.Tool), text("risk", ask.Risk), text("prompt", Prompt(q)),
		{Name: "items", Value: items}, {Name: "held", Value: abi.BoolValue(q.Held)},
	}
	if q.Arguments.Exists() {
		members = append(members, abi.Member{Name: "arguments", Value: q.Arguments})
	}
	if !q.Asked.IsZero() {
		members = append(members, text("asked", q.Asked.UTC().Format(time.RFC3339Nano)))
	}
	if until, ok := ctx.Deadline(); ok {
		members = append(members, text("until", until.UTC().Format(time.RFC3339Nano)))
	}
	return abi.ObjectValue(members...).Append(nil), nil
}

func (w Webhook) sign(id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, w.Key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// reply reads a response whose signature is right.
func (w Webhook) reply(res *http.Response, id string) ([]byte, error) {
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		return nil, fmt.Errorf("it answered with a redirect (%d), which is not followed; name the place itself in settings.approval.webhook", res.StatusCode)
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered with status %d; want 200", res.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxReply {
		return nil, fmt.Errorf("it answered with more than %d bytes", maxReply)
	}
	for _, name := range []string{headerID, headerTimestamp, headerSignature} {
		if n := len(res.Header.Values(name)); n != 1 {
			return nil, fmt.Errorf("its answer has %d headers %s; want one", n, strings.ToLower(name))
		}
	}
	if got := res.Header.Get(headerID); !same(got, id) {
		return nil, fmt.Errorf("its answer has the webhook-id %q, of another question; want %q", got, id)
	}
	stamp := res.Header.Get(headerTimestamp)
	if err := w.checkTime(stamp); err != nil {
		return nil, err
	}
	want := w.sign(id, stamp, body)
	for _, s := range strings.Split(res.Header.Get(headerSignature), " ") {
		if got, ok := strings.CutPrefix(s, "v1,"); ok && same(got, want) {
			return body, nil
		}
	}
	return nil, errors.New("its answer has no signature v1 that our key makes; both sides need the same key")
}

func (w Webhook) checkTime(stamp string) error {
	sec, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || strconv.FormatInt(sec, 10) != stamp {
		return fmt.Errorf("its answer has the webhook-timestamp %q; want whole seconds since 1970", stamp)
	}
	if gap := w.time().Sub(time.Unix(sec, 0)).Abs(); gap > maxClockGap {
		return fmt.Errorf("its answer has a webhook-timestamp that is %s away; at most %s are taken, so set the clocks", gap.Round(time.Second), maxClockGap)
	}
	return nil
}

// parseReply reads the answer to a question.
func parseReply(body []byte, id, fingerprint string) (Answer, error) {
	v, err := abi.Parse(body)
	if err != nil {
		return Answer{}, fmt.Errorf("the webhook's answer is not JSON: %w", err)
	}
	for _, name := range []string{"id", "fingerprint", "answer"} {
		if !v.Get(name).IsString() {
			return Answer{}, fmt.Errorf("the webhook's answer has no string %q", name)
		}
	}
	for _, m := range v.Members() {
		if m.Name != "id" && m.Name != "fingerprint" && m.Name != "answer" {
			return Answer{}, fmt.Errorf("the webhook's answer has a member %q; want id, fingerprint and answer", m.Name)
		}
	}
	if got := v.Get("id").Str(); !same(got, id) {
		return Answer{}, fmt.Errorf("the webhook answered the question %q; want %q", got, id)
	}
	if got := v.Get("fingerprint").Str(); !same(got, fingerprint) {
		return Answer{}, fmt.Errorf("the webhook's answer has the fingerprint %q, of another call; want %q", got, fingerprint)
	}
	switch answer := v.Get("answer").Str(); answer {
	case "approve":
		return Answer{Yes: true, By: abi.ChannelWebhook}, nil
	case "deny":
		return Answer{By: abi.ChannelWebhook}, nil
	default:
		return Answer{}, fmt.Errorf("the webhook answered %q; want approve or deny", answer)
	}
}

// CheckURL says why a URL can not be a webhook's: a question holds what the
// call holds, so it travels encrypted or not off this machine.
func CheckURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return errors.New("the webhook has no usable URL; want one such as https://approvals.example/callgate")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	case u.Scheme == "http":
		return fmt.Errorf("the webhook at %q is http on another machine; want https", u.Host)
	}
	return fmt.Errorf("the webhook at %q has the scheme %q; want https", u.Host, u.Scheme)
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}
