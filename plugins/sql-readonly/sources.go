package main

import (
	"slices"
	"strings"
)

// closed are the words that end what FROM names.
var closed = []string{
	"WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "FETCH", "UNION", "EXCEPT", "INTERSECT", "MINUS", "WINDOW", "QUALIFY", "PREWHERE", "VALUES", "SET",
}

// frame is what is known inside one pair of brackets.
type frame struct{ selects, from bool }

// sources holds what FROM and JOIN name to tables. A bracket behind it makes it a
// function, which calls finds.
func (s statement) sources(r reading) finding {
	if set.dialect == "postgres" || set.dialect == "mysql" {
		return finding{}
	}
	in := []frame{{}}
	for i, t := range s {
		top := &in[len(in)-1]
		switch {
		case s.mark(i, "("):
			in = append(in, frame{from: top.from && s.sourced(i)})
		case s.mark(i, ")") && len(in) > 1:
			in = in[:len(in)-1]
		case t.kind == mark, t.kind == number, t.kind != word && !top.from:
		case s.is(i, "SELECT"):
			*top = frame{selects: true}
		case s.is(i, "FROM"):
			top.from = top.from || (top.selects || i == 0) && !s.is(i-1, "DISTINCT")
		case s.is(i, closed...):
			top.from = false
		case s.is(i, "TABLE", "DESCRIBE", "DESC", "SUMMARIZE") && i == 0:
			top.from = true
		case top.from && s.sourced(i):
			if f := t.source(r); f.code != "" {
				return f
			}
			if name, dots := s.dotted(i); dots && set.dialect == "generic" && r.escapeE && scanned(name) {
				return finding{code: "SQL_FUNCTION", because: "a file in place of a table"}
			}
		}
	}
	return finding{}
}

// sourced says whether a source can stand at i.
func (s statement) sourced(i int) bool {
	return s.mark(i-1, ",") || s.mark(i-1, "(") || s.is(i-1, "FROM", "JOIN", "TABLE", "DESCRIBE", "DESC", "SUMMARIZE")
}

// readers are tables that read files, and that need no bracket: their arguments
// are columns.
var readers = []string{"fsdir", "lsdir", "zipfile"}

// source says what is wrong with a source that a token names.
func (t token) source(r reading) finding {
	name := strings.ToLower(t.text)
	switch pragma, is := strings.CutPrefix(name, "pragma_"); {
	case is && !slices.Contains(shown, upper(pragma)) && !slices.Contains(asked, upper(pragma)):
		return pragmas(pragma)
	case slices.Contains(readers, name) && !listed(set.allowed, name):
		return finding{code: "SQL_FUNCTION", because: "a table that reads files: " + name}
	case set.dialect == "generic" && r.escapeE && t.kind != word && (t.kind == literal || file(name)):
		return finding{code: "SQL_FUNCTION", because: "a file or an address in place of a table"}
	}
	return finding{}
}

// endings are those of files that DuckDB reads where a table is named.
var endings = []string{".csv", ".tsv", ".txt", ".parquet", ".json", ".jsonl", ".ndjson", ".xlsx", ".gz", ".zst", ".db", ".duckdb", ".sqlite", ".arrow", ".avro", ".shp"}

func file(name string) bool {
	return strings.Contains(name, "://") || slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) })
}

// dotted is the name with dots that starts at i, in lower case. DuckDB takes users.csv
// for the file, with quotes or without, where no schema has such a table.
func (s statement) dotted(i int) (name string, dots bool) {
	name = strings.ToLower(s[i].text)
	for s.mark(i+1, ".") && i+2 < len(s) && s[i+2].kind != mark {
		i += 2
		name, dots = name+"."+strings.ToLower(s[i].text), true
	}
	return name, dots
}

// scanned says whether a name ends as files of data do. Tables called text or db stay
// tables.
func scanned(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return slices.ContainsFunc([]string{".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".xlsx"}, func(e string) bool { return strings.HasSuffix(name, e) })
}
