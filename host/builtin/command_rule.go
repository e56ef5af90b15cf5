package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// command holds a rule against what was read of a command; text is the command as
// one line.
func (m *commandMatcher) command(c *commandReading, text string, p *place) wrong {
	at := c.starts(p, m.cwd)
	if w := m.textDenied(c, text); w.code != "" {
		return w
	}
	if w := m.denied(c, text, &at); w.code != "" {
		return w
	}
	if w := m.optionsOf(c); w.code != "" {
		return w
	}
	if m.hasAllow {
		if w := m.decidable(c); w.code != "" {
			return w
		}
		if w := m.set(c); w.code != "" {
			return w
		}
		return m.allowed(c, &at)
	}
	if len(m.writes) > 0 || len(m.reads) > 0 {
		return m.opened(c, nil, &at)
	}
	return wrong{}
}

// textDenied holds deny_pattern and deny_keyword against the text as it is, and
// as it is without its quotes.
func (m *commandMatcher) textDenied(c *commandReading, text string) wrong {
	if len(m.patterns) == 0 && len(m.keywords) == 0 {
		return wrong{}
	}
	forms := []string{text, unquotedText(text)}
	for i := range c.simples {
		forms = append(forms, joinedWords(c.simples[i].words))
	}
	for _, form := range forms {
		for _, re := range m.patterns {
			if re.MatchString(form) {
				return wrong{"ARGS_COMMAND_PATTERN", "a command has text that the rule denies", "leave it out, or narrow deny_pattern at the rule"}
			}
		}
		if len(m.keywords) == 0 {
			continue
		}
		form = strings.ToLower(form)
		for _, word := range m.keywords {
			if hasKeyword(form, word) {
				return wrong{"ARGS_COMMAND_KEYWORD", "a command has a word that the rule denies", "leave it out, or narrow deny_keyword at the rule"}
			}
		}
	}
	return wrong{}
}

func joinedWords(words []commandWord) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text + w.rest)
	}
	return b.String()
}

// unquotedText is a text without quotes, backslashes and carets, in which blanks
// of every kind, and $IFS, are blanks.
func unquotedText(s string) string {
	s = strings.NewReplacer("\\\n", "", "${IFS}", " ", "$IFS$9", " ", "$IFS", " ", "'", "", `"`, "", `\`, "", "^", "", "`", " ").Replace(norm.NFKC.String(s))
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
}

// hasKeyword says whether a word stands in a text, with nothing of a word next to
// it.
func hasKeyword(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !wordRune(before)) && (end == len(text) || !wordRune(after)) {
			return true
		}
		from = start + 1
	}
}

func wordRune(r rune) bool {
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

var dynamicCommand = wrong{"ARGS_COMMAND_DYNAMIC", "which program a command runs is known only when it runs", "write the name of the program out"}

// denied holds the deny list against every simple command.
func (m *commandMatcher) denied(c *commandReading, text string, at *whence) wrong {
	if len(m.deny) == 0 {
		return wrong{}
	}
	for i := range c.simples {
		s := &c.simples[i]
		if s.words[0].kind != wordPlain {
			return dynamicCommand
		}
		for j := range m.deny {
			if m.deny[j].matches(s, at) || s.unread && m.deny[j].matchesTail(s, at) {
				return deniedCommand
			}
		}
	}
	if c.hidden {
		return dynamicCommand
	}
	if c.malformed || c.doubt != "" {
		// Where nobody can say what is a command, the name of a denied one is one.
		plain := strings.ToLower(unquotedText(text))
		for j := range m.deny {
			if p := &m.deny[j].program; p.wild || hasKeyword(plain, p.text) {
				return deniedCommand
			}
		}
	}
	return wrong{}
}

var deniedCommand = wrong{"ARGS_COMMAND_DENIED", "a command is, or could become, one that the rule denies", "use another command, or narrow deny at the rule"}

// decidable refuses what nobody can tell for sure, under an allow list.
func (m *commandMatcher) decidable(c *commandReading) wrong {
	switch {
	case c.malformed:
		return wrong{"ARGS_COMMAND_SYNTAX", "a command does not parse as a shell reads it", "send a plain command"}
	case c.hidden:
		return dynamicCommand
	case c.doubt != "":
		return wrong{"ARGS_COMMAND_UNDECIDABLE", "nobody can say for sure what a command runs: " + c.doubt, "send a plainer command"}
	case len(c.simples) == 0 && len(c.redirects) == 0:
		return wrong{"ARGS_COMMAND_OUTSIDE", "a command runs nothing that the rule allows", "send a command that the rule allows"}
	}
	for i := range c.simples {
		if c.simples[i].words[0].kind != wordPlain {
			return dynamicCommand
		}
		if c.simples[i].stdin != nil {
			return wrong{"ARGS_COMMAND_UNDECIDABLE", "a shell would run what it reads", "give the shell its line with -c"}
		}
	}
	for _, name := range c.functions {
		if m.shadowed(c, name) {
			return wrong{"ARGS_COMMAND_DYNAMIC", "a command gives the name of a program another meaning", "use another name for the function"}
		}
	}
	return wrong{}
}

// shadowed says whether a function has the name of a program that the rule
// allows, or that the line runs.
func (m *commandMatcher) shadowed(c *commandReading, name string) bool {
	for i := range m.allow {
		if p := &m.allow[i]; len(p.words) == 0 || p.words[0].matches(&commandWord{text: name}, &whence{}) {
			return true
		}
	}
	for i := range c.simples {
		if c.simples[i].words[0].text == name {
			return true
		}
	}
	return false
}

// inherited is what a pattern leaves for the command that a wrapper runs.
type inherited struct {
	patterns []commandPattern
	exempt   bool // the whole line was spelled out
}

// allowed holds the allow list against every simple command.
func (m *commandMatcher) allowed(c *commandReading, at *whence) wrong {
	left := make([]inherited, len(c.simples))
	starred := make([]bool, len(c.simples))
	some := len(c.simples) == 0
	for i := range c.simples {
		s := &c.simples[i]
		if s.parent >= 0 && left[s.parent].exempt {
			left[i].exempt = true
			continue
		}
		mine := left[i].patterns
		passes := s.clear && s.inner > 0 && len(s.powers) == 0
		for j := 0; j < len(m.allow)+len(mine); j++ {
			p := &m.allow[min(j, len(m.allow)-1)]
			if j >= len(m.allow) {
				p = &mine[j-len(m.allow)]
			}
			spelled, ok := p.matches(s.words, s.more, at)
			if !ok || !spells(s.powers, spelled) {
				continue
			}
			some = true
			passes, starred[i] = true, starred[i] || p.rest
			if s.inner > 0 && spelled > s.inner && spelled == len(p.words) && !p.words[s.inner].wild && p.words[s.inner].path == nil {
				left[i].exempt = left[i].exempt || s.line
				if !s.line && i+1 < len(c.simples) {
					left[i+1].patterns = append(left[i+1].patterns, commandPattern{words: p.words[s.inner:], rest: p.rest, repeat: p.repeat})
				}
			}
		}
		if !passes {
			return outsideCommand
		}
	}
	if !some {
		return outsideCommand
	}
	return m.opened(c, starred, at)
}

var outsideCommand = wrong{"ARGS_COMMAND_OUTSIDE", "a command is outside everything that the rule allows", "use an allowed command, or add to allow at the rule"}

// spells says whether a pattern spells out every word that gives a program more
// to do.
func spells(powers []int, spelled int) bool {
	for _, word := range powers {
		if word >= spelled {
			return false
		}
	}
	return true
}
