package bundle_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
	"github.com/klauspost/compress/zstd"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
)

// magic is a module without anything in it. What a module does is none of a
// bundle's business.
const magic = "\x00asm\x01\x00\x00\x00"

// manifest is plugin.json of a plugin.
func manifest(name, version string) []byte {
	return []byte(`{"schema":"callgate.plugin/v0","name":"` + name + `","version":"` + version + `","abi":"1.0",` +
		`"phases":["call"],"effects":["deny"],"codes":{"HOST":"a host that is not listed"}}` + "\n")
}

func carrying(t testing.TB, manifest []byte) []byte {
	t.Helper()
	module, err := abi.WithManifest([]byte(magic), manifest)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func filesOf(name, version string) bundle.Files {
	return bundle.Files{
		Manifest: manifest(name, version), Module: []byte(magic), Readme: []byte("# A plugin\n"), License: []byte("Apache License 2.0\n"),
		Cases: []bundle.File{{Name: "cases/hosts.yaml", Data: []byte("cases: []\n")}, {Name: "cases/a.yaml", Data: []byte("cases: []\n")}},
	}
}

func packed(t testing.TB, f bundle.Files) []byte {
	t.Helper()
	data, err := bundle.Pack(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func opened(t testing.TB, data []byte) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// noExfil is the honest bundle that hostile ones are made from.
func noExfil(t testing.TB) []byte { return packed(t, filesOf("acme/no-exfil", "1.2.0")) }

// untar is the archive in a bundle.
func untar(t testing.TB, data []byte) []byte {
	t.Helper()
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	raw, err := r.DecodeAll(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// entry is one file of a hostile archive: what the zero header lacks is as in a
// bundle.
type entry struct {
	tar.Header
	data string
}

func file(name, data string) entry { return entry{tar.Header{Name: name}, data} }

// entriesOf are those of an honest bundle, sorted.
func entriesOf(t testing.TB) []entry {
	t.Helper()
	m := manifest("acme/no-exfil", "1.2.0")
	return []entry{
		file("LICENSE", "Apache License 2.0\n"), file("README.md", "# A plugin\n"), file("cases/a.yaml", "cases: []\n"),
		file("cases/hosts.yaml", "cases: []\n"), file("plugin.json", string(m)), file("plugin.wasm", string(carrying(t, m))),
	}
}

// tarOf writes an archive without caring what is in it.
func tarOf(t testing.TB, list []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range list {
		h := e.Header
		if h.Format == tar.FormatUnknown {
			h.Format = tar.FormatUSTAR
		}
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if h.ModTime.IsZero() {
			h.ModTime = time.Unix(0, 0)
		}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		h.Size = int64(len(e.data))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// squeezed compresses an archive as a bundle is, unless told otherwise.
func squeezed(t testing.TB, raw []byte, o ...zstd.EOption) []byte {
	t.Helper()
	o = append([]zstd.EOption{zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(bundle.MaxWindow), zstd.WithSingleSegment(false)}, o...)
	w, err := zstd.NewWriter(nil, o...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return w.EncodeAll(raw, nil)
}

// key is a pair of keys, made for a test.
type key struct {
	public string
	secret minisign.PrivateKey
}

func newKey(t testing.TB) key {
	t.Helper()
	public, secret, err := bundle.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	p, err := bundle.ParsePublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	s, err := bundle.ParseSecretKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	return key{p.String(), s}
}

func (k key) sign(t testing.TB, data []byte) bundle.Signature {
	t.Helper()
	text, err := opened(t, data).Sign(k.secret)
	if err != nil {
		t.Fatal(err)
	}
	return bundle.Signature{Name: "x.cgp.minisig", Text: text}
}

// signAs signs anything under any comment.
func (k key) signAs(t testing.TB, data []byte, comment string) bundle.Signature {
	t.Helper()
	r := minisign.NewReader(bytes.NewReader(data))
	if _, err := r.Read(make([]byte, len(data)+1)); err != nil {
		t.Fatal(err)
	}
	return bundle.Signature{Name: "x.cgp.minisig", Text: r.SignWithComments(k.secret, comment, "untrusted")}
}

// says reports an error that does not say what it should; "" wants none.
func says(err error, want string) error {
	switch {
	case want == "" && err != nil:
		return err
	case want != "" && err == nil:
		return errors.New("no error; want " + want)
	case want != "" && !strings.Contains(err.Error(), want):
		return errors.New("got: " + err.Error() + "\nwant: " + want)
	}
	return nil
}

// withID puts the id of another key into a signature.
func withID(t testing.TB, text []byte, k key) []byte {
	t.Helper()
	var s minisign.Signature
	if err := s.UnmarshalText(text); err != nil {
		t.Fatal(err)
	}
	s.KeyID = k.secret.ID()
	out, err := s.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func hexDigest(data []byte) string { return strings.TrimPrefix(abi.DigestBytes(data), "sha256:") }
