package plugins_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// rustTarget is where Cargo builds, so that a plugin is built once for all tests.
var rustTarget string

// buildRust builds a plugin in Rust with Debian's compiler, the one that has the
// target, and the crates in its folder. Nothing is asked of a registry.
func buildRust(t *testing.T, name string) string {
	t.Helper()
	cmd := exec.Command("/usr/bin/cargo", "build", "--release", "--locked", "--offline", "--quiet", "--target", "wasm32-unknown-unknown")
	cmd.Dir = name
	cmd.Env = append(os.Environ(), "RUSTC=/usr/bin/rustc", "CARGO_TARGET_DIR="+rustTarget)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\nplugins in Rust need what .ci/run installs: cargo, rustc, libstd-rust-dev-wasm32, lld", err, said)
	}
	return filepath.Join(rustTarget, "wasm32-unknown-unknown", "release", strings.ReplaceAll(name, "-", "_")+".wasm")
}

// large are texts and lists as whoever wants look-alike to run out of fuel writes
// them, and the code that they get, "" if they pass.
var large = []struct{ name, bit, code string }{
	{"one word", "a", ""},
	{"one letter of Cyrillic", "ж", ""},
	{"dots", "a.", ""},
	{"dots of Cyrillic", "ж.", ""},
	{"at signs", "a@", ""},
	{"slashes", "/", ""},
	{"nothing that is seen", "\u200b", ""},
	{"percent signs", "%41", ""},
	{"prose", "the quick brown fox v1.2 jumps over file.txt, e.g. foo.bar() ", ""},
	{"prose of Russian", "Наша компания прислала файл, т.е. всё. ", ""},
	{"prose of Chinese", "请联系我们谢谢，网站。再见", ""},
	{"hosts", "a.example b.test ", "TOO_MUCH"},
	{"a known host", "bank.example ", "TOO_MUCH"},
	{"what looks like it", "bank.examp1e ", "LOOK_ALIKE"},
	{"URLs", "https://a.example/x ", "TOO_MUCH"},
	{"URLs without blanks", "//a@b", "TOO_MUCH"},
	{"many users", "//a:b@c:d@", "TOO_MUCH"},
	{"URLs of Cyrillic", "//ж ", "TOO_MUCH"},
	{"hosts of Cyrillic", "жж.рф ", "TOO_MUCH"},
	{"long hosts of Cyrillic", strings.Repeat("ж", 900) + ".рф ", "TOO_MUCH"},
	{"Punycode", "xn--e1afmkfd.xn--p1ai ", "TOO_MUCH"},
	{"long Punycode", "xn--" + strings.Repeat("z", 59) + ".example ", "TOO_MUCH"},
	{"letters that become many", "\ufdfa.example ", "TOO_MUCH"},
	{"accents", "a" + strings.Repeat("\u0301\u0316", 400) + ".example ", "TOO_MUCH"},
}

// TestLargeTextsEndInAVerdict has look-alike judge a MiB of each.
func TestLargeTextsEndInAVerdict(t *testing.T) {
	t.Parallel()
	module, m := build(t, "look-alike")
	settings := parse(t, `{"known":["bank.example","ada@mail.example","почта.рф"]}`)
	evaluate := starter(t, module, m)(settings)
	for _, c := range large {
		text := strings.Repeat(c.bit, 1<<20/len(c.bit))
		a := evaluate(snapshotOf(t, `{"x":`+quote(text)+`}`).With("settings", settings))
		code := parse(t, string(a.Output)).Get("code").Str()
		if a.Class != "" || code != c.code {
			t.Errorf("%s: %s %s, code %q after %d fuel; want %q", c.name, a.Class, a.Detail, code, a.Fuel, c.code)
		}
	}
	for _, size := range []int{2 << 20, 4<<20 - 1000} {
		a := evaluate(snapshotOf(t, `{"x":`+quote(strings.Repeat("a b.c ", size/6))+`}`).With("settings", settings))
		if code := parse(t, string(a.Output)).Get("code").Str(); a.Class != "" || code != "TOO_MUCH" {
			t.Errorf("%d bytes: %s %s, code %q; want TOO_MUCH", size, a.Class, a.Detail, code)
		}
	}
	for _, name := range []string{"tool_", "ж", "xn--e1afmkfd"} {
		items := make([]string, 20000)
		for i := range items {
			items[i] = `{"name":"` + name + strings.Repeat("x", i%7) + `"}`
		}
		list := parse(t, `{"abi":"1.0","list":{"items":[`+strings.Join(items, ",")+`],"kind":"tools"},"phase":"list"}`)
		if a := evaluate(list.With("settings", settings)); a.Class != "" {
			t.Errorf("a list of %s: %s %s", name, a.Class, a.Detail)
		}
	}
}
