package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tenMinutes are the languages of "In ten minutes", and how a shell finds out
// whether their tools are there.
var tenMinutes = map[string]string{
	"go":             "command -v go",
	"rust":           "test -x /usr/bin/cargo && test -d /usr/lib/rustlib/wasm32-unknown-unknown",
	"assemblyscript": "command -v npm",
	"c":              "command -v clang && command -v wasm-ld && command -v cc",
	"wat":            "command -v wat2wasm",
}

var newInLang = regexp.MustCompile(`callgate plugin new (?:--lang (\w+) )?acme/mailguard`)

// TestTenMinutesOfThePageAreTrue runs what docs/plugins.md begins with, as it
// stands there, and answers y.
func TestTenMinutesOfThePageAreTrue(t *testing.T) {
	page, err := os.ReadFile("../../docs/plugins.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## In ten minutes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	t.Setenv("PATH", os.Getenv("PATH")+string(filepath.ListSeparator)+"/usr/bin")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=vendor")
	t.Setenv("npm_config_prefer_offline", "true")
	ran := map[string]bool{}
	for _, block := range strings.Split(section, "```sh\n")[1:] {
		block, _, _ = strings.Cut(block, "\n```")
		found := newInLang.FindStringSubmatch(block)
		if found == nil {
			t.Errorf("it makes no plugin:\n%s", block)
			continue
		}
		lang := found[1]
		if lang == "" {
			lang = "go"
		}
		ran[lang] = true
		t.Run(lang, func(t *testing.T) { tenMinutesOf(t, lang, block) })
	}
	if len(ran) != len(tenMinutes) {
		t.Errorf("%v; want all of %v", ran, tenMinutes)
	}
}

func tenMinutesOf(t *testing.T, lang, block string) {
	for _, must := range []string{"plugin build", "plugin test", "plugin check"} {
		if !strings.Contains(block, "callgate "+must) {
			t.Errorf("there is no %s", must)
		}
	}
	if err := exec.Command("sh", "-c", tenMinutes[lang]).Run(); err != nil {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatalf("no toolchain: %s fails", tenMinutes[lang])
		}
		t.Skipf("no toolchain: %s fails", tenMinutes[lang])
	}
	if lang == "rust" { // Debian's, which has the target
		t.Setenv("PATH", "/usr/bin"+string(filepath.ListSeparator)+os.Getenv("PATH"))
		t.Setenv("RUSTC", "/usr/bin/rustc")
	}
	dir := t.TempDir()
	t.Setenv("GOCACHE", goBuildCache())
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	cmd := exec.Command("sh", "-euc", block+"\ncallgate plugin pack") // it is whole
	cmd.Dir, cmd.Stdin = dir, strings.NewReader("y\n")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "13 cases, 13 passed, 0 failed") || !strings.Contains(string(out), "8 laws, 0 broken") || !strings.Contains(string(out), "acme/mailguard 0.1.0, ") {
		t.Errorf("%v\n%s", err, out)
	}
}
