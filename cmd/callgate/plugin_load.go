package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
	"github.com/callgate/callgate/host/regular"
)

func pluginLoadCmd(std stdio) *cobra.Command {
	var lock, trust, to string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "load FILE.tar",
		Short: "Take in bundles that callgate plugin save put into a file",
		Long: "Verifies everything in the file as callgate plugin pull does, before anything of it is kept. What was saved as a reference goes\n" +
			"into the store of this machine, and its digests into the lock. What was saved from a file is written to the folder --to, with\n" +
			"its signatures: NAME-VERSION.cgp.",
		Args: wants(cobra.ExactArgs(1), "name one file, which callgate plugin save makes"),
		RunE: func(_ *cobra.Command, words []string) error {
			raw, err := regular.ReadFile(words[0], oci.MaxLayout)
			if err != nil {
				return unread(err, "name a file that callgate plugin save made")
			}
			list, err := oci.Load(raw)
			if err != nil {
				return failed(fmt.Errorf("%q: %w", words[0], err))
			}
			k, err := openKeeper(trust)
			if err != nil {
				return err
			}
			pinned, files, err := verifyLoaded(k, list)
			if err != nil {
				return k.turnedDown(err)
			}
			if len(files) > 0 && to == "" {
				return fmt.Errorf("%q: %s was saved from a file; say with --to which folder it goes to", words[0], files[0].Entry.Ref)
			}
			return keepLoaded(std, k, lock, pinned, to, files, asJSON)
		},
	}
	lockFlag(cmd, &lock)
	trustFlag(cmd, &trust)
	cmd.Flags().StringVar(&to, "to", "", "the `FOLDER` for bundles that were saved from files")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// verifyLoaded holds everything in a file to the trust file: what is to be pinned, and
// what came from files.
func verifyLoaded(k *keeping, list []oci.Loaded) (pinned, files []*oci.Verified, err error) {
	for _, one := range list {
		name := one.Ref.Text
		if one.Ref.Kind != bundle.RegistryRef {
			name = one.Name
		}
		v, why := k.Verify(name, one.Artifact)
		switch {
		case why != nil:
			err = errors.Join(err, why)
		case one.Ref.Kind == bundle.RegistryRef:
			pinned = append(pinned, v)
		case one.Name != oci.FileName(v.Bundle):
			err = errors.Join(err, &oci.UntrustedError{Text: one.Name, Why: fmt.Errorf("it is %s; make the file with callgate plugin save", oci.FileName(v.Bundle))})
		default:
			files = append(files, v)
		}
	}
	return pinned, files, err
}

func keepLoaded(std stdio, k *keeping, lock string, pinned []*oci.Verified, to string, files []*oci.Verified, asJSON bool) error {
	var changes []oci.Change
	written, err := writeBundles(to, files)
	if err != nil {
		return err
	}
	if len(pinned) > 0 {
		all, err := keepAndPin(k, []pinning{{lock, pinned}})
		if err != nil {
			for _, path := range written {
				err = errors.Join(err, os.Remove(path))
			}
			return err
		}
		changes = all[0]
	}
	if asJSON {
		items := make([]abi.Value, len(pinned))
		for i, v := range pinned {
			items[i] = changeValue(changes[i], v)
		}
		_, err := std.out.Write(jsonLine(object("lock", lock, "plugins", abi.ArrayValue(items...), "files", stringsOf(written))))
		return err
	}
	var b []byte
	if len(pinned) > 0 {
		b = pulledText(lock, changes, pinned)
	}
	for _, path := range written {
		b = fmt.Appendf(b, "wrote   %s\n", oneLine(path))
	}
	_, err = std.out.Write(b)
	return err
}

// writeBundles writes bundles and their signatures into a folder, all of them or none.
func writeBundles(to string, files []*oci.Verified) (written []string, err error) {
	for _, v := range files {
		about := v.Bundle.About
		base := filepath.Join(to, about.Name[strings.LastIndexByte(about.Name, '/')+1:]+"-"+about.Version+bundle.BundleSuffix)
		// The bundle comes last: one that is there has its signatures.
		for i := range v.Signatures {
			id, idErr := bundle.SignatureKey(v.Signatures[i])
			if err == nil {
				err = idErr
			}
			if err == nil {
				path := base + "." + id + bundle.SignatureSuffix
				if err = regular.Create(path, v.Signatures[i], 0o644); err == nil {
					written = append(written, path)
				}
			}
		}
		if err == nil {
			if err = regular.Create(base, v.Bundle.Data, 0o644); err == nil {
				written = append(written, base)
			}
		}
		if err != nil {
			for _, path := range written {
				err = errors.Join(err, os.Remove(path))
			}
			return nil, unread(err, "name another folder with --to, or move the file away")
		}
	}
	return written, nil
}
