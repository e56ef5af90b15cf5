package bundle

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"aead.dev/minisign"

	"github.com/callgate/callgate/abi"
)

// SignatureSuffix is what the file of a signature adds to the name of its bundle.
// Where a bundle has several, the id of the key stands before it.
const SignatureSuffix = ".minisig"

// Signature is a file of minisign: one signature. Name is for messages.
type Signature struct {
	Name string
	Text []byte
}

// claim is what a signature says of a bundle, so that an old one, or one of another
// plugin, cannot pose as it.
type claim struct {
	name, version, abi string
	digest             string // sha256:…
}

var claimText = regexp.MustCompile(`^callgate-plugin name=([^ ]+) version=([^ ]+) abi=([^ ]+) sha256=([0-9a-f]{64})$`)

func (c claim) String() string {
	return fmt.Sprintf("callgate-plugin name=%s version=%s abi=%s sha256=%s", c.name, c.version, c.abi, strings.TrimPrefix(c.digest, "sha256:"))
}

func parseClaim(comment string) (claim, error) {
	m := claimText.FindStringSubmatch(comment)
	if m == nil || !abi.IsPluginName(m[1]) || !isVersion(m[2]) {
		return claim{}, fmt.Errorf("its trusted comment is %q; want callgate-plugin name=… version=… abi=… sha256=…, as callgate plugin sign writes it", comment)
	}
	return claim{m[1], m[2], m[3], "sha256:" + m[4]}, nil
}

func (b *Bundle) claim() claim {
	return claim{b.About.Name, b.About.Version, b.About.ABI, b.Digest}
}

// Comment is the trusted comment that a signature of the bundle has to have, for
// those who sign with minisign itself: minisign -S -t COMMENT.
func (b *Bundle) Comment() string { return b.claim().String() }

// Sign signs a bundle with a secret key, with what minisign -V verifies: prehashed,
// over the bundle as it is.
func (b *Bundle) Sign(secret minisign.PrivateKey) ([]byte, error) {
	r := minisign.NewReader(bytes.NewReader(b.Data))
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, err
	}
	return r.SignWithComments(secret, b.Comment(), "signature of "+b.About.Name+" "+b.About.Version), nil
}

// parseSignature reads the file of a signature, which has one form only.
func parseSignature(text []byte) (minisign.Signature, error) {
	var s minisign.Signature
	if len(text) > MaxSignature {
		return s, fmt.Errorf("%d bytes; at most %d", len(text), MaxSignature)
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	if err := s.UnmarshalText(text); err != nil {
		return s, errors.New("not a signature of minisign; get the file again")
	}
	if same, err := s.MarshalText(); err != nil || !bytes.Equal(same, text) {
		return s, errors.New("more than one signature of minisign; get the file again")
	}
	// The older form signs the file itself, so that the signature of a file that is
	// a hash would be one of another file too.
	if s.Algorithm != minisign.HashEdDSA {
		return s, errors.New("a signature of the older form of minisign; sign again with callgate plugin sign, or minisign 0.10 or newer")
	}
	return s, nil
}

// SignatureKey is the id of the key that a signature names, which anybody can write
// there: whether it is by that key, [Trust.Open] says.
func SignatureKey(text []byte) (string, error) {
	s, err := parseSignature(text)
	if err != nil {
		return "", err
	}
	return KeyID(s.KeyID), nil
}

// IsSignedBy is the id of the key that a signature of the bundle names. One that is of
// something else, or says so, is an error. Whether the key made it, [Trust.Open] says.
func (b *Bundle) IsSignedBy(text []byte) (string, error) {
	s, err := parseSignature(text)
	if err != nil {
		return "", err
	}
	c, err := parseClaim(s.TrustedComment)
	switch {
	case err != nil:
		return "", err
	case c != b.claim():
		return "", fmt.Errorf("of %s %s for ABI %s with %s, and the bundle is %s %s for ABI %s with %s; sign it again with callgate plugin sign, or move the signature away",
			c.name, c.version, c.abi, c.digest, b.About.Name, b.About.Version, b.About.ABI, b.Digest)
	}
	return KeyID(s.KeyID), nil
}

// NewKey makes a pair of keys, as the files that minisign has: the secret one as
// minisign -G -W writes it without a password, else encrypted with it.
func NewKey(password string) (public, secret []byte, err error) {
	pub, priv, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if public, err = pub.MarshalText(); err != nil {
		return nil, nil, err
	}
	if password == "" {
		secret, err = priv.MarshalText()
	} else {
		secret, err = minisign.EncryptKey(password, priv)
	}
	if err != nil {
		return nil, nil, err
	}
	return endLine(public), endLine(secret), nil
}

// endLine ends a file with a line break, as minisign does.
func endLine(text []byte) []byte { return append(bytes.TrimRight(text, "\n"), '\n') }

// ErrEncrypted is reported of a secret key that needs a password, and got none.
var ErrEncrypted = errors.New("the secret key is encrypted; give its password")

// ParseSecretKey reads the file of a secret key; password is "" for one that has
// none.
func ParseSecretKey(text []byte, password string) (minisign.PrivateKey, error) {
	var key minisign.PrivateKey
	text = bytes.TrimSpace(text)
	switch encrypted := minisign.IsEncrypted(text); {
	case encrypted && password == "":
		return key, ErrEncrypted
	case encrypted:
		key, err := minisign.DecryptKey(password, text)
		if err != nil {
			return minisign.PrivateKey{}, errors.New("the password does not open the secret key; give the right one")
		}
		return key, nil
	}
	if err := key.UnmarshalText(text); err != nil {
		return key, errors.New("not a secret key of minisign; make one with callgate plugin keygen")
	}
	return key, nil
}

// ParsePublicKey reads a public key: the file, or the line RW… in it.
func ParsePublicKey(text []byte) (minisign.PublicKey, error) {
	var key minisign.PublicKey
	if err := key.UnmarshalText(bytes.TrimSpace(text)); err != nil {
		return key, errors.New("not a public key of minisign; want its line, which begins with RW")
	}
	return key, nil
}

// KeyID is the id of a key as minisign prints it.
func KeyID(id uint64) string { return fmt.Sprintf("%016X", id) }
