package builtin

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandTree is the walk through one parsed line.
type commandTree struct {
	*commandReader
	text  string
	posix bool
	path  []syntax.Node // from the line down to the node that is visited
	stmts []*syntax.Stmt
	ends  map[string]uint // of functions that stand in the line itself
}

// visit reads one node. The commands of an inner line are read where it is found.
func (t *commandTree) visit(n syntax.Node) bool {
	if n == nil {
		t.path = t.path[:len(t.path)-1]
		return false
	}
	t.path = append(t.path, n)
	switch n := n.(type) {
	case *syntax.Comment:
		if strings.ContainsAny(n.Text, ";|&`$<>()\n") {
			t.wonder("it has a comment that a terminal would run")
		}
	case *syntax.Stmt:
		t.statement(n)
	case *syntax.CallExpr:
		t.call(n)
	case *syntax.DeclClause:
		t.declaration(n)
	case *syntax.LetClause:
		t.simple([]commandWord{litWord("let"), {kind: wordMany}}, false)
		t.names = true
	case *syntax.FuncDecl:
		t.function(n)
	case *syntax.WordIter:
		t.assigns(n.Name.Value, commandWord{}, true)
		for _, w := range n.Items {
			t.variables = append(t.variables, variable{name: n.Name.Value, value: t.word(w), local: true})
		}
	case *syntax.ArithmCmd, *syntax.CStyleLoop:
		t.names = true
	case *syntax.CoprocClause:
		if n.Name != nil {
			t.assigns(t.word(n.Name).text, commandWord{}, true)
		}
	case *syntax.CmdSubst, *syntax.ParamExp, *syntax.ExtGlob, *syntax.Assign:
		t.expansion(n)
	case *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ArithmExp, *syntax.UnaryTest, *syntax.BinaryTest:
		t.arithmetic(n)
	}
	return true
}

// repeated says whether the node that is visited stands inside a loop or a
// function.
func (t *commandTree) repeated() bool {
	return slices.ContainsFunc(t.path, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.WhileClause, *syntax.ForClause, *syntax.FuncDecl:
			return true
		}
		return false
	})
}

func (t *commandTree) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return // its assignments are visited by themselves
	}
	if len(n.Assigns) == 0 && n.Args[0].Lit() == "else" {
		t.malformed = true // the parser takes it for the name of a program, which no shell does
	}
	words := make([]commandWord, len(n.Args))
	for i, w := range n.Args {
		words[i] = t.word(w)
	}
	if words[0].kind == wordPlain && t.defined(words[0].text, n) {
		t.nobodys()
		return
	}
	if t.posix && words[0].kind == wordPlain && words[0].text == "[[" {
		t.nobodys() // shells without it have no program of this name
		return
	}
	before, at := len(t.dirs), len(t.simples)
	t.simple(words, false)
	if len(t.dirs) > before && t.repeated() {
		t.astray = true
	}
	if at < len(t.simples) {
		t.reads(at, n)
	}
}

// nobodys takes the files that a statement opens from a command that is not taken
// in.
func (t *commandTree) nobodys() {
	for i := range t.redirects {
		if t.redirects[i].of == len(t.simples) {
			t.redirects[i].of = -1
		}
	}
}

// defined says whether the line itself has certainly defined a function before it
// calls it: nothing keeps it from being defined.
func (t *commandTree) defined(name string, call *syntax.CallExpr) bool {
	if t.ends == nil {
		t.ends = map[string]uint{}
		for _, s := range t.stmts {
			d, ok := s.Cmd.(*syntax.FuncDecl)
			if ok && !s.Negated && !s.Background && len(s.Redirs) == 0 && d.Name != nil && syntax.ValidName(d.Name.Value) && t.ends[d.Name.Value] == 0 {
				t.ends[d.Name.Value] = s.End().Offset()
			}
		}
	}
	end, ok := t.ends[name]
	return ok && end <= call.Pos().Offset()
}

func (t *commandTree) function(n *syntax.FuncDecl) {
	if n.Name == nil || len(n.Names) > 0 {
		t.wonder("it defines functions in a way that not every shell knows")
		return
	}
	t.functions = append(t.functions, n.Name.Value)
}

// declaration reads export and its kin as the commands that they are.
func (t *commandTree) declaration(n *syntax.DeclClause) {
	words := []commandWord{litWord(n.Variant.Value)}
	for _, a := range n.Args {
		switch {
		case a.Naked && a.Name != nil:
			words = append(words, litWord(a.Name.Value))
		case a.Naked && a.Value != nil:
			words = append(words, t.word(a.Value))
		default:
			words = append(words, commandWord{text: a.Name.Value + "=", kind: wordOne})
		}
	}
	t.simple(words, false)
}

// expansion looks for what an expansion can do beside giving a value.
func (t *commandTree) expansion(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.CmdSubst:
		inside := t.source(n)
		switch {
		case n.TempFile || n.ReplyVar:
			t.wonder("it has a substitution that not every shell knows")
		case n.Backquotes && (strings.IndexByte(inside, '\\') >= 0 || strings.Count(inside, "`") != 2):
			t.wonder("it has backquotes with backslashes inside, which shells read in different ways")
		}
	case *syntax.ExtGlob:
		t.wonder("it has an extended wildcard, which not every shell knows")
	case *syntax.Assign:
		t.assign(n)
	case *syntax.ParamExp:
		t.parameter(n)
	}
}

func (t *commandTree) parameter(n *syntax.ParamExp) {
	if n.Short && n.Index == nil {
		return
	}
	inside := t.source(n)
	switch {
	case n.Excl && n.Names == 0, n.Flags != nil, n.NestedParam != nil, len(n.Modifiers) > 0, n.Param == nil:
		t.wonder("it expands a variable in a way that can run what the variable says")
	case n.Exp != nil && n.Exp.Op == syntax.OtherParamOps:
		t.wonder("it expands a variable in a way that can run what the variable says")
	case (n.Exp != nil || n.Repl != nil) && strings.ContainsAny(inside, "'\"\\`"):
		t.wonder("it has quotes inside an expansion, which shells read in different ways")
	case n.Index != nil && !plainIndex(n.Index), n.Slice != nil && !(plainIndex(n.Slice.Offset) && plainIndex(n.Slice.Length)):
		t.wonder("it computes a subscript, which can run what a variable says")
	}
	if n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Param != nil {
		t.assigns(n.Param.Value, commandWord{kind: wordMany}, true)
	}
}

// plainIndex says whether a subscript is a number, or all of an array.
func plainIndex(x syntax.ArithmExpr) bool {
	if x == nil {
		return true
	}
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*" || literalNumber(w))
}

// source is the text that a node was read from.
func (t *commandTree) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(t.text) {
		return "`"
	}
	return t.text[from:to]
}

// arithmetic looks for variables, whose values arithmetic reads as expressions.
func (t *commandTree) arithmetic(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.BinaryArithm:
		t.operands(n.X, n.Y)
		if op := n.Op.String(); strings.HasSuffix(op, "=") && op != "==" && op != "!=" && op != "<=" && op != ">=" {
			t.computed(n.X)
		}
	case *syntax.UnaryArithm:
		t.operands(n.X)
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			t.computed(n.X)
		}
	case *syntax.ArithmExp:
		t.operands(n.X)
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			t.wonder("it asks for a variable in a way that can run what a name says")
		}
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			for _, side := range []syntax.TestExpr{n.X, n.Y} {
				if w, ok := side.(*syntax.Word); !ok || !literalNumber(w) {
					t.names = true
				}
			}
		}
	}
}

// computed takes note of a variable that arithmetic sets.
func (t *commandTree) computed(x syntax.ArithmExpr) {
	name := ""
	if w, ok := x.(*syntax.Word); ok {
		name = w.Lit()
	}
	t.assigns(name, commandWord{}, true)
}

func literalNumber(w *syntax.Word) bool {
	s := w.Lit()
	return s != "" && allDigits(s)
}

func (t *commandTree) operands(all ...syntax.ArithmExpr) {
	for _, x := range all {
		if w, ok := x.(*syntax.Word); ok && !literalNumber(w) {
			t.names = true
		}
	}
}
