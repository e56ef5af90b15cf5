package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"aead.dev/minisign"
	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/plugin"
	"github.com/callgate/callgate/host/regular"
)

type pluginVerifyFlags struct {
	trust string
	keys  []string
	json  bool
}

func pluginVerifyCmd(std stdio) *cobra.Command {
	var f pluginVerifyFlags
	cmd := &cobra.Command{
		Use:   "verify [--trust FILE | --key KEY...] BUNDLE...",
		Short: "Say whether bundles may be trusted, and why",
		Long: "Holds the signatures beside each bundle, BUNDLE" + bundle.SignatureSuffix + " and BUNDLE.KEYID" + bundle.SignatureSuffix + ", to the trust file: enough keys that may sign the\n" +
			"plugin's name have signed just these bytes under this name, version and ABI; no key has expired, nothing is revoked, and\n" +
			"no newer version is asked for. With --key the trust file is left aside, and every key that is named has to have signed.\n" +
			"Nothing in the bundle is run, and nothing is asked of a network. A bundle that may not be trusted exits with 1.",
		Args: wants(cobra.MinimumNArgs(1), "name one or more bundles"),
		RunE: func(_ *cobra.Command, words []string) error { return pluginVerify(std, f, words) },
	}
	trustFlag(cmd, &f.trust)
	cmd.Flags().StringArrayVar(&f.keys, "key", nil, "a public `KEY`, or its file; may be repeated")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return cmd
}

// judgedBundle is what was found out about one bundle.
type judgedBundle struct {
	path, digest string
	trust        *bundle.Trust
	named        bool           // by --key
	bundle       *bundle.Bundle // nil: refused
	by           *bundle.Verified
	why          string
}

func pluginVerify(std stdio, f pluginVerifyFlags, words []string) error {
	if f.trust != "" && len(f.keys) > 0 {
		return errors.New("--trust and --key exclude each other; a trust file says itself whose keys count")
	}
	keys, err := readPublicKeys(f.keys)
	if err != nil {
		return err
	}
	var trust *bundle.Trust
	hint := ""
	if len(keys) == 0 {
		if trust, hint, err = readTrust(f.trust); err != nil {
			return err
		}
	}
	var text []byte
	var items []abi.Value
	refused := 0
	for _, path := range words {
		j, err := judgeBundle(path, trust, keys, hint)
		if err != nil {
			return err
		}
		if j.bundle == nil {
			refused++
		}
		text, items = append(text, j.text()...), append(items, j.value(path))
	}
	if f.json {
		text = jsonLine(object("bundles", abi.ArrayValue(items...), "refused", refused))
	}
	if _, err := std.out.Write(text); err != nil {
		return err
	}
	if refused > 0 {
		return failed(nil)
	}
	return nil
}

// judgeBundle holds a bundle to a trust file, or to keys without one.
func judgeBundle(path string, trust *bundle.Trust, keys []minisign.PublicKey, hint string) (judgedBundle, error) {
	data, signatures, err := bundle.ReadSigned(path)
	if err != nil {
		return judgedBundle{}, unread(err, "name a bundle, with its signatures beside it")
	}
	j := judgedBundle{path: path, digest: abi.DigestBytes(data), trust: trust, named: len(keys) > 0}
	if j.named {
		if j.trust, err = bundle.TrustOnly(keys, signatures); err != nil {
			return judgedBundle{}, fmt.Errorf("--key: %w", err)
		}
	}
	if j.bundle, j.by, err = plugin.Verify(j.trust, data, signatures, time.Now()); err != nil {
		j.why = refusal(err, hint)
	}
	return j, nil
}

// readPublicKeys reads keys, or the files that hold them.
func readPublicKeys(words []string) (keys []minisign.PublicKey, err error) {
	for _, word := range words {
		key, err := readPublicKey(word)
		if err != nil {
			return nil, fmt.Errorf("--key %q: %w", word, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// readPublicKey reads a key, or the file that holds it.
func readPublicKey(word string) (minisign.PublicKey, error) {
	if key, err := bundle.ParsePublicKey([]byte(word)); err == nil {
		return key, nil
	}
	text, err := regular.ReadFile(word, bundle.MaxKey)
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err // whoever calls names the file
	}
	if err != nil {
		return minisign.PublicKey{}, fmt.Errorf("%w; want a public key of minisign, which begins with RW, or its file", err)
	}
	if _, err := bundle.ParseSecretKey(text, ""); err == nil || errors.Is(err, bundle.ErrEncrypted) {
		return minisign.PublicKey{}, errors.New("a secret key, which its owner keeps; name the public one, NAME" + bundle.PublicSuffix)
	}
	return bundle.ParsePublicKey(text)
}

// signers are the keys that signed, for people: by the names that they are trusted
// under, and their ids.
func signers(t *bundle.Trust, v *bundle.Verified) string {
	var list []string
	for _, name := range v.Keys {
		id := bundle.KeyID(t.Keys[name].Public.ID())
		if strings.EqualFold(id, name) {
			list = append(list, "key "+id)
		} else {
			list = append(list, name+" (key "+id+")")
		}
	}
	return strings.Join(list, ", ")
}

// letBy says which scope of the trust file let a bundle pass.
func letBy(t *bundle.Trust, v *bundle.Verified) string {
	s := t.Scopes[v.Scope]
	return fmt.Sprintf("%s, signed by %d of %s", v.Scope, max(s.Threshold, 1), strings.Join(s.Keys, ", "))
}

func (j *judgedBundle) text() []byte {
	if j.bundle == nil {
		return fmt.Appendf(nil, "%s  REFUSED\ndigest  %s\n  %s\n", oneLine(j.path), j.digest, strings.ReplaceAll(printable(j.why), "\n", "\n  "))
	}
	m := j.bundle.About
	scope := "none asked: the keys are those of --key"
	if !j.named {
		scope = letBy(j.trust, j.by)
	}
	b := fmt.Appendf(nil, "%s  %s %s  abi %s\ndigest  %s\nmodule  %s\nsigned  %s\nscope   %s\n", oneLine(j.path), oneLine(m.Name), oneLine(m.Version), oneLine(m.ABI),
		j.digest, j.bundle.ModuleDigest, signers(j.trust, j.by), scope)
	for _, err := range j.by.Ignored {
		b = fmt.Appendf(b, "note: does not count: %s\n", oneLine(err.Error()))
	}
	return b
}

func (j *judgedBundle) value(path string) abi.Value {
	if j.bundle == nil {
		return object("file", path, "digest", j.digest, "trusted", false, "why", j.why)
	}
	m, by := j.bundle.About, verifiedValue(j.trust, j.by)
	if j.named { // no scope was asked
		by = object("keys", by.Get("keys"), "ignored", by.Get("ignored"))
	}
	return object("file", path, "digest", j.digest, "trusted", true, "name", m.Name, "version", m.Version, "abi", m.ABI, "module", j.bundle.ModuleDigest, "by", by)
}

// verifiedValue is who signed a bundle, for programs.
func verifiedValue(t *bundle.Trust, v *bundle.Verified) abi.Value {
	keys, ignored := make([]abi.Value, len(v.Keys)), make([]string, len(v.Ignored))
	for i, name := range v.Keys {
		keys[i] = object("name", name, "id", bundle.KeyID(t.Keys[name].Public.ID()))
	}
	for i, err := range v.Ignored {
		ignored[i] = err.Error()
	}
	return object("scope", v.Scope, "threshold", max(t.Scopes[v.Scope].Threshold, 1), "keys", abi.ArrayValue(keys...), "ignored", stringsOf(ignored))
}
