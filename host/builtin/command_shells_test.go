package builtin

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/contract"
)

// stubs makes a directory of programs that only write their name down, and of
// links to the real wrappers.
func stubs(t *testing.T, shells []string) (dir, log string) {
	t.Helper()
	dir = t.TempDir()
	log = filepath.Join(dir, "log")
	for _, name := range []string{"ls", "cat", "head", "sort", "wc", "grep", "evil", "rm"} {
		text := "#!/bin/sh\necho " + name + " >>" + log + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append([]string{"env", "xargs", "nice", "timeout", "nohup", "setsid", "stdbuf", "find"}, shells...) {
		real, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if err := os.Symlink(real, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir, log
}

// ran returns the stubs that a shell ran for a line.
func ran(t testing.TB, shell, dir, log, line string) []string {
	os.Remove(log)
	work, err := os.MkdirTemp(dir, "w")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", line)
	cmd.Dir, cmd.Env = work, []string{"PATH=" + dir, "HOME=" + work}
	cmd.WaitDelay = time.Second
	// Through pipes, what it leaves to run is waited for as well.
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	cmd.Run() // what it says does not matter, what it ran does
	text, _ := os.ReadFile(log)
	return strings.Fields(string(text))
}

// mutated are lines that are nearly commands.
var mutated = rapid.Custom(func(r *rapid.T) string {
	text := rapid.SampledFrom(shellSeeds).Draw(r, "seed")
	for range rapid.IntRange(1, 6).Draw(r, "n") {
		from := rapid.IntRange(0, len(text)).Draw(r, "from")
		to := min(from+rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5}).Draw(r, "cut"), len(text))
		text = text[:from] + rapid.SampledFrom(shellTokens).Draw(r, "token") + text[to:]
	}
	return text
})

// shells are those of this machine.
func shells(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, name := range []string{"bash", "dash", "zsh", "ksh"} {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatal("no shell; install bash and dash")
		}
		t.Skip("no shell to compare with")
	}
	return found
}

func TestShellsRunNothingButWhatIsAllowed(t *testing.T) {
	found := shells(t)
	dir, log := stubs(t, found)
	m := matcherOf(t, contract.Arg{HasAllow: true, Allow: []string{"ls *", "cat *", "head *", "sort *", "wc *", "grep *", "echo *", "true", "cd *", "test *", "find *"}})
	allowed := 0
	for i := range 5000 {
		text := mutated.Example(i)
		if !strings.Contains(text, "evil") || judgeLine(m, text).code != "" {
			continue
		}
		allowed++
		for _, shell := range found {
			if slices.Contains(ran(t, shell, dir, log, text), "evil") {
				t.Errorf("%s runs evil in %q, which is allowed", shell, text)
			}
		}
	}
	if allowed < 100 {
		t.Errorf("%d lines were allowed; the test proves nothing", allowed)
	}
}

func TestShellsRunNothingThatIsDenied(t *testing.T) {
	found := shells(t)
	dir, log := stubs(t, found)
	m := matcherOf(t, contract.Arg{Deny: []string{"evil"}})
	passed, denied := 0, 0
	for i := range 800 {
		text := mutated.Example(-1 - i)
		if judgeLine(m, text).code != "" {
			denied++
			continue
		}
		passed++
		for _, shell := range found {
			if slices.Contains(ran(t, shell, dir, log, text), "evil") {
				t.Errorf("%s runs evil in %q, which passes", shell, text)
			}
		}
	}
	if passed < 100 || denied < 100 {
		t.Errorf("%d lines passed, %d were denied; the test proves nothing", passed, denied)
	}
}

// shellTokens are what lines are mutated with, and shellSeeds are those lines.
var shellTokens = []string{"ls", "evil", "evil", "cat", "echo", " ", " ", " ", ";", "\n", "'", "\"", "`", "$(", ")", "(", "{ ", "; }", " <<EOF\n", "\nEOF\n", "EOF", " <<'EOF'\n", " <<-EOF\n", "\\", "\\\n", "$'", "#", " # ", "&", " && ", " || ", "|",
	"${x:-", "}", "[[ ", " ]]", "((", "))", "$((", "<(", " > /dev/null", "case x in x) ", ";; esac", "if ", "; then ", "; fi", "x=", "a[", "]", "eval ", "bash -c ", "sh -c ", "env ", "xargs ", "f() { ", "; f", "<<<", "! ", "time ",
	"for x in a; do ", "; done", "while ", "\"$x\"", "$x", "{evil,ls}", "*", "\t", "$", "~", "!", "coproc ", "function f ", "|&", "&>/dev/null", "2>&1", "-", "timeout 5 ", "nice ", "$[", "@(", "find . -exec ", " \\;", "\\'", "\\\"", "\\`", "\r", "${", "$\"", ",", "=", "1"}

var shellSeeds = []string{
	"", "", "ls", "ls evil", "echo 'evil'", "echo \"evil\" 'a b' c", "cat <<EOF\nevil\nEOF\n", "cat <<'EOF'\nevil\nEOF\nls", "cat <<-EOF\n\tevil\n\tEOF\n", "echo $(ls evil)", "echo `ls evil`", "echo \"$(echo 'evil')\"",
	"if true; then echo evil; fi", "for x in a evil; do echo \"$x\"; done", "case evil in evil) ls;; *) cat;; esac", "f() { echo evil; }; f", "[[ evil == a ]] && ls", "echo $((1+2)) evil", "diff <(ls evil) a || ls", "ls evil | sort | head -n 1",
	"bash -c 'ls evil'", "sh -c \"echo 'evil'\"", "eval 'ls evil'", "env ls evil", "find . -exec ls evil \\;", "echo ${x:-evil} ${x%evil}", "echo evil # evil", "echo \\\nevil", "ls evil 2>&1 >/dev/null", "x=evil; echo $x", "bash <<'EOF'\nls evil\nEOF",
	"cat <<A <<B\nevil\nA\nevil\nB\n", "echo \"a\\\"evil\"", "echo 'it'\\''s evil'", "echo $'evil'", "(ls; echo evil) & wc evil", "while test evil = a; do ls; done", "ls evil\ncat evil\n", "echo {evil,b}", "time ls evil", "! ls evil && cat evil || wc evil",
	"cat <<< evil", "cat <<EOF | sort\n$(ls evil)\nEOF", "echo \"${x:-$(ls evil)}\"", "echo evil > /dev/null; ls &", "$(ls evil)", "echo a;#evil\nls", "echo \"\n evil \n\"", "timeout 5 nice env ls evil", "xargs ls evil", "ls&&echo evil",
}
