package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/regular"
)

// TrustFile is what the trust file is called in the directory of state.
const TrustFile = "trust.json"

// ReadSigned reads the file of a bundle, and the signatures that lie beside it:
// NAME.cgp.minisig and NAME.cgp.KEYID.minisig. Nothing of them is judged.
func ReadSigned(path string) (data []byte, signatures []Signature, err error) {
	if data, err = regular.ReadFile(path, MaxCompressed); err != nil {
		return nil, nil, err
	}
	names, err := signatureFiles(path)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		text, err := regular.ReadFile(name, MaxSignature)
		if err != nil {
			return nil, nil, err
		}
		signatures = append(signatures, Signature{name, text})
	}
	return data, signatures, nil
}

// beside matches what stands behind the name of a bundle in that of a signature.
var beside = regexp.MustCompile(`^(?:\.[0-9A-F]{16})?` + regexp.QuoteMeta(SignatureSuffix) + `$`)

// signatureFiles names the signatures beside a bundle, sorted.
func signatureFiles(path string) (names []string, err error) {
	dir, base := filepath.Split(path)
	list, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	for _, entry := range list {
		if rest, ok := strings.CutPrefix(entry.Name(), base); ok && beside.MatchString(rest) {
			names = append(names, dir+entry.Name())
		}
	}
	if len(names) > MaxSignatures {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%d signatures lie beside it; at most %d, so move some away", len(names), MaxSignatures)}
	}
	slices.Sort(names)
	return names, nil
}

// SignatureFile is where the signature of a key goes: beside the bundle, under its
// name alone unless another key's lies there.
func SignatureFile(path, keyID string) (string, error) {
	first := path + SignatureSuffix
	text, err := regular.ReadFile(first, MaxSignature)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return first, nil
	case err != nil:
		return "", err
	}
	if s, err := parseSignature(text); err == nil && KeyID(s.KeyID) == keyID {
		return first, nil
	}
	return path + "." + keyID + SignatureSuffix, nil
}

// ReadTrust reads a trust file. One that is not there trusts nobody, and there is
// false; every other mistake is an error.
func ReadTrust(path string) (t *Trust, there bool, err error) {
	data, err := regular.ReadFile(path, MaxTrust)
	if errors.Is(err, fs.ErrNotExist) {
		return (&Trust{}).filled(), false, nil
	}
	if err != nil {
		return nil, false, err
	}
	t, err = ParseTrust(path, data)
	return t, err == nil, err
}

// EditTrust changes a trust file as a whole, or leaves it as it was if change or
// anything else fails. Whoever edits it at the same time is refused, so that no
// edit is lost.
func EditTrust(path string, change func(*Trust) error) error {
	if err := regular.Replaceable(path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return edit(path, 0o600, func() ([]byte, error) {
		t, _, err := ReadTrust(path)
		if err != nil {
			return nil, err
		}
		if err := change(t); err != nil {
			return nil, err
		}
		return t.Text()
	})
}

// ReadLock reads a lock. One that is not there pins nothing, and there is false;
// every other mistake is an error.
func ReadLock(path string) (l *Lock, there bool, err error) {
	data, err := regular.ReadFile(path, MaxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{}, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	l, err = ParseLock(path, data)
	return l, err == nil, err
}

// EditLock changes a lock as a whole, or leaves it as it was if change or anything
// else fails. Whoever edits it at the same time is refused, so that no pin is lost.
func EditLock(path string, change func(*Lock) error) error {
	if err := regular.Replaceable(path); err != nil {
		return err
	}
	return edit(path, 0o644, func() ([]byte, error) {
		l, _, err := ReadLock(path)
		if err != nil {
			return nil, err
		}
		if err := change(l); err != nil {
			return nil, err
		}
		return l.Text()
	})
}

// edit writes what a file becomes, which has the mode that it had.
func edit(path string, mode fs.FileMode, text func() ([]byte, error)) error {
	// The next file is the lock as well: only one can make it.
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "write", Path: next, Err: fmt.Errorf("somebody is changing %s, or stopped while they did; try again, and remove this file if nobody is", filepath.Base(path))}
	}
	if err != nil {
		return err
	}
	if err = rewrite(f, path, text); err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		_ = os.Remove(next) // the error above says more
	}
	return err
}

// rewrite writes a text, and closes what it writes to.
func rewrite(to *os.File, path string, text func() ([]byte, error)) (err error) {
	defer func() { err = errors.Join(err, to.Close()) }()
	data, err := text()
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil {
		if err := to.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	if _, err := to.Write(data); err != nil {
		return err
	}
	return to.Sync()
}

// WriteKey writes a pair of keys that [NewKey] made, as NAME.key, which its owner
// alone may read, and NAME.pub. It overwrites neither, and leaves both or none.
func WriteKey(name string, public, secret []byte) error {
	if err := CanWriteKey(name); err != nil {
		return err
	}
	if err := regular.Create(name+SecretSuffix, secret, 0o600); err != nil {
		return err
	}
	err := regular.Create(name+PublicSuffix, public, 0o644)
	if err != nil {
		_ = os.Remove(name + SecretSuffix) // the error says more
	}
	return err
}

// CanWriteKey says why [WriteKey] would fail, before a key is made.
func CanWriteKey(name string) error {
	if name == "" || os.IsPathSeparator(name[len(name)-1]) {
		return &fs.PathError{Op: "write", Path: name, Err: errors.New("no name of a file; want one such as acme, for acme" + SecretSuffix + " and acme" + PublicSuffix)}
	}
	for _, path := range []string{name + SecretSuffix, name + PublicSuffix} {
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "write", Path: path, Err: errors.New("it is there already, and a key is never overwritten")}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_, err := os.Stat(filepath.Dir(name))
	return err
}

// MaxKey is how many bytes the file of a key has, which is of fixed length but for
// its comment.
const MaxKey = 4 << 10

// The names of the files of a key.
const (
	SecretSuffix = ".key"
	PublicSuffix = ".pub"
)
