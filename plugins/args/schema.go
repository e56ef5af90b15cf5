package main

import (
	"slices"
	"strings"

	callgate "github.com/callgate/callgate/sdk/go"
)

// schema is a node of the pinned input schema, read as far as rules need.
type schema struct{ root, node callgate.Value }

// What is followed of a schema, which a server wrote.
const (
	maxRefs     = 8
	maxBranches = 256
)

// types is a set of JSON types; 0 is not stated.
type types uint8

const (
	typeString types = 1 << iota
	typeNumber
	typeBool
	typeNull
	typeArray
	typeObject
)

func typeNamed(name string) types {
	return map[string]types{
		"string": typeString, "number": typeNumber, "integer": typeNumber, "boolean": typeBool, "null": typeNull, "array": typeArray, "object": typeObject,
	}[name]
}

func typeOf(v callgate.Value) types {
	switch v.Kind() {
	case callgate.String, callgate.RawString:
		return typeString
	case callgate.Number:
		return typeNumber
	case callgate.Bool:
		return typeBool
	case callgate.Null:
		return typeNull
	case callgate.Array:
		return typeArray
	case callgate.Object:
		return typeObject
	}
	return 0
}

func schemaOf(root callgate.Value) schema { return schema{root, root}.deref() }

// deref follows local references.
func (s schema) deref() schema {
	for range maxRefs {
		ref := s.node.Get("$ref").Text()
		if !strings.HasPrefix(ref, "#") {
			return s
		}
		s.node = s.root.At(ref[1:])
	}
	return s
}

// branches lists the node and the alternatives that it is combined of.
func (s schema) branches() []schema {
	var list []schema
	var add func(schema, int)
	add = func(s schema, depth int) {
		if len(list) == maxBranches {
			return
		}
		if list = append(list, s); depth == 0 {
			return
		}
		for _, name := range [...]string{"anyOf", "oneOf", "allOf"} {
			for inner := range s.node.Get(name).Items() {
				add(schema{s.root, inner}.deref(), depth-1)
			}
		}
	}
	add(s, maxRefs)
	return list
}

func (s schema) types() (all types) {
	for _, b := range s.branches() {
		t := b.node.Get("type")
		all |= typeNamed(t.Text())
		for item := range t.Items() {
			all |= typeNamed(item.Text())
		}
	}
	return all
}

func (s schema) declares(name string) bool {
	return slices.ContainsFunc(s.branches(), func(b schema) bool { return b.node.Get("properties").Get(name).Exists() })
}

// property is the schema of a member: its own, else that of additional ones.
func (s schema) property(name string) schema {
	for _, b := range s.branches() {
		if p := b.node.Get("properties").Get(name); p.Exists() {
			return schema{s.root, p}.deref()
		}
	}
	return s.ifObject(s.node.Get("additionalProperties"))
}

func (s schema) items() schema {
	for _, b := range s.branches() {
		if i := b.node.Get("items"); i.Exists() {
			return s.ifObject(i)
		}
	}
	return schema{root: s.root}
}

func (s schema) ifObject(v callgate.Value) schema {
	if v.Kind() != callgate.Object {
		return schema{root: s.root}
	}
	return schema{s.root, v}.deref()
}

func (s schema) hasProperties() bool {
	return slices.ContainsFunc(s.branches(), func(b schema) bool { return b.node.Get("properties").Kind() == callgate.Object })
}

// open says whether there may be members beyond the properties.
func (s schema) open() bool {
	more := s.node.Get("additionalProperties")
	return more.Kind() == callgate.Object || more.Bool()
}

func (s schema) requires(name string) bool {
	for item := range s.node.Get("required").Items() {
		if item.IsString() && item.Text() == name {
			return true
		}
	}
	return false
}

// readAs returns a value as a server reads it that follows the schema: JSON in a
// string is opened where an array or object is wanted. Text for a number or a
// boolean fits.
func (s schema) readAs(v callgate.Value) (read callgate.Value, opened, fits bool) {
	const inside = typeArray | typeObject
	want := s.types()
	fits = want == 0 || want&typeOf(v) != 0
	if !v.IsString() || want&inside == 0 {
		return v, false, fits || v.IsString() && want&(typeNumber|typeBool) != 0
	}
	in := open(v)
	if t := typeOf(in) & want; t != 0 && (!fits || t&inside != 0) {
		return in, true, true
	}
	return v, false, fits || want&(typeNumber|typeBool) != 0
}
