package builtin

import "strings"

// wrapperProgram is a program that runs another one, which its own words name.
type wrapperProgram struct {
	names   string // each between blanks
	flags   string // short options without a value
	valued  string // short options with one
	long    string // long options without a value, each between blanks
	longer  string // long options with one
	skip    int    // words before the command
	assigns bool   // NAME=VALUE before the command sets a variable of it
	dashNum bool   // -5 is an option
	clear   bool   // nothing but the command happens
	joined  bool   // the words are one line, which a shell reads
	more    bool   // it adds words of its own
}

// wrapperPrograms is the table of programs that are read through. Of any other,
// and of an option that is not here, nobody says where the command begins.
var wrapperPrograms = []wrapperProgram{
	{names: " env ", flags: "i0v", valued: "uCa", long: " ignore-environment null debug list-signal-handling ", longer: " unset chdir argv0 ",
		assigns: true, clear: true},
	{names: " nohup ", clear: true},
	{names: " nice ", valued: "n", longer: " adjustment ", dashNum: true, clear: true},
	{names: " ionice ", flags: "t", valued: "cn", long: " ignore ", longer: " class classdata ", clear: true},
	{names: " setsid ", flags: "cfw", long: " ctty fork wait ", clear: true},
	{names: " timeout ", flags: "vfp", valued: "ks", long: " preserve-status foreground verbose ", longer: " kill-after signal ", skip: 1, clear: true},
	{names: " stdbuf ", valued: "ioe", longer: " input output error ", clear: true},
	{names: " time ", flags: "pv", long: " portability verbose ", clear: true},
	{names: " command ", flags: "p", clear: true},
	{names: " builtin coproc busybox toybox ", clear: true},
	{names: " exec ", flags: "cl", valued: "a", clear: true},
	{names: " watch ", flags: "bcdegptwx", valued: "nq", long: " beep color differences errexit chgexit precise no-title no-wrap exec ", longer: " interval equexit ",
		clear: true, joined: true},
	{names: " eval ", clear: true, joined: true},
	{names: " xargs ", flags: "0rtpxo", valued: "adEILnPs", long: " null no-run-if-empty verbose interactive exit open-tty ",
		longer: " arg-file delimiter max-args max-procs max-chars process-slot-var ", clear: true, more: true},
	{names: " sudo ", flags: "AbEHKknPSV", valued: "ugCcDhpRrTtU", long: " preserve-env non-interactive stdin set-home ", longer: " user group chdir prompt host ", assigns: true},
	{names: " doas ", flags: "nL", valued: "uC"},
}

// launchers run others in ways that are not read: a pattern must spell out every
// word of theirs.
const launchers = " parallel strace ltrace script chroot unshare nsenter firejail bwrap taskset chrt setpriv runuser su systemd-run flock fakeroot proot " +
	"numactl prlimit setarch valgrind gdb rlwrap unbuffer entr sg at batch start-stop-daemon source . trap fish csh tcsh pwsh powershell cmd " +
	"sudoedit alias hash enable "

// shells read a line after -c, and their standard input where they are given
// nothing.
const shellPrograms = " sh bash dash zsh ksh mksh ash rbash "

func listsWord(list, word string) bool {
	return word != "" && strings.IndexByte(word, ' ') < 0 && strings.Contains(list, " "+word+" ")
}

// simple takes in a simple command, and every command that it is known to run.
func (r *commandReader) simple(words []commandWord, more bool) {
	if len(words) == 0 {
		return
	}
	if len(r.simples) >= maxCommandSimples {
		r.wonder("it has more than 1000 commands")
		return
	}
	if r.nested++; r.nested > maxCommandNested {
		r.hides("programs run programs in it, too deep to follow")
	}
	defer func() { r.nested-- }()
	if r.nested > maxCommandNested {
		return
	}
	at := len(r.simples)
	r.simples = append(r.simples, simpleCommand{words: words, more: more, parent: r.parent})
	if words[0].kind != wordPlain {
		return
	}
	parent := r.parent
	r.parent = at
	name := programName(words[0].text)
	if words[0].text == "[" {
		name = "[" // of brackets around a name nothing is left, and that is another program
	}
	defer func() {
		r.parent = parent
		if !wellKnown(words[0].text, name) {
			r.simples[at].clear = false
		}
	}()
	switch {
	case verbNoun(words[0].text) && !harmless(words):
		r.wonder("it looks like PowerShell, which reads it in another way")
	case name == "cd" || name == "chdir" || name == "pushd" || name == "popd":
		r.changes(words)
	case listsWord(shellPrograms, name):
		r.shell(at, words, more)
	case name == "find":
		r.finds(at, words)
	case listsWord(launchers, name):
		r.unread(at, nil)
	default:
		for i := range wrapperPrograms {
			if listsWord(wrapperPrograms[i].names, name) {
				r.wrapper(at, words, &wrapperPrograms[i], more)
				return
			}
		}
		r.program(at, name, words)
	}
	r.sets(name, words)
	if r.evaluates(name, words) {
		r.wonder("it hands a subscript to a command of the shell, which can run it")
	}
}

// wellKnown says whether a word finds the program of this name where systems have
// it. Any other file of that name could be anything.
func wellKnown(word, name string) bool {
	return word == name || word == "/bin/"+name || word == "/usr/bin/"+name
}

// unread notes a command of which nobody says where the one begins that it runs:
// every word must be spelled out. left is where its words are not known.
func (r *commandReader) unread(at int, left []commandWord) {
	s := &r.simples[at]
	s.unread = true
	r.powers(at, len(s.words)-1)
	if len(left) > 0 && left[0].kind != wordPlain {
		r.hides("a command runs another one that is not known")
	}
}

// verbNoun says whether a program has a name as the commands of PowerShell have.
func verbNoun(s string) bool {
	verb, noun, ok := strings.Cut(s, "-")
	return ok && verb != "" && noun != "" && verb[0] >= 'A' && verb[0] <= 'Z' && noun[0] >= 'A' && noun[0] <= 'Z'
}

// harmless says whether all words mean themselves in every shell.
func harmless(words []commandWord) bool {
	for _, w := range words {
		if w.kind != wordPlain || strings.Trim(w.text, wordBytes) != "" {
			return false
		}
	}
	return true
}

// powers notes a word that must be spelled out. A program whose only word is its
// name has its name for one.
func (r *commandReader) powers(at, word int) {
	r.simples[at].powers = append(r.simples[at].powers, word)
}

// evaluates says whether a command of the shell gets a word that it would take
// for a subscript, and run.
func (r *commandReader) evaluates(name string, words []commandWord) bool {
	if !listsWord(" test [ printf unset read let declare export readonly typeset local mapfile readarray getopts wait ", name) {
		return false
	}
	for _, w := range words[1:] {
		if w.kind == wordPlain && strings.IndexByte(w.text, '[') >= 0 && strings.ContainsAny(w.text, "$`") {
			return true
		}
	}
	return false
}

// wrapper finds the command in the words of a wrapper.
func (r *commandReader) wrapper(at int, words []commandWord, p *wrapperProgram, more bool) {
	i, ok := r.wrapperOptions(words, p)
	if split := splitString(p, words[i:]); !ok && split != nil {
		words = append(words[:i:i], split...)
		r.simples[at].words = words
		i, ok = r.wrapperOptions(words, p)
	}
	if looksUp := p.names == " command " && len(words) > 1 && (words[1].text == "-v" || words[1].text == "-V"); looksUp {
		return
	}
	if !ok {
		r.unread(at, words[i:])
		return
	}
	for skip := p.skip; skip > 0 && i < len(words); skip-- {
		if words[i].kind != wordPlain || words[i].option() {
			r.unread(at, words[i:])
			return
		}
		i++
	}
	for p.assigns && i < len(words) {
		name, value, ok := strings.Cut(words[i].text, "=")
		if !ok || words[i].kind == wordMany {
			break
		}
		r.variables = append(r.variables, variable{name: name, value: commandWord{text: value, kind: words[i].kind}})
		i++
	}
	if i >= len(words) {
		return // it runs nothing, and is judged by itself
	}
	r.inside(at, i, words[i:], p, more)
}

// inside takes in the command that a wrapper runs.
func (r *commandReader) inside(at, i int, inner []commandWord, p *wrapperProgram, more bool) {
	s := &r.simples[at]
	s.inner, s.clear, s.line = i, p.clear, p.joined
	if mark := replaced(p, s.words[:i]); mark != "" {
		r.simple(filled(inner, mark), more)
		return
	}
	if !p.joined {
		r.simple(inner, more || p.more)
		return
	}
	var line []string
	for _, w := range inner {
		if w.kind != wordPlain {
			r.hides("it makes a command line of words that are not known")
			return
		}
		line = append(line, w.text)
	}
	r.line(strings.Join(line, " "))
}

// wrapperOptions returns the index of the first word behind the options of a
// wrapper, and whether all of them are known.
func (r *commandReader) wrapperOptions(words []commandWord, p *wrapperProgram) (int, bool) {
	i := 1
	for i < len(words) {
		w := &words[i]
		if w.kind != wordPlain {
			return i, w.kind == wordOne && w.text != "" && w.text[0] != '-'
		}
		if w.text == "--" {
			return i + 1, true
		}
		if len(w.text) < 2 || w.text[0] != '-' {
			return i, true
		}
		n, ok := p.option(words[i:])
		if !ok {
			return i, false
		}
		r.wrapperOption(p, w.text)
		i += n
	}
	return i, true
}

// option returns how many words an option takes, and whether it is known.
func (p *wrapperProgram) option(words []commandWord) (int, bool) {
	text := words[0].text
	if name, ok := strings.CutPrefix(text, "--"); ok {
		name, _, glued := strings.Cut(name, "=")
		switch {
		case listsWord(p.long, name):
			return 1, true
		case listsWord(p.longer, name) && glued:
			return 1, true
		case listsWord(p.longer, name) && len(words) > 1 && words[1].kind != wordMany:
			return 2, true
		}
		return 0, false
	}
	if p.dashNum && allDigits(text[1:]) {
		return 1, true
	}
	for j := 1; j < len(text); j++ {
		switch {
		case strings.IndexByte(p.flags, text[j]) >= 0:
		case strings.IndexByte(p.valued, text[j]) < 0:
			return 0, false
		case j+1 < len(text):
			return 1, true
		case len(words) > 1 && words[1].kind != wordMany:
			return 2, true
		default:
			return 0, false
		}
	}
	return 1, true
}

// wrapperOption takes note of options that do more than they say.
func (r *commandReader) wrapperOption(p *wrapperProgram, text string) {
	if short := !strings.HasPrefix(text, "--"); p.assigns && (short && strings.ContainsAny(text, "CD") || strings.HasPrefix(text, "--chdir")) {
		r.astray = true
	}
}

// splitString returns the words with what `env -S` splits, which stands first
// among them, or nil if it does not, or splits in more than the plain way.
func splitString(p *wrapperProgram, words []commandWord) []commandWord {
	if p.names != " env " || len(words) == 0 {
		return nil
	}
	text, used := words[0].text, 1
	switch {
	case (text == "-S" || text == "--split-string") && len(words) > 1:
		text, used = words[1].text, 2
	case strings.HasPrefix(text, "--split-string="):
		text = strings.TrimPrefix(text, "--split-string=")
	case strings.HasPrefix(text, "-S"):
		text = text[2:]
	default:
		return nil
	}
	if words[used-1].kind != wordPlain || words[0].kind != wordPlain || strings.Trim(text, wordBytes+" ") != "" {
		return nil
	}
	return append(litWords(strings.Fields(text)), words[used:]...)
}

// wordBytes are the characters that mean themselves in every shell.
const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@,+%"

// replaced returns the mark that xargs puts lines in the place of, or "".
func replaced(p *wrapperProgram, words []commandWord) string {
	if !p.more {
		return ""
	}
	mark := ""
	for i := 1; i < len(words); i++ {
		text := words[i].text
		if len(text) < 2 || text[0] != '-' || text[1] == '-' {
			continue
		}
		if j := strings.IndexByte(text, 'I'); j > 0 && !strings.ContainsAny(text[1:j], p.valued) {
			if mark = text[j+1:]; mark == "" && i+1 < len(words) {
				mark = words[i+1].text
			}
		}
	}
	return mark
}

// filled returns the words in which something unknown takes the place of a mark.
func filled(words []commandWord, mark string) []commandWord {
	out := make([]commandWord, len(words))
	for i, w := range words {
		if before, _, ok := strings.Cut(w.text+w.rest, mark); ok {
			w = commandWord{text: before[:min(len(before), len(w.text))], kind: max(w.kind, wordOne)}
		}
		out[i] = w
	}
	return out
}
