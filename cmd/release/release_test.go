package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"aead.dev/minisign"

	"github.com/callgate/callgate/host/bundle"
)

// fakes are the files of a repository that is quick to build.
var fakes = map[string]string{
	"go.mod":               "module github.com/callgate/callgate\n\ngo 1.26.0\n",
	"cmd/callgate/main.go": "package main\n\nfunc main() { println(\"here\") }\n",
	"README.md":            "# Callgate\n", "LICENSE": "MIT\n", "SECURITY.md": "# Security\n", "RATIONALE.md": "# Rationale\n", "docs/policy.md": "# Policy\n",
	".gitignore": "*.out\n",
}

// gitIn runs git with an author and dates of its own.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=T", "-c", "user.email=t@example", "-c", "tag.gpgSign=false", "-c", "commit.gpgSign=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-11-30T16:34:17+02:00", "GIT_AUTHOR_DATE=2020-01-01T00:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// repository makes one with a tagged commit, and a key whose public half it has.
func repository(t *testing.T) (dir, key string) {
	t.Helper()
	dir, key = filepath.Join(t.TempDir(), "origin"), filepath.Join(t.TempDir(), "release.key")
	public, secret, err := bundle.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	put(t, key, string(secret))
	put(t, filepath.Join(dir, publicKey), string(public))
	for name, text := range fakes {
		put(t, filepath.Join(dir, name), text)
	}
	gitIn(t, dir, "init", "--quiet")
	gitIn(t, dir, "add", "--all")
	gitIn(t, dir, "commit", "--quiet", "--message=one")
	gitIn(t, dir, "tag", "--annotate", "--message=r", "v1.2.3-rc.1")
	return dir, key
}

// released runs the command in a folder.
func released(t *testing.T, dir, key string, args ...string) (code int, said string) {
	t.Helper()
	t.Chdir(dir)
	var b bytes.Buffer
	code = run(t.Context(), args, key, strings.NewReader(""), &b)
	return code, b.String()
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		m[e.Name()] = string(data)
	}
	return m
}

// TestTwoClonesMakeTheSameRelease: in folders of their own, with other settings of
// the machine, and with ignored files about.
func TestTwoClonesMakeTheSameRelease(t *testing.T) {
	origin, key := repository(t)
	args := []string{"--target", "windows/amd64", "--target", runtime.GOOS + "/" + runtime.GOARCH, "1.2.3-rc.1"}
	var made [2]map[string]string
	for i, where := range []string{"a", "another/and/longer"} {
		clone, out := filepath.Join(t.TempDir(), where), filepath.Join(t.TempDir(), "out")
		gitIn(t, ".", "clone", "--quiet", origin, clone)
		if i == 1 {
			put(t, filepath.Join(clone, "docs", "ignored.out"), "x")
			put(t, filepath.Join(clone, "cmd", "callgate", "main.go"), fakes["cmd/callgate/main.go"]) // of another time
			for _, set := range []string{"GOFLAGS=-tags=x", "GOAMD64=v3", "CGO_ENABLED=1", "GOEXPERIMENT=jsonv2", "TZ=Asia/Kathmandu", "GOWORK=/nowhere"} {
				name, value, _ := strings.Cut(set, "=")
				t.Setenv(name, value)
			}
		}
		if code, said := released(t, clone, key, append(args, out)...); code != 0 {
			t.Fatalf("%d: %s", code, said)
		}
		made[i] = files(t, out)
	}
	if !maps.Equal(made[0], made[1]) {
		for name := range made[0] {
			if made[0][name] != made[1][name] {
				t.Errorf("%s differs", name)
			}
		}
		t.Fatalf("%q and %q differ", slices.Sorted(maps.Keys(made[0])), slices.Sorted(maps.Keys(made[1])))
	}
	folder := "callgate_1.2.3-rc.1_" + runtime.GOOS + "_" + runtime.GOARCH
	want := []string{"SHA256SUMS", "callgate_1.2.3-rc.1.spdx.json", "callgate_1.2.3-rc.1_windows_amd64.zip", folder + ".tar.gz"}
	for _, name := range slices.Clone(want) {
		want = append(want, name+".minisig")
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(made[0])); !slices.Equal(got, want) {
		t.Fatalf("%q; want %q", got, want)
	}
	sums := ""
	for _, name := range want {
		if !strings.HasPrefix(name, "SHA") && !strings.HasSuffix(name, ".minisig") {
			sums += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(made[0][name])), name)
		}
	}
	if made[0]["SHA256SUMS"] != sums {
		t.Errorf("SHA256SUMS is %q; want %q", made[0]["SHA256SUMS"], sums)
	}
	unpacked(t, folder, made[0][folder+".tar.gz"], made[0]["callgate_1.2.3-rc.1_windows_amd64.zip"])
	verified(t, filepath.Join(origin, publicKey), made[0])
}

// unpacked looks into the archives.
func unpacked(t *testing.T, folder, tarball, zipped string) {
	t.Helper()
	in, err := gzip.NewReader(strings.NewReader(tarball))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name, ok := strings.CutPrefix(h.Name, folder+"/")
		if at := h.ModTime.UTC().Format("2006-01-02T15:04:05Z"); !ok || at != "2026-11-30T14:34:17Z" || h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || (h.Mode == 0o755) != (name == "callgate") {
			t.Errorf("%s: of %s, %d:%d %q:%q, mode %o", h.Name, at, h.Uid, h.Gid, h.Uname, h.Gname, h.Mode)
		}
		names = append(names, name)
		if name != "callgate" {
			continue
		}
		binary := filepath.Join(t.TempDir(), "callgate")
		data, err := io.ReadAll(r)
		if err != nil || os.WriteFile(binary, data, 0o700) != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(binary).CombinedOutput(); err != nil || string(out) != "here\n" {
			t.Errorf("the binary: %v: %s", err, out)
		}
	}
	want := []string{"LICENSE", "RATIONALE.md", "README.md", "SECURITY.md", "callgate", "docs/policy.md", "licenses/Go/LICENSE", "licenses/Go/PATENTS"}
	if !slices.Equal(names, want) {
		t.Errorf("it has %q; want %q", names, want)
	}
	z, err := zip.NewReader(strings.NewReader(zipped), int64(len(zipped)))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range z.File {
		name := strings.Replace("callgate_1.2.3-rc.1_windows_amd64/"+want[i], "/callgate", "/callgate.exe", 1)
		if at := f.Modified.UTC().Format("2006-01-02T15:04:05Z"); f.Name != name || at != "2026-11-30T14:34:17Z" {
			t.Errorf("%s of %s; want %s", f.Name, at, name)
		}
	}
	if len(z.File) != len(want) {
		t.Errorf("%d files in the zip; want %d", len(z.File), len(want))
	}
}

// verified verifies every file of a release with minisign itself, and no other.
func verified(t *testing.T, public string, made map[string]string) {
	t.Helper()
	if _, err := exec.LookPath("minisign"); err != nil {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatal("no minisign; install it")
		}
		t.Skip("no minisign")
	}
	dir, n := t.TempDir(), 0
	for name, data := range made {
		put(t, filepath.Join(dir, name), data)
	}
	for name := range made {
		if strings.HasSuffix(name, ".minisig") {
			continue
		}
		n++
		out, err := exec.Command("minisign", "-V", "-p", public, "-m", filepath.Join(dir, name)).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Trusted comment: callgate-release version=1.2.3-rc.1 file="+name+"\n") {
			t.Errorf("minisign: %v: %s", err, out)
		}
		put(t, filepath.Join(dir, name), made[name]+"x")
		if out, err := exec.Command("minisign", "-V", "-p", public, "-m", filepath.Join(dir, name)).CombinedOutput(); err == nil {
			t.Errorf("%s, changed: %s", name, out)
		}
	}
	if n != 4 {
		t.Errorf("%d files verified; want 4", n)
	}
}

// TestWhatIsNoReleaseIsRefused, and leaves nothing behind.
func TestWhatIsNoReleaseIsRefused(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.key")
	_, secret, err := bundle.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	put(t, other, string(secret))
	cases := []struct {
		name   string
		change func(dir string)
		args   []string
		key    string // "": none
		code   int
		want   string
	}{
		{"nothing wrong, and no key", func(string) {}, []string{"1.2.3-rc.1", "OUT"}, "", 0, "nothing is signed"},
		{"a file changed", func(dir string) { put(t, filepath.Join(dir, "README.md"), "x") }, []string{"1.2.3-rc.1", "OUT"}, "", 1, `1 files differ from the commit, such as " M README.md"`},
		{"a file more", func(dir string) { put(t, filepath.Join(dir, "cmd/callgate/x.go"), "package main") }, []string{"1.2.3-rc.1", "OUT"}, "", 1, "cmd/callgate/x.go"},
		{"no tag", func(string) {}, []string{"1.2.4", "OUT"}, "", 1, "there is no tag v1.2.4"},
		{"a tag of another commit", func(dir string) { gitIn(t, dir, "commit", "--allow-empty", "--quiet", "--message=two") }, []string{"1.2.3-rc.1", "OUT"}, "", 1, "check out the tag"},
		{"a branch of that name", func(dir string) { gitIn(t, dir, "branch", "v1.2.4") }, []string{"1.2.4", "OUT"}, "", 1, "there is no tag v1.2.4"},
		{"a later tag on the commit", func(dir string) { gitIn(t, dir, "tag", "v1.2.3") }, []string{"1.2.3-rc.1", "OUT"}, "", 1, `its version is "v1.2.3"; want "v1.2.3-rc.1"`},
		{"a document is missing", func(dir string) {
			gitIn(t, dir, "rm", "--quiet", "LICENSE")
			gitIn(t, dir, "commit", "--quiet", "--message=two")
			gitIn(t, dir, "tag", "v1.3.0")
		}, []string{"1.3.0", "OUT"}, "", 1, "no LICENSE"},
		{"a v", func(string) {}, []string{"v1.2.3", "OUT"}, "", 2, "write 1.2.3; the v belongs to the tag"},
		{"two numbers", func(string) {}, []string{"1.2", "OUT"}, "", 2, `version "1.2"`},
		{"build metadata", func(string) {}, []string{"1.2.3+x", "OUT"}, "", 2, `version "1.2.3+x"`},
		{"a path", func(string) {}, []string{"1.2.3/../x", "OUT"}, "", 2, "want one like 1.2.3"},
		{"no folder", func(string) {}, []string{"1.2.3"}, "", 2, "want VERSION and OUT"},
		{"a folder that is there", func(dir string) { put(t, filepath.Join(filepath.Dir(dir), "out", "x"), "x") }, []string{"1.2.3-rc.1", "OUT"}, "", 2, "is there already"},
		{"a target of nobody", func(string) {}, []string{"--target", "plan9/386", "1.2.3", "OUT"}, "", 2, "want one of [linux/amd64"},
		{"another key", func(string) {}, []string{"1.2.3-rc.1", "OUT"}, other, 1, "is not the secret half of release.pub"},
		{"no such key", func(string) {}, []string{"1.2.3-rc.1", "OUT"}, filepath.Join(filepath.Dir(other), "none"), 2, "none"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir, _ := repository(t)
			out := filepath.Join(filepath.Dir(dir), "out")
			c.change(dir)
			before := files(t, filepath.Join(dir, "docs"))
			for i, a := range c.args {
				c.args[i] = strings.Replace(a, "OUT", out, 1)
			}
			code, said := released(t, dir, c.key, append([]string{"--target", "linux/amd64"}, c.args...)...)
			if code != c.code || !strings.Contains(said, c.want) {
				t.Errorf("%d: %s; want %d: %s", code, said, c.code, c.want)
			}
			left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*"))
			hidden, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*"))
			if made := len(left) + len(hidden); c.code != 0 && c.name != "a folder that is there" && made != 1 || !maps.Equal(before, files(t, filepath.Join(dir, "docs"))) {
				t.Errorf("left behind: %q %q", left, hidden)
			}
		})
	}
	if len(cases) == 0 {
		t.Error("no case")
	}
}

// TestSignaturesHaveNoTime: the same bytes under the same key have the same, with
// and without a password of the key.
func TestSignaturesHaveNoTime(t *testing.T) {
	dir, key := repository(t)
	secret, err := bundle.ParseSecretKey(readFile(t, key), "")
	if err != nil {
		t.Fatal(err)
	}
	encrypted, err := minisign.EncryptKey("swordfish", secret)
	if err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(t.TempDir(), "locked.key")
	put(t, locked, string(encrypted))
	var texts []string
	for _, c := range []struct{ key, in, want string }{{key, "", ""}, {locked, "swordfish\n", ""}, {locked, "\n", "give its password"}, {dir, "", dir}} {
		r := &release{version: "1.2.3", key: c.key, in: strings.NewReader(c.in)}
		sign, err := r.signer(dir)
		switch {
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v; want %s", err, c.want)
		case c.want == "" && err != nil:
			t.Error(err)
		case c.want == "":
			texts = append(texts, string(sign("x.zip", []byte("bytes"))))
		}
	}
	public, err := bundle.ParsePublicKey(readFile(t, filepath.Join(dir, publicKey)))
	if err != nil || len(texts) != 2 || texts[0] != texts[1] || !minisign.Verify(public, []byte("bytes"), []byte(texts[0])) || minisign.Verify(public, []byte("other"), []byte(texts[0])) {
		t.Errorf("%v: %q", err, texts)
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
