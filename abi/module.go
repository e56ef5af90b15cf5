package abi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// magic starts every WebAssembly core module (Core Specification 2.0, section 5.5.16).
var magic = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// ErrNoManifest is reported of a module without a manifest.
var ErrNoManifest = errors.New("the module has no manifest; build it with callgate plugin build")

// ReadModule finds the manifest that a module carries in its custom section
// [ManifestSection], and the digest of the module without that section. It looks
// at no other section, and runs nothing.
func ReadModule(module []byte) (m *Manifest, digest string, err error) {
	if !bytes.HasPrefix(module, magic) {
		return nil, "", errors.New("not a WebAssembly core module; build one with callgate plugin build")
	}
	sum := sha256.New()
	sum.Write(magic)
	rest := module[len(magic):]
	for len(rest) > 0 {
		size, n := leb32(rest[1:])
		end := 1 + n + int(size)
		if n == 0 || int(size) > len(rest)-1-n {
			return nil, "", errors.New("the module is cut off, or one of its sections says a wrong size")
		}
		name, text, ok := customSection(rest[:end], 1+n)
		if !ok || name != ManifestSection {
			sum.Write(rest[:end])
			rest = rest[end:]
			continue
		}
		if m != nil {
			return nil, "", errors.New("the module has two manifests; want one")
		}
		if m, err = ParseManifest(text); err != nil {
			return nil, "", err
		}
		rest = rest[end:]
	}
	if m == nil {
		return nil, "", ErrNoManifest
	}
	return m, "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// customSection returns the name and the content of a custom section, whose body
// starts at from.
func customSection(section []byte, from int) (name string, content []byte, ok bool) {
	if section[0] != 0 {
		return "", nil, false
	}
	body := section[from:]
	size, n := leb32(body)
	if n == 0 || int(size) > len(body)-n {
		return "", nil, false
	}
	return string(body[n : n+int(size)]), body[n+int(size):], true
}

// WithManifest appends a manifest to a module, which must have none.
func WithManifest(module, manifest []byte) ([]byte, error) {
	if _, _, err := ReadModule(module); !errors.Is(err, ErrNoManifest) {
		if err == nil {
			err = fmt.Errorf("the module has a manifest")
		}
		return nil, err
	}
	body := append(appendLEB32(nil, uint32(len(ManifestSection))), ManifestSection...)
	body = append(body, manifest...)
	out := append(bytes.Clone(module), 0)
	return append(appendLEB32(out, uint32(len(body))), body...), nil
}

// leb32 reads an unsigned number of at most 32 bits, and how many bytes it took;
// 0: it is none.
func leb32(b []byte) (v uint32, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		if n == 4 && c > 0x0f {
			return 0, 0
		}
		v |= uint32(c&0x7f) << (7 * n)
		n++
		if c < 0x80 {
			return v, n
		}
	}
	return 0, 0
}

func appendLEB32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}
