package plugins_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/contract"
)

// The twin is asked about so many calls under so many sets of rules.
const (
	twinRules = 30
	twinCalls = 160
)

func text(s string) abi.Value { return abi.StringValue(s) }

func parsed(s string) abi.Value {
	v, err := abi.Parse([]byte(s))
	if err != nil {
		panic(err)
	}
	return v
}

// scalars are values that rules and calls are made of: some are JSON or numbers in
// a text, some are written in several ways.
var scalars = []abi.Value{
	text(""), text("eu"), text("EU"), text("x-1"), text("12"), text(" 12 "), text("1e3"), text("+7"), text(".5"), text("1e"), text("é\t\"\\"), text("[1,2]"),
	text(`["eu", "x-1"]`), text(`{"a": 1, "b": [12]}`), text(`{"a":1,"a":2}`), text("{"), text("null"), text("true"), parsed(`"a\ud800"`), parsed("0"),
	parsed("-0.0"), parsed("1"), parsed("1.0"), parsed("12"), parsed("1e3"), parsed("1e999999999"), parsed("-5"), parsed("true"), parsed("false"), parsed("null"),
}

// edges are values at the edges of what numbers and texts are.
var edges = []abi.Value{
	parsed("9007199254740992"), parsed("9007199254740993"), parsed("18446744073709551616"), parsed("-9223372036854775809"), parsed("1E+3"), parsed("12.000"),
	parsed("0.012e3"), parsed("1e-400"), parsed("-1e-999999999"), parsed("1e309"), parsed("0e99999999999999999999"), parsed("1e-99999999999999999999"),
	parsed("1" + strings.Repeat("0", 400)), parsed("0." + strings.Repeat("0", 400) + "1"), text("9007199254740993"), text("1E+3"), text("012"), text("-0"),
	text("1e99999999999999999999"), text("0x1F"), text("1_000"), text("Infinity"), text("NaN"), text("\u00a012"), text("\u200912\u2003"), text("\ufeff12"), text("١٢"), text("１２"),
	text("12\x00"), text("1 2"), text("--1"), text("1.e3"), text("e3"), text("e\u0301"), text("\U0001F600"), text("\u2028"), text("\x00"), text("\u017f"), text("\u212a"), text("ﬀ"),
	text(" [1,2]"), text("[1,2] "), text("[1,2]x"), text("\ufeff[1,2]"), text(`"eu"`), text(`"[1,2]"`), text(`["[1,2]"]`), text(`{"a":{"b":{"n":12}}}`), text(`[1e3, 1000.0, "1000"]`),
	text(`{"😀":1,"ﬀ":2}`), text(`{"a":1,"A":2}`), text(`["\ud800"]`), text("[" + strings.Repeat("[", 511) + strings.Repeat("]", 512)), text(strings.Repeat("[", 513) + strings.Repeat("]", 513)),
	parsed(`{"\ud83d\ude00":1,"\ufb00":2}`), parsed(`[[[[12]]]]`), parsed(`{"a":{"b":{"n":{"o":[{"n":-5}]}}}}`), parsed(`["a\ud800", "eu"]`),
}

var (
	plain  = rapid.SampledFrom([]string{"a", "A", "b", "n", "list", "o", "x/y", "~", "é"})
	words  = rapid.OneOf(plain, plain, plain, rapid.SampledFrom([]string{"É", "e\u0301", "", "0", "1", "*", "-", "\u212a", "k", "ſ", "s", "~1", "😀", "ﬀ"}))
	scalar = rapid.OneOf(rapid.SampledFrom(scalars), rapid.SampledFrom(append(slices.Clone(scalars), edges...)))
	value  = drawValue(3)
)

func drawValue(depth int) *rapid.Generator[abi.Value] {
	if depth == 0 {
		return scalar
	}
	inner := drawValue(depth - 1)
	return rapid.OneOf(scalar, scalar, rapid.Custom(func(t *rapid.T) abi.Value {
		return abi.ArrayValue(rapid.SliceOfN(inner, 0, 3).Draw(t, "items")...)
	}), drawObject(inner))
}

func drawObject(of *rapid.Generator[abi.Value]) *rapid.Generator[abi.Value] {
	return rapid.Custom(func(t *rapid.T) abi.Value {
		out := abi.ObjectValue()
		for _, name := range rapid.SliceOfNDistinct(words, 0, 4, rapid.ID[string]).Draw(t, "names") {
			out = out.With(name, of.Draw(t, name))
		}
		return out
	})
}

func drawSchema(depth int) *rapid.Generator[abi.Value] {
	kinds := rapid.SampledFrom([]string{"string", "number", "integer", "boolean", "null", "array", "object"})
	return rapid.Custom(func(t *rapid.T) abi.Value {
		out := abi.ObjectValue()
		with := func(name string, v abi.Value) { out = out.With(name, v) }
		switch rapid.IntRange(0, 5).Draw(t, "types") {
		case 0, 1, 2:
			with("type", text(kinds.Draw(t, "type")))
		case 3:
			with("type", abi.ArrayValue(text(kinds.Draw(t, "one")), text(kinds.Draw(t, "other"))))
		}
		if depth == 0 {
			return out
		}
		inner := drawSchema(depth - 1)
		if rapid.Bool().Draw(t, "properties") {
			with("properties", drawObject(inner).Draw(t, "of"))
		}
		if rapid.IntRange(0, 3).Draw(t, "required") == 0 {
			with("required", abi.ArrayValue(text(words.Draw(t, "name"))))
		}
		switch rapid.IntRange(0, 8).Draw(t, "more") {
		case 0:
			with("additionalProperties", abi.BoolValue(true))
		case 1:
			with("additionalProperties", abi.BoolValue(false))
		case 2:
			with("additionalProperties", inner.Draw(t, "additional"))
		case 3:
			with("items", inner.Draw(t, "items"))
		case 4:
			with("anyOf", abi.ArrayValue(inner.Draw(t, "first"), inner.Draw(t, "second")))
		case 5:
			with("allOf", abi.ArrayValue(inner.Draw(t, "all")))
		case 6:
			with("$ref", text("#/properties/a"))
		}
		return out
	})
}

// drawArg draws a rule, as the settings of the twin and as the contract has it.
func drawArg(t *rapid.T) (abi.Value, contract.Arg) {
	arg := contract.Arg{Rule: "policy.yaml:1", Outcome: abi.Deny, MaxBytes: -1}
	out := abi.ObjectValue()
	with := func(name string, v abi.Value) { out = out.With(name, v) }
	arg.Arg = rapid.OneOf(words.Filter(func(s string) bool { return s != "" }), rapid.SampledFrom([]string{"/a/b", "/list/0", "/list/*", "/o/*/n", "/*", "/x~1y/a", "/o/a", "/list/-", "/list/00", "/list/01", "/list/4294967296", "/a/", "/~0", "/~01", "/*/*", "/o/*/*", "/a/b/n/o/0/n", "/*/0", "/list/*/a", "/k/a", "/é"})).Draw(t, "arg")
	with("arg", text(arg.Arg))
	if rapid.IntRange(0, 3).Draw(t, "ask") == 0 {
		arg.Outcome = abi.Ask
		with("verdict", text("ask"))
	}
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		arg.Match = rapid.SampledFrom([]string{"[a-z]+-[0-9]+|eu", ".*", "1.*", "(?i)eu", "(?i)k", `\p{L}+`, `[^x]*`, `(?s).`, `\S+`, "1e3|12"}).Draw(t, "match")
		with("match", text(arg.Match))
	case 1:
		arg.HasIn, arg.In = true, rapid.SliceOfN(value, 0, 4).Draw(t, "in")
		with("in", abi.ArrayValue(arg.In...))
	case 2:
		arg.Max = rapid.SampledFrom([]string{"0", "12", "1000", "-0.5", "1e3", "9007199254740992", "1e-400", "-1e309", "0.1"}).Draw(t, "max")
		with("max", parsed(arg.Max))
	case 3:
		arg.Min = rapid.SampledFrom([]string{"0", "12", "-5", "1e-3", "9007199254740993", "-1e-400", "1e309"}).Draw(t, "min")
		with("min", parsed(arg.Min))
	case 4:
		arg.MaxBytes = rapid.Int64Range(0, 8).Draw(t, "max_bytes")
		with("max_bytes", abi.IntValue(arg.MaxBytes))
	case 5:
		arg.Forbid = true
		with("forbid", abi.BoolValue(true))
	default:
		arg.Require = true
		with("require", abi.BoolValue(true))
	}
	return out, arg
}

// twinSet is one set of rules in both forms.
type twinSet struct {
	settings abi.Value
	rules    contract.Rules
}

var drawSet = rapid.Custom(func(t *rapid.T) twinSet {
	var list []abi.Value
	s := twinSet{}
	for range rapid.IntRange(1, 3).Draw(t, "rules") {
		setting, arg := drawArg(t)
		list, s.rules.Args = append(list, setting), append(s.rules.Args, arg)
	}
	s.settings = abi.ObjectValue(abi.Member{Name: "args", Value: abi.ArrayValue(list...)})
	if rapid.IntRange(0, 2).Draw(t, "undeclared") == 0 {
		s.rules.Undeclared = contract.UndeclaredDeny
		s.settings = s.settings.With("undeclared", text("deny"))
	}
	return s
})

// said is what a verdict says, its reasons left out.
func said(v abi.Verdict) string {
	at := slices.Clone(v.At)
	slices.Sort(at)
	return fmt.Sprint(v.Outcome, " ", v.Code, " ", slices.Compact(at))
}

// TestTheTwinOfArgsSaysWhatTheContractSays holds the plugin args, which sees what
// plugins see, to the contract that it is the twin of.
func TestTheTwinOfArgsSaysWhatTheContractSays(t *testing.T) {
	module, m := build(t, "args")
	start := starter(t, module, m)
	schemas, arguments := drawSchema(2), drawObject(value)
	codes, seed := map[string]int{}, 0
	for i := range twinRules {
		set := drawSet.Example(i)
		c, err := builtin.NewArgs(&set.rules)
		if err != nil || c == nil {
			t.Fatalf("%s: %v", set.settings, err)
		}
		evaluate := start(set.settings)
		for range twinCalls {
			seed++
			s := abi.Snapshot{
				Phase: abi.PhaseCall, Settings: set.settings,
				Call:       abi.Call{Server: "s", Tool: "t", Arguments: arguments.Example(seed)},
				Definition: abi.Definition{State: abi.PinOK},
			}
			if seed%3 > 0 {
				s.Definition.Schema = schemas.Example(-seed)
			}
			want := c.Judge(&s)
			view := s.View(m)
			a := evaluate(view)
			got, err := abi.ParsePluginVerdict(a.Output, m, "args", abi.PhaseCall)
			if a.Class != "" || err != nil {
				t.Fatalf("%s: class %s %s: %v", view, a.Class, a.Detail, err)
			}
			if said(got) != said(want) {
				t.Errorf("%s\nthe twin:     %s\nthe contract: %s (%s)", view, said(got), said(want), want.Reason)
			}
			codes[want.Code]++
		}
		if t.Failed() {
			return
		}
	}
	t.Log(codes)
	for _, code := range m.Codes {
		if codes[code.Name] == 0 {
			t.Errorf("no call has the code %s", code.Name)
		}
	}
	if codes[""] == 0 {
		t.Error("no call passes")
	}
}
