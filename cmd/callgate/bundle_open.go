package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/plugin"
)

// trusting says whom a verb trusts, and whether it asks at all.
type trusting struct {
	file     string // "": the one of the state
	unsigned bool
}

// trustFlag declares --trust.
func trustFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "trust", "", "the trust `FILE`, instead of "+bundle.TrustFile+" in the directory of state")
}

// unsignedFlag declares --allow-unsigned.
func unsignedFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "allow-unsigned", false, "take a bundle that nobody who is trusted has signed; one that is revoked stays refused")
}

// trustPath is where the trust file is.
func trustPath(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	state, err := ledger.StateDir(os.Getenv)
	return filepath.Join(state, bundle.TrustFile), err
}

// readTrust reads the trust file that a flag names, or that of the state, which may
// be absent: then nobody is trusted, and hint says so.
func readTrust(named string) (t *bundle.Trust, hint string, err error) {
	path, err := trustPath(named)
	if err != nil {
		return nil, "", err
	}
	t, there, err := bundle.ReadTrust(path)
	switch {
	case err != nil:
		return nil, "", unread(err, "name a trust file")
	case !there && named != "":
		return nil, "", fmt.Errorf("--trust %q: no such file; name a trust file, or make one with callgate plugin trust add --trust", named)
	case !there:
		hint = path + ": no such file, so that nobody is trusted; say whom you trust with callgate plugin trust add NAME KEY --scope SCOPE"
	}
	return t, hint, nil
}

// isBundle says whether a command line names a bundle.
func isBundle(path string) bool {
	r, err := bundle.ParseRef(path)
	if err != nil || r.Kind != bundle.BundleRef {
		return false
	}
	info, err := os.Stat(path)
	return err != nil || !info.IsDir()
}

// openBundle opens a bundle that is to be run, if it may be trusted.
func openBundle(std stdio, path string, f trusting) (*plugin.Target, error) {
	data, signatures, err := bundle.ReadSigned(path)
	if err != nil {
		return nil, unread(err, "name a bundle")
	}
	t, hint, err := readTrust(f.file)
	if err != nil {
		return nil, err
	}
	var b *bundle.Bundle
	if f.unsigned {
		fmt.Fprintf(std.err, "note: %s: who signed it is not asked: --allow-unsigned\n", oneLine(path))
		if b, err = bundle.Open(data); err == nil {
			err = t.Allows(b)
		}
	} else {
		b, _, err = t.Open(data, signatures, time.Now())
	}
	if err != nil {
		return nil, failed(errors.New(path + ": refused: " + refusal(err, hint)))
	}
	return plugin.BundleTarget(path, b), nil
}

// refusal is the reason why a bundle is refused, with more that helps.
func refusal(err error, hint string) string {
	text := strings.TrimPrefix(err.Error(), "bundle: ")
	if hint != "" {
		text += "\n" + hint
	}
	return text
}

// unrevoked refuses a module that came in no bundle and is revoked.
func unrevoked(path string, m *plugin.Module, f trusting) error {
	t, _, err := readTrust(f.file)
	if err != nil {
		return err
	}
	if err := t.AllowsDigests(m.File, m.Digest); err != nil {
		return failed(errors.New(path + ": refused: " + err.Error()))
	}
	return nil
}
