package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
	"github.com/callgate/callgate/host/transport"
)

// tokenHeader carries the token of a client whose Authorization is for the
// server.
const tokenHeader = "Callgate-Token"

// challenge is what RFC 6750 section 3 has a refusal say. It names no resource
// metadata: there is no authorization server to ask for a token.
const challenge = `Bearer realm="callgate"`

// gatewayClients tells who sends a request. The zero value lets everybody in,
// under no name.
type gatewayClients struct {
	tokens       []tokenOf
	certificates map[string]string // client by the name in its certificate
	listed       bool              // only clients that are listed
	verified     bool              // every connection has a certificate
}

// tokenOf is a token as its digest, so that comparing tells nothing of it.
type tokenOf struct {
	sum  [sha256.Size]byte
	name string
}

// known says whether requests are of clients that are known.
func (c *gatewayClients) known() bool { return c.listed || c.verified }

// readClients reads who may send requests.
func readClients(c *policy.Gateway) (*gatewayClients, error) {
	out := &gatewayClients{certificates: map[string]string{}, listed: len(c.Clients) > 0, verified: c.TLS.ClientCA != ""}
	var errs []error
	seen := map[[sha256.Size]byte]string{}
	for _, one := range c.Clients {
		if one.Certificate != "" {
			out.certificates[one.Certificate] = one.Name
			continue
		}
		token, err := policy.ReadToken(one.TokenFile)
		if err != nil {
			errs = append(errs, c.Mistake(one.At+"/token_file", err))
			continue
		}
		sum := sha256.Sum256([]byte(token))
		if other, ok := seen[sum]; ok {
			errs = append(errs, c.Mistake(one.At+"/token_file", fmt.Errorf("the token is that of client %q too; make one for each", other)))
			continue
		}
		seen[sum] = one.Name
		out.tokens = append(out.tokens, tokenOf{sum, one.Name})
	}
	return out, errors.Join(errs...)
}

// client names who sends a request, or refuses it.
func (c *gatewayClients) client(r *http.Request) (proxy.GatewayClient, *transport.Refusal) {
	if !c.known() {
		return proxy.GatewayClient{}, nil
	}
	byToken, mine, refusal := c.byToken(r)
	if refusal != nil {
		return proxy.GatewayClient{}, refusal
	}
	byCertificate := c.byCertificate(r)
	switch {
	case byToken != "" && byCertificate != "" && byToken != byCertificate:
		return proxy.GatewayClient{}, transport.Refuse(http.StatusForbidden, transport.CodeInvalidRequest,
			"the token and the certificate are of two clients; send those of one")
	case byToken != "":
		return proxy.GatewayClient{Name: byToken, Token: mine}, nil
	case byCertificate != "":
		return proxy.GatewayClient{Name: byCertificate, Token: mine}, nil
	case len(c.tokens) > 0:
		return proxy.GatewayClient{}, unauthorized("the request has the token of no client that is listed; send one as Authorization: Bearer TOKEN", challenge)
	}
	return proxy.GatewayClient{}, transport.Refuse(http.StatusForbidden, transport.CodeInvalidRequest,
		"the certificate names no client that is known here; use one that is listed")
}

// byToken returns the client that a token names, "" without one, and whether
// the Authorization header is for the gateway. A token in a header that is for
// the gateway alone has to be right.
func (c *gatewayClients) byToken(r *http.Request) (name string, mine bool, refusal *transport.Refusal) {
	if len(c.tokens) == 0 {
		return "", false, nil
	}
	own, authorization := r.Header.Values(tokenHeader), r.Header.Values("Authorization")
	if len(own) > 1 || len(authorization) > 1 {
		return "", false, transport.Refuse(http.StatusBadRequest, transport.CodeInvalidRequest, "the request has two tokens; send one Authorization and one "+tokenHeader)
	}
	if len(authorization) == 1 {
		name = c.match(bearer(authorization[0]))
		mine = name != ""
	}
	if len(own) == 0 {
		return name, mine, nil
	}
	if name = c.match(own[0]); name == "" {
		return "", false, unauthorized("the token is that of no client; send the one that the gateway has", challenge+`, error="invalid_token"`)
	}
	return name, mine, nil
}

// bearer returns the token of an Authorization header, "" if it is none.
func bearer(authorization string) string {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.Trim(token, " ")
}

// match returns the client that a token is of. It takes as long for every token.
func (c *gatewayClients) match(token string) (name string) {
	sum := sha256.Sum256([]byte(token))
	for _, one := range c.tokens {
		if subtle.ConstantTimeCompare(one.sum[:], sum[:]) == 1 {
			name = one.name
		}
	}
	return name
}

// byCertificate returns the client that a certificate names, "" if none does.
func (c *gatewayClients) byCertificate(r *http.Request) string {
	if !c.verified {
		return ""
	}
	name, ok := transport.PeerName(r)
	switch {
	case !ok:
		return ""
	case c.listed:
		return c.certificates[name]
	}
	return name
}

func unauthorized(reason, challenge string) *transport.Refusal {
	return transport.Refuse(http.StatusUnauthorized, transport.CodeInvalidRequest, reason).With("WWW-Authenticate", challenge)
}
