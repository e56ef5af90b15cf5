package plugin

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/wasm"
	"github.com/callgate/callgate/host/wasm/scan"
)

// bundled is a bundle of a module with the manifest of a guest.
func bundled(t *testing.T, module []byte) []byte {
	t.Helper()
	about, err := os.ReadFile("../../abi/testdata/1.0/recipient/plugin.json")
	if err != nil {
		t.Fatal(err)
	}
	data, err := bundle.Pack(bundle.Files{Manifest: about, Module: module})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Nothing is signed that would be refused: a module that can not be a plugin among
// it, which a signature alone says nothing about.
func TestOnlyWhatVerifiesIsSigned(t *testing.T) {
	module, err := os.ReadFile("../../abi/testdata/1.0/recipient/recipient.wasm")
	if err != nil {
		t.Fatal(err)
	}
	bare, err := scan.Strip(module)
	if err != nil {
		t.Fatal(err)
	}
	_, text, err := bundle.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	key, err := bundle.ParseSecretKey(text, "")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"a plugin", "", bundled(t, bare)},
		{"a module that exports nothing", "callgate", bundled(t, []byte("\x00asm\x01\x00\x00\x00"))},
		{"no bundle", "not a bundle", bare},
		{"cut off", "cut off", bundled(t, bare)[:200]},
	} {
		b, sig, err := Sign(c.data, key, now)
		if c.want != "" {
			if err == nil || sig != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v; want %q and no signature", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		sigs := []bundle.Signature{{Name: "s", Text: sig}}
		public, _ := key.Public().(minisign.PublicKey)
		if _, _, err := Verify(only(t, public, sigs), c.data, sigs, now); err != nil {
			t.Errorf("%s: signed and refused: %v", c.name, err)
		}
		if target := BundleTarget("x.cgp", b); target.Module.Manifest.Name != "golden/recipient" || target.Module.File != abi.DigestBytes(b.Module) {
			t.Errorf("%s: %+v", c.name, target.Module)
		}
	}
	// Who signs by other means is refused as well.
	bad := bundled(t, []byte("\x00asm\x01\x00\x00\x00"))
	b, err := bundle.Open(bad)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := b.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	sigs := []bundle.Signature{{Name: "s", Text: sig}}
	public, _ := key.Public().(minisign.PublicKey)
	trust := only(t, public, sigs)
	var refused *RefusedError
	if _, _, err := Verify(trust, bad, sigs, now); !errors.As(err, &refused) {
		t.Errorf("a signed module that can not be a plugin: %v; want what is wrong with it", err)
	}
}

// signed_but_malicious: a signature says whose a plugin is, and not that it does no
// harm. What is signed and trusted runs in the sandbox all the same.
func TestWhatIsSignedIsContained(t *testing.T) {
	about, err := os.ReadFile("../../abi/testdata/0.1/recipient/plugin.json")
	if err != nil {
		t.Fatal(err)
	}
	_, text, err := bundle.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	key, err := bundle.ParseSecretKey(text, "")
	if err != nil {
		t.Fatal(err)
	}
	public, _ := key.Public().(minisign.PublicKey)
	host, err := wasm.New(wasm.Options{Limits: wasm.Limits{EvaluateFuel: 1_000_000}})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	for file, class := range map[string]abi.FailureClass{
		"loop_forever": abi.FailFuel, "deep_recursion": abi.FailDepth, "trap": abi.FailTrap, "proc_exit_0": abi.FailExit,
		"verdict_loosen": abi.FailProtocol, "log_invalid_utf8": "",
	} {
		module, err := os.ReadFile("../wasm/testdata/hostile/" + file + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		data, err := bundle.Pack(bundle.Files{Manifest: about, Module: module})
		if err != nil {
			t.Fatal(err)
		}
		_, sig, err := Sign(data, key, time.Now())
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		sigs := []bundle.Signature{{Name: "s", Text: sig}}
		b, _, err := Verify(only(t, public, sigs), data, sigs, time.Now())
		if err != nil {
			t.Fatalf("%s: signed and refused: %v", file, err)
		}
		m, err := abi.ParseManifest(b.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		p, err := host.Load(t.Context(), wasm.Source{Name: file, Module: b.Module, Manifest: m})
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		v := wasm.Bind(p, m, file, abi.DigestBytes(b.Module), abi.ObjectValue()).Judge(&abi.Snapshot{Phase: abi.PhaseCall})
		if denies := v.Outcome == abi.Deny; v.Plugin.Class != class || denies != (class != "") || denies && v.Code != class.Code() {
			t.Errorf("%s: %v %s, class %q, %s; want class %q", file, v.Outcome, v.Code, v.Plugin.Class, v.Plugin.Detail, class)
		}
		p.Close()
	}
}

func only(t *testing.T, public minisign.PublicKey, sigs []bundle.Signature) *bundle.Trust {
	t.Helper()
	trust, err := bundle.TrustOnly([]minisign.PublicKey{public}, sigs)
	if err != nil {
		t.Fatal(err)
	}
	return trust
}
