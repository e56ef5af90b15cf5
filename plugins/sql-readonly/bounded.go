package main

import "strings"

// writes judges a statement that writes, where the settings let writes of single
// rows pass. It says false for any other statement.
func (s statement) writes() (finding, bool) {
	unbounded := finding{code: "SQL_UNBOUNDED", because: "it writes without a condition that names rows", ask: true}
	bounded := false
	switch {
	case s.is(0, "DELETE"):
		i := s.table(2)
		bounded = s.is(1, "FROM") && s.is(i, "WHERE") && s.condition(i+1)
	case s.is(0, "UPDATE"):
		i := s.table(1)
		where := s.find("WHERE", i)
		bounded = s.is(i, "SET") && s.plain(i, where) && s.condition(where+1)
	case s.is(0, "INSERT"):
		bounded = s.is(1, "INTO") && s.find("SELECT", 0) < 0 && s.find("TABLE", 0) < 0 && s.find("VALUES", 0) > 0
	case s.is(0, "REPLACE", "MERGE", "UPSERT"):
	case s.is(0, "TRUNCATE", "DROP", "ALTER", "CREATE", "RENAME"):
		return finding{code: "SQL_SCHEMA", because: "it changes tables, and not rows", ask: true}, true
	default:
		return finding{}, false
	}
	for i := 1; i < len(s); i++ {
		upsert := s.is(i, "UPDATE") && s.is(i-1, "DO", "KEY")
		stacked := set.dialect == "generic" && !s.is(i, "SET") && s.stacked(i)
		if s.is(i, begin...) && s.begins(i) && !upsert || stacked {
			return finding{code: "SQL_WRITE", because: "it holds a second statement"}, true
		}
	}
	if !bounded {
		return unbounded, true
	}
	return finding{}, true
}

// table returns what stands behind the name of a table that starts at i, and its
// alias.
func (s statement) table(i int) int {
	if s.is(i, "ONLY") {
		i++
	}
	for i++; s.mark(i, "."); i += 2 {
	}
	if s.is(i, "AS") {
		return i + 2
	}
	if t := s.at(i); (t.kind == word || t.kind == quoted) && !s.is(i, "SET", "WHERE", "FROM", "USING", "JOIN") {
		return i + 1
	}
	return i
}

// find returns where a keyword stands outside of brackets, from i on; -1: nowhere.
func (s statement) find(keyword string, i int) int {
	depth := 0
	for ; i >= 0 && i < len(s); i++ {
		switch {
		case s.mark(i, "("):
			depth++
		case s.mark(i, ")"):
			depth--
		case depth == 0 && s.is(i, keyword):
			return i
		}
	}
	return -1
}

// plain says whether an UPDATE takes no other table between SET and WHERE.
func (s statement) plain(from, to int) bool {
	for i := from; i < to; i++ {
		if s.is(i, "FROM", "JOIN", "SELECT") {
			return false
		}
	}
	return to >= 0
}

// condition says whether a condition holds a column to a value, and says nothing
// that could make more rows of it.
func (s statement) condition(i int) bool {
	found := false
	part, depth := i, 0
	for ; i <= len(s); i++ {
		end := i == len(s) || depth == 0 && s.is(i, "RETURNING", "ORDER", "LIMIT") && s.ends(i-1)
		switch {
		case s.mark(i, "(") && !end:
			depth++
		case s.mark(i, ")") && !end:
			depth--
		case depth == 0 && (s.is(i, "OR", "XOR", "BETWEEN", "NOT", "CASE") || s.mark(i, "|")):
			return false
		case end || depth == 0 && s.is(i, "AND"):
			found = found || s[part:i].names()
			part = i + 1
		}
		if end {
			return found
		}
	}
	return found
}

// names says whether a part of a condition is column = value, or column IN (values).
func (s statement) names() bool {
	i := 0
	for s.column(i) && s.mark(i+1, ".") {
		i += 2
	}
	switch {
	case !s.column(i):
		return false
	case s.mark(i+1, "="):
		return i+3 == len(s) && s.value(i+2)
	case !s.is(i+1, "IN") || !s.mark(i+2, "(") || !s.mark(len(s)-1, ")"):
		return false
	}
	for n := i + 3; n < len(s)-1; n += 2 {
		if !s.value(n) || n+1 < len(s)-1 && !s.mark(n+1, ",") {
			return false
		}
	}
	return len(s) > i+4
}

func (s statement) column(i int) bool {
	return s.at(i).kind == quoted || s.at(i).kind == word && !s.is(i, "TRUE", "FALSE", "NULL", "UNKNOWN")
}

// value says whether a token is a literal. A 0 is none, however it is written:
// MySQL finds it equal to every text that is no number.
func (s statement) value(i int) bool {
	t := s.at(i)
	mantissa, _, _ := strings.Cut(upper(t.text), "E")
	return t.kind == literal || t.kind == number && strings.ContainsAny(mantissa, "123456789")
}
