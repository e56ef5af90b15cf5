package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// signing is a folder in which commands are run, with a password as their input.
type signing struct {
	t   *testing.T
	dir string
}

func (s signing) run(input, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin = s.dir, strings.NewReader(input)
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "XDG_STATE_HOME="+filepath.Join(s.dir, "state"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s signing) must(input, name string, args ...string) string {
	s.t.Helper()
	out, err := s.run(input, name, args...)
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// Whoever made the keys, and whoever signed, either verifies it: keys with a password
// and without.
func TestMinisignAndWeUseTheSameKeys(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("minisign"); err != nil {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatal("no minisign; install it")
		}
		t.Skip("no minisign")
	}
	s := signing{t, t.TempDir()}
	mailguardFolder(t, s.dir)
	s.must("", "callgate", "plugin", "pack", "-o", "x.cgp")
	s.must("", "callgate", "plugin", "keygen", "--unencrypted", "-o", "ours")
	s.must("", "minisign", "-G", "-W", "-p", "theirs.pub", "-s", "theirs.key")
	for _, key := range []string{"ours", "theirs"} {
		comment := s.signedByUs(key, "")
		for claim, want := range map[string]string{
			comment: "", "timestamp:1": "its trusted comment is", strings.Replace(comment, "mailguard", "other", 1): "signed as something else",
			strings.Replace(comment, "0.1.0", "0.2.0", 1): "signed as something else",
		} {
			s.signedByMinisign(key, "", claim, want)
		}
	}
	// A password costs seconds each time that it is used, so that each of the two
	// opens just what the other has locked.
	s.must("correct horse\n", "callgate", "plugin", "keygen", "-o", "ours-locked")
	s.must("correct horse\ncorrect horse\n", "minisign", "-G", "-p", "theirs-locked.pub", "-s", "theirs-locked.key")
	s.signedByMinisign("ours-locked", "correct horse\n", s.signedByUs("theirs-locked", "correct horse\n"), "")
}

// signedByUs signs the bundle, and returns the trusted comment that minisign shows
// of it.
func (s signing) signedByUs(key, password string) string {
	s.t.Helper()
	s.must(password, "callgate", "plugin", "sign", "--key", key+".key", "x.cgp")
	out := s.must("", "minisign", "-V", "-H", "-p", key+".pub", "-m", "x.cgp")
	_, comment, ok := strings.Cut(out, "Trusted comment: ")
	if comment = strings.TrimSpace(comment); !ok || !strings.HasPrefix(comment, "callgate-plugin name=acme/mailguard version=0.1.0 abi=") {
		s.t.Fatalf("minisign -V with %s: %s", key, out)
	}
	if err := os.Remove(filepath.Join(s.dir, "x.cgp.minisig")); err != nil {
		s.t.Fatal(err)
	}
	return comment
}

// signedByMinisign has minisign sign the bundle with a trusted comment; we verify it,
// or say what is wanted.
func (s signing) signedByMinisign(key, password, comment, want string) {
	s.t.Helper()
	s.must(password, "minisign", "-S", "-s", key+".key", "-t", comment, "-m", "x.cgp")
	out, err := s.run("", "callgate", "plugin", "verify", "--key", key+".pub", "x.cgp")
	if (err == nil) != (want == "") || !strings.Contains(out, want) {
		s.t.Errorf("signed by minisign with %s as %q: %v; want %q\n%s", key, comment, err, want, out)
	}
	if err := os.Remove(filepath.Join(s.dir, "x.cgp.minisig")); err != nil {
		s.t.Fatal(err)
	}
}
