package bundle_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"github.com/callgate/callgate/host/bundle"
)

// day is when the tests of trust take place.
var day = time.Date(2027, 6, 1, 12, 0, 0, 0, time.UTC)

// trusting is a trust file in which one key may sign all of acme/.
func trusting(k key) *bundle.Trust {
	public, err := bundle.ParsePublicKey([]byte(k.public))
	if err != nil {
		panic(err)
	}
	return &bundle.Trust{Keys: map[string]bundle.Key{"acme": {Public: public}}, Scopes: map[string]bundle.Scope{"acme/": {Keys: []string{"acme"}}}}
}

func TestASignedBundleOpens(t *testing.T) {
	k := newKey(t)
	data := noExfil(t)
	b, v, err := trusting(k).Open(data, []bundle.Signature{k.sign(t, data)}, day)
	if err != nil {
		t.Fatal(err)
	}
	if b.About.Name != "acme/no-exfil" || v.Scope != "acme/" || !slices.Equal(v.Keys, []string{"acme"}) || len(v.KeyIDs) != 1 || v.KeyIDs[0] != bundle.KeyID(k.secret.ID()) || len(v.Ignored) != 0 {
		t.Errorf("%+v, %+v", b.About, v)
	}
}

// TestEveryChangedBitIsSeen changes bundle and signature one bit at a time. Only
// the untrusted comment may say anything.
func TestEveryChangedBitIsSeen(t *testing.T) {
	k := newKey(t)
	data := noExfil(t)
	sig := k.sign(t, data)
	trust := trusting(k)
	refused := func(data, text []byte) bool {
		_, _, err := trust.Open(data, []bundle.Signature{{Name: "x", Text: text}}, day)
		return err != nil
	}
	if refused(data, sig.Text) {
		t.Fatal("what was not changed is refused")
	}
	for i := range len(data) * 8 {
		changed := slices.Clone(data)
		changed[i/8] ^= 1 << (i % 8)
		if !refused(changed, sig.Text) {
			t.Fatalf("bit %d of the bundle is not seen", i)
		}
	}
	from := bytes.IndexByte(sig.Text, '\n')
	for i := from * 8; i < len(sig.Text)*8; i++ {
		changed := slices.Clone(sig.Text)
		changed[i/8] ^= 1 << (i % 8)
		if !refused(data, changed) {
			t.Fatalf("bit %d of the signature is not seen: %q", i, changed)
		}
	}
}

func TestFormsOfSignatures(t *testing.T) {
	k := newKey(t)
	data := noExfil(t)
	b := opened(t, data)
	sig := k.sign(t, data).Text
	lines := bytes.SplitAfter(sig, []byte("\n"))
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	table := []struct {
		name string
		text []byte
		want string
	}{
		{"as signed", sig, ""},
		{"another untrusted comment", join([]byte("untrusted comment: trust me\n"), lines[1], lines[2], lines[3]), ""},
		{"lines of Windows", bytes.ReplaceAll(sig, []byte("\n"), []byte("\r\n")), ""},
		{"nothing", nil, "not a signature of minisign"},
		{"a public key", []byte(k.public), "not a signature of minisign"},
		{"no last line", join(lines[:3]...), "not a signature of minisign"},
		{"no trusted comment", join(lines[0], lines[1], []byte("trusted comment: \n"), lines[3]), "not what key \"acme\" signed"},
		{"two signatures", join(sig, sig), "not a signature of minisign"},
		{"a line more", join(sig, []byte("\n")), "more than one signature"},
		{"too long", join([]byte("untrusted comment: "+strings.Repeat("x", bundle.MaxSignature)+"\n"), lines[1], lines[2], lines[3]), "at most 4096"},
		{"the older form", minisign.SignWithComments(k.secret, data, b.Comment(), "x"), "the older form"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := trusting(k).Open(data, []bundle.Signature{{Name: "x", Text: c.text}}, day)
			if err := says(err, c.want); err != nil {
				t.Error(err)
			}
		})
	}
}

// locked is a key that its password opens with a thousandth of the work that
// minisign asks for.
const locked = `untrusted comment: minisign encrypted secret key
RWRTY0IyAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8AgAAAAAAAAAAAAEAAAAAAKsZrwnYvcR23j4Uhn+1fCxr7LB9GEhg3+o7uT9iYpGaNGQnGm5oVSN8uwJCoLRoOgrQorxlFgecRP/M3vxT7tVzKImJv8h6Hg8VmqlHR5fKCwbCiX8VMCt65k/x91BcfEXbGShl6H5Y=
`

func TestSecretKeys(t *testing.T) {
	_, secret, err := bundle.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	table := []struct {
		name, text, password, want string
	}{
		{"plain", string(secret), "", ""},
		{"plain, with a password", string(secret), "correct horse", ""},
		{"plain, without its comment", string(secret[bytes.IndexByte(secret, '\n')+1:]), "", ""},
		{"encrypted, no password", locked, "", "give its password"},
		{"encrypted, a wrong password", locked, "wrong horse", "does not open the secret key"},
		{"encrypted, the password", locked, "correct horse", ""},
		{"not a key", "untrusted comment: x\nRWQ=\n", "", "not a secret key of minisign"},
		{"nothing", "", "", "not a secret key of minisign"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			key, err := bundle.ParseSecretKey([]byte(c.text), c.password)
			if err := says(err, c.want); err != nil {
				t.Error(err)
			}
			if pub, ok := key.Public().(minisign.PublicKey); c.name == "encrypted, the password" && (!ok || pub.String() != "RWQ1Z19KIq77g7BZXdry2/5JFO4ckYdSv43eK8bwcQXNe8DXbFDDKF2s") {
				t.Errorf("another key: %s", pub)
			}
		})
	}
}

// stock runs Debian's minisign in a folder.
func stock(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("minisign", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// stockFolder is a folder with a bundle in it, x.cgp.
func stockFolder(t *testing.T) (dir string, b *bundle.Bundle) {
	t.Helper()
	if _, err := exec.LookPath("minisign"); err != nil {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatal("no minisign; install it")
		}
		t.Skip("no minisign")
	}
	dir, b = t.TempDir(), opened(t, noExfil(t))
	write(t, filepath.Join(dir, "x.cgp"), b.Data)
	return dir, b
}

func TestStockMinisignVerifiesOurSignatures(t *testing.T) {
	dir, b := stockFolder(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	public, secret, err := bundle.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	write(t, in("ours.pub"), public)
	write(t, in("ours.key"), secret)
	write(t, in("y.cgp"), append(slices.Clone(b.Data), 0))
	if out, err := stock(t, dir, "-G", "-W", "-p", "theirs.pub", "-s", "theirs.key"); err != nil {
		t.Fatalf("minisign -G: %v\n%s", err, out)
	}
	for _, whose := range []string{"ours", "theirs"} {
		key, err := bundle.ParseSecretKey(read(t, in(whose+".key")), "")
		if err != nil {
			t.Fatal(err)
		}
		sig, err := b.Sign(key)
		if err != nil {
			t.Fatal(err)
		}
		write(t, in("x.cgp.minisig"), sig)
		out, err := stock(t, dir, "-V", "-H", "-p", whose+".pub", "-m", "x.cgp")
		if err != nil || !strings.Contains(out, b.Comment()) {
			t.Errorf("minisign -V with a key of %s: %v\n%s", whose, err, out)
		}
		if out, err := stock(t, dir, "-V", "-p", whose+".pub", "-x", "x.cgp.minisig", "-m", "y.cgp"); err == nil {
			t.Errorf("minisign -V verifies another file:\n%s", out)
		}
	}
}

func TestWeVerifyWhatStockMinisignSigned(t *testing.T) {
	dir, b := stockFolder(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	public, secret, err := bundle.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	write(t, in("ours.pub"), public)
	write(t, in("ours.key"), secret)
	if out, err := stock(t, dir, "-G", "-W", "-p", "theirs.pub", "-s", "theirs.key"); err != nil {
		t.Fatalf("minisign -G: %v\n%s", err, out)
	}
	for _, whose := range []string{"ours", "theirs"} {
		pub, err := bundle.ParsePublicKey(read(t, in(whose+".pub")))
		if err != nil {
			t.Fatal(err)
		}
		trust := &bundle.Trust{Keys: map[string]bundle.Key{"k": {Public: pub}}, Scopes: map[string]bundle.Scope{"acme/": {Keys: []string{"k"}}}}
		for comment, want := range map[string]string{b.Comment(): "", "timestamp:1795000000\tfile:x.cgp": "its trusted comment is"} {
			if out, err := stock(t, dir, "-S", "-s", whose+".key", "-x", "z.minisig", "-t", comment, "-m", "x.cgp"); err != nil {
				t.Fatalf("minisign -S: %v\n%s", err, out)
			}
			_, _, err := trust.Open(b.Data, []bundle.Signature{{Name: "z.minisig", Text: read(t, in("z.minisig"))}}, day)
			if err := says(err, want); err != nil {
				t.Errorf("signed with the key of %s, with the comment %q: %v", whose, comment, err)
			}
		}
	}
}
