package transport

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"golang.org/x/net/netutil"
)

// CheckListen says whether an endpoint may listen on addr, "host:port". Loopback
// addresses always may. Another address may if TLS or the authentication of
// clients is configured. An address that stands for all of them may not: a
// machine gets new addresses that nobody thought of.
func CheckListen(addr string, tls, clientAuth bool) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen address %q is not host:port; want one such as 127.0.0.1:8080", addr)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("listen address %q: port %q is no number from 0 to 65535; want one such as 8080", addr, port)
	}
	ip, isIP := parseHostIP(host)
	switch {
	case host == "" || isIP && ip.IsUnspecified():
		return fmt.Errorf("listen address %q stands for every address of the machine; name one, such as 127.0.0.1:%s", addr, port)
	case isIP && ip.IsMulticast():
		return fmt.Errorf("listen address %q is a multicast address; name one of this machine, such as 127.0.0.1:%s", addr, port)
	case !isIP && !isHostName(host):
		return fmt.Errorf("listen address %q: %q is neither an address nor a host name in lower case; want one such as 127.0.0.1:%s", addr, host, port)
	}
	return allowExposed(addr, host == "localhost" || isIP && ip.IsLoopback(), tls, clientAuth)
}

func allowExposed(addr string, loopback, tls, clientAuth bool) error {
	if loopback || tls || clientAuth {
		return nil
	}
	return fmt.Errorf("listen address %q can be reached from other machines; configure tls: or clients:, or listen on 127.0.0.1", addr)
}

// parseHostIP reads an address and leaves its zone out. IPv4 within IPv6 is IPv4.
func parseHostIP(host string) (netip.Addr, bool) {
	ip, err := netip.ParseAddr(host)
	return ip.WithZone("").Unmap(), err == nil
}

// Listen opens addr if CheckListen permits it, and again permits what the name
// turned out to stand for. At most conns connections are open at once; further
// ones wait to be accepted. conns must be positive.
func Listen(ctx context.Context, addr string, tls, clientAuth bool, conns int) (net.Listener, error) {
	if err := CheckListen(addr, tls, clientAuth); err != nil {
		return nil, err
	}
	if conns <= 0 {
		return nil, fmt.Errorf("listen on %q: a limit of %d connections lets nobody in; want 1 or more", addr, conns)
	}
	var config net.ListenConfig
	ln, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w; name an address of this machine with a free port", addr, err)
	}
	bound, err := netip.ParseAddrPort(ln.Addr().String())
	if err == nil {
		if ip := bound.Addr().WithZone("").Unmap(); ip.IsUnspecified() {
			err = fmt.Errorf("listen address %q stands for every address of the machine; name one", addr)
		} else {
			err = allowExposed(ln.Addr().String(), ip.IsLoopback(), tls, clientAuth)
		}
	}
	if err != nil {
		_ = ln.Close() // nothing was accepted on it
		return nil, err
	}
	return netutil.LimitListener(ln, conns), nil
}

// Limits of a server that have no setting: they bound what a client costs that
// sends no request, or does not finish sending its head.
const (
	headTimeout  = 10 * time.Second
	idleTimeout  = 2 * time.Minute
	maxHead      = 64 << 10 // bytes
	maxStreams   = 250      // requests at once on one HTTP/2 connection
	pingAfter    = 30 * time.Second
	pingTimeout  = 15 * time.Second
	stalledWrite = time.Minute
)

// NewServer returns a server for the handler: HTTP/1.1, and HTTP/2 on TLS. It
// bounds the heads of requests and idle connections, but neither bodies (ReadBody
// does) nor responses (Stream does), which may last for hours. The end of ctx ends
// the context of every request. Errors of connections go to errorLog, or nowhere.
func NewServer(ctx context.Context, handler http.Handler, errorLog *log.Logger) *http.Server {
	if errorLog == nil {
		errorLog = log.New(io.Discard, "", 0)
	}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Server{
		Handler:                      handler,
		ReadHeaderTimeout:            headTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHead,
		Protocols:                    protocols,
		HTTP2:                        &http.HTTP2Config{MaxConcurrentStreams: maxStreams, SendPingTimeout: pingAfter, PingTimeout: pingTimeout, WriteByteTimeout: stalledWrite},
		DisableGeneralOptionsHandler: true,
		BaseContext:                  func(net.Listener) context.Context { return ctx },
		ErrorLog:                     errorLog,
	}
}
