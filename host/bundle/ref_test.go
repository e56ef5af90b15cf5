package bundle_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/bundle"
)

func TestWhatNamesAPlugin(t *testing.T) {
	hash := "sha256:" + strings.Repeat("0a", 32)
	oci := func(registry, repository, tag, digest string) bundle.Ref {
		return bundle.Ref{Kind: bundle.RegistryRef, Registry: registry, Repository: repository, Tag: tag, Digest: digest}
	}
	table := map[string]bundle.Ref{
		"plugin.wasm":                           {Kind: bundle.ModuleRef, Path: "plugin.wasm"},
		"../plugins/no exfil.wasm":              {Kind: bundle.ModuleRef, Path: "../plugins/no exfil.wasm"},
		"folder":                                {Kind: bundle.ModuleRef, Path: "folder"},
		`C:\plugins\a.wasm`:                     {Kind: bundle.ModuleRef, Path: `C:\plugins\a.wasm`},
		"oci/acme.wasm":                         {Kind: bundle.ModuleRef, Path: "oci/acme.wasm"},
		"a.cgp.wasm":                            {Kind: bundle.ModuleRef, Path: "a.cgp.wasm"},
		"acme.cgp":                              {Kind: bundle.BundleRef, Path: "acme.cgp"},
		"/srv/Acme.CGP":                         {Kind: bundle.ModuleRef, Path: "/srv/Acme.CGP"},
		"oci://ghcr.io/acme/no-exfil:1.2.0":     oci("ghcr.io", "acme/no-exfil", "1.2.0", ""),
		"oci://ghcr.io/a:1@" + hash:             oci("ghcr.io", "a", "1", hash),
		"oci://ghcr.io/a@" + hash:               oci("ghcr.io", "a", "", hash),
		"oci://localhost/a:V_1.x-y":             oci("localhost", "a", "V_1.x-y", ""),
		"oci://localhost:5000/a.b/c__d/e---f:_": oci("localhost:5000", "a.b/c__d/e---f", "_", ""),
		"oci://registry:5000/a:1":               oci("registry:5000", "a", "1", ""),
		"oci://127.0.0.1:65535/a:1":             oci("127.0.0.1:65535", "a", "1", ""),
		"oci://[::1]:5000/a:1":                  oci("[::1]:5000", "a", "1", ""),
		"oci://[2001:db8::1]/a:1":               oci("[2001:db8::1]", "a", "1", ""),
		"oci://xn--bcher-kva.example/a:1":       oci("xn--bcher-kva.example", "a", "1", ""),
		"oci://a.example/" + strings.Repeat("a", 245) + ":1": oci("a.example", strings.Repeat("a", 245), "1", ""),
	}
	for text, want := range table {
		want.Text = text
		if got, err := bundle.ParseRef(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestWhatNamesNoPlugin(t *testing.T) {
	hex := strings.Repeat("0a", 32)
	table := map[string]string{
		"":                                 "empty",
		"a\x00b":                           "no text",
		"a\x1b[2J":                         "no text",
		"a\u009b":                          "no text",
		"a\xff":                            "no text",
		strings.Repeat("a", 1025):          "at most 1024",
		"https://ghcr.io/acme/no-exfil:1":  "begins with oci://",
		"docker://ghcr.io/acme/no-exfil:1": "begins with oci://",
		"OCI://ghcr.io/acme/no-exfil:1":    "begins with oci://",
		"oci:ghcr.io/acme/no-exfil:1":      "begins with oci://",
		"file:///srv/a.cgp":                "begins with oci://",
		"oci://":                           "no repository",
		"oci://ghcr.io":                    "no repository",
		"oci://ghcr.io/":                   "no repository",
		"oci:///a:1":                       "no registry",
		"oci://acme/no-exfil:1":            "none is assumed",
		"oci://ghcr.io/acme/no-exfil":      "no tag is assumed",
		"oci://ghcr.io/a:":                 "is no tag",
		"oci://ghcr.io/a:-1":               "is no tag",
		"oci://ghcr.io/a:1+build":          "is no tag",
		"oci://ghcr.io/a:1:2":              "is no tag",
		"oci://ghcr.io/a:1/b":              "is no tag",
		"oci://ghcr.io/a:" + strings.Repeat("1", 129):        "is no tag",
		"oci://ghcr.io/A:1":                                  "is no repository",
		"oci://ghcr.io/a/:1":                                 "is no repository",
		"oci://ghcr.io//a:1":                                 "is no repository",
		"oci://ghcr.io/a/../b:1":                             "is no repository",
		"oci://ghcr.io/a..b:1":                               "is no repository",
		"oci://ghcr.io/a___b:1":                              "is no repository",
		"oci://ghcr.io/-a:1":                                 "is no repository",
		"oci://ghcr.io/a b:1":                                "is no repository",
		"oci://ghcr.io/a%2fb:1":                              "is no repository",
		"oci://ghcr.io/a?b:1":                                "is no repository",
		"oci://ghcr.io/a#b:1":                                "is no repository",
		"oci://a.example/" + strings.Repeat("a", 246) + ":1": "at most 255",
		"oci://ghcr.io/a@sha256:" + hex[:62]:                 "is no digest",
		"oci://ghcr.io/a@sha256:" + strings.ToUpper(hex):     "is no digest",
		"oci://ghcr.io/a@sha512:" + hex + hex:                "is no digest",
		"oci://ghcr.io/a@" + hex:                             "is no digest",
		"oci://ghcr.io/a:1@":                                 "is no digest",
		"oci://user:secret@ghcr.io/a:1":                      "a login in a reference",
		"oci://GHCR.io/a:1":                                  "is no registry",
		"oci://ghcr.io./a:1":                                 "is no registry",
		"oci://.io/a:1":                                      "is no registry",
		"oci://-a.io/a:1":                                    "is no registry",
		"oci://bücher.example/a:1":                           "is no registry",
		"oci://ghcr.io:/a:1":                                 "is no registry",
		"oci://ghcr.io:0/a:1":                                "is no registry",
		"oci://ghcr.io:080/a:1":                              "is no registry",
		"oci://ghcr.io:65536/a:1":                            "is no registry",
		"oci://ghcr.io:+80/a:1":                              "is no registry",
		"oci://127.1/a:1":                                    "is no registry",
		"oci://127.0.0.01/a:1":                               "is no registry",
		"oci://0x7f.1/a:1":                                   "is no registry",
		"oci://a.0x7f/a:1":                                   "is no registry",
		"oci://[::1/a:1":                                     "is no registry",
		"oci://[::1]5000/a:1":                                "is no registry",
		"oci://[::1]:/a:1":                                   "is no registry",
		"oci://[fe80::1%25eth0]:5000/a:1":                    "is no registry",
		"oci://[0::1]/a:1":                                   "is no registry",
		"oci://[::ffff:127.0.0.1]/a:1":                       "is no registry",
		"oci://a[::1]/a:1":                                   "is no registry",
	}
	for text, want := range table {
		got, err := bundle.ParseRef(text)
		if err := says(err, want); err != nil || got != (bundle.Ref{}) {
			t.Errorf("%.80q: %+v, %v", text, got, err)
		}
	}
}

// TestALoginInAReferenceIsNotPrinted, and all else of it is.
func TestALoginInAReferenceIsNotPrinted(t *testing.T) {
	for text, want := range map[string]string{
		"oci://user:pass@ghcr.io/a:1":    `plugin "oci://[login]@ghcr.io/a:1": `,
		"oci://user:p@ss@ghcr.io/a:1":    `plugin "oci://[login]@ghcr.io/a:1": `,
		"https://user:pass@ghcr.io":      `plugin "https://[login]@ghcr.io": `,
		"oci://ghcr.io/pass@sha256:1":    `plugin "oci://ghcr.io/pass@sha256:1": `,
		"https://ghcr.io/pass@sha256:1/": `plugin "https://ghcr.io/pass@sha256:1/": `,
	} {
		if _, err := bundle.ParseRef(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// FuzzRef holds what is read to being written in one way only.
func FuzzRef(f *testing.F) {
	for _, text := range []string{"oci://ghcr.io/acme/no-exfil:1.2.0", "oci://[::1]:5000/a:1@sha256:" + strings.Repeat("0", 64), "a.cgp", "../a.wasm", "oci://a.b/c", "OCI://a.b/c:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := bundle.ParseRef(text)
		if err != nil {
			if r != (bundle.Ref{}) {
				t.Fatalf("%q: refused, and %+v", text, r)
			}
			return
		}
		if r.Text != text {
			t.Fatalf("%q is called %q", text, r.Text)
		}
		if r.Kind != bundle.RegistryRef {
			if r.Path != text || strings.HasPrefix(strings.ToLower(text), "oci:") {
				t.Fatalf("%q: %+v", text, r)
			}
			return
		}
		again := "oci://" + r.Place()
		if r.Tag != "" {
			again += ":" + r.Tag
		}
		if r.Digest != "" {
			again += "@" + r.Digest
		}
		if again != text || r.Tag == "" && r.Digest == "" {
			t.Fatalf("%q: %+v", text, r)
		}
	})
}
