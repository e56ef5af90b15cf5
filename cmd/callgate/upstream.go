package main

import (
	"errors"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/transport"
)

// upstreamFiles are the files that a server at a URL is reached with.
type upstreamFiles struct {
	headers       string // "Name: value" a line
	ca, cert, key string
}

func (f *upstreamFiles) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.headers, "headers-file", "", "`FILE` of headers for the URL, one \"Name: value\" a line, readable by you alone: it can hold a token")
	cmd.Flags().StringVar(&f.ca, "ca", "", "certificates of authorities that the URL's certificate is checked against, instead of the system's")
	cmd.Flags().StringVar(&f.cert, "cert", "", "certificate that this client shows to the URL; needs --key")
	cmd.Flags().StringVar(&f.key, "key", "", "key of --cert")
}

// names lists the files.
func (f *upstreamFiles) names() []string {
	var out []string
	for _, name := range []string{f.headers, f.ca, f.cert, f.key} {
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}

// upstreamMistake is what is wrong with one of the files.
type upstreamMistake struct {
	member string // of a server in a configuration
	err    error
}

func (m upstreamMistake) Error() string { return m.err.Error() }

func (m upstreamMistake) Unwrap() error { return m.err }

// flagOf is the flag of `callgate run` that an error of options is about.
func flagOf(err error) string {
	var wrong upstreamMistake
	if !errors.As(err, &wrong) {
		return "--url"
	}
	switch wrong.member {
	case "/headers_file":
		return "--headers-file"
	case "/tls/key":
		return "--key"
	case "/tls":
		return "--ca, --cert, --key"
	}
	return "--url"
}

// options reads the files. Errors are of type upstreamMistake.
func (f *upstreamFiles) options(url string) (transport.Options, error) {
	o := transport.Options{URL: url, UserAgent: "callgate/" + version()}
	if f.headers != "" {
		if err := policy.CheckSecretsTo(url); err != nil {
			return o, upstreamMistake{"/url", err}
		}
		headers, err := policy.ReadHeaders(f.headers)
		if err != nil {
			return o, upstreamMistake{"/headers_file", err}
		}
		o.Header = http.Header{}
		for _, h := range headers {
			o.Header.Set(h.Name, h.Value)
		}
	}
	if f.key != "" {
		if err := policy.CheckSecret(f.key, "the key"); err != nil {
			return o, upstreamMistake{"/tls/key", err}
		}
	}
	var err error
	if o.TLS, err = transport.ClientTLS(f.ca, f.cert, f.key); err != nil {
		return o, upstreamMistake{"/tls", err}
	}
	return o, nil
}
