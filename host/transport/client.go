package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// Times of the connections to a server. None of them bounds an answer: a call may take as long as it takes, and a stream may be idle for hours.
const (
	dialTimeout    = 30 * time.Second
	tlsTimeout     = 15 * time.Second
	keepAliveIdle  = 30 * time.Second // before TCP, or HTTP/2, asks whether the server is still there
	keepAliveEvery = 15 * time.Second
	keepAliveCount = 4
	idleConn       = 90 * time.Second
	idleConns      = 256       // a gateway has many sessions with one server
	maxReplyHeader = 256 << 10 // bytes
)

// Options say where a server is and what it is told of this client. The zero value names no server and is refused.
type Options struct {
	// URL is the endpoint, http or https. It is the only address that is dialled, directly or through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY
	// name for it (http.ProxyFromEnvironment). It may hold secrets, so errors name its host only.
	URL string
	// Header is sent with each request and takes precedence over the headers of the request. It may hold secrets.
	Header http.Header
	// Authorization, if set, gives the value of the Authorization header for each request; "" for none. It takes precedence over Header.
	Authorization func(context.Context) (string, error)
	// TLS is used as it is; nil for the system's roots and TLS 1.2 or later.
	TLS *tls.Config
	// MaxBody is the size, in bytes, that a body, or one event, may have; DefaultMaxEvent if not positive, 2 GiB at most.
	MaxBody int64
	// UserAgent is sent where the request names none; "callgate" if empty.
	UserAgent string
}

// Upstream is one endpoint of one server. It is safe for concurrent use.
type Upstream struct {
	o    Options
	url  *url.URL
	http *http.Transport
}

// NewUpstream returns the endpoint that the options name, without dialling it. It refuses a URL with a user, a password or a fragment, and headers that are not
// the operator's to set.
func NewUpstream(o Options) (*Upstream, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, errors.New("url of the server does not parse; write it as https://host/path") // the parser's error would repeat it
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("url of the server has scheme %q; want http or https", u.Scheme)
	case u.Hostname() == "":
		return nil, errors.New("url of the server names no host; write it as https://host/path")
	case u.User != nil:
		return nil, errors.New("url of the server holds a user; put it into the Authorization header")
	case u.Fragment != "":
		return nil, errors.New("url of the server has a fragment, which is never sent; leave it out")
	}
	for name, values := range o.Header {
		if err := checkConfigured(name, values); err != nil {
			return nil, err
		}
	}
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxEvent
	}
	o.MaxBody = min(o.MaxBody, math.MaxInt32) // one more has to fit
	if o.UserAgent == "" {
		o.UserAgent = "callgate"
	}
	o.Header = o.Header.Clone()
	return &Upstream{o: o, url: u, http: newConnections(o.TLS)}, nil
}

// newConnections returns connections to one server. They are used without http.Client, which would follow redirects.
func newConnections(config *tls.Config) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: keepAliveIdle, Interval: keepAliveEvery, Count: keepAliveCount,
	}}
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		TLSClientConfig:        config.Clone(),
		TLSHandshakeTimeout:    tlsTimeout,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    idleConns,
		IdleConnTimeout:        idleConn,
		MaxResponseHeaderBytes: maxReplyHeader,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: keepAliveIdle, PingTimeout: keepAliveEvery},
	}
}

// Host returns the host and port of the endpoint as its URL names them.
func (u *Upstream) Host() string { return u.url.Host }

// Close closes the connections that nothing uses. Requests under way end with their contexts.
func (u *Upstream) Close() { u.http.CloseIdleConnections() }

// Post sends one frame, or one batch, and returns the reply to it, whatever its status but a redirect. The headers may be nil; what a client has to say of
// itself and of the body takes precedence over them. The context bounds the reply and its events.
func (u *Upstream) Post(ctx context.Context, body []byte, h http.Header) (*Reply, error) {
	return u.do(ctx, http.MethodPost, u.url, body, h)
}

// Listen opens the stream of what the server sends by itself (MCP 2025-03-26 to 2025-11-25, and the one stream of 2024-11-05), behind the event with an id if
// that is not "". A server without such a stream replies 405.
func (u *Upstream) Listen(ctx context.Context, h http.Header, lastEventID string) (*Reply, error) {
	h = h.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Del("Last-Event-Id")
	if lastEventID != "" {
		if !httpguts.ValidHeaderFieldValue(lastEventID) {
			return nil, &Error{Kind: KindRequest, Host: u.url.Host, detail: fmt.Sprintf("event id %q can not be said in a header; the stream can not be resumed", short(lastEventID))}
		}
		h.Set("Last-Event-Id", lastEventID)
	}
	return u.do(ctx, http.MethodGet, u.url, nil, h)
}

// Delete ends the session that the headers name (MCP 2025-03-26 to 2025-11-25). A server that does not let clients do so replies 405.
func (u *Upstream) Delete(ctx context.Context, h http.Header) (*Reply, error) {
	return u.do(ctx, http.MethodDelete, u.url, nil, h)
}

// do sends one request to a URL of this server, once.
func (u *Upstream) do(ctx context.Context, method string, to *url.URL, body []byte, h http.Header) (*Reply, error) {
	var content io.Reader
	if body != nil {
		content = strings.NewReader(string(body)) // the caller may reuse it, the connection may outlive this call
	}
	req, err := http.NewRequestWithContext(ctx, method, to.String(), content)
	if err != nil {
		return nil, &Error{Kind: KindRequest, Host: u.url.Host, detail: "the request can not be written"}
	}
	req.Header, err = u.header(ctx, method, h)
	if err != nil {
		return nil, err
	}
	req.Host = to.Host
	res, err := u.http.RoundTrip(req)
	if err != nil {
		return nil, u.broken(ctx, err)
	}
	return u.reply(res)
}

// header is what a request says: what was handed in, what is configured, and what has to be so.
func (u *Upstream) header(ctx context.Context, method string, given http.Header) (http.Header, error) {
	h := http.Header{}
	for name, values := range given {
		if name = http.CanonicalHeaderKey(name); !ownHeader(name) || strings.HasPrefix(name, "Mcp-") || name == "Last-Event-Id" {
			h[name] = values
		}
	}
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", u.o.UserAgent)
	}
	for name, values := range u.o.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	if u.o.Authorization != nil {
		value, err := u.o.Authorization(ctx)
		if err != nil {
			return nil, &Error{Kind: KindRequest, Host: u.url.Host, detail: "there is no authorization for it", err: err}
		}
		h.Del("Authorization")
		if value != "" {
			h.Set("Authorization", value)
		}
	}
	h.Set("Accept-Encoding", "identity") // compressed, a reply could not be inspected without inflating it
	switch method {
	case http.MethodPost:
		h.Set("Accept", "application/json, text/event-stream")
		h.Set("Content-Type", "application/json")
	case http.MethodGet:
		h.Set("Accept", "text/event-stream")
	}
	return h, nil
}

// checkConfigured refuses a configured header that would not be sent, or would say something else than the request.
func checkConfigured(name string, values []string) error {
	switch canonical := http.CanonicalHeaderKey(name); {
	case !httpguts.ValidHeaderFieldName(name):
		return fmt.Errorf("header %q has no valid name; want letters, digits and hyphens", name)
	case ownHeader(canonical) && canonical != "Cookie":
		return fmt.Errorf("header %q is set for each request by itself; leave it out", name)
	}
	for _, v := range values {
		if !httpguts.ValidHeaderFieldValue(v) {
			return fmt.Errorf("header %q has a value with control characters; leave them out", name) // the value may be a secret
		}
	}
	return nil
}

// ownHeader says whether a header is of one connection, or follows from the request.
func ownHeader(canonical string) bool {
	switch canonical {
	case "Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Expect", "Host", "Idempotency-Key",
		"Keep-Alive", "Last-Event-Id", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "X-Idempotency-Key":
		return true // idempotency keys would have the connection repeat a call
	}
	return strings.HasPrefix(canonical, "Mcp-")
}
