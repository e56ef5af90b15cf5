package oci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/retry"
)

// Errors of the transport, for [explain].
var (
	errStalled  = errors.New("stalled")
	errRedirect = errors.New("redirect")
)

// guard sends requests, and gives up on a server that does nothing for a step.
type guard struct {
	base http.RoundTripper
	step time.Duration
	host string // the registry's: HOST or HOST:PORT
}

// newClient is a client for one registry: redirects go where [redirect] lets them.
// It keeps no cookies, sends again only what patience lets it, whose body can be sent
// again, and decompresses nothing, which would be other bytes than the digest is of.
func newClient(step time.Duration, host string, p *patience) *http.Client {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dial(step), DisableCompression: true, MaxResponseHeaderBytes: 256 << 10,
		ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, IdleConnTimeout: step, OnProxyConnectResponse: tunnelled,
	}
	again := &retry.Transport{Base: &guard{t, step, host}, Policy: func() retry.Policy { return p }}
	return &http.Client{Transport: again, CheckRedirect: redirect}
}

// tunnelled says what is wrong where a proxy does not lead to the registry.
func tunnelled(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusProxyAuthRequired:
		return refuse("the proxy of HTTPS_PROXY answers 407 Proxy Authentication Required; state its login as http://USER:PASSWORD@HOST:PORT")
	}
	return refuse("the proxy of HTTPS_PROXY answers %d %s; ask who runs it, or name the registry in NO_PROXY", resp.StatusCode, http.StatusText(resp.StatusCode))
}

// elsewhere is the key of a context that says that a request goes to a host that the
// registry named, and not the operator.
type elsewhere struct{}

// named is what that host is.
type named struct {
	to    string // HOST:PORT
	local bool   // the registry is on the loopback of this machine
}

// dial connects, but for a host that the registry names, in a redirect or as where
// logins are, to no address that only this machine or its network's own services
// have. A proxy is where the operator says.
func dial(step time.Duration) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		d := net.Dialer{Timeout: step}
		if n, ok := ctx.Value(elsewhere{}).(named); ok && n.to == addr {
			d.Control = func(_, addr string, _ syscall.RawConn) error { return outside(addr, n.local) }
		}
		return d.DialContext(ctx, network, addr)
	}
}

// outside refuses addresses that a registry has no business to name. One on the
// loopback may name others there: registry and store are somebody's test.
func outside(addr string, local bool) error {
	a, err := netip.ParseAddrPort(addr)
	if err != nil {
		return err
	}
	ip := a.Addr().Unmap().WithZone("")
	if local && ip.IsLoopback() {
		return nil
	}
	if slices.ContainsFunc(auth.DefaultBlockedRealmPrefixes(), func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return fmt.Errorf("%w to %s, which is not an address of the internet", errRedirect, ip)
	}
	return nil
}

// redirect lets a request stay where it is, and lets a download of a blob go to where
// a registry keeps them, without credentials: that is checked by its digest. Nothing
// else goes to another host, and nothing falls back to plain HTTP.
func redirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > maxRedirects {
		return fmt.Errorf("%w: more than %d of them", errRedirect, maxRedirects)
	}
	if !slices.ContainsFunc(append(slices.Clone(via[1:]), req), func(r *http.Request) bool { return origin(r.URL) != origin(first.URL) }) {
		return nil
	}
	// net/http rebuilds headers from the first request at each hop.
	req.Header.Del("Authorization")
	req.Header.Del("Referer")
	download := (req.Method == http.MethodGet || req.Method == http.MethodHead) && strings.Contains(first.URL.Path, "/blobs/sha256:")
	switch {
	case !download:
		return fmt.Errorf("%w to another host, %q; only blobs may be kept elsewhere", errRedirect, req.URL.Host)
	case req.URL.User != nil:
		return fmt.Errorf("%w with credentials, to %q", errRedirect, req.URL.Host)
	case req.URL.Scheme != "https" && (first.URL.Scheme != "http" || req.URL.Scheme != "http"):
		return fmt.Errorf("%w to %q, by %q and not by https", errRedirect, req.URL.Host, req.URL.Scheme)
	}
	return nil
}

// origin is what the credentials of a registry are for.
func origin(u *url.URL) string { return strings.ToLower(u.Scheme) + "://" + hostPort(u) }

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// RoundTrip sends one request. What it reads and writes winds up the clock again.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	at := &url.URL{Scheme: req.URL.Scheme, Host: g.host}
	// Logins may be at another port of the registry's host, wherever that is.
	if redirected := req.Response != nil; redirected && hostPort(req.URL) != hostPort(at) || !strings.EqualFold(req.URL.Hostname(), at.Hostname()) {
		ctx = context.WithValue(ctx, elsewhere{}, named{hostPort(req.URL), isLoopback(at.Hostname())})
	}
	w := &watched{step: g.step, cancel: cancel, timer: time.AfterFunc(g.step, func() { cancel(errStalled) })}
	req = req.WithContext(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = &watchedBody{req.Body, w, ctx, false}
	}
	resp, err := g.base.RoundTrip(req)
	if err != nil {
		cause := context.Cause(ctx)
		w.stop()
		if errors.Is(cause, errStalled) {
			return nil, errStalled
		}
		return nil, err
	}
	w.timer.Reset(g.step)
	resp.Body = &watchedBody{resp.Body, w, ctx, true}
	return resp, nil
}

// watched is the clock of a request.
type watched struct {
	step   time.Duration
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

func (w *watched) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

// watchedBody is a body whose reads wind up the clock; the one of an answer ends the
// request.
type watchedBody struct {
	io.ReadCloser
	w   *watched
	ctx context.Context
	end bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.w.timer.Reset(b.w.step)
	}
	if err != nil && err != io.EOF && errors.Is(context.Cause(b.ctx), errStalled) {
		err = errStalled
	}
	return n, err
}

func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	if b.end {
		b.w.stop()
	}
	return err
}
