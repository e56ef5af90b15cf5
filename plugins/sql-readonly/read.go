package main

import (
	"slices"
	"strings"
)

// statement is the tokens of one statement.
type statement []token

// at returns a token, an empty one outside.
func (s statement) at(i int) token {
	if i < 0 || i >= len(s) {
		return token{kind: mark}
	}
	return s[i]
}

// is says whether a token is one of some keywords.
func (s statement) is(i int, words ...string) bool {
	t := s.at(i)
	return t.kind == word && slices.Contains(words, t.text)
}

func (s statement) mark(i int, text string) bool {
	t := s.at(i)
	return t.kind == mark && t.text == text
}

// one holds the tokens to one statement that reads.
func one(tokens []token, r reading) finding {
	var list []statement
	from := 0
	for i := range len(tokens) + 1 {
		if i == len(tokens) || tokens[i].kind == mark && tokens[i].text == ";" {
			if i > from {
				list = append(list, tokens[from:i])
			}
			from = i + 1
		}
	}
	switch len(list) {
	case 0:
		return finding{code: "SQL_NONE", because: "there is no statement"}
	case 1:
		return list[0].judge(r)
	}
	return finding{code: "SQL_STATEMENTS", because: "more than one statement"}
}

// judge holds one statement to what is allowed.
func (s statement) judge(r reading) finding {
	for _, f := range []finding{s.calls(), s.attributes(), s.sequences(), s.sources(r)} {
		if f.code != "" {
			return f
		}
	}
	if set.bounded {
		if f, ok := s.writes(); ok {
			return f
		}
	}
	first := 0
	for s.mark(first, "(") {
		first++
	}
	t := s.at(first)
	switch {
	case t.kind != word || !slices.Contains(set.verbs, t.text):
		return finding{code: "SQL_VERB", because: "it starts with none of the statements that may be sent"}
	case t.text == "PRAGMA":
		return s.pragma(first)
	case t.text == "EXPLAIN", t.text == "DESCRIBE", t.text == "DESC", t.text == "SUMMARIZE":
		return s.explain(first)
	case t.text == "SHOW":
		return s.clauses(false)
	}
	return s.clauses(true)
}

// begin are the words that start a statement which does more than read. In some
// dialects nothing need stand between two statements.
var begin = []string{
	"INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "UPSERT", "TRUNCATE", "DROP", "CREATE", "ALTER", "GRANT", "REVOKE", "DENY", "EXEC", "EXECUTE",
	"SHUTDOWN", "BACKUP", "RESTORE", "KILL", "DBCC", "BULK", "WAITFOR", "DECLARE", "RECONFIGURE", "WRITETEXT", "UPDATETEXT",
}

// before are the words behind which one of them is the name of something.
var before = []string{
	"SELECT", "DISTINCT", "ALL", "AS", "AND", "OR", "NOT", "WHERE", "BY", "ON", "WHEN", "THEN", "ELSE", "CASE", "HAVING", "IN", "LIKE", "IS", "BETWEEN", "FROM",
	"JOIN", "TABLE",
}

// clauses finds what makes a statement that reads do more. Of what SHOW shows,
// the words that start statements are names.
func (s statement) clauses(writes bool) finding {
	for i, t := range s {
		if t.kind != word || s.mark(i-1, ".") {
			continue
		}
		switch {
		case t.text == "INTO":
			return finding{code: "SQL_INTO", because: "INTO writes a table, a file or a variable"}
		case t.text == "FOR" && (s.is(i+1, "UPDATE", "SHARE") || s.is(i+1, "NO") && s.is(i+2, "KEY") || s.is(i+1, "KEY") && s.is(i+2, "SHARE")),
			t.text == "LOCK" && s.is(i+1, "IN") && s.is(i+2, "SHARE"),
			set.dialect == "generic" && slices.Contains(hints, t.text):
			return finding{code: "SQL_LOCK", because: "it locks rows"}
		case writes && slices.Contains(begin, t.text) && s.begins(i), writes && set.dialect == "generic" && s.stacked(i):
			return finding{code: "SQL_WRITE", because: "it holds a statement that writes: " + t.text}
		}
	}
	return finding{}
}

// begins says whether a word that can start a statement does so here, and is not
// a column or a function.
func (s statement) begins(i int) bool {
	if s.is(i, "INSERT", "REPLACE", "TRUNCATE") && s.mark(i+1, "(") {
		return false // functions of MySQL and others
	}
	if n := s.at(i + 1); n.kind == mark && n.text != "" && strings.Contains("),=<>+/|%!~", n.text) {
		return false // no statement goes on like this
	}
	p := s.at(i - 1)
	if p.kind == mark {
		return i == 0 || p.text == "(" || p.text == ")" || p.text == "$" || s.label(i-1)
	}
	return p.kind != word || !slices.Contains(before, p.text)
}

// explain holds EXPLAIN to what shows a plan, and runs nothing.
func (s statement) explain(first int) finding {
	for i := range s {
		if s.is(i, "ANALYZE", "ANALYSE") && !s.mark(i-1, ".") {
			return finding{code: "SQL_EXPLAIN_ANALYZE", because: "EXPLAIN ANALYZE runs the statement"}
		}
	}
	i := first + 1
	if s.mark(i, "(") {
		for i < len(s) && !s.mark(i, ")") {
			i++
		}
		i++
	}
	for s.is(i, "VERBOSE", "EXTENDED", "PARTITIONS", "QUERY", "PLAN", "FORMAT", "FOR", "TREE", "JSON", "TRADITIONAL") || s.mark(i, "=") {
		i++
	}
	for s.mark(i, "(") {
		i++
	}
	if s.is(i, "SELECT", "WITH", "VALUES", "TABLE") || set.dialect == "generic" && s.is(i, "FROM") {
		return s.clauses(true)
	}
	if set.dialect == "postgres" || set.dialect == "sqlite" || !s.named(i) {
		return finding{code: "SQL_VERB", because: "it explains a statement that does not read"}
	}
	return finding{}
}

// named says whether from i on there is only the name of a table, and of a column.
func (s statement) named(i int) bool {
	if i >= len(s) || len(s)-i > 6 || slices.Contains(begin, s.at(i).text) {
		return false
	}
	for ; i < len(s); i++ {
		if s[i].kind == mark && s[i].text != "." && s[i].text != "%" {
			return false
		}
	}
	return true
}

// shown are the pragmas of SQLite that show something, and change nothing whatever
// they are given.
var shown = []string{
	"TABLE_INFO", "TABLE_XINFO", "TABLE_LIST", "INDEX_LIST", "INDEX_INFO", "INDEX_XINFO", "FOREIGN_KEY_LIST", "FOREIGN_KEY_CHECK", "DATABASE_LIST",
	"COLLATION_LIST", "FUNCTION_LIST", "MODULE_LIST", "PRAGMA_LIST", "COMPILE_OPTIONS", "INTEGRITY_CHECK", "QUICK_CHECK",
}

// asked are those that show something without a value, and set it with one.
var asked = []string{
	"USER_VERSION", "SCHEMA_VERSION", "APPLICATION_ID", "ENCODING", "PAGE_COUNT", "PAGE_SIZE", "FREELIST_COUNT", "MAX_PAGE_COUNT", "JOURNAL_MODE",
	"SYNCHRONOUS", "FOREIGN_KEYS", "CACHE_SIZE", "AUTO_VACUUM", "QUERY_ONLY", "DATA_VERSION", "LOCKING_MODE", "BUSY_TIMEOUT", "READ_UNCOMMITTED",
	"TEMP_STORE", "MMAP_SIZE", "WAL_AUTOCHECKPOINT", "SECURE_DELETE", "RECURSIVE_TRIGGERS", "JOURNAL_SIZE_LIMIT", "TRUSTED_SCHEMA", "WRITABLE_SCHEMA",
	"AUTOMATIC_INDEX", "DEFER_FOREIGN_KEYS", "LEGACY_ALTER_TABLE", "THREADS", "ANALYSIS_LIMIT", "STATS",
}

func (s statement) pragma(first int) finding {
	i := first + 1
	if s.mark(i+1, ".") {
		i += 2
	}
	name := upper(s.at(i).text)
	bare := i+1 >= len(s)
	if slices.Contains(shown, name) && (bare || s.mark(i+1, "(") || s.mark(i+1, "=")) || slices.Contains(asked, name) && bare {
		return finding{}
	}
	return pragmas(name)
}

func pragmas(name string) finding {
	return finding{code: "SQL_PRAGMA", because: "a pragma that changes something, or that is not known to only show it: " + strings.ToLower(name)}
}
