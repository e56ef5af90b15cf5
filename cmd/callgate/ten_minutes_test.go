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
	t.Parallel()
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
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			tenMinutesOf(t, lang, block)
		})
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
	dir := t.TempDir()
	env := tenMinutesEnv(dir, lang)
	look := exec.Command("sh", "-c", tenMinutes[lang])
	look.Env = env
	if err := look.Run(); err != nil {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatalf("no toolchain: %s fails", tenMinutes[lang])
		}
		t.Skipf("no toolchain: %s fails", tenMinutes[lang])
	}
	cmd := exec.Command("sh", "-euc", block+"\ncallgate plugin pack") // it is whole
	cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader("y\n")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "13 cases, 13 passed, 0 failed") || !strings.Contains(string(out), "8 laws, 0 broken") || !strings.Contains(string(out), "acme/mailguard 0.1.0, ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// tenMinutesEnv is what the commands of a language run with: a cache of their own,
// and no registry of Go.
func tenMinutesEnv(dir, lang string) []string {
	path := os.Getenv("PATH") + ":/usr/bin"
	env := append(os.Environ(),
		"GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=vendor", "GOCACHE="+goBuildCache(),
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "npm_config_prefer_offline=true")
	if lang == "rust" { // Debian's, which has the target
		path = "/usr/bin:" + path
		env = append(env, "RUSTC=/usr/bin/rustc")
	}
	return append(env, "PATH="+path)
}
