package main

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle/oci/ocitest"
	"github.com/callgate/callgate/host/wasm/scan"
)

// documented are the command lines of the sh samples in a section of a document.
func documented(t *testing.T, doc, section string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", doc))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	for i, part := range strings.Split(rest, "```") {
		if body, ok := strings.CutPrefix(part, "sh\n"); ok && i%2 == 1 {
			lines = append(lines, strings.Split(strings.TrimSpace(body), "\n")...)
		}
	}
	if !found || len(lines) == 0 {
		t.Fatalf("docs/%s: no commands under %q", doc, section)
	}
	return lines
}

// mailguardFolder is the folder of a plugin acme/mailguard 0.1.0, built.
func mailguardFolder(t *testing.T, dir string) {
	t.Helper()
	from := filepath.Join("..", "..", "abi", "testdata", "1.0", "recipient")
	module, err := os.ReadFile(filepath.Join(from, "recipient.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	about, err := os.ReadFile(filepath.Join(from, "plugin.json"))
	if err != nil {
		t.Fatal(err)
	}
	about = bytes.Replace(about, []byte(`"golden/recipient"`), []byte(`"acme/mailguard"`), 1)
	about = bytes.Replace(about, []byte(`"version": "1.0.0"`), []byte(`"version": "0.1.0"`), 1)
	bare, err := scan.Strip(module)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := abi.WithManifest(bare, about)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "cases"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"mailguard.wasm": string(whole), "plugin.json": string(about), "README.md": "# Mail of one domain\n", "LICENSE": "Anybody may use this.\n",
		"cases/a.yaml": "cases:\n  - {name: a, args: {to: a@example.org}, want: {outcome: abstain}}\n" +
			"  - {name: b, args: {to: a@example.com}, want: {outcome: deny, code: OUTSIDE}}\n  - {name: c, args: {to: 3}, want: {outcome: ask, code: NO_TEXT}}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// What the documents say of signing and trust is done line by line, in their order,
// as its author and its user would.
func TestDocumentedSigningAndTrustWork(t *testing.T) {
	_, err := exec.LookPath("minisign")
	if err != nil && os.Getenv("CALLGATE_CI") == "1" {
		t.Fatal("no minisign; install it")
	}
	stock := err == nil
	dir := t.TempDir()
	mailguardFolder(t, dir)
	r := httptest.NewServer(&ocitest.Registry{Referrers: true})
	defer r.Close()
	registry := strings.TrimPrefix(r.URL, "http://")
	policy := "callgate: 1\nplugins:\n  - {name: p, use: \"oci://" + registry + "/acme/mailguard:0.1.0\", on: {tools: [\"mail/*\"]}, with: {strict: true}}\n"
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(policy), 0o600), os.Mkdir(filepath.Join(dir, "policies"), 0o700)); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, s := range []struct{ doc, section string }{
		{"plugins.md", "Sign and publish"}, {"distribution.md", "Look at it"}, {"distribution.md", "Whom to trust"},
		{"distribution.md", "Verify"}, {"distribution.md", "Registries"}, {"distribution.md", "The lock"}, {"distribution.md", "Without a network"}, {"distribution.md", "When something is wrong"},
	} {
		for _, line := range documented(t, s.doc, s.section) {
			if strings.HasPrefix(line, "minisign ") && !stock {
				continue
			}
			line, _, _ = strings.Cut(line, "#")
			switch words := strings.Fields(line + " . . ."); words[2] {
			case "keygen":
				line += " --unencrypted" // a password costs seconds each time
			case "push", "pull", "lock":
				if !strings.Contains(line, "--check") && !strings.Contains(line, "--offline") { // which ask nobody
					line += " --plain-http"
				}
			}
			line = strings.ReplaceAll(line, "oci://ghcr.io/", "oci://"+registry+"/")
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("docs/%s: %s: %s: %v\n%s", s.doc, s.section, line, err, out)
			}
			ran++
		}
	}
	if ran < 22 {
		t.Errorf("%d commands; want those of the documents", ran)
	}
}
