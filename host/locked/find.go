package locked

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/regular"
)

// Find reads the bundle again that an entry of a loaded policy came in, from where
// it was then. Whether it may be served was decided when the policy was loaded, so
// only that it is the same bundle is looked at, and neither lock nor trust file.
func Find(state string, ref contract.PluginRef) (*bundle.Bundle, error) {
	files := filesOf(state, pathOf(ref), ref.Bundle.Digest, nil)
	data, err := regular.ReadFile(files[0], bundle.MaxCompressed)
	if err != nil {
		return nil, err
	}
	if digest := abi.DigestBytes(data); digest != ref.Bundle.Digest {
		return nil, fmt.Errorf("%s: it is %s now, and was %s when the policy was loaded", files[0], digest, ref.Bundle.Digest)
	}
	b, err := bundle.Open(data)
	if err == nil && b.FileDigest != ref.Digest {
		err = errors.New(files[0] + ": it holds another module than when the policy was loaded")
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Files are the files of a policy's bundles, and what says that they may be served:
// locks, the trust file, the bundles themselves and the signatures that counted. Of
// plugins that came in none it is the trust file alone. Empty: it has no plugins.
func Files(state string, p *policy.Policy) []string {
	var list []string
	for _, ref := range p.Plugins() {
		if ref.Bundle.Digest != "" {
			list = append(list, filesOf(state, pathOf(ref), ref.Bundle.Digest, slices.Clone(ref.Bundle.Keys))...)
		}
	}
	if len(list) > 0 {
		list = append(list, Locks(p)...)
	}
	if state != "" && p.HasPlugins() {
		list = append(list, filepath.Join(state, bundle.TrustFile))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Locks are the files that pin the bundles of a policy, or would.
func Locks(p *policy.Policy) []string {
	var list []string
	for _, f := range p.Files() {
		if f.Path != policy.Starter { // which is no file
			list = append(list, LockOf(filepath.FromSlash(f.Path)))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// pathOf is the file that an entry names, "" for a reference to a registry.
func pathOf(ref contract.PluginRef) string {
	if policy.IsRemote(ref.File) {
		return ""
	}
	return filepath.FromSlash(ref.File)
}
