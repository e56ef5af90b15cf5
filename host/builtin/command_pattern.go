package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/callgate/callgate/abi"
)

// patternWord is one word of a pattern of commands.
type patternWord struct {
	text string
	wild bool
	path *glob // a word with a slash is compared as a path
	from bool  // the path starts from the server's directory
}

// commandPattern is a pattern of simple commands: words, of which the last can be
// "*", for any further words, or "...", for more of the one before.
type commandPattern struct {
	words  []patternWord
	rest   bool
	repeat bool
}

// compileCommand reads a pattern of commands.
func compileCommand(pattern string) (commandPattern, error) {
	var p commandPattern
	words, quoted, err := patternWords(pattern)
	if err != nil {
		return p, err
	}
	if n := len(words) - 1; n >= 0 && !quoted[n] {
		p.rest, p.repeat = words[n] == "*", words[n] == "..."
		if p.rest || p.repeat {
			words = words[:n]
		}
	}
	if len(words) == 0 && !p.rest || p.repeat && len(words) < 2 {
		return p, fmt.Errorf("pattern %q names no command; want its words, as in \"git log *\"", pattern)
	}
	for i, text := range words {
		w := patternWord{text: text, wild: !quoted[i] && strings.ContainsAny(text, "*?[{")}
		if w.wild && !doublestar.ValidatePattern(text) {
			return p, fmt.Errorf("pattern %q has a word that is no valid glob; check its brackets and braces", pattern)
		}
		if i > 0 && !quoted[i] && pathWord(text) {
			if w.path, w.from, err = compilePathWord(text); err != nil {
				return p, err
			}
		}
		p.words = append(p.words, w)
	}
	return p, nil
}

// pathWord says whether a word of a pattern is compared as a path.
func pathWord(text string) bool {
	return text[0] != '-' && (strings.IndexByte(text, '/') >= 0 && !strings.Contains(text, "://") || text == "~" || text == "." || text == "..")
}

func compilePathWord(text string) (*glob, bool, error) {
	from := false
	switch {
	case text == "~":
		text = "~/"
	case text[0] == '/' || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "**/"):
	default:
		from = true
		if text = strings.TrimPrefix(text, "./"); text == "" || text == "." {
			text = ""
		}
		text = "/" + text
	}
	g, err := compileGlob(text, false)
	return &g, from, err
}

// patternWords splits a pattern at blanks. Quotes and backslashes make what they
// hold mean itself.
func patternWords(pattern string) (words []string, quoted []bool, err error) {
	var b strings.Builder
	open, q := false, false
	end := func() {
		if open {
			words, quoted = append(words, b.String()), append(quoted, q)
		}
		b.Reset()
		open, q = false, false
	}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == ' ' || c == '\t':
			end()
		case c == '\'' || c == '"':
			n := strings.IndexByte(pattern[i+1:], c)
			if n < 0 {
				return nil, nil, fmt.Errorf("pattern %q has a quote that is not closed", pattern)
			}
			b.WriteString(pattern[i+1 : i+1+n])
			i += n + 1
			open, q = true, true
		case c == '\\' && i+1 < len(pattern):
			i++
			b.WriteByte(pattern[i])
			open, q = true, true
		case strings.IndexByte(";|&<>()$`\n\r", c) >= 0:
			return nil, nil, fmt.Errorf("pattern %q has %q, and is about one simple command; quote it if it is meant, or write a pattern for each command", pattern, c)
		default:
			b.WriteByte(c)
			open = true
		}
	}
	end()
	return words, quoted, nil
}

// whence is where the relative paths of a line start: any of several directories,
// or one that nobody knows.
type whence struct {
	place  *abi.Place // with the directory that the call names, if it names one
	dirs   []string   // further ones
	base   string     // of patterns
	astray bool
	fold   bool
}

// matches says whether a pattern allows words, and how many of them it spells out.
func (p *commandPattern) matches(words []commandWord, more bool, at *whence) (int, bool) {
	i := 0
	for j := range p.words {
		for i < len(words) && i > 0 && words[i].kind == wordPlain && words[i].text == "--" && p.words[j].text != "--" && p.operandsFrom(j) {
			i++
		}
		if i >= len(words) || !p.words[j].matches(&words[i], at) {
			return 0, false
		}
		i++
	}
	spelled := i
	switch {
	case p.rest:
		return spelled, true
	case p.repeat:
		for ; i < len(words); i++ {
			if !p.words[len(p.words)-1].matches(&words[i], at) {
				return 0, false
			}
		}
	}
	return spelled, i == len(words) && !more
}

// operandsFrom says whether none of the pattern's words from j on is an option.
func (p *commandPattern) operandsFrom(j int) bool {
	for ; j < len(p.words); j++ {
		if p.words[j].text != "" && p.words[j].text[0] == '-' {
			return false
		}
	}
	return true
}

func (p *patternWord) matches(w *commandWord, at *whence) bool {
	if p.path != nil {
		return p.matchesPath(w, at)
	}
	if w.kind != wordPlain {
		return false
	}
	if !p.wild {
		return w.text == p.text
	}
	if strings.HasPrefix(w.text, "-") && p.text[0] != '-' {
		return false // a wildcard is no option
	}
	for part := range strings.SplitSeq(w.text, "/") {
		if part == ".." {
			return false
		}
	}
	return doublestar.MatchUnvalidated(p.text, w.text)
}

// matchesPath compares a word as a path, from every directory that it can start
// from.
func (p *patternWord) matchesPath(w *commandWord, at *whence) bool {
	text := w.path()
	switch {
	case w.kind == wordGlob:
		if !p.path.dir && !p.path.all && !strings.HasSuffix(p.path.text, "/**") {
			return !w.tilde && w.text+w.rest == p.text
		}
		if text = wildcardDir(w); text == "" {
			return false
		}
	case w.kind != wordPlain || text == "" || text[0] == '-':
		return false
	}
	return at.every(text, func(path string) bool { return p.covers(path, at) })
}

// wildcardDir is the directory in which the wildcards of a word find their names,
// or "" where they could climb out of it.
func wildcardDir(w *commandWord) string {
	for part := range strings.SplitSeq(w.rest, "/") {
		if strings.HasPrefix(part, ".") {
			return ""
		}
	}
	text := w.path()
	i := strings.LastIndexByte(text, '/')
	if strings.HasPrefix(text[i+1:], ".") {
		return ""
	}
	switch {
	case i < 0 && w.tilde:
		return ""
	case i < 0:
		return "."
	}
	return text[:i+1]
}

// covers says whether a canonical path is one that the pattern allows.
func (p *patternWord) covers(path string, at *whence) bool {
	if p.from {
		dir := strings.TrimSuffix(at.base, "/")
		switch {
		case !rooted(path):
			path = "/" + strings.TrimPrefix(path, ".")
		case dir == "":
			return false
		case path == dir:
			path = "/"
		case !strings.HasPrefix(path, dir+"/"):
			return false
		default:
			path = path[len(dir):]
		}
	}
	return p.path.match(path, at.fold, at.place)
}

// every says whether a path passes from each directory that it can start from.
func (at *whence) every(text string, passes func(string) bool) bool {
	place := *at.place
	absolute := text[0] == '/' || text[0] == '~' || drive(text)
	if at.astray && !absolute {
		return false
	}
	path, why := canonicalPath(text, &place)
	if why != "" || !passes(path) {
		return false
	}
	for _, dir := range at.dirs {
		place.Dir = dir
		if path, why = canonicalPath(text, &place); why != "" || !passes(path) {
			return false
		}
	}
	return true
}

// starts returns where the relative paths of a reading start from.
func (c *commandReading) starts(p *place, cwd wordList) whence {
	place, known := callDir(p, cwd)
	at := whence{place: place, astray: c.astray || !known, fold: place.Platform == "windows", base: p.Dir}
	all := []string{place.Dir}
	for i := range c.dirs {
		for _, dir := range all {
			from := *place
			from.Dir = dir
			to, why := canonicalPath(c.dirs[i].path(), &from)
			if why != "" || !rooted(to) || len(all) > 32 {
				at.astray = true
				return at
			}
			if !slices.Contains(all, to) {
				all = append(all, to)
			}
		}
	}
	at.dirs = all[1:]
	return at
}

// callDir is the place with the working directory that the call itself names, and
// whether that is known: a server may not heed an argument that its schema does
// not have.
func callDir(p *place, cwd wordList) (*abi.Place, bool) {
	if p.call == nil {
		return p.Place, true
	}
	arguments, _ := p.call.Values()
	for _, m := range arguments.Members() {
		if !cwd.match(m.Name) || m.Value.Kind() == abi.Null {
			continue
		}
		dir, why := canonicalPath(m.Value.Str(), p.Place)
		if !m.Value.IsString() || why != "" || !rooted(dir) || p.all.exists() && !p.all.declares(m.Name) {
			return p.Place, false
		}
		moved := *p.Place
		moved.Dir = dir
		return &moved, true
	}
	return p.Place, true
}
