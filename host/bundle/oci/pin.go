package oci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/callgate/callgate/host/bundle"
)

// Want is a bundle that a policy names.
type Want struct {
	Text  string // as it is written
	Path  string // of the file that it names; "" for a reference to a registry
	Place string // FILE:LINE:COLUMN where it is written, "" for a command line
}

// err says of what is wrong where it is wanted.
func (w Want) err(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = fmt.Errorf("%s: %q: %w; check the path", w.Text, p.Path, p.Err)
	}
	if w.Place != "" {
		err = fmt.Errorf("%s: %w", w.Place, err)
	}
	return err
}

// Get gets what is wanted, from its file or its registry, and verifies it. All of it
// is got, or why not is said of each.
func (k *Keeper) Get(ctx context.Context, wants []Want, o Options) ([]*Verified, error) {
	return each(wants, func(w Want) (*Verified, error) { return k.get(ctx, w, o) })
}

// each does all of it, and says all that is wrong.
func each(wants []Want, get func(Want) (*Verified, error)) ([]*Verified, error) {
	var list []*Verified
	var errs []error
	for _, w := range wants {
		v, err := get(w)
		if err != nil {
			errs = append(errs, w.err(err))
			continue
		}
		v.Place = w.Place
		list = append(list, v)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return list, nil
}

func (k *Keeper) get(ctx context.Context, w Want, o Options) (*Verified, error) {
	if w.Path != "" {
		data, signatures, err := readBundle(w.Path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Text, err)
		}
		return k.VerifyBundle(w.Text, data, signatures)
	}
	ref, err := bundle.ParseRef(w.Text)
	if err != nil {
		return nil, err
	}
	c, err := Connect(ref, o)
	if err != nil {
		return nil, err
	}
	a, err := c.Pull(ctx)
	if err != nil {
		return nil, err
	}
	return k.Verify(w.Text, a)
}

// Here is Get without a network: a file is what it holds, and a reference stays the
// bundle that the lock pins, as it is in the store.
func (k *Keeper) Here(l *bundle.Lock, wants []Want) ([]*Verified, error) {
	return each(wants, func(w Want) (*Verified, error) { return k.here(l, w) })
}

func (k *Keeper) here(l *bundle.Lock, w Want) (*Verified, error) {
	if w.Path != "" {
		return k.get(context.Background(), w, Options{})
	}
	pin := l.Find(w.Text)
	if pin == nil {
		return nil, fmt.Errorf("%w, without --offline, or take it in with callgate plugin load", &UnpinnedError{w.Text})
	}
	data, signatures, err := k.held(pin, w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Text, err)
	}
	if _, _, err := pin.OpenTrusted(k.Trust, data, signatures, k.Now); err != nil {
		return nil, &UntrustedError{w.Text, err}
	}
	v, err := k.VerifyBundle(w.Text, data, signatures)
	if err != nil {
		return nil, err
	}
	v.Entry.Manifest = pin.Manifest
	return v, nil
}

// Refetch gets what a lock pins and the store does not have: just that, wherever a
// tag leads by now. What comes back has to be kept.
func (k *Keeper) Refetch(ctx context.Context, l *bundle.Lock, wants []Want, o Options) ([]*Verified, error) {
	missing := slices.DeleteFunc(slices.Clone(wants), func(w Want) bool { return k.Check(l, w) == nil })
	return each(missing, func(w Want) (*Verified, error) { return k.refetch(ctx, l, w, o) })
}

func (k *Keeper) refetch(ctx context.Context, l *bundle.Lock, w Want, o Options) (*Verified, error) {
	pin := l.Find(w.Text)
	if pin == nil {
		return nil, &UnpinnedError{w.Text}
	}
	from := w
	if ref, err := bundle.ParseRef(w.Text); err == nil && ref.Kind == bundle.RegistryRef && pin.Manifest != "" {
		from.Text = "oci://" + ref.Place() + "@" + pin.Manifest
	}
	v, err := k.get(ctx, from, o)
	if err != nil {
		return nil, err
	}
	if v.Bundle.Digest != pin.Bundle {
		mend := "pin it with callgate plugin lock, if that is meant"
		if w.Path != "" {
			mend = "put that back; or look at this one with callgate plugin inspect, and pin it with callgate plugin lock"
		}
		return nil, &UntrustedError{w.Text, fmt.Errorf("it is %s now, and the lock pins %s; %s", v.Bundle.Digest, pin.Bundle, mend)}
	}
	v.Entry.Ref = w.Text
	return v, nil
}

// UnpinnedError is a bundle that a lock does not pin.
type UnpinnedError struct{ Text string }

// Error names it.
func (e *UnpinnedError) Error() string {
	return fmt.Sprintf("%s: the lock does not pin it; pin it with callgate plugin lock", e.Text)
}

// Check says why what is wanted would not be served: it is not pinned, not there, or
// not what is pinned, or nobody trusts it any more. Nothing is asked of a network.
func (k *Keeper) Check(l *bundle.Lock, w Want) error {
	pin := l.Find(w.Text)
	if pin == nil {
		return &UnpinnedError{w.Text}
	}
	data, signatures, err := k.held(pin, w)
	if err != nil {
		return fmt.Errorf("%s: %w", w.Text, err)
	}
	if _, _, err := pin.OpenTrusted(k.Trust, data, signatures, k.Now); err != nil {
		return &UntrustedError{w.Text, err}
	}
	return nil
}

// readBundle reads a bundle that a policy names by its file.
func readBundle(path string) ([]byte, []bundle.Signature, error) {
	data, signatures, err := bundle.ReadSigned(path)
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = fmt.Errorf("%q: %w; put the bundle there, or name another in the policy", p.Path, p.Err)
	}
	return data, signatures, err
}

// held is a bundle as it lies on this machine.
func (k *Keeper) held(pin *bundle.Entry, w Want) ([]byte, []bundle.Signature, error) {
	if w.Path != "" {
		return readBundle(w.Path)
	}
	data, texts, err := k.Store.Get(pin.Bundle)
	var signatures []bundle.Signature
	for _, text := range texts {
		signatures = append(signatures, bundle.Signature{Name: "a signature in the store", Text: text})
	}
	return data, signatures, err
}

// UntrustedError is a bundle that was got, and is not taken: nobody trusts it, or a
// lock says that it should be another.
type UntrustedError struct {
	Text string // what names it
	Why  error
}

// Error says which, and why.
func (e *UntrustedError) Error() string { return fmt.Sprintf("%s: %s", e.Text, e.Why) }

// Unwrap is why.
func (e *UntrustedError) Unwrap() error { return e.Why }

// Stored is a bundle of the store that a lock pins, with its signatures.
func Stored(s bundle.Store, pin *bundle.Entry) (*bundle.Bundle, [][]byte, error) {
	data, texts, err := s.Get(pin.Bundle)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", pin.Ref, err)
	}
	b, err := pin.Open(data)
	return b, texts, err
}

// Change is what became of a pin.
type Change struct {
	Old, New bundle.Entry // Old is zero for a new one
}

// Kinds of changes.
const (
	Pinned = "pinned" // there was none
	Moved  = "moved"  // there was another
	Same   = "same"
)

// Kind says what kind of change it is.
func (c *Change) Kind() string {
	switch {
	case c.Old.Ref == "":
		return Pinned
	case c.Old.Bundle != c.New.Bundle || c.Old.Manifest != c.New.Manifest:
		return Moved
	}
	return Same
}

// Pin pins all of a list in a lock, or says what the lock does not take of it.
func Pin(l *bundle.Lock, list []*Verified) (changes []Change, err error) {
	var errs []error
	for _, v := range list {
		c := Change{New: v.Entry}
		if old := l.Find(v.Entry.Ref); old != nil {
			c.Old = *old
		}
		if err := l.Put(v.Entry); err != nil {
			errs = append(errs, Want{Place: v.Place}.err(&UntrustedError{v.Entry.Ref, err}))
			continue
		}
		changes = append(changes, c)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return changes, nil
}
