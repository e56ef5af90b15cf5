package builtin

import (
	"path"
	"strings"

	"github.com/callgate/callgate/abi"
)

// maxNesting bounds how deep a command line inside a word of another is read.
const maxNesting = 3

// command reports a string that runs callgate as a program.
func (l *look) command(s string) {
	if l.runsSelf(s, 0) {
		l.report("SELF_COMMAND", l.trail.pointer(l.base))
	}
}

// vector looks at an argument vector: with its program, if that stands beside
// it, else on its own.
func (l *look) vector(items []abi.Value, program []string) {
	argv := append([]string(nil), program...)
	for _, item := range items {
		if item.IsString() {
			argv = append(argv, item.Str())
		}
	}
	runs := argv
	if len(program) == 0 {
		// What a vector of options belongs to is not known; a wrapper is assumed.
		for len(runs) > 0 && strings.HasPrefix(runs[0], "-") {
			runs = runs[1:]
		}
	}
	if l.simpleRunsSelf(runs, 0) {
		l.report("SELF_COMMAND", l.trail.pointer(l.base))
	}
	if len(l.protected) == 0 {
		return
	}
	takes := takesAway(argv)
	for i, item := range items {
		if !item.IsString() {
			continue
		}
		if w := item.Str(); l.wordReaches(w, takes, l.place) || strings.ContainsAny(w, " \n") && l.commandTouches(w) {
			l.report("SELF_PATH", abi.JoinIndex(l.trail.pointer(l.base), i))
		}
	}
}

// runsSelf says whether one of the simple commands of a command line, or of a
// command line that is one of its words, runs callgate.
func (l *look) runsSelf(s string, depth int) bool {
	if depth > maxNesting || !mentionsSelf(s) {
		return false
	}
	for _, simple := range simpleCommands(s) {
		if l.simpleRunsSelf(simple, depth) {
			return true
		}
	}
	if depth > 0 {
		return false // the reading below has lines inside lines in it
	}
	read := readCommandLine(s, false)
	for i := range read.simples {
		if w := &read.simples[i].words[0]; w.kind == wordPlain && selfProgram(w.text) {
			return true
		}
	}
	return false
}

// mentionsSelf is a cheap test that most strings fail: the letters of callgate,
// in any case, with at most quotes and backslashes between them.
func mentionsSelf(s string) bool {
	const name = "callgate"
	n := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		switch {
		case c == name[n]:
			if n++; n == len(name) {
				return true
			}
		case n > 0 && (c == '\'' || c == '"' || c == '\\' || c == '\n' || c == '^' || c == '`'):
		case c == name[0]:
			n = 1
		default:
			n = 0
		}
	}
	return false
}

// simpleRunsSelf says whether one simple command runs callgate: as its program,
// behind a wrapper, or in a command line that one of its words is.
func (l *look) simpleRunsSelf(argv []string, depth int) bool {
	for len(argv) > 0 && assignment(argv[0]) {
		argv = argv[1:]
	}
	if len(argv) == 0 || depth > maxNesting {
		return false
	}
	if selfProgram(argv[0]) || blank(argv[0]) && l.runsSelf(argv[0], depth+1) {
		return true
	}
	for i, w := range argv[:len(argv)-1] {
		if (w == "-c" || w == "-e" || w == "-lc" || w == "/c" || strings.EqualFold(w, "-command")) && l.runsSelf(argv[i+1], depth+1) {
			return true
		}
	}
	switch p := programName(argv[0]); {
	case wrapper(p):
		return l.wrapped(argv[1:], depth)
	case p == "go" && len(argv) > 2 && argv[1] == "run":
		return l.wrapped(argv[2:], depth)
	case p == "find" || p == "fd":
		return l.foundRuns(argv[1:], depth)
	}
	return false
}

// wrapped reads the rest of a wrapper's words. A word right after an option can
// be the option's value or the program.
func (l *look) wrapped(argv []string, depth int) bool {
	afterOption := false
	for i, w := range argv {
		switch {
		case strings.HasPrefix(w, "-"):
			afterOption = !strings.Contains(w, "=") && w != "--"
		case assignment(w) || duration(w):
			afterOption = false
		case selfProgram(w) || blank(w) && l.runsSelf(w, depth+1):
			return true
		case wrapper(programName(w)):
			afterOption = false
		case !afterOption:
			return l.simpleRunsSelf(argv[i:], depth+1)
		default:
			afterOption = false
		}
	}
	return false
}

// foundRuns reads what find runs for what it finds: each -exec up to its end.
func (l *look) foundRuns(argv []string, depth int) bool {
	start := -1
	for i, w := range argv {
		begins := strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") || w == "-x" || w == "-X" || w == "--exec"
		if !begins && w != ";" && w != "+" {
			continue
		}
		if start >= 0 && l.simpleRunsSelf(argv[start:i], depth+1) {
			return true
		}
		if start = -1; begins {
			start = i + 1
		}
	}
	return start >= 0 && l.simpleRunsSelf(argv[start:], depth+1)
}

// blank says whether a word can be a command line of its own.
func blank(w string) bool { return strings.ContainsAny(w, " \t\n;|&$`(") }

// programName is the base name of a word in command position, as case-insensitive
// systems find it.
func programName(w string) string {
	w, _, _ = strings.Cut(strings.Trim(w, "[](){},;@!"), ",")
	p := strings.ToLower(path.Base(strings.ReplaceAll(w, `\`, "/")))
	for _, ext := range [...]string{".exe", ".cmd", ".bat", ".com", ".ps1", ".sh"} {
		p = strings.TrimSuffix(p, ext)
	}
	return p
}

// selfProgram says whether a word in command position names callgate, also with
// a version behind an at sign.
func selfProgram(w string) bool {
	p, _, _ := strings.Cut(programName(w), "@")
	return p == "callgate"
}

func wrapper(p string) bool {
	switch p {
	case "env", "sudo", "doas", "su", "xargs", "nohup", "timeout", "exec", "command", "builtin", "nice", "ionice", "time", "stdbuf",
		"setsid", "watch", "strace", "ltrace", "script", "busybox", "parallel", "start", "cmd", "call", "npx", "flock", "chroot",
		"unshare", "nsenter", "firejail", "bwrap", "taskset", "chrt", "setpriv", "runuser", "systemd-run", "if", "then", "else",
		"elif", "while", "until", "do", "!", "{", "eval", "source", ".", "&", "invoke-expression", "start-process", "iex", "saps",
		"sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "exec.run", "subprocess.run":
		return true
	}
	return false
}

// assignment says whether a word is NAME=VALUE.
func assignment(w string) bool {
	i := strings.IndexByte(w, '=')
	if i <= 0 {
		return false
	}
	for j := 0; j < i; j++ {
		if !identifier(w[j]) {
			return false
		}
	}
	return true
}

// duration says whether a word is a number with at most one unit, as timeout and
// nice take them.
func duration(w string) bool {
	n := len(w)
	if n > 1 && (w[n-1]|0x20) >= 'a' && (w[n-1]|0x20) <= 'z' {
		n--
	}
	return n > 0 && allDigits(strings.Replace(w[:n], ".", "", 1))
}

// words splits one simple command.
func words(s string) []string {
	for _, simple := range simpleCommands(s) {
		return simple
	}
	return nil
}

// simpleCommands splits a command line into simple commands and those into
// words: at ; & | ( ) newline, backtick and $( outside single quotes; quotes and
// backslashes are removed as a shell removes them. It is a splitter for looking,
// not a parser: what it misreads it splits more often, never less.
func simpleCommands(s string) [][]string {
	var all [][]string
	var argv []string
	var word []byte
	open := false // a word has begun, if only by a quote
	endWord := func() {
		if open {
			argv = append(argv, string(word))
		}
		word, open = word[:0], false
	}
	endCommand := func() {
		endWord()
		if len(argv) > 0 {
			all = append(all, argv)
		}
		argv = nil
	}
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"') && strings.IndexByte(s[i+1:], c) >= 0:
			quote, open = c, true
		case c == '\\' && quote != '\'' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				word, open = append(word, s[i]), true
			}
		case quote == '\'':
			word = append(word, c)
		case c == '`', c == '$' && i+1 < len(s) && s[i+1] == '(':
			endCommand()
		case quote != 0:
			word, open = append(word, c), true
		case c == ' ' || c == '\t' || c == '\r':
			endWord()
		case c == ';' || c == '&' || c == '|' || c == '\n' || c == '(' || c == ')':
			endCommand()
		default:
			word, open = append(word, c), true
		}
	}
	endCommand()
	return all
}

// commandTouches says whether a word of a command line reaches a protected path.
// A cd changes what the relative words after it mean. A directory above a
// protected path counts for programs that take it away.
func (l *look) commandTouches(s string) bool {
	if len(l.protected) == 0 {
		return false
	}
	place := *l.place
	for _, simple := range simpleCommands(s) {
		takes := takesAway(simple)
		for _, w := range simple {
			if l.wordReaches(w, takes, &place) {
				return true
			}
		}
		if p := programName(simple[0]); len(simple) > 1 && (p == "cd" || p == "pushd" || p == "chdir" || p == "set-location") {
			if dir, why := canonicalPath(simple[len(simple)-1], &place); why == "" {
				place.Dir = dir
			}
		}
	}
	return false
}

// wordReaches says whether a word of a command reaches a protected path, or,
// for a command that takes away what it names, a directory above one.
func (l *look) wordReaches(w string, takes bool, place *abi.Place) bool {
	for _, part := range pathParts(w) {
		below, above := l.reach(part, place)
		if below || above && takes || l.behindVariable(part) {
			return true
		}
	}
	return false
}

// takesAway says whether a simple command has a word that moves, deletes or
// closes what it is given, or gives it another name, under which no path tells
// that it leads to a protected one.
func takesAway(argv []string) bool {
	for _, w := range argv {
		switch programName(w) {
		case "rm", "rmdir", "mv", "chmod", "chown", "shred", "unlink", "truncate", "del", "erase", "rd", "remove-item", "move-item", "rename-item", "ln", "mklink":
			return true
		}
	}
	return false
}

// pathParts returns the parts of a word that can be a path: the word, and what
// stands behind an option, an assignment, a redirection or a colon.
func pathParts(w string) []string {
	w = strings.Trim(w, `"'(),;[]`)
	parts := []string{w}
	for i := 0; i < len(w); i++ {
		switch w[i] {
		case '=', ':', ',', '@', '<', '>', '"', '\'':
			if rest := strings.Trim(w[i+1:], `"'(),;[]`); rest != "" {
				parts = append(parts, rest)
			}
		case '/', '~', '$':
			if i > 0 && w[0] == '-' && len(parts) == 1 {
				parts = append(parts, w[i:])
			}
		}
		if len(parts) > 16 {
			break
		}
	}
	return parts
}

// behindVariable says whether a word that starts with a variable ends in the tail
// of a protected path, $XDG_STATE_HOME/callgate say. Only tails that name
// callgate or a hidden file count.
func (l *look) behindVariable(w string) bool {
	if !expansion(w) {
		return false
	}
	_, rest, ok := strings.Cut(w, "/")
	if !ok {
		return false
	}
	rest = foldPath(path.Clean(rest))
	first, _, _ := strings.Cut(rest, "/")
	if !strings.Contains(first, "callgate") && !strings.HasPrefix(first, ".") || first == "." || first == ".." {
		return false
	}
	for _, p := range l.protected {
		for i := 0; i < len(p); i++ {
			if p[i] == '/' && (rest == p[i+1:] || within(rest, p[i+1:])) {
				return true
			}
		}
	}
	return false
}
