package redact

import "github.com/callgate/callgate/abi"

// frames are members of what MCP sends that hold what a server says, whose names
// are MCP's and say nothing of it.
var frames = map[string]bool{"content": true, "contents": true, "messages": true, "resource": true, "structuredContent": true, "_meta": true}

// schemaNames stand for the names of the members of a schema's properties. No key
// matches them.
var schemaNames = []string{""}

// under returns the names that the value of a member of an object stands under:
// those that the object does, its own, and the one that stands beside it, as in
// {"name": "password", "value": …}. A schema's properties are no values.
func (s *Set) under(w Where, names []string, object abi.Value, m *abi.Member, body bool) []string {
	if s.named&w == 0 {
		return nil
	}
	nested := m.Value.Kind() == abi.Object
	switch n := len(names); {
	case body && frames[m.Name]:
		return nil
	case m.Name == "properties" && nested:
		return schemaNames
	case n > 0 && names[n-1] == schemaNames[0] && nested:
		return nil
	}
	next := append(names[:len(names):len(names)], m.Name)
	if m.Name == "value" {
		for _, beside := range [...]string{"name", "key", "header", "variable"} {
			if name := object.Get(beside); name.IsString() {
				next = append(next, name.Str())
			}
		}
	}
	return next
}
