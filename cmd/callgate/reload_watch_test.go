package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/proxy"
)

// reloadingOf is a policy on disk that is followed.
func reloadingOf(t *testing.T, path string) (r *reloading, notes func() string) {
	t.Helper()
	o := policy.Options{Files: []string{path}, Specs: builtin.Table()}
	p, err := policy.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	hook, err := webhook(p)
	if err != nil {
		t.Fatal(err)
	}
	said, err := os.Create(filepath.Join(t.TempDir(), "notes"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = said.Close() })
	notes = func() string {
		data, err := os.ReadFile(said.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	return newReloading(stdio{err: said}, o, proxy.Loaded{Policy: p, Webhook: hook}, []string{"s"}, func(*policy.Policy) error { return nil }), notes
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Whoever has the key of a webhook can answer, so another key is not taken beside
// another policy, and that it is there is said.
func TestAnotherKeyOfAWebhookTakesARestart(t *testing.T) {
	dir := t.TempDir()
	file, key := filepath.Join(dir, "p.yaml"), filepath.Join(dir, "key")
	const text = "callgate: 1\nsettings: {default: ask, approval: {webhook: \"http://127.0.0.1:9/\", webhook_key: key}}\n"
	const first, second = "000000000000000000000000first", "0000000000000000000000second"
	writeText(t, key, first)
	writeText(t, file, text)
	r, notes := reloadingOf(t, file)
	for _, what := range []string{file, key} {
		if !slices.Contains(r.read(), what) || !slices.Contains(r.Current().Protected, what) {
			t.Errorf("%s is not watched, or not protected: %q, %q", what, r.read(), r.Current().Protected)
		}
	}
	said := func(want bool) {
		t.Helper()
		s := r.State()
		if got := slices.ContainsFunc(s.Restart, func(line string) bool {
			return strings.Contains(line, "p.yaml:2: settings.approval.webhook_key: the key of the webhook has changed")
		}); got != want || string(r.Current().Webhook.Key) != first {
			t.Errorf("%+v, key %q; want it said: %v, and the first key", s, r.Current().Webhook.Key, want)
		}
	}
	r.Check()
	said(false)
	writeText(t, key, second)
	r.Check()
	said(true)
	writeText(t, file, text+"tools: {a/b: {verdict: deny}}\n")
	r.Check()
	if s := r.State(); s.State != abi.ReloadInForce || s.Digest == "" {
		t.Errorf("%+v; want the stricter policy in force", s)
	}
	said(true)
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	r.Check()
	said(true)
	if n := strings.Count(notes(), "the key of the webhook has changed"); n != 1 {
		t.Errorf("said %d times", n)
	}
	writeText(t, key, first)
	r.Check()
	said(false)
}

// A policy that came through a pipe can not be read again, and is not.
func TestAPolicyOfAPipeIsReadOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // there a pipe has no name here
	}
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := out.WriteString("callgate: 1\n"); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("/dev/fd", strconv.Itoa(int(in.Fd())))
	r, notes := reloadingOf(t, path)
	if len(r.read()) != 0 || !strings.Contains(notes(), "is no regular file, so the policy is read once") {
		t.Errorf("watched: %q; said: %q", r.read(), notes())
	}
}

// Every name that leads to a file of the policy is out of reach, and nothing that
// merely has such a link above it.
func TestEveryNameOfAPolicyIsProtected(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need rights there
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"real/one", "real/two"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeText(t, filepath.Join(dir, "real/one/p.yaml"), "callgate: 1\ninclude: [q.yaml]\n")
	writeText(t, filepath.Join(dir, "real/q.yaml"), "callgate: 1\n")
	for at, to := range map[string]string{"home": "real", "real/data": "one", "real/p.yaml": "data/p.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, at)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := policy.Load(policy.Options{Files: []string{filepath.Join(dir, "home/p.yaml")}})
	if err != nil {
		t.Fatal(err)
	}
	list := policyFiles(p)
	for name, want := range map[string]bool{
		"home/p.yaml": true, "real/p.yaml": true, "real/data/p.yaml": true, "real/one/p.yaml": true, "home/q.yaml": true, "real/q.yaml": true,
		"home": false, "real": false, "real/data": false, "real/two": false,
	} {
		if got := slices.Contains(list, filepath.Join(dir, name)); got != want {
			t.Errorf("%s protected: %v; want %v in %q", name, got, want, list)
		}
	}
}
