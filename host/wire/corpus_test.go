package wire

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// corpusCase is one case of testdata/frames.txt, whose head explains the form.
type corpusCase struct {
	section, name, expect string
	side                  Side
	opt                   Options
	facts                 map[string]string
	frame                 []byte
}

func (c corpusCase) refused() bool { return strings.Contains(c.expect, "FRAME_") }

// readCorpus parses the corpus. tb may be a fuzz target, which takes its seeds from it.
func readCorpus(tb testing.TB) []corpusCase {
	tb.Helper()
	text, err := os.ReadFile("testdata/frames.txt")
	if err != nil {
		tb.Fatal(err)
	}
	bytesFor := strings.NewReplacer("<CR>", "\r", "<LF>", "\n", "<NUL>", "\x00", "<BOM>", "\xef\xbb\xbf", "<FF>", "\xff", "<C3>", "\xc3",
		"<LS>", "\u2028", "<PS>", "\u2029", "<NBSP>", "\u00a0")
	var cases []corpusCase
	section := ""
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		if title, ok := strings.CutPrefix(lines[i], "== "); ok {
			section = title
			continue
		}
		if section == "" || lines[i] == "" {
			continue
		}
		head, name, ok := strings.Cut(lines[i], " : ")
		words := strings.Fields(head)
		if !ok || len(words) < 2 || i+1 >= len(lines) || words[0] != "client" && words[0] != "server" {
			tb.Fatalf("frames.txt:%d: %q is no case; want side, expectation, colon, name, and a frame below", i+1, lines[i])
		}
		c := corpusCase{section: section, name: name, facts: map[string]string{}}
		if words[0] == "server" {
			c.side = FromServer
		}
		if words = words[1:]; words[0] == "batches" {
			c.opt.Batches = true
			words = words[1:]
		}
		c.expect = words[0]
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			c.facts[key] = value
		}
		i++
		frame, bare := strings.CutSuffix(lines[i], "<END>")
		if c.frame = []byte(bytesFor.Replace(frame)); !bare {
			c.frame = append(c.frame, '\n')
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		tb.Fatal("frames.txt has no cases")
	}
	return cases
}

func TestCorpusOfFramesIsClassifiedAsWritten(t *testing.T) {
	var reused Classifier
	cases := readCorpus(t)
	for _, c := range cases {
		t.Run(c.section+"/"+c.name, func(t *testing.T) {
			f := reused.Classify(c.frame, c.side, c.opt)
			checkExpectation(t, c, f)
			checkFacts(t, c, f)
			checkFrame(t, f, c.side)
		})
	}
	if want := 300; len(cases) < want {
		t.Errorf("corpus has %d cases; want at least %d", len(cases), want)
	}
}

func checkExpectation(t *testing.T, c corpusCase, f Frame) {
	t.Helper()
	got := f.Kind.String()
	if f.Problem != nil {
		got = f.Problem.Code
		if f.Kind == Batch {
			got = "batch:" + got
		}
		if f.Problem.Reason == "" || f.Problem.RPCCode == 0 {
			t.Errorf("problem %+v has no sentence or no JSON-RPC code", f.Problem)
		}
	}
	if got != c.expect {
		t.Fatalf("got %s (%+v), want %s", got, f.Problem, c.expect)
	}
}

func lexemes(ids []ID) string {
	var raw []string
	for _, id := range ids {
		raw = append(raw, id.Raw)
	}
	if len(raw) == 0 {
		return "-"
	}
	return strings.Join(raw, ",")
}

func checkFacts(t *testing.T, c corpusCase, f Frame) {
	t.Helper()
	got := map[string]string{"id": f.ID.Raw, "method": f.Method, "version": f.Version, "target": f.Target, "type": f.ResultType}
	for _, ask := range f.Asked {
		got["asked"] += ask.Key + ":" + ask.Method + string(ask.Params.In(f.Raw)) + ";"
	}
	if _, ok := c.facts["asked"]; !ok && len(f.Asked) > 0 && !c.refused() {
		t.Errorf("asked are %q, want none", got["asked"])
	}
	spans := map[string]Span{"state": f.RequestState, "responses": f.InputResponses, "caps": f.Capabilities, "token": f.ProgressToken,
		"sub": f.SubscriptionID, "asks": f.InputRequests, "upstate": f.State}
	for key, span := range spans {
		got[key] = string(span.In(f.Raw))
		if _, ok := c.facts[key]; !ok && !span.IsZero() && !c.refused() {
			t.Errorf("%s is %q, want none", key, got[key])
		}
	}
	if _, ok := c.facts["target"]; !c.refused() && (f.HasTarget != (ok || f.Call != nil) || f.Call != nil && f.Call.Name != f.Target) {
		t.Errorf("target is %q (%v) of a call %+v", f.Target, f.HasTarget, f.Call)
	}
	if string(f.IDSpan.In(f.Raw)) != f.ID.Raw && !c.refused() {
		t.Errorf("the id %s lies at %q", f.ID.Raw, f.IDSpan.In(f.Raw))
	}
	flags := map[string]bool{"modern": f.Modern, "strip": f.HasOwnMeta}
	if f.Call != nil {
		got["tool"] = f.Call.Name
	}
	if p := f.Problem; p != nil {
		got["ids"], got["server"], got["ptr"] = lexemes(p.IDs), lexemes(p.ServerIDs), p.Pointer
		flags["drop"] = p.Drop
		if _, ok := c.facts["server"]; !ok && len(p.ServerIDs) > 0 {
			t.Errorf("ids for the server %v, want none", p.ServerIDs)
		}
		if _, ok := c.facts["ids"]; !ok {
			t.Error("a refused case has to say whom it answers: add ids=")
		}
	}
	for key, want := range c.facts {
		if _, isFlag := flags[key]; !isFlag && got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	for key, is := range flags {
		if _, want := c.facts[key]; is != want {
			t.Errorf("%s is %v, want %v", key, is, want)
		}
	}
}

// TestCorpusSectionsHoldBothOutcomes keeps a classifier that refuses everything, or nothing, from passing.
func TestCorpusSectionsHoldBothOutcomes(t *testing.T) {
	type count struct{ refused, allowed int }
	sections := map[string]*count{}
	for _, c := range readCorpus(t) {
		if sections[c.section] == nil {
			sections[c.section] = &count{}
		}
		if c.refused() {
			sections[c.section].refused++
		} else {
			sections[c.section].allowed++
		}
	}
	if len(sections) < 10 {
		t.Errorf("corpus has %d sections; want at least 10", len(sections))
	}
	for name, n := range sections {
		if n.allowed == 0 {
			t.Errorf("section %q allows nothing; put an allowed twin beside its %d refusals", name, n.refused)
		}
	}
}

// TestCorpusMeetsEveryCode lists apart the codes that need limits or sizes; limits_test.go meets those.
func TestCorpusMeetsEveryCode(t *testing.T) {
	met := map[string]bool{CodeTooLong: true, CodeTooDeep: true, CodeBatchTooLong: true}
	for _, c := range readCorpus(t) {
		f := Classify(c.frame, c.side, c.opt)
		for _, e := range append(f.Elements, f) {
			if e.Problem != nil {
				met[e.Problem.Code] = true
			}
		}
	}
	codes := ProblemCodes()
	if len(codes) == 0 {
		t.Fatal("there are no codes")
	}
	for _, code := range codes {
		if !met[code] {
			t.Errorf("no frame of the corpus is refused with %s; add one and its twin", code)
		}
	}
}

// TestEveryCodeConstantHasItsSentence reads the constants from the source, so that a code without a row in the table cannot pass.
func TestEveryCodeConstantHasItsSentence(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "problem.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	inTable := map[string]bool{}
	for _, code := range ProblemCodes() {
		if inTable[code] {
			t.Errorf("%s is in the table twice", code)
		}
		inTable[code] = true
	}
	constants := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Code") {
			constants++
			if code := strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`); !inTable[code] {
				t.Errorf("%s has no row in the table", spec.Names[0].Name)
			}
		}
		return true
	})
	if constants == 0 || constants != len(inTable) {
		t.Errorf("%d constants and %d rows", constants, len(inTable))
	}
}
