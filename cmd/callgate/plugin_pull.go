package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
)

func pluginPullCmd(std stdio) *cobra.Command {
	var lock, trust string
	var plain, asJSON bool
	cmd := &cobra.Command{
		Use:   "pull oci://REGISTRY/REPOSITORY:TAG",
		Short: "Get a bundle from a registry, verify it, keep it and pin it",
		Long: "Gets the bundle and its signatures, and holds them to the trust file before anything is kept: then the bundle goes into the\n" +
			"store of this machine and its digests into the lock. A version older than the lock has, or other bytes under the same\n" +
			"version, are refused. Logins are those of docker login, with its helpers. Nothing of the plugin is run.",
		Args: wants(cobra.ExactArgs(1), "name one reference, such as oci://ghcr.io/acme/no-exfil:1.2.0"),
		RunE: func(cmd *cobra.Command, words []string) error {
			ref, err := remoteRef(words[0])
			if err != nil {
				return err
			}
			k, err := openKeeper(trust)
			if err != nil {
				return err
			}
			// What can not be written is found before anything is got.
			if _, err := writableLock(lock); err != nil {
				return err
			}
			list, err := k.Get(cmd.Context(), []oci.Want{{Text: ref.Text}}, oci.Options{PlainHTTP: plain})
			if err != nil {
				return k.turnedDown(err)
			}
			changes, err := keepAndPin(k, []pinning{{lock, list}})
			if err != nil {
				return err
			}
			show := pulledText
			if asJSON {
				show = pulledJSON
			}
			_, err = std.out.Write(show(lock, changes[0], list))
			return err
		},
	}
	lockFlag(cmd, &lock)
	trustFlag(cmd, &trust)
	plainFlag(cmd, &plain)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// pinning is what a lock is to pin.
type pinning struct {
	lock string
	list []*oci.Verified
}

// keepAndPin keeps bundles and pins them, or does neither: whether the locks take
// them is found out first.
func keepAndPin(k *keeping, all []pinning) ([][]oci.Change, error) {
	var kept []*oci.Verified
	for _, p := range all {
		l, err := writableLock(p.lock)
		if err != nil {
			return nil, err
		}
		if _, err := oci.Pin(l, p.list); err != nil {
			return nil, k.turnedDown(err)
		}
		for _, v := range p.list {
			if ref, err := bundle.ParseRef(v.Entry.Ref); err == nil && ref.Kind == bundle.RegistryRef {
				kept = append(kept, v)
			}
		}
	}
	if err := k.Keep(kept...); err != nil {
		return nil, err
	}
	changes := make([][]oci.Change, len(all))
	for i, p := range all {
		err := bundle.EditLock(p.lock, func(l *bundle.Lock) (err error) {
			changes[i], err = oci.Pin(l, p.list)
			return err
		})
		if err != nil {
			return nil, k.turnedDown(err)
		}
	}
	return changes, nil
}

func pulledText(lock string, changes []oci.Change, list []*oci.Verified) (b []byte) {
	b = fmt.Appendf(b, "%s\n", oneLine(lock))
	for i, c := range changes {
		b = changeText(b, c)
		b = fmt.Appendf(b, "  trusted   by %s, for %s\n", oneLine(strings.Join(list[i].Keys, ", ")), oneLine(list[i].Scope))
		b = ignoredText(b, list[i].Ignored)
	}
	return b
}

func pulledJSON(lock string, changes []oci.Change, list []*oci.Verified) []byte {
	return jsonLine(object("lock", lock, "plugin", changeValue(changes[0], list[0])))
}
