package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/regular"
)

// StoreDir is the folder of the [Store] in the directory of Callgate's state.
const StoreDir = "bundles"

// Store keeps bundles by their digest, with their signatures beside them:
//
//	<64 hex digits>.cgp
//	<64 hex digits>.<key id>.minisig
//
// It is a cache of what was verified, and trusted with nothing: what is read is
// held to its name again.
type Store struct{ Dir string }

// ErrNotStored is reported of a bundle that a store does not have.
var ErrNotStored = errors.New("not in the store of bundles")

// GetStored is how to mend that.
const GetStored = "get it with callgate plugin lock --frozen POLICY, or callgate plugin load"

// Put keeps a bundle and its signatures, and those that it has of other keys. It
// looks into neither: that is for [Trust.Open], before. What is not written as a
// whole is not there.
func (s Store) Put(data []byte, sigs [][]byte) error {
	switch {
	case len(data) > MaxCompressed:
		return fmt.Errorf("bundle: %w", errTooLarge(data))
	case len(sigs) > MaxSignatures:
		return fmt.Errorf("bundle: %d signatures; at most %d", len(sigs), MaxSignatures)
	}
	hex := strings.TrimPrefix(abi.DigestBytes(data), "sha256:")
	files := map[string][]byte{}
	for i, text := range sigs {
		id, err := SignatureKey(text)
		if err != nil {
			return fmt.Errorf("bundle: signature %d: %w", i+1, err)
		}
		files[hex+"."+id+SignatureSuffix] = text
	}
	// A folder of one owner: what is served is read from here.
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	if held, err := s.signatures(hex); err != nil {
		return err
	} else if n := unionSize(held, files); n > MaxSignatures {
		return fmt.Errorf("bundle: %d signatures with those that the store has; at most %d: remove it first with callgate plugin rm", n, MaxSignatures)
	}
	var made []string
	for name, text := range files {
		fresh, err := s.keep(name, text)
		if err != nil {
			return errors.Join(err, s.undo(made))
		}
		if fresh {
			made = append(made, name)
		}
	}
	// Last, so that a bundle that is there has its signatures.
	if _, err := s.keep(hex+BundleSuffix, data); err != nil {
		return errors.Join(err, s.undo(made))
	}
	return nil
}

func unionSize(held []string, files map[string][]byte) int {
	n := len(files)
	for _, name := range held {
		if _, ok := files[name]; !ok {
			n++
		}
	}
	return n
}

// keep writes a file, unless it is there with just these bytes; fresh says that
// there was none.
func (s Store) keep(name string, data []byte) (fresh bool, err error) {
	old, err := s.read(name, len(data))
	if err == nil && bytes.Equal(old, data) {
		return false, nil
	}
	return errors.Is(err, fs.ErrNotExist), regular.Replace(filepath.Join(s.Dir, name), data, 0o600)
}

func (s Store) undo(made []string) (err error) {
	for _, name := range made {
		err = errors.Join(err, os.Remove(filepath.Join(s.Dir, name)))
	}
	return err
}

// Get is a bundle and its signatures, sorted by the ids of their keys. Other bytes
// than the digest says are an error, as is a signature of another key than its name
// says. One that is not there is [ErrNotStored].
func (s Store) Get(digest string) (data []byte, sigs [][]byte, err error) {
	hex, err := hexOf(digest)
	if err != nil {
		return nil, nil, err
	}
	data, err = s.read(hex+BundleSuffix, MaxCompressed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: %w; %s", digest, ErrNotStored, GetStored)
	}
	if err != nil {
		return nil, nil, err
	}
	if got := abi.DigestBytes(data); got != digest {
		return nil, nil, fmt.Errorf("%s: it is %s: changed since it was stored; remove the file, and get it again with callgate plugin lock --frozen POLICY", filepath.Join(s.Dir, hex+BundleSuffix), got)
	}
	names, err := s.signatures(hex)
	if err != nil {
		return nil, nil, err
	}
	if len(names) > MaxSignatures {
		return nil, nil, fmt.Errorf("%s: %d signatures of %s; at most %d: remove some", s.Dir, len(names), digest, MaxSignatures)
	}
	for _, name := range names {
		text, err := s.read(name, MaxSignature)
		if err != nil {
			return nil, nil, err
		}
		if id, err := SignatureKey(text); err != nil || hex+"."+id+SignatureSuffix != name {
			return nil, nil, fmt.Errorf("%s: not the signature that its name says; remove the file, and get it again with callgate plugin lock --frozen POLICY", filepath.Join(s.Dir, name))
		}
		sigs = append(sigs, text)
	}
	return data, sigs, nil
}

// Has says whether a bundle is there, without a look at what it is.
func (s Store) Has(digest string) bool {
	hex, err := hexOf(digest)
	if err != nil {
		return false
	}
	info, err := os.Lstat(filepath.Join(s.Dir, hex+BundleSuffix))
	return err == nil && info.Mode().IsRegular()
}

// Remove takes a bundle out, and its signatures. One that is not there is
// [ErrNotStored].
func (s Store) Remove(digest string) error {
	hex, err := hexOf(digest)
	if err != nil {
		return err
	}
	// First, so that no bundle is there without its signatures.
	err = os.Remove(filepath.Join(s.Dir, hex+BundleSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", digest, ErrNotStored)
	}
	if err != nil {
		return err
	}
	names, err := s.signatures(hex)
	return errors.Join(err, s.undo(names))
}

// names are the files of the store, sorted.
func (s Store) names() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// signatures are the files of the signatures of a bundle, sorted.
func (s Store) signatures(hex string) ([]string, error) {
	names, err := s.names()
	return slices.DeleteFunc(names, func(name string) bool {
		id, ok := strings.CutPrefix(name, hex+".")
		id, sig := strings.CutSuffix(id, SignatureSuffix)
		return !ok || !sig || !keyID.MatchString(id)
	}), err
}

// read is a file of at most so many bytes.
func (s Store) read(name string, most int) ([]byte, error) {
	return regular.ReadFile(filepath.Join(s.Dir, name), most)
}

func hexOf(digest string) (string, error) {
	if !digestText.MatchString(digest) {
		return "", fmt.Errorf("%q is no digest of a bundle; want sha256: and 64 hexadecimal digits in lower case", digest)
	}
	return strings.TrimPrefix(digest, "sha256:"), nil
}
