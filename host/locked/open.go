package locked

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/regular"
)

// Opener opens bundles while one policy is loaded. Each lock and the trust file are
// read once, so that all entries see the same.
type Opener struct {
	state string
	now   time.Time
	sums  map[string][sha256.Size]byte

	locks map[string]*bundle.Lock
	trust *bundle.Trust
}

// New returns an opener over a directory of state, "" for none, in which keys count
// that have not expired at a time.
func New(state string, now time.Time) *Opener {
	return &Opener{state: state, now: now, sums: map[string][sha256.Size]byte{}, locks: map[string]*bundle.Lock{}}
}

// Sums are the files that opening depended on, also those that are not there, with
// the digests of what was read; zero: nothing.
func (o *Opener) Sums() map[string][sha256.Size]byte { return maps.Clone(o.sums) }

// Open opens what an entry of a policy names, if the lock beside the policy pins it
// and the trust file lets it.
func (o *Opener) Open(u policy.Use) (*policy.Opened, error) {
	ref, err := bundle.ParseRef(u.Text)
	if err != nil {
		return nil, err
	}
	if ref.Kind != bundle.BundleRef && ref.Kind != bundle.RegistryRef {
		return nil, fmt.Errorf("%q names no bundle; write the path of its file, or oci://…", u.Text)
	}
	entry, err := o.entry(u)
	if err != nil {
		return nil, err
	}
	trust, err := o.readTrust()
	if err != nil {
		return nil, err
	}
	data, signatures, err := o.read(u, entry, trust)
	if err != nil {
		return nil, err
	}
	b, v, err := entry.OpenTrusted(trust, data, signatures, o.now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.Text, err)
	}
	return &policy.Opened{
		Bundle: contract.Bundle{Digest: b.Digest, Name: b.About.Name, Version: b.About.Version, Keys: v.KeyIDs}, Module: b.Module,
	}, nil
}

// Allow says why the module of an entry that names no bundle may not be served: the
// trust file refuses all of them, or has revoked it. Nobody has to be trusted for it, so
// there need not be a trust file; one that can not be read may have revoked anything.
func (o *Opener) Allow(module []byte) error {
	trust, err := o.readTrust()
	switch {
	case err == nil && trust.RefusePlain:
		return errors.New("it came in no bundle, and the trust file refuses what nobody signed; name a signed bundle, .cgp or oci://…")
	case err == nil:
		return trust.AllowsModule(module)
	case o.state == "" || errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("whether it is revoked can not be known: %w", err)
}

// entry is what the lock beside a policy says of an entry.
func (o *Opener) entry(u policy.Use) (*bundle.Entry, error) {
	name := LockOf(u.Policy)
	mend := "run callgate plugin lock " + word(u.Named)
	lock, ok := o.locks[name]
	if !ok {
		data, err := o.file(name, bundle.MaxLock)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: nothing pins it: there is no %s beside the policy; %s", u.Text, bundle.LockFile, mend)
		case err != nil:
			return nil, fmt.Errorf("%s: the lock can not be read: %w; mend it, or move it away and %s", u.Text, err, mend)
		}
		if lock, err = bundle.ParseLock(name, data); err != nil {
			return nil, fmt.Errorf("the lock can not be read: %w; mend it, or move it away and %s", err, mend)
		}
		o.locks[name] = lock
	}
	entry := lock.Find(u.Text)
	if entry == nil {
		return nil, fmt.Errorf("%s: %s does not pin it; %s", u.Text, bundle.LockFile, mend)
	}
	return entry, nil
}

// LockOf is the lock of a policy file.
func LockOf(policyFile string) string {
	return filepath.Join(filepath.Dir(policyFile), bundle.LockFile)
}

// readTrust reads whom the operator trusts.
func (o *Opener) readTrust() (*bundle.Trust, error) {
	const mend = "say whom you trust with callgate plugin trust add NAME KEY --scope SCOPE"
	switch {
	case o.trust != nil:
		return o.trust, nil
	case o.state == "":
		return nil, errors.New("there is no directory of state, so nobody is trusted; set HOME or XDG_STATE_HOME")
	}
	name := filepath.Join(o.state, bundle.TrustFile)
	data, err := o.file(name, bundle.MaxTrust)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &noTrust{fmt.Sprintf("nobody is trusted: there is no %s; %s", name, mend)}
	case err != nil:
		return nil, fmt.Errorf("nobody is trusted: the trust file can not be read: %w; mend it, or move it away and %s", err, mend)
	}
	if o.trust, err = bundle.ParseTrust(name, data); err != nil {
		return nil, fmt.Errorf("nobody is trusted: %w; mend it, or move it away and %s", err, mend)
	}
	return o.trust, nil
}

// read reads the bundle of an entry, and what signatures of it there are. What they
// are is for [bundle.Entry.OpenTrusted] to say.
func (o *Opener) read(u policy.Use, e *bundle.Entry, t *bundle.Trust) ([]byte, []bundle.Signature, error) {
	keys := slices.Clone(e.Keys)
	for _, k := range t.Keys {
		keys = append(keys, bundle.KeyID(k.Public.ID()))
	}
	files := filesOf(o.state, u.Path, e.Bundle, keys)
	data, err := o.file(files[0], bundle.MaxCompressed)
	switch {
	case errors.Is(err, fs.ErrNotExist) && u.Remote():
		return nil, nil, fmt.Errorf("%s: %s: %w; %s", u.Text, e.Bundle, bundle.ErrNotStored, bundle.GetStored)
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w; put the bundle back", u.Text, err)
	}
	var list []bundle.Signature
	for _, f := range files[1:] {
		text, err := o.file(f, bundle.MaxSignature)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w; get the signature again", u.Text, err)
		}
		list = append(list, bundle.Signature{Name: filepath.Base(f), Text: text})
	}
	return data, list, nil
}

// filesOf lists where a bundle is, and then where its signatures by some keys may
// be: beside the file that a policy names, or, where that is "", in the store.
func filesOf(state, path, digest string, keys []string) []string {
	list := []string{path, path + bundle.SignatureSuffix}
	if path == "" {
		path = filepath.Join(state, bundle.StoreDir, strings.TrimPrefix(digest, "sha256:"))
		list = []string{path + bundle.BundleSuffix}
	}
	slices.Sort(keys)
	for _, id := range slices.Compact(keys) {
		list = append(list, path+"."+id+bundle.SignatureSuffix)
	}
	return list
}

// noTrust is that there is no trust file.
type noTrust struct{ text string }

func (e *noTrust) Error() string { return e.text }

// Is implements the interface of [errors.Is].
func (e *noTrust) Is(target error) bool { return target == fs.ErrNotExist }

// file reads a regular file of at most so many bytes, and notes what it was.
func (o *Opener) file(name string, most int) ([]byte, error) {
	o.sums[name] = [sha256.Size]byte{}
	data, err := regular.ReadFile(name, most)
	if err == nil {
		o.sums[name] = sha256.Sum256(data)
	}
	return data, err
}

// word is a path as a word of a command that is to be typed.
func word(path string) string {
	for _, r := range path {
		if !(r == '/' || r == '.' || r == '-' || r == '_' || r == '\\' || r == ':' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			return strconv.Quote(path)
		}
	}
	return path
}
