package callgate_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// verb is what the help of a command says: its flags and its commands.
type verb struct {
	flags []string
	verbs map[string]*verb
}

var (
	helpFlag = regexp.MustCompile(`^\s+(?:(-\w), |\s+)(--[\w-]+)`)
	helpVerb = regexp.MustCompile(`^  ([\w-]+)(?:\s{2,}|\s*$)`)
)

// readVerb asks the binary for the help of a command and of those below it.
func readVerb(t *testing.T, binary string, words ...string) *verb {
	t.Helper()
	out, err := exec.Command(binary, append(slices.Clone(words), "--help")...).CombinedOutput()
	if err != nil {
		t.Fatalf("callgate %s --help: %v\n%s", strings.Join(words, " "), err, out)
	}
	v := &verb{verbs: map[string]*verb{}}
	inVerbs := false
	for _, line := range strings.Split(string(out), "\n") {
		if !strings.HasPrefix(line, " ") {
			inVerbs = strings.HasPrefix(line, "Available Commands:")
		}
		if m := helpFlag.FindStringSubmatch(line); m != nil {
			v.flags = append(v.flags, m[2])
			if m[1] != "" {
				v.flags = append(v.flags, m[1])
			}
		} else if m := helpVerb.FindStringSubmatch(line); inVerbs && m != nil && m[1] != "help" && m[1] != "completion" {
			v.verbs[m[1]] = readVerb(t, binary, append(slices.Clone(words), m[1])...)
		}
	}
	return v
}

// ourCommand is the start of a command line that runs us.
var ourCommand = regexp.MustCompile(`^(?:\$ +)?(?:\w+=\S* +)*(?:(?:\./)?callgate|go run (?:\./cmd/callgate|\S+/cmd/callgate(?:@\S+)?))(?: |$)`)

// commandLines takes the command lines of a shell sample apart into words. What
// is quoted is one word; pipes and lists are several lines.
func commandLines(text string) (lines [][]string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, line := range strings.Split(text, "\n") {
		for _, part := range splitOutsideQuotes(line, "|;&<>#") {
			part = strings.TrimSpace(part)
			if start := ourCommand.FindString(part); start != "" {
				lines = append(lines, splitOutsideQuotes(part[len(start):], " \t"))
			}
		}
	}
	return lines
}

// splitOutsideQuotes cuts at any of the separators that no quote covers, and
// leaves empty parts out.
func splitOutsideQuotes(s, separators string) (parts []string) {
	var quote rune
	part := ""
	for _, r := range s {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
			part += string(r)
		case r == '\'' || r == '"':
			quote = r
			part += string(r)
		case strings.ContainsRune(separators, r):
			if part != "" {
				parts = append(parts, part)
			}
			part = ""
		default:
			part += string(r)
		}
	}
	if part != "" {
		parts = append(parts, part)
	}
	return parts
}

// mistakes lists the words of a command line that the command does not have.
// Behind -- is somebody else's command.
func (v *verb) mistakes(words []string) (bad []string) {
	for i, w := range words {
		switch {
		case w == "--":
			return bad
		case strings.HasPrefix(w, "-") && w != "-":
			name, _, _ := strings.Cut(w, "=")
			if !slices.Contains(v.flags, name) {
				bad = append(bad, "no flag "+name)
			}
		case len(v.verbs) > 0:
			next, ok := v.verbs[w]
			if !ok {
				return append(bad, "no verb "+w)
			}
			return append(bad, next.mistakes(words[i+1:])...)
		}
	}
	return bad
}

// inText matches a verb that running text names. What stands before a bar or
// behind the verb is notation, not a command line.
var inText = regexp.MustCompile("`callgate ([a-z]+)(?: ([a-z]+)`)?")

// verbsInText finds running text that names verbs which are not there.
func verbsInText(root *verb, t tree) (found []string) {
	for _, name := range t.names() {
		if !document(name) {
			continue
		}
		for i, line := range strings.Split(t[name], "\n") {
			for _, m := range inText.FindAllStringSubmatch(line, -1) {
				words := []string{m[1]}
				if v := root.verbs[m[1]]; m[2] != "" && v != nil && len(v.verbs) > 0 {
					words = append(words, m[2])
				}
				for _, bad := range root.mistakes(words) {
					found = append(found, at(name, i+1)+m[0]+": "+bad+"; see callgate --help")
				}
			}
		}
	}
	return found
}

// shellSamples finds command lines that name verbs or flags that are not there.
func shellSamples(root *verb, t tree) []string {
	list, found := samples(t)
	for _, s := range list {
		if !slices.Contains([]string{"sh", "shell", "bash", "console"}, s.info) {
			continue
		}
		for _, words := range commandLines(s.text) {
			for _, bad := range root.mistakes(words) {
				found = append(found, at(s.doc, s.line)+"callgate "+strings.Join(words, " ")+": "+bad+"; see callgate --help")
			}
		}
	}
	return found
}

func TestCommandLinesInDocumentsAreAccepted(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "callgate.exe")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/callgate").CombinedOutput(); err != nil {
		t.Fatalf("go build ./cmd/callgate: %v\n%s", err, out)
	}
	root := readVerb(t, binary)
	for _, name := range []string{"approve", "attest", "bench", "check", "context", "demo", "deny", "doctor", "eval", "gateway", "ledger", "lint", "pending", "plugin", "policy", "reload", "run", "schema", "status", "test", "tools", "unwrap", "version", "why", "wrap"} {
		if root.verbs[name] == nil {
			t.Errorf("callgate --help names %d verbs and not %s", len(root.verbs), name)
		}
	}
	doc := func(text string) tree { return tree{"README.md": "```sh\n" + text + "\n```\n"} }
	verify(t, func(t tree) []string { return shellSamples(root, t) }, []plant{
		{"a verb", doc("callgate demo"), ""},
		{"no such verb", doc("callgate dmeo"), "no verb dmeo"},
		{"a verb of a verb", doc("callgate ledger verify"), ""},
		{"no such verb of a verb", doc("callgate ledger frobnicate"), "no verb frobnicate"},
		{"a flag", doc("callgate run --policy p.yaml -- npx -y server --root /srv"), ""},
		{"no such flag", doc("callgate run --polcy p.yaml -- npx server"), "no flag --polcy"},
		{"a flag of another verb", doc("callgate version --floor p.yaml"), "no flag --floor"},
		{"behind a pipe", doc("echo '{}' | callgate eval --polcy=p.yaml -"), "no flag --polcy"},
		{"quoted", doc("echo '| callgate eval --polcy' | callgate eval -"), ""},
		{"over two lines", doc("$ callgate eval \\\n    --polcy p.yaml"), "no flag --polcy"},
		{"from source", doc("go run ./cmd/callgate dmeo"), "no verb dmeo"},
		{"another command", doc("npm ci --ignore-scripts"), ""},
	})
	verify(t, func(t tree) []string { return verbsInText(root, t) }, []plant{
		{"a verb", tree{"README.md": "Ask `callgate why ID`, and `callgate ledger verify`."}, ""},
		{"no such verb", tree{"README.md": "Ask `callgate wyh ID`."}, "no verb wyh"},
		{"no such verb of a verb", tree{"README.md": "Ask `callgate ledger verfiy`."}, "no verb verfiy"},
		{"a word that is none of ours", tree{"README.md": "Say `callgate: 1`, and callgate wyh."}, ""},
	})
}
