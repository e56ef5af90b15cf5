package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
)

func pluginRemoveCmd(std stdio) *cobra.Command {
	var lock string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rm REF...",
		Short: "Take pins out of the lock, or bundles out of the store",
		Long: "REF is what the lock calls a plugin: oci://..., or a path as the policy writes it. Its pin is taken out, and the bundle stays in\n" +
			"the store of this machine: other policies may be served from there. A digest, sha256:..., takes a bundle and its signatures\n" +
			"out of the store, unless the lock pins it.",
		Args: wants(cobra.MinimumNArgs(1), "name what the lock pins, or the digest of a bundle in the store"),
		RunE: func(_ *cobra.Command, words []string) error { return pluginRemove(std, lock, asJSON, words) },
	}
	lockFlag(cmd, &lock)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// removal is what is to be taken out, all of which is there.
type removal struct {
	refs    []string // of the lock
	bundles []string // of which bundle each was
	digests []string // of the store
}

// findRemoval finds everything before anything is taken out.
func findRemoval(store bundle.Store, lock string, words []string) (*removal, error) {
	l, err := readLock(lock)
	if err != nil {
		return nil, err
	}
	r := &removal{}
	for _, word := range words {
		if strings.HasPrefix(word, "sha256:") {
			r.digests = append(r.digests, word)
			continue
		}
		pin := l.Find(word)
		if pin == nil {
			return nil, failed(fmt.Errorf("%q: %s does not pin it; name what it calls a plugin, or another lock with --lock", word, lock))
		}
		r.refs, r.bundles = append(r.refs, word), append(r.bundles, pin.Bundle)
	}
	for _, ref := range r.refs {
		l.Remove(ref)
	}
	for _, digest := range r.digests {
		for _, e := range l.Plugins {
			if e.Bundle == digest {
				return nil, failed(fmt.Errorf("%s: %s pins it as %s; take that out as well", digest, lock, e.Ref))
			}
		}
		// A bundle that somebody changed is there, and goes.
		if _, _, err := store.Get(digest); err != nil && !store.Has(digest) {
			if errors.Is(err, bundle.ErrNotStored) {
				err = fmt.Errorf("%s: %w; nothing was taken out", digest, bundle.ErrNotStored)
			}
			return nil, failed(err)
		}
	}
	return r, nil
}

func pluginRemove(std stdio, lock string, asJSON bool, words []string) error {
	store, err := openStore()
	if err != nil {
		return err
	}
	r, err := findRemoval(store, lock, words)
	if err != nil {
		return err
	}
	if len(r.refs) > 0 {
		err := bundle.EditLock(lock, func(l *bundle.Lock) error {
			for _, ref := range r.refs {
				l.Remove(ref)
			}
			return nil
		})
		if err != nil {
			return unread(err, mendLock)
		}
	}
	for _, digest := range r.digests {
		if err := store.Remove(digest); err != nil {
			return err
		}
	}
	if asJSON {
		_, err := std.out.Write(jsonLine(object("lock", lock, "unpinned", stringsOf(r.refs), "removed", stringsOf(r.digests))))
		return err
	}
	var b []byte
	for i, ref := range r.refs {
		b = fmt.Appendf(b, "unpinned  %s\n", oneLine(ref))
		if store.Has(r.bundles[i]) {
			b = fmt.Appendf(b, "  %s stays in the store; callgate plugin rm %s takes it out\n", r.bundles[i], r.bundles[i])
		}
	}
	for _, digest := range r.digests {
		b = fmt.Appendf(b, "removed   %s\n", digest)
	}
	_, err = std.out.Write(b)
	return err
}
