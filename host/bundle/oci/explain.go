package oci

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// maxSaid is how much of what a registry says is repeated, in bytes.
const maxSaid = 300

// quoted is what a stranger says, for people.
func quoted(text string) string { return strconv.Quote(cut(text)) }

func cut(text string) string {
	if len(text) <= maxSaid {
		return text
	}
	n := maxSaid
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// explain says what went wrong with a registry, and what to do about it.
func explain(c *Registry, err error) error {
	return fmt.Errorf("%s: %w", c.ref.Text, c.reason(err))
}

func (c *Registry) reason(err error) error {
	host := c.ref.Registry
	var own *refusal
	var answer *errcode.ErrorResponse
	var dns *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, errStalled):
		return fmt.Errorf("%s did nothing for %v; try again, or ask who runs it", host, c.options.Step)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s took longer than %v; try again, or ask who runs it", host, c.options.Total)
	case errors.Is(err, errRedirect):
		if errors.As(err, &op) {
			err = op.Err
		}
		return fmt.Errorf("%s answers with a %s; nothing was sent there: ask who runs it, or name the registry that it means", host, plain(err))
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return fmt.Errorf("%s wants a login, and the configuration of Docker has none for it; run docker login %s, or oras login", host, host)
	case errors.As(err, &answer):
		return c.answered(answer)
	case errors.Is(err, errdef.ErrNotFound):
		return fmt.Errorf("%s does not have it; check the name, and what it was pushed as", host)
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("%s speaks plain HTTP; --plain-http allows that, with passwords and all in the clear", host)
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrTrailingData), errors.Is(err, io.ErrUnexpectedEOF),
		strings.Contains(err.Error(), ": mismatch"): // of headers, for which the library has no value
		return fmt.Errorf("%s sends other bytes than it says; try again, or ask who runs it", host)
	case errors.As(err, &op) && op.Op == "proxyconnect":
		named := "HTTPS_PROXY"
		if c.options.PlainHTTP {
			named = "HTTP_PROXY"
		}
		return fmt.Errorf("the proxy of %s takes no connection: %s; check it, or name %s in NO_PROXY", named, plain(op.Err), host)
	case errors.As(err, &cert):
		return fmt.Errorf("%s has a certificate that this machine does not trust: %s; install the authority that it is from, or name its file in SSL_CERT_FILE", host, plain(cert.Err))
	case errors.Is(err, errdef.ErrTooManyPages), errors.Is(err, errdef.ErrSizeExceedsLimit):
		return fmt.Errorf("%s lists more than is looked at: %s; ask who runs it", host, plain(err))
	case strings.Contains(err.Error(), "bearer realm"): // for which the library has no value
		return fmt.Errorf("%s says that logins are at a place that is not asked: %s; ask who runs it", host, plain(err))
	case errors.As(err, &dns):
		return fmt.Errorf("there is no host %q; check the name", dns.Name)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Errorf("%s takes no connection: %s; check the name and the port, or ask who runs it", host, plain(op.Err))
	}
	return fmt.Errorf("%s: %s; try again, or ask who runs it", host, plain(err))
}

// answered is about an answer that is an error.
func (c *Registry) answered(e *errcode.ErrorResponse) error {
	said := ""
	if len(e.Errors) > 0 {
		said = ": it says " + quoted(e.Errors.Error())
	}
	host, status := c.ref.Registry, fmt.Sprintf("%d", e.StatusCode)
	if text := http.StatusText(e.StatusCode); text != "" {
		status += " " + text
	}
	mend := "ask who runs it"
	switch {
	case slices.ContainsFunc(e.Errors, func(one errcode.Error) bool { return one.Code == errcode.ErrorCodeManifestBlobUnknown }):
		mend = "try again: somebody else may push at the same time"
	case e.StatusCode == http.StatusUnauthorized:
		mend = "check the login: docker login " + host
	case e.StatusCode == http.StatusProxyAuthRequired:
		mend = "state the login of the proxy in HTTP_PROXY, as http://USER:PASSWORD@HOST:PORT"
	case e.StatusCode == http.StatusForbidden:
		mend = "ask its owner for access"
	case e.StatusCode == http.StatusNotFound:
		mend = "check the name, and what it was pushed as"
	case e.StatusCode == http.StatusTooManyRequests || e.StatusCode >= 500:
		mend = "try again later"
		if wait := c.patient.wanted(); wait > 0 {
			mend = fmt.Sprintf("it asks to wait %v: try again then", wait.Round(time.Second))
		}
	case e.StatusCode < 400:
		mend = "is it a registry?"
	}
	return fmt.Errorf("%s answers %s%s; %s", host, status, said, mend)
}

// query is what of an address can be a secret: a registry redirects to such.
var query = regexp.MustCompile(`\?[^\s"']*`)

// plain is an error of a library, which may repeat what a stranger said, without what
// it should not repeat.
func plain(err error) string {
	for u := (*url.Error)(nil); errors.As(err, &u); {
		err = u.Err
	}
	var b strings.Builder
	for _, r := range cut(query.ReplaceAllString(err.Error(), "")) {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// refusal is an error of our own, that is whole as it is.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }
