package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/regular"
)

// Texts of flags that several verbs have.
const (
	plainUsage = "speak HTTP without TLS: whoever is on the way reads and changes what is sent, passwords too"
	lockUsage  = "the lock `FILE`"
)

func plainFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "plain-http", false, plainUsage)
}

func lockFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "lock", bundle.LockFile, lockUsage)
}

// openStore is the store of this machine.
func openStore() (bundle.Store, error) {
	state, err := ledger.StateDir(os.Getenv)
	return bundle.Store{Dir: filepath.Join(state, bundle.StoreDir)}, err
}

// keeping is the store of this machine, and whom a trust file trusts.
type keeping struct {
	*oci.Keeper
	hint string // why nobody is, "" for somebody
}

// openKeeper reads the trust file that a flag names, or that of this machine.
func openKeeper(trustFile string) (*keeping, error) {
	store, err := openStore()
	if err != nil {
		return nil, err
	}
	trust, hint, err := readTrust(trustFile)
	if err != nil {
		return nil, err
	}
	return &keeping{&oci.Keeper{Store: store, Trust: trust, Now: time.Now()}, hint}, nil
}

// readLock reads the lock that a command line names; one that is not there pins
// nothing.
func readLock(path string) (*bundle.Lock, error) {
	l, _, err := bundle.ReadLock(path)
	if err != nil {
		return nil, unread(err, mendLock)
	}
	return l, nil
}

// mendLock is said of a lock that is no file which can be read or replaced; not all
// verbs can name another.
const mendLock = "a lock is a file of its own, " + bundle.LockFile + " beside the policy"

// writableLock reads a lock that is to be written, and finds what would keep it from
// that.
func writableLock(path string) (*bundle.Lock, error) {
	info, err := os.Stat(filepath.Dir(path))
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "write", Path: filepath.Dir(path), Err: errors.New("not a folder")}
	}
	if err = errors.Join(err, regular.Replaceable(path)); err != nil {
		return nil, unread(err, mendLock)
	}
	return readLock(path)
}

// turnedDown is an error of what was got: it exits with 1 if that is not to be trusted,
// else with 2.
func (k *keeping) turnedDown(err error) error {
	if u := (*oci.UntrustedError)(nil); errors.As(err, &u) {
		if k.hint != "" {
			err = errors.Join(err, errors.New(k.hint))
		}
		return failed(err)
	}
	if u := (*oci.UnpinnedError)(nil); errors.As(err, &u) {
		return failed(err)
	}
	return unread(err, "check the path")
}

// remoteRef reads a word that has to be a reference to a registry.
func remoteRef(word string) (bundle.Ref, error) {
	ref, err := bundle.ParseRef(word)
	if err == nil && ref.Kind != bundle.RegistryRef {
		err = fmt.Errorf("%q: a path; want oci://REGISTRY/REPOSITORY:TAG", word)
	}
	return ref, err
}

// ignoredText says which signatures did not count.
func ignoredText(b []byte, list []error) []byte {
	for _, err := range list {
		b = fmt.Appendf(b, "  ignored   %s\n", oneLine(err.Error()))
	}
	return b
}

func errorsValue(list []error) abi.Value {
	items := make([]abi.Value, len(list))
	for i, err := range list {
		items[i] = abi.StringValue(err.Error())
	}
	return abi.ArrayValue(items...)
}

// changeText says what became of a pin: what it was, and what it is.
func changeText(b []byte, c oci.Change) []byte {
	was := func(old, now string) string {
		if c.Kind() == oci.Moved && old != now {
			return oneLine(orNone(old)) + " → " + oneLine(now)
		}
		return oneLine(now)
	}
	b = fmt.Appendf(b, "%-6s  %s  %s %s\n", c.Kind(), oneLine(c.New.Ref), oneLine(c.New.Name), was(c.Old.Version, c.New.Version))
	if c.New.Manifest != "" {
		b = fmt.Appendf(b, "  manifest  %s\n", was(c.Old.Manifest, c.New.Manifest))
	}
	return fmt.Appendf(b, "  bundle    %s\n", was(c.Old.Bundle, c.New.Bundle))
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func changeValue(c oci.Change, v *oci.Verified) abi.Value {
	var old abi.Value
	if c.Old.Ref != "" {
		old = entryValue(c.Old)
	}
	return object("change", c.Kind(), "ref", c.New.Ref, "old", old, "new", entryValue(c.New), "keys", stringsOf(v.Keys), "scope", v.Scope, "ignored", errorsValue(v.Ignored))
}

func entryValue(e bundle.Entry) abi.Value {
	return object("name", e.Name, "version", e.Version, "manifest", stated(e.Manifest), "bundle", e.Bundle, "module", e.Module, "key_ids", stringsOf(e.Keys))
}
