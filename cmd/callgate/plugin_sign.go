package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"aead.dev/minisign"
	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/regular"
)

func pluginSignCmd(std stdio) *cobra.Command {
	var key string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sign --key FILE BUNDLE...",
		Short: "Sign bundles with a secret key",
		Long: "Writes BUNDLE" + bundle.SignatureSuffix + ", or BUNDLE.KEYID" + bundle.SignatureSuffix + " where another key's signature is there already. The signature is of the bundle's\n" +
			"bytes, name, version and ABI; minisign -V verifies it. A bundle that callgate plugin verify would refuse is not signed,\n" +
			"and then none is. The password of the key is asked for on the terminal, or is a line of the standard input where there is\n" +
			"none.",
		Args: wants(cobra.MinimumNArgs(1), "name one or more bundles"),
		RunE: func(_ *cobra.Command, words []string) error { return pluginSign(std, key, asJSON, words) },
	}
	cmd.Flags().StringVar(&key, "key", "", "`FILE` of the secret key, as callgate plugin keygen or minisign -G writes it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// newSignature is one that is to be written.
type newSignature struct {
	of   *bundle.Bundle
	path string // of the bundle
	file string
	text []byte
}

func pluginSign(std stdio, keyFile string, asJSON bool, words []string) error {
	if keyFile == "" {
		return errors.New("callgate plugin sign: no --key; name the file of your secret key, or make one with callgate plugin keygen")
	}
	key, err := readSecretKey(std, keyFile)
	if err != nil {
		return err
	}
	var list []newSignature
	for _, path := range words {
		s, err := signed(path, key)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	var text []byte
	var items []abi.Value
	id := bundle.KeyID(key.ID())
	for _, s := range list {
		if err := regular.Replace(s.file, s.text, 0o644); err != nil {
			return unread(err, "choose a place that can be written to")
		}
		about := s.of.About
		text = fmt.Appendf(text, "%s  %s %s signed by key %s\n", oneLine(s.file), oneLine(about.Name), oneLine(about.Version), id)
		items = append(items, object("bundle", s.path, "signature", s.file, "name", about.Name, "version", about.Version, "digest", s.of.Digest, "key", id))
	}
	if asJSON {
		text = jsonLine(object("signed", abi.ArrayValue(items...)))
	}
	_, err = std.out.Write(text)
	return err
}

// signed makes the signature of a bundle.
func signed(path string, key minisign.PrivateKey) (newSignature, error) {
	data, err := regular.ReadFile(path, bundle.MaxCompressed)
	if err != nil {
		return newSignature{}, unread(err, "name a bundle, as callgate plugin pack writes it")
	}
	b, text, err := plugin.Sign(data, key, time.Now())
	if err != nil {
		return newSignature{}, failed(errors.New(path + ": not signed: " + refusal(err, "")))
	}
	file, err := bundle.SignatureFile(path, bundle.KeyID(key.ID()))
	if err != nil {
		return newSignature{}, unread(err, "move it away")
	}
	if err := errors.Join(regular.Replaceable(file), writable(filepath.Dir(file))); err != nil {
		return newSignature{}, unread(err, "move it away")
	}
	return newSignature{b, path, file, text}, nil
}

// writable says why nothing can be written into a folder.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".callgate-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// readSecretKey reads the file of a secret key, and asks for its password if it has
// one.
func readSecretKey(std stdio, path string) (key minisign.PrivateKey, err error) {
	text, err := regular.ReadFile(path, bundle.MaxKey)
	if err != nil {
		return key, unread(err, "name the file of your secret key with --key")
	}
	key, err = bundle.ParseSecretKey(text, "")
	if info, statErr := os.Stat(path); (err == nil || errors.Is(err, bundle.ErrEncrypted)) && statErr == nil && runtime.GOOS != "windows" && info.Mode()&fs.FileMode(0o077) != 0 {
		fmt.Fprintf(std.err, "note: %s: others may read it, or write to it; chmod 600\n", oneLine(path))
	}
	if errors.Is(err, bundle.ErrEncrypted) {
		var password string
		if password, err = askPassword(std, oneLine(path), false); err == nil {
			key, err = bundle.ParseSecretKey(text, password)
		}
	}
	if err != nil {
		return key, fmt.Errorf("--key %q: %w", path, err)
	}
	return key, nil
}
