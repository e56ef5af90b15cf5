package abi

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// dialects are the values of $schema whose keywords read the same here.
var dialects = []string{
	"json-schema.org/draft-06/schema", "json-schema.org/draft-07/schema",
	"json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2020-12/schema",
}

// isDialect says whether a value is a $schema that names a known dialect.
func isDialect(at string, v Value) bool {
	if !strings.HasSuffix(at, "/$schema") {
		return false
	}
	name := strings.TrimSuffix(v.Str(), "#")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	return slices.Contains(dialects, name)
}

// schemaOrAny compares two schemas of which one may be left out: that one takes
// anything.
func (g *grader) schemaOrAny(at string, was, is Value) {
	g.schema(at, orAny(was), orAny(is))
}

// orAny returns the schema that takes anything for one that is left out or true.
func orAny(v Value) Value {
	if !v.Exists() || v.True() {
		return ObjectValue()
	}
	return v
}

// schema compares two JSON Schemas by a table of keywords. A keyword that is
// not in it is not understood.
func (g *grader) schema(at string, was, is Value) {
	was, is = orAny(was), orAny(is)
	switch {
	case was.Equal(is):
	case was.Kind() == Bool: // false: nothing was taken
		g.note(at, DriftWidening, "what was refused is taken", was, is)
	case is.Kind() == Bool:
		g.note(at, DriftNarrowing, "nothing is taken any more", was, is)
	case was.Kind() != Object || is.Kind() != Object:
		g.note(at, DriftWidening, "no schema", was, is)
	default:
		for _, name := range memberNames(was, is) {
			if w, i := was.Get(name), is.Get(name); !w.Equal(i) {
				g.keyword(at, name, was, is)
			}
		}
	}
}

// keyword compares one keyword of two schemas that differ in it.
func (g *grader) keyword(in, name string, was, is Value) {
	at, w, i := Join(in, name), was.Get(name), is.Get(name)
	switch name {
	case "description", "title", "$comment":
		g.text(at, w, i)
	case "properties":
		g.properties(at, w, i, is.Get("additionalProperties"))
	case "items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "propertyNames":
		g.schemaOrAny(at, w, i)
	case "$defs", "definitions", "patternProperties", "dependentSchemas":
		g.schemas(at, w, i)
	case "anyOf", "allOf", "oneOf", "prefixItems":
		g.branches(at, name, w, i)
	case "not", "if", "then", "else", "contains":
		g.exactly(at, w, i)
	default:
		grade, why := constraint(at, name, w, i)
		g.note(at, grade, why, w, i)
	}
}

// constraint grades a keyword that holds no schema.
func constraint(at, name string, was, is Value) (Drift, string) {
	switch name {
	case "type":
		return gradeTypes(was, is)
	case "enum":
		return gradeSet(was, is, "a value")
	case "required":
		return gradeRequired(was, is)
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains":
		return gradeBound(was, is, 1)
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains":
		return gradeBound(was, is, -1)
	case "pattern", "format", "multipleOf", "const":
		if !was.Exists() {
			return DriftNarrowing, "a constraint more"
		}
	case "uniqueItems":
		if before, ok := flag(was, false); ok && !before && is.True() {
			return DriftNarrowing, "a constraint more"
		}
	case "examples":
		if !is.Exists() {
			return DriftCosmetic, "examples left out"
		}
		return DriftText, "other examples"
	case "$schema":
		if (!was.Exists() || isDialect(at, was)) && (!is.Exists() || isDialect(at, is)) {
			return DriftCosmetic, "the same keywords"
		}
	}
	return DriftWidening, "a constraint that is gone, or a change that is not understood"
}

// gradeRequired compares the names that a call must bring.
func gradeRequired(was, is Value) (Drift, string) {
	if was.Exists() && was.Kind() != Array || is.Exists() && is.Kind() != Array {
		return DriftWidening, "a change that is not understood"
	}
	before, after := setOf(was), setOf(is)
	switch {
	case !within(before, after):
		return DriftWidening, "a name that is not required any more"
	case !within(after, before):
		return DriftNarrowing, "a name more is required"
	}
	return DriftCosmetic, "the same in another order"
}

// properties compares declared properties. What is not declared any more can
// still be sent, unless the schema is closed.
func (g *grader) properties(at string, was, is, others Value) {
	if was.Exists() && was.Kind() != Object || is.Exists() && is.Kind() != Object {
		g.note(at, DriftWidening, "no properties", was, is)
		return
	}
	for _, name := range memberNames(was, is) {
		at, w, i := Join(at, name), was.Get(name), is.Get(name)
		closed := others.Kind() == Bool && !others.True()
		switch {
		case w.Exists() && i.Exists():
			g.schema(at, w, i)
		case i.Kind() == Bool && !i.True():
			g.note(at, DriftNarrowing, "a property that is refused", w, i)
		case i.Exists():
			g.note(at, DriftWidening, "a new property", w, i)
		case closed:
			g.note(at, DriftNarrowing, "a property less", w, i)
		default:
			g.note(at, DriftWidening, "a property that is not described any more", w, i)
		}
	}
}

// schemas compares schemas by name. One more or less can be looser or stricter,
// as whatever refers to it has it.
func (g *grader) schemas(at string, was, is Value) {
	if was.Kind() != Object || is.Kind() != Object {
		g.note(at, DriftWidening, "a change that is not understood", was, is)
		return
	}
	for _, name := range memberNames(was, is) {
		at, w, i := Join(at, name), was.Get(name), is.Get(name)
		if !w.Exists() || !i.Exists() {
			g.note(at, DriftWidening, "a schema that was not there, or is gone", w, i)
			continue
		}
		g.exactly(at, w, i) // it may stand inside a "not"
	}
}

// exactly compares schemas where less may also be more.
func (g *grader) exactly(at string, was, is Value) {
	if !was.Exists() || !is.Exists() {
		g.note(at, DriftWidening, "a change that is not understood", was, is)
		return
	}
	g.exact++
	g.schema(at, was, is)
	g.exact--
}

// branches compares lists of schemas, place by place.
func (g *grader) branches(at, name string, was, is Value) {
	switch {
	case was.Kind() != Array || is.Kind() != Array:
		g.note(at, DriftWidening, "a change that is not understood", was, is)
	case name == "anyOf" && len(is.Items()) > 0 && without(was, is):
		g.note(at, DriftNarrowing, "a branch less", was, is)
	case name == "allOf" && without(is, was):
		g.note(at, DriftNarrowing, "a constraint more", was, is)
	case len(was.Items()) != len(is.Items()):
		g.note(at, DriftWidening, "other branches", was, is)
	default:
		for n, item := range is.Items() {
			if name == "oneOf" {
				g.exactly(JoinIndex(at, n), was.Items()[n], item)
				continue
			}
			g.schema(JoinIndex(at, n), was.Items()[n], item)
		}
	}
}

// without says whether a list is another one with some items taken out.
func without(whole, rest Value) bool {
	items := rest.Items()
	if len(items) >= len(whole.Items()) {
		return false
	}
	for _, item := range whole.Items() {
		if len(items) > 0 && item.Equal(items[0]) {
			items = items[1:]
		}
	}
	return len(items) == 0
}

// gradeSet compares what is taken as lists without order: less is narrower. A
// list that is left out takes everything.
func gradeSet(was, is Value, what string) (Drift, string) {
	switch {
	case !was.Exists() && is.Kind() == Array:
		return DriftNarrowing, "a constraint more"
	case was.Kind() != Array || is.Kind() != Array:
		return DriftWidening, "a constraint that is gone, or a change that is not understood"
	}
	before, after := setOf(was), setOf(is)
	switch {
	case !within(after, before):
		return DriftWidening, what + " more"
	case !within(before, after):
		return DriftNarrowing, what + " less"
	}
	return DriftCosmetic, "the same in another order"
}

func setOf(v Value) map[string]bool {
	out := make(map[string]bool, v.Len())
	for _, item := range v.Items() {
		out[item.String()] = true
	}
	return out
}

func within(some, all map[string]bool) bool {
	for item := range some {
		if !all[item] {
			return false
		}
	}
	return true
}

// gradeTypes compares types. Every whole number is a number.
func gradeTypes(was, is Value) (Drift, string) {
	if was.IsString() {
		was = ArrayValue(was)
	}
	if is.IsString() {
		is = ArrayValue(is)
	}
	number, integer := StringValue("number").String(), StringValue("integer").String()
	if was.Kind() == Array && is.Kind() == Array && setOf(was)[number] && !setOf(was)[integer] && setOf(is)[integer] {
		was = ArrayValue(append(slices.Clone(was.Items()), StringValue("integer"))...)
	}
	return gradeSet(was, is, "a type")
}

// gradeBound compares bounds; stricter is the sign of a change that takes less.
func gradeBound(was, is Value, stricter int) (Drift, string) {
	if !was.Exists() && is.Kind() == Number {
		return DriftNarrowing, "a constraint more"
	}
	before, okBefore := exactNumber(was)
	after, okAfter := exactNumber(is)
	switch {
	case !okBefore || !okAfter:
		return DriftWidening, "a constraint that is gone, or a change that is not understood"
	case after.Cmp(before) == 0:
		return DriftCosmetic, "the same number"
	case after.Cmp(before) == stricter:
		return DriftNarrowing, "a tighter bound"
	}
	return DriftWidening, "a looser bound"
}

// exactNumber reads a number of a size that bounds have.
func exactNumber(v Value) (*big.Rat, bool) {
	const longest, farthest = 64, 400
	if v.Kind() != Number || len(v.Lexeme()) > longest {
		return nil, false
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(v.Lexeme()), "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n > farthest || n < -farthest {
			return nil, false
		}
	}
	return new(big.Rat).SetString(v.Lexeme())
}
