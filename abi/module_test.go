package abi_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
)

var (
	header = "\x00asm\x01\x00\x00\x00"
	// types is a module's first section: one type, () -> ().
	types = "\x01\x04\x01\x60\x00\x00"
)

func custom(name, content string) string {
	return string(append([]byte{0, byte(1 + len(name) + len(content)), byte(len(name))}, name+content...))
}

func TestAModuleCarriesItsManifest(t *testing.T) {
	text := sample(t, "The manifest")
	built, err := abi.WithManifest([]byte(header+types), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, digest, err := abi.ReadModule(built)
	if err != nil || m.Name != "acme/no-exfil" || m.Text != text {
		t.Fatalf("%+v, %v", m, err)
	}
	if want := abi.DigestBytes([]byte(header + types)); digest != want {
		t.Errorf("digest %s; want that of the module without the manifest, %s", digest, want)
	}
	section := string(built[len(header+types):])
	for _, tt := range []struct{ name, module, refused string }{
		{"none", header + types, "has no manifest"},
		{"other custom sections", header + custom("name", "x") + types, "has no manifest"},
		{"two", header + types + section + section, "two manifests"},
		{"not at the end", header + section + types, ""},
		{"beside others", header + custom("name", "x") + types + section + custom("z", ""), ""},
		{"no manifest in it", header + custom(abi.ManifestSection, "{}"), "schema"},
		{"component", "\x00asm\x0d\x00\x01\x00", "not a WebAssembly core module"},
		{"empty", "", "not a WebAssembly core module"},
		{"cut off", header + types[:4], "cut off"},
		{"section id only", header + "\x00", "cut off"},
		{"size of six bytes", header + "\x00\x80\x80\x80\x80\x80\x00", "cut off"},
		{"size above 32 bits", header + "\x00\xff\xff\xff\xff\x7f", "cut off"},
	} {
		_, _, err := abi.ReadModule([]byte(tt.module))
		if (err == nil) != (tt.refused == "") || err != nil && !strings.Contains(err.Error(), tt.refused) {
			t.Errorf("%s: %v; want %q", tt.name, err, tt.refused)
		}
	}
	if _, err := abi.WithManifest(built, []byte(text)); err == nil {
		t.Error("a second manifest is appended")
	}
}

func FuzzReadModule(f *testing.F) {
	f.Add([]byte(header + types))
	f.Add([]byte(header + custom(abi.ManifestSection, `{"schema":"callgate.plugin/v0","name":"a","version":"1.0.0","abi":"1.0","phases":["call"]}`)))
	f.Fuzz(func(t *testing.T, module []byte) {
		m, digest, err := abi.ReadModule(module)
		if err == nil && (m == nil || digest == "") || err != nil && m != nil {
			t.Errorf("%v, %q, %v", m, digest, err)
		}
		if !errors.Is(err, abi.ErrNoManifest) {
			return
		}
		text := []byte(`{"schema":"callgate.plugin/v0","name":"a","version":"1.0.0","abi":"1.0","phases":["call"]}`)
		built, err := abi.WithManifest(module, text)
		if err != nil {
			t.Fatal(err)
		}
		if m, digest, err := abi.ReadModule(built); err != nil || digest != abi.DigestBytes(module) || !bytes.Equal([]byte(m.Text), text) {
			t.Errorf("%v, %q, %v", m, digest, err)
		}
	})
}
