package builtin

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandWord is one word of a simple command, as the program gets it: quotes
// and backslashes are gone.
type commandWord struct {
	text  string // what is known; of a word that is not wholly known, how it begins
	kind  wordKind
	tilde bool   // it begins with a tilde, or with $HOME, that the shell expands
	rest  string // of a wordGlob: what follows text, wildcards included
}

// wordKind says how much of a word is known before it is run.
type wordKind uint8

const (
	wordPlain wordKind = iota
	wordGlob           // wildcards: names of files, each beginning with text
	wordOne            // one word, beginning with text
	wordMany           // any number of words, the first beginning with text
)

func litWord(s string) commandWord { return commandWord{text: s} }

func litWords(list []string) []commandWord {
	words := make([]commandWord, len(list))
	for i, s := range list {
		words[i].text = s
	}
	return words
}

// wordReader puts one word together from its parts.
type wordReader struct {
	r     *commandReader
	text  strings.Builder
	rest  strings.Builder
	kind  wordKind
	tilde bool
	open  bool // an unquoted brace has been opened
	parts int
}

// word reads a word of the grammar.
func (r *commandReader) word(w *syntax.Word) commandWord {
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, "\\*?[{~$") {
			return commandWord{text: lit.Value}
		}
	}
	b := wordReader{r: r, parts: len(w.Parts)}
	for i, part := range w.Parts {
		b.part(part, i == 0)
	}
	return commandWord{text: b.text.String(), kind: b.kind, tilde: b.tilde, rest: b.rest.String()}
}

// raise makes the word less known than it was.
func (b *wordReader) raise(kind wordKind) { b.kind = max(b.kind, kind) }

func (b *wordReader) add(s string) {
	if b.kind == wordPlain {
		b.text.WriteString(s)
	} else {
		b.rest.WriteString(s)
	}
}

func (b *wordReader) part(part syntax.WordPart, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		b.unquoted(p.Value, first)
	case *syntax.SglQuoted:
		if p.Dollar {
			b.raise(wordOne) // POSIX shells read another text
		} else {
			b.add(p.Value)
		}
	case *syntax.DblQuoted:
		if p.Dollar {
			b.raise(wordOne)
		}
		for i, inner := range p.Parts {
			b.quoted(inner, first && i == 0)
		}
	case *syntax.ParamExp:
		if first && isHome(p) {
			b.tilde = true
			b.add("~")
			return
		}
		b.raise(wordMany)
	case *syntax.CmdSubst:
		b.raise(wordMany)
	case *syntax.ArithmExp, *syntax.ProcSubst:
		b.raise(wordOne)
	default:
		b.raise(wordMany)
	}
}

// isHome says whether an expansion is $HOME or ${HOME}.
func isHome(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Param.Value == "HOME" && p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil &&
		!p.Excl && !p.Length && !p.Width && p.Names == 0
}

// unquoted reads literal text outside quotes.
func (b *wordReader) unquoted(s string, first bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				b.add(s[i : i+1])
			}
			continue
		case c == '*' || c == '?' || c == '[' && (b.parts > 1 || strings.IndexByte(s[i:], ']') > 0):
			b.raise(wordGlob)
		case c == '~' && first && i == 0:
			b.tilde = true
		case c == '{':
			b.open = true
		case b.open && (c == ',' || c == '.' && i+1 < len(s) && s[i+1] == '.'):
			b.braces()
		}
		b.add(s[i : i+1])
	}
}

// braces makes the word many: an opened brace holds alternatives. What stands
// before the brace is how each of them begins.
func (b *wordReader) braces() {
	if b.kind == wordPlain {
		known, _, _ := strings.Cut(b.text.String(), "{")
		b.text.Reset()
		b.text.WriteString(known)
	}
	b.raise(wordMany)
}

// quoted reads a part inside double quotes.
func (b *wordReader) quoted(part syntax.WordPart, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		s := p.Value
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
				i++
				if s[i] == '\n' {
					continue
				}
			}
			b.add(s[i : i+1])
		}
	case *syntax.ParamExp:
		switch {
		case first && isHome(p):
			b.tilde = true
			b.add("~")
		case p.Param != nil && p.Param.Value == "@" || p.Index != nil || p.Names != 0 || p.Excl:
			b.raise(wordMany)
		default:
			b.raise(wordOne)
		}
	default:
		b.raise(wordOne)
	}
}

// path is the word as a path is read: what looks like a home directory and was
// quoted is none.
func (w *commandWord) path() string {
	if !w.tilde && w.text != "" && (w.text[0] == '~' || w.text[0] == '$') {
		return "./" + w.text
	}
	return w.text
}

// option says whether the word is, or could become, an option.
func (w *commandWord) option() bool {
	if w.text == "" {
		return w.kind != wordPlain
	}
	return w.text[0] == '-' && len(w.text) > 1 || w.text == "-" && w.kind != wordPlain || w.kind == wordMany
}

// quotedWords spells words as one line that a shell splits into the same words.
func quotedWords(words []commandWord) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		w := &words[i]
		if w.kind == wordPlain && w.text != "" && strings.Trim(w.text, wordBytes) == "" {
			b.WriteString(w.text)
			continue
		}
		if w.kind != wordPlain {
			b.WriteString(w.text + w.rest)
			continue
		}
		b.WriteString("'" + strings.ReplaceAll(w.text, "'", `'\''`) + "'")
	}
	return b.String()
}
