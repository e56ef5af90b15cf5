package builtin

import "strings"

// sed notes what lets sed write files and run programs.
func (r *commandReader) sed(at int, words []commandWord) {
	script := false
	for i := 1; i < len(words); i++ {
		w := &words[i]
		text := w.text
		switch {
		case w.kind != wordPlain && (!script || w.kind != wordGlob && w.option()):
			r.powers(at, i)
			script = true
		case text == "-e" || text == "--expression":
			script = true
			if i++; i < len(words) && (words[i].kind != wordPlain || !sedOnlyPrints(words[i].text)) {
				r.powers(at, i)
			}
		case strings.HasPrefix(text, "--"):
			if !listsWord(" --quiet --silent --regexp-extended --null-data --separate --unbuffered --posix --debug --sandbox -- ", text) {
				r.powers(at, i)
			}
		case len(text) > 1 && text[0] == '-':
			if strings.Trim(text[1:], "nErszul") != "" {
				r.powers(at, i)
			}
		case !script:
			script = true
			if !sedOnlyPrints(text) {
				r.powers(at, i)
			}
		}
	}
}

// sedOnlyPrints says whether a script of sed neither writes a file nor runs
// anything. What it does not know, it takes for something that does.
func sedOnlyPrints(s string) bool {
	for s != "" {
		s = strings.TrimLeft(s, " \t\n;{}")
		if s == "" {
			return true
		}
		for {
			rest, ok := sedAddress(s)
			if !ok {
				return false
			}
			s = strings.TrimLeft(rest, " \t")
			if s == "" || s[0] != ',' && s[0] != '!' {
				break
			}
			s = strings.TrimLeft(s[1:], " \t")
		}
		if s == "" {
			return false
		}
		c := s[0]
		s = s[1:]
		switch {
		case strings.IndexByte("pPdDgGhHxnN=lz{}", c) >= 0:
		case c == 'q' || c == 'Q':
			s = strings.TrimLeft(s, "0123456789 ")
		case c == 's' || c == 'y':
			rest, ok := sedSubstitution(s)
			if !ok {
				return false
			}
			s = rest
		default:
			return false
		}
	}
	return true
}

// sedAddress cuts an address off.
func sedAddress(s string) (string, bool) {
	switch {
	case s == "":
		return s, true
	case s[0] == '$':
		return s[1:], true
	case s[0] == '/':
		rest, ok := delimited(s[1:], '/')
		return strings.TrimLeft(rest, "IM"), ok
	}
	return strings.TrimLeft(s, "0123456789~+"), true
}

// sedSubstitution cuts off the two parts of a substitution, and its flags.
func sedSubstitution(s string) (string, bool) {
	if s == "" || s[0] == '\\' || s[0] == '\n' {
		return s, false
	}
	mark := s[0]
	rest, ok := delimited(s[1:], mark)
	if !ok {
		return s, false
	}
	if rest, ok = delimited(rest, mark); !ok {
		return s, false
	}
	rest = strings.TrimLeft(rest, "gpIiM0123456789")
	trimmed := strings.TrimLeft(rest, " \t")
	return trimmed, trimmed == "" || trimmed[0] == ';' || trimmed[0] == '\n' || trimmed[0] == '}'
}

// delimited cuts off everything up to an unescaped mark. A mark inside brackets
// could be read in two ways, and is refused.
func delimited(s string, mark byte) (string, bool) {
	bracket := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			if bracket {
				return s, false
			}
			i++
		case s[i] == '[':
			bracket = true
		case s[i] == ']':
			bracket = false
		case s[i] == mark:
			return s[i+1:], !bracket
		}
	}
	return s, false
}

// awk notes what lets awk write files and run programs.
func (r *commandReader) awk(at int, words []commandWord) {
	for i := 1; i < len(words); i++ {
		w := &words[i]
		text := w.text
		switch {
		case w.kind != wordPlain:
			r.powers(at, i)
			return
		case text == "-F" || text == "-v":
			i++
		case text == "--":
			continue
		case len(text) > 1 && text[0] == '-':
			if text[1] != 'F' && text[1] != 'v' {
				r.powers(at, i)
			}
		default:
			if !awkOnlyPrints(text) {
				r.powers(at, i)
			}
			return
		}
	}
}

// awkOnlyPrints says whether a program of awk neither writes a file nor runs
// anything.
func awkOnlyPrints(s string) bool {
	code := awkCode(s)
	if strings.Contains(code, "system") || strings.Contains(code, "getline") || strings.ContainsAny(code, "@`\\") {
		return false
	}
	if strings.Contains(strings.ReplaceAll(code, "||", ""), "|") {
		return false
	}
	for statement := range strings.FieldsFuncSeq(code, func(c rune) bool { return c == ';' || c == '{' || c == '}' || c == '\n' }) {
		if i := strings.Index(statement, "print"); i >= 0 && strings.IndexByte(statement[i:], '>') >= 0 {
			return false
		}
	}
	return true
}

// awkCode is a program without what stands in its strings and patterns.
func awkCode(s string) string {
	var b strings.Builder
	last := byte(0) // the last byte that is no white space
	for i := 0; i < len(s); i++ {
		c := s[i]
		end := byte(0)
		switch {
		case c == '"':
			end = '"'
		case c == '/' && strings.IndexByte("\x00(,~!{};&|", last) >= 0:
			end = '/'
		case c == '#':
			end = '\n'
		}
		if end != 0 {
			for i++; i < len(s) && s[i] != end; i++ {
				if s[i] == '\\' && end != '\n' {
					i++
				}
			}
			c = end
		}
		b.WriteByte(c)
		if c != ' ' && c != '\t' && c != '\n' {
			last = c
		}
	}
	return b.String()
}
