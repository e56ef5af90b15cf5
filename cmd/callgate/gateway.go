package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/transport"
)

// Times of a gateway that have no setting.
const (
	// gatewayKeepAlive is how long a stream is quiet before a comment says that it
	// lives: proxies and clients give up after a minute, or half of one.
	gatewayKeepAlive = 15 * time.Second
	// gatewayDelay is how long an answer may take before it becomes a stream.
	gatewayDelay = 5 * time.Second
	// gatewayLinger is how long answers may take to be written at the end.
	gatewayLinger = 300 * time.Millisecond
	// connectionsOf is how many connections a session may have, on the average:
	// one that listens, and calls beside it.
	connectionsOf = 4
)

type gatewayFlags struct {
	listen, config, floor, ledger string
	policies                      []string
}

func gatewayCmd(std stdio) *cobra.Command {
	var f gatewayFlags
	cmd := &cobra.Command{
		Use:   "gateway --config FILE [flags]",
		Short: "Serve wrapped servers over HTTP, each at /mcp/NAME",
		Long: "Serves the servers that FILE names over Streamable HTTP, and stands between them and their clients. It says on standard\n" +
			"error where it listens, and ends its sessions and servers on SIGTERM. docs/transports.md describes FILE.",
		Example: "  callgate gateway --config gateway.yaml --listen 127.0.0.1:7777",
		Args:    wants(cobra.NoArgs, "the servers are named in the file of --config"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serveGateway(cmd.Context(), std, f)
		},
	}
	cmd.Flags().StringVar(&f.config, "config", "", "configuration of the gateway; required")
	cmd.Flags().StringVar(&f.listen, "listen", "", "address to listen on, host:port; port 0 is any that is free (default: listen: of the configuration)")
	cmd.Flags().StringArrayVar(&f.policies, "policy", nil, "policy file; the one named last is the highest layer (default: policy: of the configuration, else the built-in starter policy)")
	cmd.Flags().StringVar(&f.floor, "floor", "", "policy that is judged beside the others; the stricter outcome holds (default: floor: of the configuration)")
	cmd.Flags().StringVar(&f.ledger, "ledger", "", "directory that each group has the directory of its ledgers in (default: ledger: of the configuration, else $XDG_STATE_HOME/callgate/groups)")
	return cmd
}

// serveGateway serves until a signal, or the end of ctx.
func serveGateway(ctx context.Context, std stdio, f gatewayFlags) error {
	s, err := f.setUp(std)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	// A standard error that nobody reads must not end us; it is caught and not
	// ignored, because a server would inherit the latter.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	ln, err := transport.Listen(ctx, s.listen, s.tls != nil, s.clients.known(), connectionsOf*s.config.Sessions)
	if err != nil {
		return err
	}
	return s.serve(ctx, ln, signals)
}

// serving is a gateway with all that it is made of.
type serving struct {
	gatewayParts
	std stdio
}

// note writes one line for the operator.
func (s *serving) note(format string, args ...any) {
	// Nobody is left to be told where this fails.
	_, _ = fmt.Fprintln(s.std.err, "callgate: "+printable(fmt.Sprintf(format, args...)))
}

// Write is for the log of the HTTP server, which writes whole lines.
func (s *serving) Write(line []byte) (int, error) {
	s.note("%s", trimLine(line))
	return len(line), nil
}

func trimLine(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		return line[:n-1]
	}
	return line
}

// serve accepts connections until a signal, or the end of ctx. Then it ends
// what was started.
func (s *serving) serve(ctx context.Context, ln net.Listener, signals <-chan os.Signal) error {
	guard := s.guard
	guard.Bound = ln.Addr().String()
	g := proxy.NewGateway(proxy.GatewayOptions{
		Servers: s.servers, Guard: guard, Client: s.clients.client, Open: s.open, Stderr: s.std.err, Note: s.note,
		Limits: proxy.GatewayLimits{
			Sessions: s.config.Sessions, Children: s.config.Children, Idle: s.config.Idle, Body: s.config.Body,
			KeepAlive: gatewayKeepAlive, Delay: gatewayDelay,
		},
	})
	stop, err := g.Adopt()
	if err != nil {
		s.alone = false // a descendant of a server could answer
		s.note("nobody can answer from a terminal: %v", err)
		stop = func() {}
	}
	defer stop()
	defer s.follow.start(ctx)()
	requests, end := context.WithCancel(ctx)
	defer end()
	server := transport.NewServer(requests, guard.Wrap(g), log.New(s, "", 0))
	ended := make(chan error, 1)
	go func() {
		if s.tls != nil {
			server.TLSConfig = s.tls
			ended <- server.ServeTLS(ln, "", "")
			return
		}
		ended <- server.Serve(ln)
	}()
	s.endpoints(ln)
	var failed error
	select {
	case failed = <-ended:
	case <-signals:
	case <-ctx.Done():
	}
	return errors.Join(failed, closeGateway(g, server, end))
}

// endpoints says where the servers are, one line for each.
func (s *serving) endpoints(ln net.Listener) {
	scheme := "http"
	if s.tls != nil {
		scheme = "https"
	}
	host, _, _ := net.SplitHostPort(s.listen) // it was checked
	_, port, err := net.SplitHostPort(ln.Addr().String())
	at := net.JoinHostPort(host, port)
	if err != nil {
		at = ln.Addr().String()
	}
	for _, one := range s.config.Servers {
		s.note("listening on %s://%s/mcp/%s", scheme, at, url.PathEscape(one.Name))
	}
	for _, one := range s.config.Servers {
		if note := unnamed(s.policy, one.Name); note != "" {
			s.note("%s", note)
		}
	}
}

// unnamed says what becomes of a server that the policy does not name, though it
// names others; "" if nothing does.
func unnamed(p *policy.Policy, server string) string {
	o := p.Settings().UnknownServer
	if o == abi.Allow || p.Server(server).Named {
		return ""
	}
	return fmt.Sprintf("the policy names its servers, and %q is none of them: settings.unknown_server says %s to all its calls; name it under servers:", server, o)
}

// closeGateway stops accepting, ends sessions and servers, closes the ledgers,
// and lets what was answered last reach its client.
func closeGateway(g *proxy.Gateway, server *http.Server, end func()) error {
	ctx, cancel := context.WithCancel(context.Background())
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = server.Shutdown(ctx) // it is cut short where a client does not read
	}()
	shelf().Stop() // what they are asked is in the way of the ends of sessions
	err := g.Close()
	end() // requests that no session ended
	t := time.NewTimer(gatewayLinger)
	defer t.Stop()
	select {
	case <-written:
	case <-t.C:
	}
	cancel()
	<-written
	_ = server.Close() // a connection that is cut has nothing left to say
	return err
}

// choose returns the text of a flag, or else that of the configuration with the
// place where it stands.
func choose(c *policy.Gateway, flag, said, at string) (string, func(error) error) {
	if flag != "" || said == "" {
		return flag, func(err error) error { return err }
	}
	return said, func(err error) error { return c.Mistake(at, err) }
}
