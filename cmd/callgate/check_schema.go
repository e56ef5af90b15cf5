package main

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// schema is a node of a tool's input schema (JSON Schema 2020-12), with the
// root that references are resolved in.
type schema struct{ root, node abi.Value }

func schemaOf(definition abi.Value) schema {
	root := definition.Get("inputSchema")
	return schema{root, root}
}

// maxSchemaDepth bounds how far a schema is followed, since it is a server's.
const maxSchemaDepth = 6

// variants lists the node and what it is composed of, references resolved.
func (s schema) variants(depth int) []schema {
	for range maxSchemaDepth {
		ref := s.node.Get("$ref").Str()
		if !strings.HasPrefix(ref, "#") {
			break
		}
		s.node = s.root.At(ref[1:])
	}
	out := []schema{s}
	if depth == 0 {
		return out
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		for _, v := range s.node.Get(word).Items() {
			if out = append(out, schema{s.root, v}.variants(depth-1)...); len(out) > 64 {
				return out
			}
		}
	}
	return out
}

// names lists the declared properties.
func (s schema) names() []string {
	var out []string
	for _, v := range s.variants(2) {
		for _, m := range v.node.Get("properties").Members() {
			out = append(out, m.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// closed says whether the schema says which arguments there are.
func (s schema) closed() bool {
	for _, v := range s.variants(2) {
		if v.node.Get("patternProperties").Exists() || v.node.Get("additionalProperties").Kind() == abi.Object {
			return false
		}
	}
	return s.root.Kind() == abi.Object && s.node.Exists()
}

func (s schema) property(name string) schema {
	for _, v := range s.variants(2) {
		if p := v.node.Get("properties").Get(name); p.Exists() {
			return schema{s.root, p}
		}
	}
	return schema{root: s.root}
}

// has says whether an argument is declared, by name or JSON Pointer.
func (s schema) has(name string) bool {
	tokens := []string{name}
	if strings.HasPrefix(name, "/") {
		tokens, _ = abi.Tokens(name)
	}
	for _, t := range tokens {
		next := s.property(t)
		if !next.node.Exists() {
			for _, v := range s.variants(2) {
				if items := v.node.Get("items"); items.Exists() && (t == "*" || strings.Trim(t, "0123456789") == "") {
					next = schema{s.root, items}
				}
			}
		}
		if !next.node.Exists() {
			return len(tokens) > 1 && s.node.Exists() && len(s.names()) == 0 && s.open()
		}
		s = next
	}
	return true
}

// requires says whether every call has an argument, by name or JSON Pointer.
func (s schema) requires(name string) bool {
	tokens := []string{name}
	if strings.HasPrefix(name, "/") {
		tokens, _ = abi.Tokens(name)
	}
	for _, t := range tokens {
		if !slices.ContainsFunc(s.together(maxSchemaDepth), func(v schema) bool {
			return slices.ContainsFunc(v.node.Get("required").Items(), func(n abi.Value) bool { return n.IsString() && n.Str() == t })
		}) {
			return false
		}
		s = s.property(t)
	}
	return len(tokens) > 0
}

// together lists the node and what holds beside it, references resolved.
func (s schema) together(depth int) []schema {
	out := s.variants(0)
	if depth == 0 {
		return out
	}
	for _, v := range out[0].node.Get("allOf").Items() {
		if out = append(out, schema{s.root, v}.together(depth-1)...); len(out) > 64 {
			break
		}
	}
	return out
}

// open says whether a node leaves its members to the caller.
func (s schema) open() bool {
	return !s.node.Get("properties").Exists() && !s.node.Get("items").Exists()
}

// enum lists the accepted values, or nothing if they are not listed.
func (s schema) enum() []abi.Value {
	for _, v := range s.variants(2) {
		if values := v.node.Get("enum").Items(); len(values) > 0 {
			return values
		}
		if value := v.node.Get("const"); value.Exists() {
			return []abi.Value{value}
		}
	}
	return nil
}

// sample is a value that the schema accepts, as far as it can be told: the
// required members of an object, the first value of an enum, the least number.
func (s schema) sample(depth int) abi.Value {
	if enum := s.enum(); len(enum) > 0 {
		return enum[0]
	}
	for _, v := range s.variants(1) {
		types := schema{s.root, v.node}.types()
		if len(types) == 0 {
			continue
		}
		switch types[0] {
		case "object":
			return s.members(depth)
		case "array":
			return abi.ArrayValue()
		case "integer", "number":
			for _, at := range []string{"minimum", "maximum"} {
				if n, ok := v.bound(at); ok {
					return n
				}
			}
			return abi.IntValue(1)
		case "boolean":
			return abi.BoolValue(true)
		case "null":
			return nothing()
		case "string":
			return v.text()
		}
	}
	if depth == 0 {
		return s.members(depth)
	}
	return abi.StringValue("x")
}

// members makes an object of what the schema requires.
func (s schema) members(depth int) abi.Value {
	out := abi.ObjectValue()
	for _, v := range s.together(maxSchemaDepth) {
		for _, name := range v.node.Get("required").Items() {
			if p := s.property(name.Str()); p.node.Exists() && depth < maxSchemaDepth && !out.Get(name.Str()).Exists() {
				out = out.With(name.Str(), p.sample(depth+1))
			}
		}
	}
	return out
}

// text is a string of the wanted length and format.
func (s schema) text() abi.Value {
	switch s.node.Get("format").Str() {
	case "email":
		return abi.StringValue("x@corp.example")
	case "uri", "url":
		return abi.StringValue("https://corp.example/x")
	}
	n := 1
	if least, ok := s.bound("minLength"); ok {
		n = max(1, min(int(numeric(least)), 100))
	}
	return abi.StringValue(strings.Repeat("x", n))
}
