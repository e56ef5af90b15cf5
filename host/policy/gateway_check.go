package policy

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/callgate/callgate/abi"
)

// maxHeld bounds sessions and children, which each hold descriptors.
const maxHeld = 1_000_000

// checkGateway finds the mistakes of a gateway's configuration that no single
// leaf shows.
func (c *issues) checkGateway(f *gatewayFile) {
	switch {
	case c.spoiled("/callgate_gateway"):
	case f.CallgateGateway == 0:
		c.add("", "no format version; start the file with %s", c.head())
	case f.CallgateGateway != formatVersion:
		c.add("/callgate_gateway", "format version %d is unknown; this build reads %s", f.CallgateGateway, c.head())
	}
	if f.Policy != nil && len(f.Policy) == 0 {
		c.add("/policy", "an empty list; name a policy file, or leave policy out for the built-in one")
	}
	c.checkGatewayTLS(f)
	c.checkClients(f)
	c.checkLimits(f.Limits)
	if len(f.Servers) == 0 && !c.spoiled("/servers") {
		c.add("", "no servers; name one, such as servers: {files: {command: [npx, -y, SERVER]}}")
	}
	for _, name := range sortedKeys(f.Servers) {
		s, at := f.Servers[name], abi.Join("/servers", name)
		if name == "*" {
			c.add(at, `"*" is not the exact name of a server; name each`)
		}
		c.checkServed(&s, at)
	}
}

func (c *issues) checkGatewayTLS(f *gatewayFile) {
	if f.TLS == nil || c.spoiled("/tls") {
		return
	}
	if f.TLS.Cert == nil || f.TLS.Key == nil {
		c.add("/tls", "a certificate and its key go together; name both files, cert and key")
	}
}

func (c *issues) checkClients(f *gatewayFile) {
	if f.Clients != nil && len(f.Clients) == 0 {
		c.add("/clients", "an empty list lets nobody in; list a client, or leave clients out")
	}
	names, certificates := map[string]int{}, map[string]int{}
	for i, one := range f.Clients {
		at := abi.JoinIndex("/clients", i)
		switch {
		case c.spoiled(at):
			continue
		case one.Name == nil:
			c.add(at, "no name; give the client one, which stands in its ledgers")
			continue
		case one.TokenFile == nil && one.Certificate == nil:
			c.add(at, "nothing tells the client from others; want token_file or certificate")
			continue
		case one.TokenFile != nil && one.Certificate != nil:
			c.add(at, "both a token and a certificate; keep one of the two, or list two clients")
			continue
		case one.Certificate != nil && (f.TLS == nil || f.TLS.ClientCA == nil):
			c.add(at+"/certificate", "no client certificate is asked for; name the CA of the clients in tls.client_ca")
		}
		if first, ok := names[*one.Name]; ok {
			c.add(at+"/name", "client %q is also clients[%d]; give each its own name", *one.Name, first)
		}
		names[*one.Name] = i
		if one.Certificate == nil {
			continue
		}
		if first, ok := certificates[*one.Certificate]; ok {
			c.add(at+"/certificate", "certificate %q is also that of clients[%d]; give each client its own", *one.Certificate, first)
		}
		certificates[*one.Certificate] = i
	}
}

func (c *issues) checkLimits(l *gatewayLimits) {
	if l == nil {
		return
	}
	held := func(at string, n *int64) {
		if n != nil && !c.spoiled(at) && (*n < 1 || *n > maxHeld) {
			c.add(at, "a limit of %d; want 1 to %d", *n, maxHeld)
		}
	}
	held("/limits/sessions", l.Sessions)
	held("/limits/children", l.Children)
	if l.Body != nil && *l.Body < 1 && !c.spoiled("/limits/body") {
		c.add("/limits/body", "no request is that small; want a size such as 64MiB")
	}
}

// checkServed checks one server: a command or a URL, and only what belongs to it.
func (c *issues) checkServed(s *gatewayServer, at string) {
	if c.spoiled(at) {
		return
	}
	remote := present{{"transport", s.Transport != nil}, {"headers_file", s.HeadersFile != nil}, {"authorization", s.Authorization != nil}, {"tls", s.TLS != nil}}
	local := present{{"env", s.Env != nil}, {"cwd", s.Cwd != nil}}
	switch {
	case s.Command == nil && s.URL == nil:
		c.add(at, "neither command nor url; want the command of a stdio server, or the url of one that speaks HTTP")
	case s.Command != nil && s.URL != nil:
		c.add(at, "both command and url; keep one of the two")
	case s.Command != nil && len(s.Command) == 0:
		c.add(at+"/command", "an empty list; name a command, such as [npx, -y, SERVER]")
	case s.Command != nil && remote.first() != "":
		c.add(at+"/"+remote.first(), "%s is for url:; a command takes %s", remote.first(), local.names())
	case s.URL != nil && local.first() != "":
		c.add(at+"/"+local.first(), "%s is for command:; a url takes %s", local.first(), remote.names())
	case s.URL != nil:
		c.checkURL(s, at)
	}
	c.checkVariables(s.Env, at+"/env")
}

// checkURL refuses what would send secrets that others can read on the way. The
// text of a URL may be a secret too, so no error shows it.
func (c *issues) checkURL(s *gatewayServer, at string) {
	u, err := url.Parse(*s.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		c.add(at+"/url", "not the URL of a server; want one such as https://mcp.example/mcp")
		return
	case u.User != nil:
		c.add(at+"/url", "the URL has a user in it; remove it, and write an Authorization header into headers_file")
	case u.Fragment != "" || strings.Contains(*s.URL, "#"):
		c.add(at+"/url", "the URL has a fragment, which is never sent; remove it")
	case s.HeadersFile != nil || stated(s.Authorization) == "pass":
		if err := CheckSecretsTo(*s.URL); err != nil {
			c.add(at+"/url", "%v", err)
		}
	}
	if stated(s.Transport) == "sse" && stated(s.Authorization) == "pass" {
		c.add(at+"/authorization", "HTTP+SSE has one connection for a session, so no header of a request can be passed; use headers_file")
	}
	if t := s.TLS; t != nil {
		if u.Scheme != "https" {
			c.add(at+"/tls", "the URL is http://, which has no certificates; write https://, or remove tls")
		}
		if (t.Cert == nil) != (t.Key == nil) {
			c.add(at+"/tls", "a certificate and its key go together; name both files, cert and key")
		}
	}
}

// CheckSecretsTo refuses the URL of a server to which secrets would go in the
// clear. What is no URL is for others to refuse.
func CheckSecretsTo(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || loopback(u.Hostname()) {
		return nil
	}
	return errors.New("secrets would be sent in the clear; want https://, or http:// to localhost")
}

func (c *issues) checkVariables(env []string, at string) {
	first := map[string]int{}
	for i, one := range env {
		if err := checkVariable(one); err != nil {
			c.entry(abi.JoinIndex(at, i), "%v", err)
			continue
		}
		name, _, _ := strings.Cut(one, "=")
		if before, ok := first[name]; ok {
			c.add(abi.JoinIndex(at, i), "variable %q is also env[%d]; keep one of the two", name, before)
		}
		first[name] = i
	}
}

// checkVariable checks NAME=value. What is no such thing may be a secret, so no
// error shows it.
func checkVariable(one string) error {
	name, _, ok := strings.Cut(one, "=")
	switch {
	case !ok && isVariable(one):
		return fmt.Errorf("variable %q has no value; write NAME=value: which of the gateway's own variables a server gets is servers.NAME.env of the policy", one)
	case !ok || !isVariable(name):
		return fmt.Errorf("not a variable with its value; want NAME=value")
	case strings.HasPrefix(name, "CALLGATE_"):
		return fmt.Errorf("variable %q is kept from servers; give it another name", name)
	}
	return nil
}
