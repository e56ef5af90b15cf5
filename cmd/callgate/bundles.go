package main

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/locked"
	"github.com/callgate/callgate/host/policy"
)

// stateDir is the directory that has the store of bundles and the trust file, ""
// for none.
func stateDir() string {
	dir, err := ledger.StateDir(os.Getenv)
	if err != nil {
		return ""
	}
	return dir
}

// bundles opens the bundles of a policy that is about to be loaded. The clock says
// which keys have expired, here and nowhere later.
func bundles() *locked.Opener { return locked.New(stateDir(), time.Now()) }

// served has the plugins of a policy looked at as serving them does: bundles are
// pinned and trusted, and nothing is revoked.
func served(o policy.Options) policy.Options {
	opener := bundles()
	o.Bundle, o.Allow = opener.Open, opener.Allow
	return o
}

// findBundle reads the bundle again that an entry of a loaded policy came in.
func findBundle(ref contract.PluginRef) (*bundle.Bundle, error) {
	return locked.Find(stateDir(), ref)
}

// unpacked is the module in it.
func unpacked(ref contract.PluginRef) ([]byte, error) {
	b, err := findBundle(ref)
	if err != nil {
		return nil, err
	}
	return b.Module, nil
}

// pinFiles lists what says which bundles of a policy may be served, as calls are
// kept away from it: its locks, whether they are there or not, and the signatures
// that lie beside bundles.
func pinFiles(p *policy.Policy) []string {
	list := append(locked.Locks(p), locked.Files(stateDir(), p)...)
	slices.Sort(list)
	return slices.Compact(list)
}

// moduleFiles lists the modules and bundles that a policy names.
func moduleFiles(p *policy.Policy) []string {
	var files []string
	for _, ref := range p.Plugins() {
		if f := filepath.FromSlash(ref.File); !policy.IsRemote(ref.File) && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files
}
