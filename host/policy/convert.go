package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
)

// field is one member of a type of shape.go.
type field struct {
	name  string
	index int
	typ   reflect.Type
	tag   reflect.StructTag
}

// fieldsOf lists the members of a struct in the order of the source.
func fieldsOf(t reflect.Type) []field {
	list := make([]field, t.NumField())
	for i := range list {
		f := t.Field(i)
		list[i] = field{f.Tag.Get("key"), i, f.Type, f.Tag}
	}
	return list
}

func fieldNames(t reflect.Type) []string {
	var names []string
	for _, f := range fieldsOf(t) {
		names = append(names, f.name)
	}
	return names
}

// form is how a type of shape.go looks in a file.
type form int

const (
	leafForm form = iota
	wordForm
	structForm
	mapForm
	listForm
)

var valueType = reflect.TypeFor[abi.Value]()

// formOf returns a type's form, and the type behind pointers.
func formOf(t reflect.Type) (form, reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == valueType:
		return leafForm, t
	case t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "orWord"):
		return wordForm, t
	case t.Kind() == reflect.Struct:
		return structForm, t
	case t.Kind() == reflect.Map:
		return mapForm, t
	case t.Kind() == reflect.Slice:
		return listForm, t
	}
	return leafForm, t
}

// leafIs returns the kind of a leaf of this Go type.
func leafIs(t reflect.Type, tag reflect.StructTag) string {
	if t.Kind() == reflect.Bool {
		return "bool"
	}
	return tag.Get("is")
}

// converter turns YAML nodes into a value of the shape of a Go type, and notes
// where each member stands.
type converter struct {
	issues
	places map[string]place
	dir    string            // that relative paths start from, "" for none
	beside map[string]string // patterns that start there without a word about it, as written, by pointer
	// written are the texts of use:, by pointer.
	written map[string]string
}

// convert returns the value of a node, or an absent one after a mistake.
func (c *converter) convert(n *yaml.Node, t reflect.Type, tag reflect.StructTag, at string) abi.Value {
	form, t := formOf(t)
	if isNull(n) {
		c.addAt(at, position(n), "no value; give the key a value or remove it (an empty list is [])")
		return abi.Value{}
	}
	if t == valueType && tag.Get("is") == "settings" {
		return c.settings(n, at)
	}
	switch form {
	case wordForm:
		words := strings.Split(tag.Get("word"), "|")
		if n.Kind == yaml.ScalarNode {
			return c.leaf(n, "", words, at)
		}
		of := t.Field(1).Type
		if kind, inner := formOf(of); kind == structForm && n.Kind != yaml.MappingNode || kind == listForm && n.Kind != yaml.SequenceNode {
			c.addAt(at, position(n), "%s; want %s or %s", describe(n), strings.Join(words, ", "), describeForm(kind, inner))
			return abi.Value{}
		}
		return c.convert(n, of, tag, at)
	case structForm:
		return c.object(n, t, at)
	case mapForm:
		return c.mapping(n, t, tag, at)
	case listForm:
		return c.sequence(n, t, tag, at)
	}
	if n.Kind != yaml.ScalarNode {
		c.addAt(at, position(n), "%s; want one value: %s", describe(n), describeLeaf(t, tag))
		return abi.Value{}
	}
	return c.leaf(n, leafIs(t, tag), enumOf(tag), at)
}

func describeForm(kind form, t reflect.Type) string {
	if kind == structForm {
		return "a map of " + strings.Join(fieldNames(t), ", ")
	}
	return "a list"
}

func describeLeaf(t reflect.Type, tag reflect.StructTag) string {
	if words := enumOf(tag); words != nil {
		return strings.Join(words, ", ")
	}
	return wanted(leafIs(t, tag))
}

func enumOf(tag reflect.StructTag) []string {
	if s := tag.Get("enum"); s != "" {
		return strings.Split(s, "|")
	}
	return nil
}

// leaf reads a scalar. Paths are joined to the file's directory here.
func (c *converter) leaf(n *yaml.Node, is string, words []string, at string) abi.Value {
	text, err := n.Value, error(nil)
	if words != nil {
		return abi.StringValue(text)
	}
	switch is {
	case "pattern":
		text, err = c.pattern(text, at)
	case "where":
		if whereOfPath(at) && text != "" {
			text, err = c.pattern(text, at)
		}
	case "dir", "file":
		text, err = joinDir(c.dir, text)
	case "use":
		if c.written == nil {
			c.written = map[string]string{}
		}
		c.written[at] = text
		text, err = joinUse(c.dir, text)
	}
	if text == "" && err == nil {
		return abi.StringValue("")
	}
	var v abi.Value
	if err == nil {
		v, err = scalar(is, text, isPlain(n))
	}
	if err != nil {
		c.addAt(at, position(n), "%v", err)
		return abi.Value{}
	}
	return v
}

// object reads a map with known keys.
func (c *converter) object(n *yaml.Node, t reflect.Type, at string) abi.Value {
	fields := fieldsOf(t)
	if n.Kind != yaml.MappingNode {
		c.addAt(at, position(n), "%s; want %s%s", describe(n), verdictFor(n, fields), describeForm(structForm, t))
		return abi.Value{}
	}
	return c.members(n, at, func(key, value *yaml.Node, at string) abi.Value {
		for _, f := range fields {
			if f.name == key.Value {
				return c.convert(value, f.typ, patternTag(f, t, slotOfNode(n)), at)
			}
		}
		c.addAt(at, position(key), "unknown key %q%s", key.Value, c.elsewhere(key.Value, t)+accepted(key.Value, fieldNames(t)))
		return abi.Value{}
	})
}

// verdictFor writes a verdict that stands alone as the map that it was meant for.
func verdictFor(n *yaml.Node, fields []field) string {
	for _, f := range fields {
		if f.name == "verdict" && n.Kind == yaml.ScalarNode && slices.Contains(enumOf(f.tag), n.Value) {
			return "{verdict: " + n.Value + "}, or "
		}
	}
	return ""
}

// elsewhere says where a key belongs that is known at the top of a file only.
func (c *converter) elsewhere(name string, t reflect.Type) string {
	root := reflect.TypeFor[file]()
	if c.gateway {
		root = reflect.TypeFor[gatewayFile]()
	}
	switch best := closest(name, fieldNames(root)); {
	case t == root || best == "" || closest(name, fieldNames(t)) != "":
		return ""
	case t == reflect.TypeFor[tool]() && best == "budgets":
		return "; a tool has max_calls, and budgets: stands at the top of the file"
	default:
		return fmt.Sprintf("; %s: stands at the top of the file", best)
	}
}

// mapping reads a map whose keys are names.
func (c *converter) mapping(n *yaml.Node, t reflect.Type, tag reflect.StructTag, at string) abi.Value {
	if n.Kind != yaml.MappingNode {
		c.addAt(at, position(n), "%s; want a map", describe(n))
		return abi.Value{}
	}
	of := t.Elem()
	if formOf, _ := formOf(of); formOf != leafForm && formOf != listForm {
		tag = ""
	}
	return c.members(n, at, func(_, value *yaml.Node, at string) abi.Value {
		return c.convert(value, of, tag, at)
	})
}

// members reads each member of a map.
func (c *converter) members(n *yaml.Node, at string, one func(key, value *yaml.Node, at string) abi.Value) abi.Value {
	var members []abi.Member
	seen := map[string]place{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			c.addAt(at, position(key), "%s for a key; want a name", describe(key))
			continue
		}
		below := abi.Join(at, key.Value)
		if first, ok := seen[key.Value]; ok {
			c.addAt(below, position(key), "duplicate key %q, first in line %d; join the two", key.Value, first.line)
			continue
		}
		seen[key.Value] = position(key)
		c.places[below] = position(key)
		if value.Kind == yaml.ScalarNode {
			c.places[below] = place{value.Line, value.Column}
		}
		if v := one(key, value, below); v.Exists() {
			members = append(members, abi.Member{Name: key.Value, Value: v})
		}
	}
	return abi.ObjectValue(members...)
}

func (c *converter) sequence(n *yaml.Node, t reflect.Type, tag reflect.StructTag, at string) abi.Value {
	if n.Kind == yaml.ScalarNode && tag.Get("one") != "" {
		n = &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line, Column: n.Column, Content: []*yaml.Node{n}}
	}
	if n.Kind != yaml.SequenceNode {
		such := tag.Get("such")
		if such == "" || n.Kind == yaml.ScalarNode {
			such = sample(n)
		}
		if words := strings.Fields(n.Value); tag.Get("key") == "command" && len(words) > 1 && !strings.ContainsAny(n.Value, `"'\[]{},:#`) {
			such = strings.Join(words, ", ")
		}
		c.addAt(at, position(n), "%s; want a list, such as [%s]", describe(n), such)
		return abi.Value{}
	}
	items := make([]abi.Value, 0, len(n.Content))
	for i, item := range n.Content {
		below := abi.JoinIndex(at, i)
		c.places[below] = position(item)
		if v := c.convert(item, t.Elem(), tag, below); v.Exists() {
			items = append(items, v)
		}
	}
	return abi.ArrayValue(items...)
}

// sample shows a scalar as the item of the list that it should have been.
func sample(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || len(n.Value) > 40 || strings.ContainsAny(n.Value, "\n\t\"\\") {
		return "a, b"
	}
	if isPlain(n) && !strings.ContainsAny(n.Value, ",[]{}:#*&!|>'%@`") {
		return n.Value
	}
	return `"` + n.Value + `"`
}
