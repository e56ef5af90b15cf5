package builtin

import "strings"

// programOptions are options, and subcommands, that make a program which only
// reads do more: write a file, or run another program. A pattern must spell them
// out. Long ones may be abbreviated.
type programOptions struct {
	names   string // of the programs
	short   string // short options
	exact   string // other words
	long    string
	command string // of git and its like: only before the subcommand
	flags   string // of Go and its like: with one dash or two, and never abbreviated
	part    string // of such a word: makes the program run another, wherever it stands
}

var programTable = []programOptions{
	{names: " sort ", short: "o", long: " output compress-program "},
	{names: " tar bsdtar gtar ", short: "IF", long: " to-command checkpoint-action use-compress-program rsh-command info-script new-volume-script rmt-command "},
	{names: " rsync ", short: "e", long: " rsh rsync-path "},
	{names: " ssh scp sftp ", short: "oFSJ"},
	{names: " man ", short: "PH", long: " pager html "},
	{names: " rg ", long: " pre hostname-bin "},
	{names: " fd fdfind ", short: "xX", long: " exec exec-batch "},
	{names: " iconv tree ", short: "o", long: " output "},
	{names: " yq ", short: "i", long: " inplace "},
	{names: " zip ", short: "T", exact: " -TT ", long: " unzip-command "},
	{names: " date ", short: "s", long: " set "},
	{names: " git ", long: " output ext-diff textconv upload-pack receive-pack exec extcmd open-files-in-pager exec-path config-env ",
		exact: " foreach filter-branch ", command: " -c --config-env --exec-path "},
	// -w of go env stays for every later command; -overlay and -modfile build what
	// stands elsewhere.
	{names: " go ", flags: " exec toolexec vettool overlay modfile o w ", part: "-extld"},
}

// program notes what the words of a program that is no wrapper make it do.
func (r *commandReader) program(at int, name string, words []commandWord) {
	switch name {
	case "sed", "gsed":
		r.sed(at, words)
		return
	case "awk", "gawk", "mawk", "nawk", "original-awk":
		r.awk(at, words)
		return
	case "tee":
		r.writes(at, words[1:], 0)
	case "uniq":
		r.writes(at, words[1:], 1)
	case "dd":
		for _, w := range words[1:] {
			if to, ok := strings.CutPrefix(w.text, "of="); ok {
				r.redirects = append(r.redirects, redirection{target: commandWord{text: to, kind: w.kind}, write: true, of: at})
			} else if w.kind == wordMany {
				r.wonder("it writes a file whose name is not known")
			}
		}
	}
	for i := range programTable {
		if listsWord(programTable[i].names, name) {
			r.options(at, words, &programTable[i])
		}
	}
}

// writes takes the operands of a program for files that it writes, after as many
// that it reads.
func (r *commandReader) writes(at int, words []commandWord, skip int) {
	operands := false
	for _, w := range words {
		if !operands && w.kind == wordPlain && len(w.text) > 1 && w.text[0] == '-' {
			operands = w.text == "--"
			continue
		}
		if skip--; skip < 0 || w.kind == wordMany {
			r.redirects = append(r.redirects, redirection{target: w, write: true, of: at})
		}
	}
}

func (r *commandReader) options(at int, words []commandWord, p *programOptions) {
	before := true
	for i := 1; i < len(words); i++ {
		w := &words[i]
		text := w.text
		switch {
		case w.kind != wordPlain && w.kind != wordGlob && w.option():
			r.powers(at, i)
		case text == "--":
			return
		case listsWord(p.exact, text):
			r.powers(at, i)
		case before && listsWord(p.command, text):
			r.powers(at, i)
		case p.flags != "":
			if len(text) > 1 && text[0] == '-' && p.hasFlag(text) {
				r.powers(at, i)
			}
		case strings.HasPrefix(text, "--"):
			if abbreviates(text[2:], p.long) {
				r.powers(at, i)
			}
		case len(text) > 1 && text[0] == '-':
			if strings.ContainsAny(text[1:], p.short) {
				r.powers(at, i)
			}
		default:
			before = before && p.command != "" && i > 1 && words[i-1].option()
		}
	}
}

// hasFlag says whether a word is one of the flags, or holds the part that makes
// another one do more.
func (p *programOptions) hasFlag(text string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(text[1:], "-"), "=")
	return listsWord(p.flags, name) || strings.Contains(text, p.part)
}

// abbreviates says whether a long option is, or abbreviates, one of the list.
func abbreviates(option, list string) bool {
	option, _, _ = strings.Cut(option, "=")
	return option != "" && strings.Contains(list, " "+option)
}

// finds reads what find runs, deletes and writes.
func (r *commandReader) finds(at int, words []commandWord) {
	for i := 1; i < len(words); i++ {
		w := &words[i]
		if w.kind != wordPlain {
			if w.kind != wordGlob && w.option() {
				r.powers(at, i)
			}
			continue
		}
		switch w.text {
		case "-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-files0-from":
			r.powers(at, i)
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(words) && (words[end].kind != wordPlain || words[end].text != ";" && !(words[end].text == "+" && words[end-1].text == "{}")) {
				end++
			}
			if end == i+1 {
				r.wonder("it runs something for what it finds, and does not say what")
				return
			}
			r.simple(filled(words[i+1:end], "{}"), false)
			i = end
		}
	}
}

// shell reads the line, or the file, that a shell is given.
func (r *commandReader) shell(at int, words []commandWord, more bool) {
	i, line, known := 1, false, true
	for ; i < len(words) && known; i++ {
		w := &words[i]
		if w.kind != wordPlain || len(w.text) < 2 || w.text[0] != '-' && w.text[0] != '+' {
			break
		}
		if w.text == "--" {
			i++
			break
		}
		if strings.HasPrefix(w.text, "--") {
			known = listsWord(" --login --norc --noprofile --posix ", w.text)
			continue
		}
		known = strings.Trim(w.text[1:], "celuxvnfhmbaCipro") == ""
		line = line || strings.IndexByte(w.text, 'c') > 0 && w.text[0] == '-'
		if strings.IndexByte(w.text, 'o') > 0 {
			i++
		}
	}
	switch {
	case !known:
		r.unread(at, nil)
	case i >= len(words) && (line || more):
		r.hides("a shell runs a line that is not known")
	case i >= len(words):
		r.simples[at].stdin = &commandWord{}
	case !line:
		r.powers(at, i)
		r.simples[at].inner = i
		r.simple(words[i:], more)
	case words[i].kind != wordPlain:
		r.hides("a shell runs a line that is not known")
	default:
		r.simples[at].inner, r.simples[at].clear, r.simples[at].line = i, true, true
		r.line(words[i].text)
	}
}
