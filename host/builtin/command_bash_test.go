package builtin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/contract"
)

// developing is what one allows who has an assistant build, test and look around.
var developing = contract.Arg{
	HasAllow: true,
	Allow: []string{"git status *", "git log *", "git diff *", "git show *", "git branch --list *", "git rev-parse *", "git blame *", "git grep *", "git ls-files *", "git stash list",
		"cd *", "ls *", "pwd *", "cat *", "head *", "tail *", "wc *", "grep *", "rg *", "find *", "sort *", "uniq *", "cut *", "tr *", "sed *", "diff *", "echo *", "printf *", "date *",
		"basename *", "dirname *", "which *", "whoami", "uname *", "du *", "df *", "stat *", "file *", "test *", "true", "sleep *", "read *", "xxd *", "tree *", "env", "ps *", "seq *",
		"go build *", "go test *", "go vet *", "go list *", "go doc *", "go version", "gofmt -l *", "npm test *", "npm run lint", "npm run build *", "npm ls *", "node --version",
		"npx tsc --noEmit", "npx eslint *", "python3 -m pytest *", "python3 --version", "pip list *", "pip show *", "cargo build *", "cargo test *", "cargo check *",
		"make build", "make test *", "make -j4 test", "jq *", "docker ps *", "docker logs *", "docker images *", "kubectl get *", "kubectl describe *", "kubectl logs *",
		"sha256sum *", "'[' *", "base64 *", "column *", "curl -sI *", "xargs *"},
	Deny: []string{"go test * -exec *"}, Env: []string{"LC_ALL"}, Reads: []string{"/srv/work/**"},
}

// bashTakes asks the machine's bash whether a line parses. It runs nothing of it.
// Of a [[ ]] that is wrong, bash -n says so and ends with 0 all the same, and so it
// does of a here-document without an end: it takes what it says nothing about.
func bashTakes(t *testing.T, line string) bool {
	t.Helper()
	said, err := exec.Command("bash", "--norc", "-n", "-c", line).CombinedOutput()
	return err == nil && len(said) == 0
}

func needBash(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		if os.Getenv("CALLGATE_CI") == "1" {
			t.Fatalf("%v; install bash", err)
		}
		t.Skip("no bash to compare with")
	}
}

func commandLines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "commands", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// unlike are lines of which bash and the slot do not say the same, and why.
var unlike = map[string]string{}

// parses says whether the slot can read a line.
func parses(m *commandMatcher, line string) bool {
	return judgeLine(m, line).code != "ARGS_COMMAND_SYNTAX"
}

// TestWhatDevelopersRunIsReadAsBashReadsIt holds lines that developers and
// assistants run against bash, and against a policy that allows such work: each is
// allowed, and its twin, which does more, is not.
func TestWhatDevelopersRunIsReadAsBashReadsIt(t *testing.T) {
	needBash(t)
	m, lines := matcherOf(t, developing), commandLines(t, "benign.txt")
	pairs := 0
	for i := 0; i+1 < len(lines); i += 2 {
		benign, ok := strings.CutPrefix(lines[i], "+ ")
		twin, too := strings.CutPrefix(lines[i+1], "- ")
		if !ok || !too {
			t.Fatalf("%q, %q: want a line with + and its twin with -", lines[i], lines[i+1])
		}
		pairs++
		for _, line := range []string{benign, twin} {
			if takes := bashTakes(t, line); takes != parses(m, line) && unlike[line] == "" {
				t.Errorf("%q: bash takes it: %v; the slot says %q", line, takes, judgeLine(m, line).reason)
			}
		}
		if got := judgeLine(m, benign); got.code != "" {
			t.Errorf("%q: %s (%s)", benign, got.code, got.reason)
		}
		for _, worse := range []string{twin, benign + "\nevil", benign + "\n$(evil)", "evil; " + benign} {
			if judgeLine(m, worse).code == "" {
				t.Errorf("%q is allowed", worse)
			}
		}
	}
	if pairs < 150 || len(lines) != 2*pairs {
		t.Errorf("%d pairs in %d lines; want 150", pairs, len(lines))
	}
}

// TestWhatBashRefusesIsRefused: a line that bash cannot read, nothing makes of it.
func TestWhatBashRefusesIsRefused(t *testing.T) {
	needBash(t)
	lines := commandLines(t, "broken.txt")
	with, without := matcherOf(t, developing), matcherOf(t, contract.Arg{HasAllow: true, Allow: []string{"*"}})
	for _, line := range lines {
		if bashTakes(t, line) {
			t.Errorf("%q: bash takes it", line)
		}
		if judgeLine(with, line).code == "" || unlike[line] == "" && parses(without, line) {
			t.Errorf("%q: the slot takes it: %+v", line, judgeLine(without, line))
		}
	}
	if len(lines) < 60 || len(unlike) > 5 {
		t.Errorf("%d lines and %d exceptions; want 60, and 5 at most", len(lines), len(unlike))
	}
}
