package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/wasm/scan"
)

// seal makes a signed bundle of a module in a script, has it trusted and pinned, and
// puts it into the store: what an author, a registry and an operator do with the
// verbs that have scripts of their own.
//
//	seal -module FILE [-manifest FILE] -name acme/p -version 1.0.0 [-cases FILE] [-o FILE.cgp] REF...
func seal(args []string) int {
	if err := sealed(args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func sealed(args []string) error {
	flags := flag.NewFlagSet("seal", flag.ContinueOnError)
	module, name, version := flags.String("module", "", ""), flags.String("name", "", ""), flags.String("version", "", "")
	manifest := flags.String("manifest", "", "of a module that has none")
	cases, out, lock := flags.String("cases", "", ""), flags.String("o", "", ""), flags.String("lock", bundle.LockFile, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	b, err := packed(*module, *manifest, *name, *version, *cases)
	if err != nil {
		return err
	}
	public, secret, err := sealKey("seal.key")
	if err != nil {
		return err
	}
	signature, err := b.Sign(secret)
	if err != nil {
		return err
	}
	if *out != "" {
		if err := errors.Join(os.WriteFile(*out, b.Data, 0o600), os.WriteFile(*out+bundle.SignatureSuffix, signature, 0o600)); err != nil {
			return err
		}
	}
	if err := (bundle.Store{Dir: filepath.Join(stateDir(), bundle.StoreDir)}).Put(b.Data, [][]byte{signature}); err != nil {
		return err
	}
	trust := filepath.Join(stateDir(), bundle.TrustFile)
	if _, there, err := bundle.ReadTrust(trust); err != nil {
		return err
	} else if !there {
		scope, _, _ := strings.Cut(*name, "/")
		if err := bundle.EditTrust(trust, func(t *bundle.Trust) error {
			_, err := t.Grant(bundle.Grant{Name: "seal", Public: public, Scopes: []string{scope + "/"}})
			return err
		}); err != nil {
			return err
		}
	}
	fmt.Println(b.Digest)
	return pin(*lock, b, bundle.KeyID(public.ID()), flags.Args())
}

// packed is a bundle of a module under another name.
func packed(file, manifest, name, version, cases string) (*bundle.Bundle, error) {
	module, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if manifest != "" {
		text, err := os.ReadFile(manifest)
		if err != nil {
			return nil, err
		}
		if module, err = abi.WithManifest(module, text); err != nil {
			return nil, err
		}
	}
	m, _, err := abi.ReadModule(module)
	if err != nil {
		return nil, err
	}
	about, err := abi.Parse([]byte(m.Text))
	if err != nil {
		return nil, err
	}
	about = about.With("name", abi.StringValue(name)).With("version", abi.StringValue(version))
	if module, err = scan.Strip(module); err != nil {
		return nil, err
	}
	f := bundle.Files{Manifest: about.Append(nil), Module: module, Readme: []byte("# A plugin\n"), License: []byte("MIT\n")}
	if cases != "" {
		text, err := os.ReadFile(cases)
		if err != nil {
			return nil, err
		}
		f.Cases = []bundle.File{{Name: "cases/a.yaml", Data: text}}
	}
	data, err := bundle.Pack(f)
	if err != nil {
		return nil, err
	}
	return bundle.Open(data)
}

// sealKey is the key of a script, which is made when it is first asked for.
func sealKey(file string) (public minisign.PublicKey, secret minisign.PrivateKey, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, text, err = bundle.NewKey(""); err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
	}
	if err != nil {
		return public, secret, err
	}
	secret, err = bundle.ParseSecretKey(text, "")
	if err != nil {
		return public, secret, err
	}
	public, ok := secret.Public().(minisign.PublicKey)
	if !ok {
		err = errors.New("a key without its public half")
	}
	return public, secret, err
}

// pin writes a lock in which references lead to a bundle.
func pin(file string, b *bundle.Bundle, key string, refs []string) error {
	l := &bundle.Lock{}
	text, err := os.ReadFile(file)
	if err == nil {
		l, err = bundle.ParseLock(file, text)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, ref := range refs {
		l.Remove(ref)
		if err := l.Put(bundle.NewEntry(ref, b, &bundle.Verified{KeyIDs: []string{key}})); err != nil {
			return err
		}
	}
	if text, err = l.Text(); err != nil {
		return err
	}
	next := file + ".next"
	return errors.Join(os.WriteFile(next, text, 0o600), os.Rename(next, file))
}
