package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
)

// schema is a node of a pinned input schema (JSON Schema), read only as far as
// rules need: which arguments there are, and of what type. What it does not
// understand it reads as "says nothing".
type schema struct {
	root, node *abi.Value // nil: absent
}

// maxRefs bounds references and nested combinators that are followed.
const maxRefs = 8

// get returns the member of an object, or nil. Unlike [abi.Value.Get] it copies
// nothing, and for the few members that schemas have a plain scan is quicker.
func get(v *abi.Value, name string) *abi.Value {
	members := membersOf(v)
	for i := range members {
		if members[i].Name == name {
			return &members[i].Value
		}
	}
	return nil
}

func membersOf(v *abi.Value) []abi.Member {
	if v == nil {
		return nil
	}
	return v.Members()
}

func itemsOf(v *abi.Value) []abi.Value {
	if v == nil {
		return nil
	}
	return v.Items()
}

func textOf(v *abi.Value) string {
	if v == nil {
		return ""
	}
	return v.Str()
}

func isObject(v *abi.Value) bool { return v != nil && v.Kind() == abi.Object }

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

func schemaOf(root *abi.Value) schema { return schema{root: root, node: root}.deref() }

// deref follows local references.
func (s schema) deref() schema {
	for range maxRefs {
		ref := textOf(get(s.node, "$ref"))
		if !strings.HasPrefix(ref, "#") {
			return s
		}
		to := s.root.At(ref[1:])
		s.node = &to
	}
	return s
}

func (s schema) exists() bool { return s.node != nil && s.node.Exists() }

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
		items := itemsOf(get(s.node, name))
		for i := range items {
			if *left <= 0 {
				return
			}
			schema{s.root, &items[i]}.deref().branch(left, depth-1, visit)
		}
	}
}

// combined says whether the node has alternatives.
func (s schema) combined() bool {
	members := membersOf(s.node)
	for i := range members {
		switch members[i].Name {
		case "anyOf", "oneOf", "allOf":
			return true
		}
	}
	return false
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
	t := get(s.node, "type")
	if t == nil || t.IsString() {
		return typeNamed(textOf(t))
	}
	var all typeSet
	for _, item := range t.Items() {
		all |= typeNamed(item.Str())
	}
	return all
}

// declares says whether the node lists a property of this name.
func (s schema) declares(name string) bool {
	if get(get(s.node, "properties"), name) != nil {
		return true
	}
	found := false
	if s.combined() {
		s.branches(func(b schema) { found = found || get(get(b.node, "properties"), name) != nil })
	}
	return found
}

// property returns the schema of a member: the property's own, else that of
// additional properties.
func (s schema) property(name string) schema {
	if p := get(get(s.node, "properties"), name); p != nil {
		return schema{s.root, p}.deref()
	}
	var found *abi.Value
	if s.combined() {
		s.branches(func(b schema) {
			if p := get(get(b.node, "properties"), name); p != nil && found == nil {
				found = p
			}
		})
	}
	if found == nil {
		if found = get(s.node, "additionalProperties"); !isObject(found) {
			found = nil
		}
	}
	return schema{s.root, found}.deref()
}

// items returns the schema of the items of an array.
func (s schema) items() schema {
	found := get(s.node, "items")
	if found == nil && s.combined() {
		s.branches(func(b schema) {
			if i := get(b.node, "items"); i != nil && found == nil {
				found = i
			}
		})
	}
	if !isObject(found) {
		found = nil
	}
	return schema{s.root, found}.deref()
}

// hasProperties says whether the node lists properties.
func (s schema) hasProperties() bool {
	has := isObject(get(s.node, "properties"))
	if !has && s.combined() {
		s.branches(func(b schema) { has = has || isObject(get(b.node, "properties")) })
	}
	return has
}

// open says whether the node declares members beyond its properties:
// additionalProperties true or a schema.
func (s schema) open() bool {
	more := get(s.node, "additionalProperties")
	return isObject(more) || more != nil && more.True()
}

// requires says whether the node requires a member.
func (s schema) requires(name string) bool {
	for _, item := range itemsOf(get(s.node, "required")) {
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
		for _, p := range membersOf(get(b.node, "properties")) {
			found = found || strings.EqualFold(p.Name, name)
		}
	})
	return found
}

// isPath says whether the node's format names a path.
func (s schema) isPath() bool {
	switch textOf(get(s.node, "format")) {
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
