package main

import "slices"

// hints are those of SQL Server that lock what is read.
var hints = []string{"UPDLOCK", "XLOCK", "TABLOCK", "TABLOCKX", "HOLDLOCK"}

// batch are words that start a statement of SQL Server with nothing before it, and
// that are names elsewhere.
var batch = []string{"COMMIT", "ROLLBACK", "SAVE", "BEGIN", "REVERT", "SETUSER", "USE", "SET", "IF", "WHILE", "RAISERROR", "THROW", "PRINT", "CHECKPOINT"}

// goes are the words that go on with a query behind a name.
var goes = []string{
	"FROM", "WHERE", "JOIN", "ON", "USING", "LEFT", "RIGHT", "INNER", "FULL", "OUTER", "CROSS", "NATURAL", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET",
	"FETCH", "UNION", "EXCEPT", "INTERSECT", "QUALIFY", "WINDOW", "AS", "AND", "OR", "IS", "IN", "NOT", "LIKE", "BETWEEN", "THEN", "ELSE", "END", "ASC", "DESC",
}

// asks are the words behind which an expression follows.
var asks = []string{
	"DIV", "MOD", "XOR", "REGEXP", "RLIKE", "ILIKE", "GLOB", "MATCH", "COLLATE", "LIMIT", "OFFSET", "INTERVAL", "USING", "TOP", "SQL_NO_CACHE",
	"SQL_CALC_FOUND_ROWS", "STRAIGHT_JOIN", "HIGH_PRIORITY", "SQL_SMALL_RESULT", "SQL_BIG_RESULT", "SQL_BUFFER_RESULT", "BINARY", "UNION", "EXCEPT",
	"INTERSECT", "QUALIFY", "PREWHERE", "VALUES", "SHOW", "FOR", "WITH",
}

// stacked says whether a word starts a second statement of a batch.
func (s statement) stacked(i int) bool {
	if !slices.Contains(batch, s[i].text) || !s.ends(i-1) {
		return false
	}
	n := s.at(i + 1)
	switch s[i].text {
	case "IF", "WHILE":
		return true
	case "BEGIN", "SAVE":
		return s.is(i+1, "TRAN", "TRANSACTION", "DISTRIBUTED", "TRY")
	case "USE":
		return n.kind != mark && !s.is(i+1, "INDEX", "KEY") && !s.is(i+1, goes...)
	case "SET":
		return n.kind != mark && !s.is(i+1, goes...) && !s.searched(i-1)
	case "PRINT", "RAISERROR":
		return n.kind == literal || n.kind == number || s.mark(i+1, "(") || n.kind == word && !s.is(i+1, goes...)
	}
	return n.text == "" || n.kind != mark && !s.is(i+1, goes...)
}

// ends says whether a statement can end with a token.
func (s statement) ends(i int) bool {
	switch t := s.at(i); t.kind {
	case mark:
		return t.text == ")" || t.text == "$" || s.label(i)
	case word:
		return !slices.Contains(before, t.text) && !slices.Contains(asks, t.text)
	}
	return i >= 0
}

// label says whether a colon ends a label of SQL Server, and is not one in a name.
func (s statement) label(i int) bool {
	return set.dialect == "generic" && s.mark(i, ":") && s.at(i-1).kind == word && s.at(i-2).kind != mark && s.ends(i-2)
}

// searched says whether a list of columns that ends at i belongs to SEARCH or to
// CYCLE.
func (s statement) searched(i int) bool {
	for ; s.at(i).kind == word || s.at(i).kind == quoted; i -= 2 {
		if !s.mark(i-1, ",") {
			return s.is(i-1, "CYCLE") || s.is(i-1, "BY") && s.is(i-2, "FIRST")
		}
	}
	return false
}
