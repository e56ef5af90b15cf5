package builtin

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// sqlMatcher is a compiled rule about SQL. Patterns are no grammar: which
// statements a text holds is read, once for each family of dialects, and what
// they do is not.
type sqlMatcher struct {
	hasAllow bool
	allow    []*regexp.Regexp
	deny     []screened
}

func newSQLMatcher(rule *contract.Arg) (matcher, error) {
	m := &sqlMatcher{hasAllow: rule.HasPatterns || len(rule.AllowPattern) > 0}
	compile := func(patterns []string, form string) ([]*regexp.Regexp, error) {
		var list []*regexp.Regexp
		for _, p := range patterns {
			if _, err := regexp.Compile(p); err != nil {
				return nil, fmt.Errorf("pattern of slot %s: %w", rule.Slot, err)
			}
			re, err := regexp.Compile(fmt.Sprintf(form, p))
			if err != nil {
				return nil, fmt.Errorf("pattern of slot %s: %w", rule.Slot, err)
			}
			list = append(list, re)
		}
		return list, nil
	}
	var err error
	if m.allow, err = compile(rule.AllowPattern, `\A(?s:%s)\z`); err != nil {
		return nil, err
	}
	// Keywords have no case, so a deny pattern has none either.
	deny, err := compile(rule.DenyPattern, `(?i:%s)`)
	m.deny = screen(deny)
	return m, err
}

func (m *sqlMatcher) wants() bool { return m.hasAllow }

// sqlParameter says whether a member beside a statement holds what is bound to
// it, and no statement.
func sqlParameter(name string) bool {
	s := squash(name)
	switch string(s.text()) {
	case "values", "params", "parameters", "bindings", "args", "arguments", "variables", "name", "timeout", "limit", "database", "schema", "rowmode", "maxrows":
		return true
	}
	return false
}

func (m *sqlMatcher) judge(v abi.Value, _ *place) wrong {
	if v.Kind() != abi.String {
		return wrong{"ARGS_SQL_TYPE", "a statement is no text", "send each statement as text"}
	}
	text := v.Str()
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r", r) || r == 0x7F }) {
		return wrong{"ARGS_SQL_UNDECIDABLE", "a statement has a control character", "send it without"}
	}
	if anyMatches(m.deny, text) {
		return m.denied()
	}
	found := false
	for _, d := range dialectsOf(text) {
		statements := d.statements(text)
		found = found || len(statements) > 0
		if plain := strings.Join(statements, "; "); plain != text && anyMatches(m.deny, plain) {
			return m.denied()
		}
		if m.hasAllow && slices.ContainsFunc(statements, func(s string) bool { return !matchesAny(m.allow, s) }) {
			return wrong{"ARGS_SQL_OUTSIDE", "a statement matches no pattern that the rule allows, read as one of the usual dialects", "send one that matches, or widen allow_pattern at the rule"}
		}
	}
	if m.hasAllow && !found {
		return wrong{"ARGS_SQL_OUTSIDE", "a text holds no statement", "send a statement"}
	}
	return wrong{}
}

func (m *sqlMatcher) denied() wrong {
	return wrong{"ARGS_SQL_DENIED", "a statement matches a pattern that the rule denies", "send another one, or narrow deny_pattern at the rule"}
}

func matchesAny(list []*regexp.Regexp, s string) bool {
	return slices.ContainsFunc(list, func(re *regexp.Regexp) bool { return re.MatchString(s) })
}

// sqlDialect is what a family of dialects reads in another way than the standard
// (ISO/IEC 9075-2, lexical elements).
type sqlDialect struct {
	backslash bool // MySQL: a backslash takes the next character of a literal
	hash      bool // MySQL: a comment to the end of the line
	blank     bool // MySQL: two dashes start a comment only before a blank
	versions  bool // MySQL: /*! … */ and /*M! … */ are no comments
	nested    bool // PostgreSQL, SQL Server: comments in comments
	dollar    bool // PostgreSQL: $tag$ … $tag$, and E'…' with backslashes
	brackets  bool // SQL Server, SQLite: [name]
	quotes    bool // Oracle: q'[…]'
}

var sqlDialects = [...]sqlDialect{
	{nested: true, dollar: true},
	{backslash: true, hash: true, blank: true, versions: true},
	{hash: true, blank: true, versions: true},
	{brackets: true, nested: true},
	{brackets: true},
	{quotes: true},
}

// dialectsOf lists the dialects that can read a text in different ways: most
// texts are the same in all of them.
func dialectsOf(text string) []sqlDialect {
	stars, escaped := strings.Contains(text, "/*"), strings.IndexByte(text, '\\') >= 0
	may := sqlDialect{
		backslash: escaped, hash: strings.IndexByte(text, '#') >= 0, blank: strings.Contains(text, "--"), versions: stars, nested: stars,
		dollar: escaped || strings.IndexByte(text, '$') >= 0, brackets: strings.IndexByte(text, '[') >= 0,
		quotes: strings.Contains(text, "q'") || strings.Contains(text, "Q'"),
	}
	list := make([]sqlDialect, 0, len(sqlDialects))
	for _, d := range sqlDialects {
		d = sqlDialect{
			d.backslash && may.backslash, d.hash && may.hash, d.blank && may.blank, d.versions && may.versions, d.nested && may.nested,
			d.dollar && may.dollar, d.brackets && may.brackets, d.quotes && may.quotes,
		}
		if !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}
