// Command sql-readonly is a Callgate plugin that lets one SQL statement pass, if
// it does nothing but read.
package main

import (
	"slices"
	"strings"

	callgate "github.com/callgate/callgate/sdk/go"
)

var _ = callgate.Register(callgate.Plugin{Configure: configure, Evaluate: evaluate})

func main() {}

// maxText bounds a statement. What is longer is data.
const maxText = 64 << 10

// settings are those of the policy.
type settings struct {
	dialect   string
	arguments []string // pointers from the arguments on; none: by name
	verbs     []string // that a statement may start with
	bounded   bool     // writes of single rows pass, the others are asked about
	denied    []string // functions beside those of the table
	allowed   []string // functions of the table that pass
	only      []string // all functions that pass; nil: those that are not denied
}

var set settings

func configure(v callgate.Value) error {
	set = settings{dialect: "generic", arguments: list(v.Get("arguments")), verbs: list(v.Get("statements"))}
	if d := v.Get("dialect"); d.Exists() {
		set.dialect = d.Text()
	}
	if dialects[set.dialect] == nil {
		return callgate.Wrong(v.Get("dialect"), "want postgres, mysql, sqlite or generic")
	}
	known := statements[set.dialect]
	for i, verb := range set.verbs {
		if set.verbs[i] = upper(verb); !slices.Contains(known, set.verbs[i]) {
			return callgate.Wrong(v.Get("statements").Index(i), "want statements that read: "+strings.ToLower(strings.Join(known, ", ")))
		}
	}
	if len(set.verbs) == 0 {
		set.verbs = known
	}
	set.bounded = v.Get("writes").Text() == "bounded"
	f := v.Get("functions")
	set.denied, set.allowed = list(f.Get("deny")), list(f.Get("allow"))
	if f.Get("only").Exists() {
		set.only = append([]string{}, list(f.Get("only"))...)
	}
	return nil
}

// list reads a list of strings.
func list(v callgate.Value) (out []string) {
	for item := range v.Items() {
		out = append(out, item.Text())
	}
	return out
}

// statements are the words that a statement which reads starts with.
var statements = map[string][]string{
	"postgres": {"SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN"},
	"mysql":    {"SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN", "DESCRIBE", "DESC"},
	"sqlite":   {"SELECT", "WITH", "VALUES", "EXPLAIN", "PRAGMA"},
	"generic":  {"SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN", "DESCRIBE", "DESC", "FROM", "SUMMARIZE"},
}

// names are the arguments that hold SQL where the settings name none.
var names = []string{"sql", "query", "queries", "statement", "statements", "sql_query", "sqlquery", "sql_text", "stmt"}

func evaluate(s callgate.Snapshot) *callgate.Verdict {
	found := false
	verdict := callgate.Abstain()
	for v := range texts(s.Call().Arguments().Fetch()) {
		found = true
		if !v.IsString() {
			return refuse("SQL_TYPE", "a statement is no text", v)
		}
		f := judge(v.Text())
		switch {
		case f.code == "":
		case f.ask:
			verdict = callgate.Ask(f.code).Because(f.because).At(v.Pointer())
		default:
			return refuse(f.code, f.because, v)
		}
	}
	if !found {
		return callgate.Deny("SQL_NONE").Because("no argument holds a statement").At("/call/arguments")
	}
	return verdict
}

func refuse(code, because string, at callgate.Value) *callgate.Verdict {
	return callgate.Deny(code).Because(because).At(at.Pointer())
}

// texts visits the values that hold SQL: those that the settings name, or those
// whose name says so, items of arrays one by one.
func texts(arguments callgate.Value) func(func(callgate.Value) bool) {
	return func(yield func(callgate.Value) bool) {
		each := func(v callgate.Value) bool {
			if v.Kind() != callgate.Array {
				return yield(v)
			}
			for item := range v.Items() {
				if !yield(item) {
					return false
				}
			}
			return true
		}
		for _, pointer := range set.arguments {
			if v := arguments.At(pointer); v.Exists() && !each(v) {
				return
			}
		}
		if len(set.arguments) > 0 {
			return
		}
		for m := range arguments.Members() {
			if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, m.Name()) }) && !each(m) {
				return
			}
		}
	}
}

// finding is what is wrong with a statement; code "" is nothing.
type finding struct {
	code, because string
	ask           bool
}

// judge reads a text in every way that the dialect has: it must be harmless in
// all, and complete in one.
func judge(text string) finding {
	if strings.IndexByte(text, 0) >= 0 {
		return finding{code: "SQL_UNREADABLE", because: "a NUL, which ends the text for some servers"}
	}
	if len(text) > maxText {
		return finding{code: "SQL_UNREADABLE", because: "the text is longer than a statement is"}
	}
	worst, complete := finding{}, false
	var last, spare []token
	for i, r := range dialects[set.dialect] {
		if i > 0 && !strings.ContainsAny(text, "\\\"'`[#$-/@:\r\n") {
			break // all ways to read it are one
		}
		l := lexer{reading: r, text: text, tokens: spare[:0]}
		l.run()
		if l.code != "" {
			return finding{code: l.code, because: l.because}
		}
		complete = complete || !l.open
		if i > 0 && slices.Equal(l.tokens, last) {
			spare = l.tokens
			continue
		}
		last, spare = l.tokens, last
		f := one(l.tokens, r)
		if f.code != "" && !f.ask {
			return f
		}
		if f.code != "" {
			worst = f
		}
	}
	if !complete {
		return finding{code: "SQL_UNREADABLE", because: "a literal or a comment has no end"}
	}
	return worst
}
