package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/regular"
)

func pluginSaveCmd(std stdio) *cobra.Command {
	var lock, out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "save -o FILE.tar [oci://...|BUNDLE...]",
		Short: "Put bundles and their signatures into one file, for a machine without a network",
		Long: "A reference stands for what the lock pins as it, out of the store of this machine; a path for that bundle and the signatures\n" +
			"beside it. Where nothing is named it is each reference that the lock pins. FILE.tar is an image layout of OCI, which oras and others read as well; the same plugins make the same bytes.\n" +
			"callgate plugin load takes it in.",
		RunE: func(_ *cobra.Command, words []string) error {
			if out == "" {
				return errors.New("no file to write; name it with -o")
			}
			list, err := toSave(words, lock)
			if err != nil {
				return err
			}
			if err := keepsInputs(out, append([]string{lock}, words...)); err != nil {
				return err
			}
			data, err := oci.Save(list)
			if err != nil {
				return err
			}
			if err := regular.Replace(out, data, 0o644); err != nil {
				return unread(err, "name another file with -o")
			}
			b := fmt.Appendf(nil, "saved   %s  %s\n", oneLine(out), plural.Of(len(data), "byte"))
			var items []abi.Value
			for _, s := range list {
				manifest, err := s.Manifest()
				if err != nil {
					return err
				}
				b = fmt.Appendf(b, "  %s\n    manifest  %s\n    bundle    %s\n", oneLine(s.Name), manifest, s.Bundle.Digest)
				items = append(items, object("name", s.Name, "manifest", manifest, "bundle", s.Bundle.Digest, "signatures", len(s.Signatures)))
			}
			if asJSON {
				b = jsonLine(object("file", out, "bytes", len(data), "digest", abi.DigestBytes(data), "plugins", abi.ArrayValue(items...)))
			}
			_, err = std.out.Write(b)
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "the `FILE` to write")
	lockFlag(cmd, &lock)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// keepsInputs refuses to write over what is read: a slip of the hand would leave
// nothing of it.
func keepsInputs(out string, inputs []string) error {
	to, err := os.Stat(out)
	if err != nil {
		return nil // it is not there, or writing says why not
	}
	for _, path := range inputs {
		if info, err := os.Stat(path); err == nil && os.SameFile(to, info) {
			return fmt.Errorf("-o %q: it is what is to be saved; name another file", out)
		}
	}
	return nil
}

// toSave finds what words of a command line name.
func toSave(words []string, lock string) (list []oci.Saved, err error) {
	store, err := openStore()
	if err != nil {
		return nil, err
	}
	l, err := readLock(lock)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		if words = pinnedRefs(l); len(words) == 0 {
			return nil, failed(fmt.Errorf("nothing named, and %s pins no reference; name references or bundles, or another lock with --lock", lock))
		}
	}
	for _, word := range words {
		ref, err := bundle.ParseRef(word)
		if err != nil {
			return nil, err
		}
		if ref.Kind != bundle.RegistryRef {
			s, err := signedFile(word)
			if err != nil {
				return nil, err
			}
			list = append(list, s)
			continue
		}
		pin := l.Find(word)
		if pin == nil {
			return nil, failed(fmt.Errorf("%s: %s does not pin it; get it with callgate plugin pull, or name a lock with --lock", word, lock))
		}
		b, signatures, err := oci.Stored(store, pin)
		if err != nil {
			return nil, failed(err)
		}
		list = append(list, oci.Saved{Name: oci.LayoutName(ref), Bundle: b, Signatures: signatures})
	}
	return list, nil
}

// pinnedRefs are the references of registries that a lock pins: files lie beside their
// policy, and go where that goes.
func pinnedRefs(l *bundle.Lock) (refs []string) {
	for _, e := range l.Plugins {
		if ref, err := bundle.ParseRef(e.Ref); err == nil && ref.Kind == bundle.RegistryRef {
			refs = append(refs, e.Ref)
		}
	}
	return refs
}

// signedFile reads the file of a bundle, which is called by what is in it.
func signedFile(path string) (oci.Saved, error) {
	data, signatures, err := bundle.ReadSigned(path)
	if err != nil {
		return oci.Saved{}, unread(err, "name a bundle, or a reference that begins with oci://")
	}
	b, err := bundle.Open(data)
	if err != nil {
		return oci.Saved{}, failed(fmt.Errorf("%q: %w", path, err))
	}
	s := oci.Saved{Name: oci.FileName(b), Bundle: b}
	for _, one := range signatures {
		if _, err := b.IsSignedBy(one.Text); err != nil {
			return oci.Saved{}, failed(fmt.Errorf("%q: %w", one.Name, err))
		}
		s.Signatures = append(s.Signatures, one.Text)
	}
	return s, nil
}
