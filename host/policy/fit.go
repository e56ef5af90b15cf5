package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
)

// misfit says why an entry of a pack does not fit a tool's definition, or "":
// its schema must have every argument that the entry names.
func misfit(t *tool, definition abi.Value) string {
	s := schemaOf(definition)
	if !s.node.Exists() {
		return "its input schema is unknown"
	}
	to, args, slots, content := entryArgs(t)
	for _, name := range slices.Concat(to, content, args, slots) {
		if !s.has(name) {
			return fmt.Sprintf("its schema has no argument %q", name)
		}
	}
	return ""
}

// renamed says why an entry that was bound by hand is about another tool than
// this one, or "": none of the destinations, of the arguments or of the classes
// that it guards is there, and something that is not known is, which may be that
// by another name. What is only left out cannot be passed, and a schema that
// is unknown shows nothing.
func renamed(t *tool, known map[string]bool, definition abi.Value) string {
	s := schemaOf(definition)
	if !s.node.Exists() || !trusting(t) {
		return ""
	}
	to, args, slots, _ := entryArgs(t)
	gone := func(list []string) bool { return len(list) > 0 && !slices.ContainsFunc(list, s.has) }
	missing := ""
	for _, list := range [][]string{to, args, slots} {
		if gone(list) {
			missing = list[0]
		}
	}
	if missing == "" {
		return ""
	}
	for _, v := range s.variants(2) {
		for _, m := range v.node.Get("properties").Members() {
			if !known[m.Name] && s.at(m.Value).holdsText(maxSchemaDepth) {
				return fmt.Sprintf("its schema has no argument %q, and others that the pack does not know", missing)
			}
		}
	}
	return ""
}

// trusting says whether an entry grants its tool or vouches for anything: one that
// does not only tightens.
func trusting(t *tool) bool {
	if t.Verdict != nil && *t.Verdict == abi.Allow.String() {
		return true
	}
	k := t.Sink
	return k != nil && (k.Of == nil || len(k.Of.Trusted) > 0 || k.Of.Override != nil || len(k.Of.On) > 0 || k.Of.Payload != nil)
}

// argsOf lists the arguments that the entries of a pack name for a tool, all of them
// together.
func (y *layer) argsOf(name string) map[string]bool {
	list := map[string]bool{}
	for i := range y.keys {
		k := &y.keys[i]
		if !glob(k.key.tool, name) {
			continue
		}
		to, args, slots, content := entryArgs(k.tool())
		for _, name := range slices.Concat(to, args, slots, content) {
			if tokens, _ := abi.Tokens(name); strings.HasPrefix(name, "/") && len(tokens) > 0 {
				name = tokens[0]
			}
			list[name] = true
		}
	}
	return list
}

// entryArgs lists the arguments that an entry names: its destinations, those
// with rules of their own, those of a class, and content.
func entryArgs(t *tool) (to, args, slots, content []string) {
	if t.Sink != nil && t.Sink.Of != nil {
		to, content = t.Sink.Of.To, t.Sink.Of.Content
	}
	for i := range t.Args {
		if t.Args[i].Arg != "" {
			args = append(args, t.Args[i].Arg)
		}
	}
	return to, args, sortedKeys(t.Slots), content
}

// schema is a node of a tool's input schema (JSON Schema 2020-12), with the
// root that references are resolved in. The schema is a server's, and references
// can make a small one endless, so left counts down over all nodes looked at.
type schema struct {
	root, node abi.Value
	left       *int
}

// at is another node of the same schema.
func (s schema) at(node abi.Value) schema {
	*s.left--
	return schema{s.root, node, s.left}
}

// spent says whether too much was looked at to go on.
func (s schema) spent() bool { return *s.left <= 0 }

func schemaOf(definition abi.Value) schema {
	root := definition.Get("inputSchema")
	if root.Kind() != abi.Object {
		root = abi.Value{}
	}
	left := maxSchemaNodes
	return schema{root, root, &left}
}

// Bounds of what is looked at of one schema.
const (
	maxSchemaDepth = 8
	maxSchemaNodes = 20_000
)

// resolve follows local references.
func (s schema) resolve() schema {
	for range maxSchemaDepth {
		ref := s.node.Get("$ref")
		if !ref.IsString() || !strings.HasPrefix(ref.Str(), "#") {
			return s
		}
		s = s.at(s.root.At(ref.Str()[1:]))
	}
	return s.at(abi.Value{})
}

// variants lists the node and its alternatives.
func (s schema) variants(depth int) []schema {
	s = s.resolve()
	list := []schema{s}
	if depth == 0 {
		return list
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		for _, v := range s.node.Get(word).Items() {
			if s.spent() {
				return list
			}
			list = append(list, s.at(v).variants(depth-1)...)
		}
	}
	return list
}

// has says whether the schema declares an argument, by name or JSON Pointer; a
// segment * or an index is any item of an array.
func (s schema) has(name string) bool {
	tokens := []string{name}
	if strings.HasPrefix(name, "/") {
		tokens, _ = abi.Tokens(name)
	}
	nodes := []schema{s}
	for _, t := range tokens {
		var next []schema
		for _, n := range nodes {
			for _, v := range n.variants(2) {
				if p := v.node.Get("properties").Get(t); p.Exists() {
					next = append(next, s.at(p))
				}
				_, err := strconv.Atoi(t)
				if items := v.node.Get("items"); items.Kind() == abi.Object && (t == "*" || err == nil) {
					next = append(next, s.at(items))
				}
			}
		}
		if nodes = next; len(nodes) == 0 || s.spent() {
			return false
		}
	}
	return true
}

// holdsText says whether a value of this schema may be, or hold, a string that
// the caller chooses.
func (s schema) holdsText(depth int) bool {
	if depth == 0 || s.spent() {
		return true
	}
	for _, v := range s.variants(2) {
		if v.node.Get("enum").Exists() || v.node.Get("const").Exists() {
			continue
		}
		t := v.node.Get("type")
		words := t.Items()
		if t.IsString() {
			words = []abi.Value{t}
		}
		composed := v.node.Get("anyOf").Exists() || v.node.Get("oneOf").Exists() || v.node.Get("allOf").Exists()
		if len(words) == 0 && !composed {
			return true
		}
		for _, w := range words {
			switch w.Str() {
			case "string", "object":
				return true
			case "array":
				if items := v.node.Get("items"); items.Kind() != abi.Object || s.at(items).holdsText(depth-1) {
					return true
				}
			}
		}
	}
	return false
}
