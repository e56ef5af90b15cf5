package builtin

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// statement takes note of the files that a statement opens, and of what its
// command reads from the line itself.
func (t *commandTree) statement(s *syntax.Stmt) {
	if s.Disown || s.Coprocess {
		t.wonder("it has an operator that not every shell knows")
	}
	of := -1
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
		of = len(t.simples)
	}
	for _, d := range s.Redirs {
		t.redirect(d, of)
	}
}

func (t *commandTree) redirect(d *syntax.Redirect, of int) {
	if d.N != nil && !allDigits(d.N.Value) {
		t.assigns(strings.Trim(d.N.Value, "{}"), commandWord{}, true)
	}
	switch d.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		t.document(d)
		return
	case syntax.WordHdoc:
		return
	case syntax.DplIn, syntax.DplOut:
		w := t.word(d.Word)
		if w.kind == wordPlain && (w.text == "-" || allDigits(strings.TrimSuffix(w.text, "-"))) && w.text != "" {
			return
		}
	}
	target := t.word(d.Word)
	t.redirects = append(t.redirects, redirection{target: target, write: d.Op != syntax.RdrIn && d.Op != syntax.DplIn, of: of})
}

// document refuses here-documents whose end shells see at different lines.
func (t *commandTree) document(d *syntax.Redirect) {
	delimiter := t.word(d.Word)
	plain := delimiter.kind == wordPlain && delimiter.text != "" && len(d.Word.Parts) == 1
	for i := 0; i < len(delimiter.text); i++ {
		plain = plain && (identifier(delimiter.text[i]) || delimiter.text[i] == '-' || delimiter.text[i] == '.')
	}
	if !plain {
		t.wonder("it has a here-document with an odd end mark")
		return
	}
	if d.Hdoc == nil {
		return
	}
	quoted := true
	if lit, ok := d.Word.Parts[0].(*syntax.Lit); ok && strings.IndexByte(lit.Value, '\\') < 0 {
		quoted = false
	}
	body := t.source(d.Hdoc)
	if i := strings.LastIndexByte(body, '\n'); strings.TrimLeft(body[i+1:], "\t") == delimiter.text {
		body = body[:i+1] // the mark itself
	}
	for line := range strings.SplitSeq(body, "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), delimiter.text) {
			t.wonder("it has a here-document with its end mark inside")
			return
		}
		if !quoted && strings.HasSuffix(line, `\`) {
			t.wonder("it has a here-document that joins lines")
			return
		}
	}
}

// reads gives the command what the line itself says that it reads.
func (t *commandTree) reads(at int, n *syntax.CallExpr) {
	s, ok := t.path[max(len(t.path)-2, 0)].(*syntax.Stmt)
	if !ok || s.Cmd != n {
		return
	}
	if inputs(s) != 1 {
		return
	}
	for _, d := range s.Redirs {
		var w commandWord
		switch {
		case d.Op == syntax.WordHdoc:
			w = t.word(d.Word)
		case (d.Op == syntax.Hdoc || d.Op == syntax.DashHdoc) && d.Hdoc != nil:
			w = t.word(d.Hdoc)
		default:
			continue
		}
		t.stdinOf(at, w)
	}
}

// inputs counts the redirections that give a statement something to read.
func inputs(s *syntax.Stmt) int {
	n := 0
	for _, d := range s.Redirs {
		switch d.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			n++
		default:
			continue
		}
		if d.N != nil {
			n += 2
		}
	}
	return n
}

// stdinOf reads what a shell is given to read as a line.
func (t *commandTree) stdinOf(at int, w commandWord) {
	for i := at; i < len(t.simples); i++ {
		s := &t.simples[i]
		if s.stdin == nil || s.inner > 0 {
			continue
		}
		if w.kind != wordPlain {
			return
		}
		s.stdin = nil
		s.inner, s.line = len(s.words), true
		s.clear = wellKnown(s.words[0].text, programName(s.words[0].text))
		parent := t.parent
		t.parent = i
		t.line(w.text)
		t.parent = parent
		return
	}
}

// assign takes note of what an assignment of the grammar sets.
func (t *commandTree) assign(a *syntax.Assign) {
	if a.Naked || a.Name == nil {
		return
	}
	if a.Index != nil && !plainIndex(a.Index) {
		t.wonder("it computes a subscript, which can run what a variable says")
	}
	local := true
	if n := len(t.path); n > 1 {
		switch p := t.path[n-2].(type) {
		case *syntax.CallExpr:
			local = len(p.Args) == 0
		case *syntax.DeclClause:
			local = false
		}
	}
	value := commandWord{}
	switch {
	case a.Array != nil || a.Append:
		value.kind = wordMany
	case a.Value != nil:
		value = t.word(a.Value)
	}
	t.assigns(a.Name.Value, value, local)
}

func (t *commandTree) assigns(name string, value commandWord, local bool) {
	t.variables = append(t.variables, variable{name: name, value: value, local: local})
}
