package bundle_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/wasm/scan"
)

// FuzzOpen holds whatever opens to what bundles are: it packs again, to the archive
// that it was.
func FuzzOpen(f *testing.F) {
	good := noExfil(f)
	f.Add(good)
	f.Add(good[:100])
	f.Add(append(bytes.Clone(good), skippable(1)...))
	f.Add(frame(2048, 0, zeros(3)...))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := bundle.Open(data)
		if err != nil {
			return
		}
		again, err := bundle.Pack(b.Files)
		if err != nil {
			t.Fatalf("what opens does not pack: %v", err)
		}
		if c := opened(t, again); c.About.Text != b.About.Text || c.FileDigest != b.FileDigest || c.ModuleDigest != b.ModuleDigest {
			t.Fatal("packed again, it is another plugin")
		}
	})
}

// FuzzArchive lets the fuzzer at what is inside, which a changed byte outside would
// hide behind a checksum.
func FuzzArchive(f *testing.F) {
	raw := untar(f, noExfil(f))
	f.Add(raw)
	f.Add(raw[:2048])
	f.Add(patched(raw, 156, "x"))
	f.Add(patched(raw, 124, "77777777777\x00"))
	// One for all inputs, and the fastest: making one takes longer than using it.
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20), zstd.WithSingleSegment(false))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) == 0 || len(raw) > 1<<20 {
			return
		}
		b, err := bundle.Open(w.EncodeAll(raw, nil))
		if err != nil {
			return
		}
		same := untar(t, packed(t, b.Files))
		if !bytes.Equal(same, raw) && bytes.Contains(raw, []byte("callgate.manifest")) {
			t.Fatal("what opens is not the archive that pack makes")
		}
	})
}

// FuzzManifestSection holds the two readers of modules together: a section that one
// of them finds and the other does not could say two things.
func FuzzManifestSection(f *testing.F) {
	m := manifest("acme/no-exfil", "1.2.0")
	f.Add(carrying(f, m), m)
	f.Add([]byte(magic), m)
	f.Add(append(carrying(f, m), custom("callgate.manifest", m)...), m)
	f.Add(append([]byte(magic), custom("callgate.manifest", nil)...), m)
	f.Fuzz(func(t *testing.T, module, manifest []byte) {
		about, digest, err := abi.ReadModule(module)
		section, scanErr := scan.Manifest(module)
		// What scan refuses does not load, whatever it says of itself.
		if err == nil && scanErr == nil {
			bare, stripErr := scan.Strip(module)
			if string(section) != about.Text || stripErr != nil || abi.DigestBytes(bare) != digest {
				t.Fatalf("one reader finds %q, the other %q (%v)", about.Text, section, stripErr)
			}
		}
		if errors.Is(err, abi.ErrNoManifest) && scanErr == nil && section != nil {
			t.Fatalf("one reader finds no manifest, the other %q", section)
		}
		data, err := bundle.Pack(bundle.Files{Manifest: manifest, Module: module})
		if err != nil {
			return
		}
		if b := opened(t, data); !bytes.Equal(b.Manifest, manifest) || b.About.Text != string(manifest) {
			t.Fatal("packed with another manifest")
		}
	})
}

func FuzzTrust(f *testing.F) {
	f.Add([]byte(trustText))
	f.Add([]byte(`{"schema":"callgate.trust/v0"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := bundle.ParseTrust("trust.json", data)
		if err != nil {
			return
		}
		text, err := tr.Text()
		if err != nil {
			t.Fatalf("what was read is not to be written: %v", err)
		}
		again, err := bundle.ParseTrust("trust.json", text)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := again.Text(); err != nil || !bytes.Equal(twice, text) {
			t.Fatalf("written in two ways: %v\n%s\n%s", err, text, twice)
		}
	})
}

func FuzzLock(f *testing.F) {
	f.Add([]byte(lockText))
	f.Add([]byte(`{"schema":"callgate.lock/v0","plugins":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := bundle.ParseLock("callgate.lock", data)
		if err != nil {
			return
		}
		text, err := l.Text()
		if err != nil {
			t.Fatalf("what was read is not to be written: %v", err)
		}
		again, err := bundle.ParseLock("callgate.lock", text)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := again.Text(); err != nil || !bytes.Equal(twice, text) {
			t.Fatalf("written in two ways: %v\n%s\n%s", err, text, twice)
		}
	})
}

func FuzzSignature(f *testing.F) {
	k := newKey(f)
	data := noExfil(f)
	good := k.sign(f, data)
	f.Add(good.Text)
	f.Add([]byte("untrusted comment: \n\ntrusted comment: \n\n"))
	trust := trusting(k)
	f.Fuzz(func(t *testing.T, text []byte) {
		_, v, err := trust.Open(data, []bundle.Signature{{Name: "x", Text: text}}, day)
		if err != nil {
			return
		}
		// Only what nobody signed may differ.
		_, got, _ := bytes.Cut(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"))
		_, want, _ := bytes.Cut(good.Text, []byte("\n"))
		if !bytes.Equal(got, want) || len(v.Keys) != 1 {
			t.Fatalf("accepted: %q", text)
		}
	})
}
