package builtin

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of what is read as a command line. A parser descends with what it
// reads, and must not be made to fill the stack.
const (
	maxCommand        = 64 << 10 // bytes, over all lines inside lines
	maxCommandOpen    = 100      // brackets that are open at once
	maxCommandOpened  = 4000     // brackets in all
	maxCommandLines   = 8        // lines inside words of lines
	maxCommandSimples = 1000
	maxCommandNested  = 50 // commands that commands run
)

// simpleCommand is one simple command that a line runs, or that a program runs
// which a line runs.
type simpleCommand struct {
	words []commandWord
	more  bool // further words follow that are not known: xargs reads them
	// inner is the word at which another command begins that this one runs, and
	// that stands right behind this one in the list; 0: none is known of.
	inner int
	// clear: it does nothing but run that command. A wrapper of which that is true
	// needs no pattern of its own.
	clear  bool
	line   bool  // the word at inner is a line, and what it runs comes behind this one
	parent int   // index of the command that runs this one, -1: none
	unread bool  // it runs another one, and nobody says from which word on
	powers []int // words that make the program do more than its name says: write, run
	stdin  *commandWord
}

// redirection is a file that a line opens by itself.
type redirection struct {
	target commandWord
	write  bool
	of     int // index of the simple command, -1: of several
}

// assignment of a line to a variable.
type variable struct {
	name  string
	value commandWord
	local bool // of the shell alone, unless the environment has it already
}

// commandReading is what a line, or an argument vector, runs.
type commandReading struct {
	simples   []simpleCommand
	redirects []redirection
	variables []variable
	functions []string
	dirs      []commandWord // changes of the directory
	astray    bool          // of a directory that is not known
	names     bool          // arithmetic reads variables
	doubt     string        // why nobody can say what it runs, in host words
	malformed bool          // it does not parse
	hidden    bool          // it runs a line that is not known
}

// commandReader reads lines, and lines inside lines.
type commandReader struct {
	commandReading
	seen    map[string]bool
	left    int // bytes that may still be read
	depth   int // of lines inside lines
	nested  int // of commands that run commands
	parent  int // of the commands that are found
	windows bool
}

func newCommandReader(windows bool) *commandReader {
	return &commandReader{left: maxCommand, parent: -1, windows: windows}
}

// readCommandLine reads a line as a shell does.
func readCommandLine(line string, windows bool) commandReading {
	r := newCommandReader(windows)
	r.line(line)
	return r.commandReading
}

// readCommandWords reads an argument vector, which no shell reads.
func readCommandWords(words []string, windows bool) commandReading {
	r := newCommandReader(windows)
	n := 0
	for _, w := range words {
		n += len(w)
	}
	if r.room(n) {
		r.simple(litWords(words), false)
	}
	return r.commandReading
}

func (r *commandReader) wonder(why string) {
	if r.doubt == "" {
		r.doubt = why
	}
}

// hides says that a line runs another one that is not known.
func (r *commandReader) hides(why string) {
	r.hidden = true
	r.wonder(why)
}

func (r *commandReader) room(n int) bool {
	if r.left -= n; r.left < 0 {
		r.wonder("it is longer than 64 KiB")
		return false
	}
	return true
}

// line reads a line in the grammars of Bash and of POSIX shells, which see other
// commands in some: all of them count.
func (r *commandReader) line(text string) {
	if r.seen[text] {
		return
	}
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.seen[text] = true
	if !r.room(len(text)) || r.unreadableLine(text) {
		return
	}
	if r.depth++; r.depth > maxCommandLines {
		r.wonder("it has lines inside lines, too deep to follow")
		r.depth--
		return
	}
	r.bash(text)
	if strings.ContainsAny(text, "[($&") || strings.Contains(text, "time") || strings.Contains(text, "coproc") {
		r.posix(strings.NewReplacer("&>>", "& >>", "&>", "& >").Replace(text))
	}
	r.depth--
}

// unreadableLine refuses what shells, and terminals in front of them, read in
// different ways, and what is nested too deep.
func (r *commandReader) unreadableLine(text string) bool {
	open, opened := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c < ' ' && c != '\n' && c != '\t', c == 0x7f:
			r.wonder("it has a control character other than a line feed or a tab")
			return true
		case c == '(' || c == '{' || c == '[':
			open, opened = open+1, opened+1
		case c == '`':
			opened++
		case c == ')' || c == '}' || c == ']':
			open = max(open-1, 0)
		}
		if open > maxCommandOpen || opened > maxCommandOpened {
			r.wonder("it is nested too deep")
			return true
		}
	}
	if r.windows && !plainLine(text) {
		r.wonder("shells of Windows do not read it alike")
		return true
	}
	return false
}

// plainLine says whether the shells of Windows read a line as other shells do: it
// has words of harmless characters, double quotes around such, pipes and lists.
func plainLine(text string) bool {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '|' || c == '&':
			pair := i+1 < len(text) && text[i+1] == c
			if c == '&' && !pair || quoted {
				return false
			}
			if pair {
				i++
			}
		case identifier(c), c == ' ', strings.IndexByte("-./:=+,@", c) >= 0:
		default:
			return false
		}
	}
	return !quoted
}

// bash reads a line as Bash does, as a whole.
func (r *commandReader) bash(text string) {
	defer r.mend()
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		r.malformed = true
		return
	}
	t := commandTree{commandReader: r, text: text, stmts: f.Stmts}
	syntax.Walk(f, t.visit)
}

// posix reads a line as other shells do, which run each statement before they
// read the next one, and stop at what they do not know.
func (r *commandReader) posix(text string) {
	defer r.mend()
	t := commandTree{commandReader: r, text: text, posix: true}
	p := syntax.NewParser(syntax.Variant(syntax.LangPOSIX))
	for s, err := range p.StmtsSeq(strings.NewReader(text)) {
		if err == nil && s != nil {
			t.stmts = append(t.stmts, s)
		}
	}
	for _, s := range t.stmts {
		t.path = t.path[:0]
		syntax.Walk(s, t.visit)
	}
}

// mend makes a panic of the parser a line that nobody can read. It is not ours,
// and what it reads is the caller's.
func (r *commandReader) mend() {
	if recover() != nil {
		r.malformed = true
	}
}

// changes takes note of a change of the directory.
func (r *commandReader) changes(words []commandWord) {
	target := words[1:]
	for len(target) > 0 && target[0].kind == wordPlain && (target[0].text == "--" || target[0].text == "-P" || target[0].text == "-L") {
		target = target[1:]
	}
	if len(target) != 1 || target[0].kind != wordPlain || target[0].text == "-" || target[0].text == "" {
		r.astray = true
		return
	}
	r.dirs = append(r.dirs, target[0])
}
