package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
)

// schema is a node of a pinned input schema (JSON Schema), read only as far as
// rules need: which arguments there are, and of what type. What it does not
// understand it reads as "says nothing".
type schema struct {
	root, node abi.Value
}

// maxRefs bounds references and nested combinators that are followed.
const maxRefs = 8

// typeSet is a set of JSON types; the empty set is "not stated".
type typeSet uint8

const (
	typeString typeSet = 1 << iota
	typeNumber
	typeBool
	typeNull
	typeArray
	typeObject
)

func typeNamed(name string) typeSet {
	switch name {
	case "string":
		return typeString
	case "number", "integer":
		return typeNumber
	case "boolean":
		return typeBool
	case "null":
		return typeNull
	case "array":
		return typeArray
	case "object":
		return typeObject
	}
	return 0
}

func typeOf(v abi.Value) typeSet {
	switch v.Kind() {
	case abi.String, abi.RawString:
		return typeString
	case abi.Number:
		return typeNumber
	case abi.Bool:
		return typeBool
	case abi.Null:
		return typeNull
	case abi.Array:
		return typeArray
	case abi.Object:
		return typeObject
	}
	return 0
}

func schemaOf(root abi.Value) schema { return schema{root: root, node: root}.deref() }

// deref follows local references.
func (s schema) deref() schema {
	for range maxRefs {
		ref := s.node.Get("$ref")
		if !ref.IsString() || !strings.HasPrefix(ref.Str(), "#") {
			return s
		}
		s.node = s.root.At(ref.Str()[1:])
	}
	return s
}

func (s schema) exists() bool { return s.node.Exists() }

// maxBranches bounds the alternatives that are looked at: a server writes its
// own schema, and references can make a small one endless.
const maxBranches = 256

// branches calls visit for the node and the alternatives it is combined of.
func (s schema) branches(visit func(schema)) {
	left := maxBranches
	s.branch(&left, maxRefs, visit)
}

func (s schema) branch(left *int, depth int, visit func(schema)) {
	if *left--; *left < 0 {
		return
	}
	visit(s)
	if depth == 0 {
		return
	}
	for _, name := range [...]string{"anyOf", "oneOf", "allOf"} {
		for _, item := range s.node.Get(name).Items() {
			if *left <= 0 {
				return
			}
			schema{s.root, item}.deref().branch(left, depth-1, visit)
		}
	}
}

// combined says whether the node has alternatives.
func (s schema) combined() bool {
	return s.node.Get("anyOf").Exists() || s.node.Get("oneOf").Exists() || s.node.Get("allOf").Exists()
}

// types returns the types that the node accepts, of all its alternatives.
func (s schema) types() typeSet {
	if !s.combined() {
		return s.ownTypes()
	}
	var all typeSet
	s.branches(func(b schema) { all |= b.ownTypes() })
	return all
}

func (s schema) ownTypes() typeSet {
	t := s.node.Get("type")
	if t.IsString() {
		return typeNamed(t.Str())
	}
	var all typeSet
	for _, item := range t.Items() {
		all |= typeNamed(item.Str())
	}
	return all
}

// declares says whether the node lists a property of this name.
func (s schema) declares(name string) bool {
	if s.node.Get("properties").Get(name).Exists() {
		return true
	}
	found := false
	if s.combined() {
		s.branches(func(b schema) { found = found || b.node.Get("properties").Get(name).Exists() })
	}
	return found
}

// property returns the schema of a member: the property's own, else that of
// additional properties.
func (s schema) property(name string) schema {
	if p := s.node.Get("properties").Get(name); p.Exists() {
		return schema{s.root, p}.deref()
	}
	found := abi.Value{}
	if s.combined() {
		s.branches(func(b schema) {
			if p := b.node.Get("properties").Get(name); p.Exists() && !found.Exists() {
				found = p
			}
		})
	}
	if !found.Exists() {
		if found = s.node.Get("additionalProperties"); found.Kind() != abi.Object {
			found = abi.Value{}
		}
	}
	return schema{s.root, found}.deref()
}

// items returns the schema of the items of an array.
func (s schema) items() schema {
	found := s.node.Get("items")
	if !found.Exists() && s.combined() {
		s.branches(func(b schema) {
			if i := b.node.Get("items"); i.Exists() && !found.Exists() {
				found = i
			}
		})
	}
	if found.Kind() != abi.Object {
		found = abi.Value{}
	}
	return schema{s.root, found}.deref()
}

// hasProperties says whether the node lists properties.
func (s schema) hasProperties() bool {
	has := s.node.Get("properties").Kind() == abi.Object
	if !has && s.combined() {
		s.branches(func(b schema) { has = has || b.node.Get("properties").Kind() == abi.Object })
	}
	return has
}

// open says whether the node declares members beyond its properties:
// additionalProperties true or a schema.
func (s schema) open() bool {
	more := s.node.Get("additionalProperties")
	return more.True() || more.Kind() == abi.Object
}

// requires says whether the node requires a member.
func (s schema) requires(name string) bool {
	for _, item := range s.node.Get("required").Items() {
		if item.IsString() && item.Str() == name {
			return true
		}
	}
	return false
}

// foldedProperty returns the property that a case-insensitive reader would take
// name for, although it is another one.
func (s schema) foldedProperty(name string) bool {
	if s.declares(name) {
		return false
	}
	found := false
	s.branches(func(b schema) {
		for _, p := range b.node.Get("properties").Members() {
			found = found || strings.EqualFold(p.Name, name)
		}
	})
	return found
}

// isPath says whether the node's format names a path.
func (s schema) isPath() bool {
	switch s.node.Get("format").Str() {
	case "path", "file-path", "filepath", "file", "directory", "directory-path", "dir-path":
		return true
	}
	return false
}

// readAs returns the value as a server reads it that follows the schema: JSON in
// a string is opened where only an array or object is expected. It reports
// whether it was opened, and whether the type fits. Text for a number or
// boolean fits, since servers convert it; the matchers judge the text.
func (s schema) readAs(v abi.Value) (read abi.Value, opened, fits bool) {
	want := s.types()
	if want == 0 || want&typeOf(v) != 0 {
		if want&typeString != 0 && want&(typeArray|typeObject) != 0 && v.IsString() {
			if inner, err := abi.Parse([]byte(v.Str())); err == nil && want&typeOf(inner)&(typeArray|typeObject) != 0 {
				return inner, true, true
			}
		}
		return v, false, true
	}
	if !v.IsString() {
		return v, false, false
	}
	if want&(typeArray|typeObject) != 0 {
		inner, err := abi.Parse([]byte(v.Str()))
		if err == nil && want&typeOf(inner) != 0 {
			return inner, true, true
		}
	}
	return v, false, want&(typeNumber|typeBool) != 0
}

// onlyPlain says whether the node takes numbers, booleans and null only.
func (s schema) onlyPlain() bool {
	t := s.types()
	return t != 0 && t&(typeString|typeArray|typeObject) == 0
}
