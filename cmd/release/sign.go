package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"

	"github.com/callgate/callgate/host/bundle"
)

const (
	sums      = "SHA256SUMS"
	publicKey = "release.pub" // in the repository: what people verify with
	maxKey    = 1 << 12       // bytes of a key or a password; minisign's have some 300
)

// signer is what signs a file of the release; nil without a key.
type signer func(name string, data []byte) []byte

// signer opens the secret key. It has to belong to the public key that the commit
// carries: nobody could verify with any other.
func (r *release) signer(root string) (signer, error) {
	if r.key == "" {
		return nil, nil
	}
	text, err := readKey(r.key)
	if err != nil {
		return nil, err
	}
	password := ""
	if minisign.IsEncrypted(bytes.TrimSpace(text)) {
		line, err := bufio.NewReader(io.LimitReader(r.in, maxKey)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		password = strings.TrimRight(line, "\r\n")
	}
	secret, err := bundle.ParseSecretKey(text, password)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", r.key, err)
	}
	if text, err = readKey(filepath.Join(root, publicKey)); err != nil {
		return nil, fmt.Errorf("%w; commit the public half of the key as %s, so that people can verify with it", err, publicKey)
	}
	public, err := bundle.ParsePublicKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", publicKey, err)
	}
	if !public.Equal(secret.Public()) {
		return nil, refuse("%q is not the secret half of %s, whose id is %s; sign with that, or commit the new public key first", r.key, publicKey, bundle.KeyID(public.ID()))
	}
	return func(name string, data []byte) []byte {
		hashed := minisign.NewReader(bytes.NewReader(data))
		_, _ = io.Copy(io.Discard, hashed) // memory can be read
		// The name is signed too, so that an old archive cannot pose as a new one. No
		// time is: signatures of the same bytes are the same.
		comment := fmt.Sprintf("%s-release version=%s file=%s", product, r.version, name)
		return hashed.SignWithComments(secret, comment, "signature of "+name)
	}, nil
}

func readKey(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxKey))
}

// finish writes the sums of what lies in a folder, and the signatures.
func finish(dir string, sign signer) error {
	entries, err := os.ReadDir(dir) // sorted
	if err != nil {
		return err
	}
	var list bytes.Buffer
	put := func(name string, data []byte) error {
		if sign == nil {
			return nil
		}
		text := append(bytes.TrimRight(sign(name, data), "\n"), '\n')
		return os.WriteFile(filepath.Join(dir, name+bundle.SignatureSuffix), text, 0o644)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err == nil {
			err = put(e.Name(), data)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	if err := os.WriteFile(filepath.Join(dir, sums), list.Bytes(), 0o644); err != nil {
		return err
	}
	return put(sums, list.Bytes())
}
