package clients

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// parseJSON reads JSON with comments and trailing commas.
func parseJSON(data []byte, l Layout) ([]server, error) {
	if at := tooDeep(data); at >= 0 {
		return nil, mistakeAt(data, at, "nested deeper than %d levels; no client's configuration is", maxDepth)
	}
	// A line comment may be the last thing of a file.
	root, err := hujson.Parse(append(data[:len(data):len(data)], '\n'))
	if err != nil {
		return nil, notJSON(data, err)
	}
	if err := distinctNames(data, &root); err != nil {
		return nil, err
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, mistakeAt(data, root.StartOffset, "the file holds %s; want an object", kindJSON(root))
	}
	r := jsonReader{data: data}
	for _, path := range l.Servers {
		if err := r.descend(root, path, "", ""); err != nil {
			return nil, err
		}
	}
	return r.servers, nil
}

// notJSON is an error of the parser, with its position, which is in data.
func notJSON(data []byte, err error) error {
	m := &Mistake{}
	rest := strings.TrimPrefix(err.Error(), "hujson: ")
	if n, _ := fmt.Sscanf(rest, "line %d, column %d:", &m.Line, &m.Column); n == 2 {
		_, rest, _ = strings.Cut(rest, ": ")
	}
	if line, column := position(data, len(data)); m.Line > line {
		m.Line, m.Column = line, column
	}
	m.Text = "not JSON: " + rest + "; mend it first, a file that can not be read is not edited"
	return m
}

// tooDeep is the offset of the first bracket that is nested too deep, or -1. What
// parses uses the stack, which no error brings back.
func tooDeep(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '/':
			i += commentJSON(data[i:])
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// commentJSON is how far a comment goes on behind its first byte, 0 for none.
func commentJSON(b []byte) int {
	shut := "\n"
	switch {
	case bytes.HasPrefix(b, []byte("/*")):
		shut = "*/"
	case !bytes.HasPrefix(b, []byte("//")):
		return 0
	}
	i := bytes.Index(b[2:], []byte(shut))
	if i < 0 {
		return len(b) - 1
	}
	return 1 + i + len(shut)
}

// distinctNames refuses names that an object has twice: clients differ in which
// of the members they take.
func distinctNames(data []byte, root *hujson.Value) error {
	for v := range root.All() {
		obj, ok := v.Value.(*hujson.Object)
		if !ok {
			continue
		}
		seen := make(map[string]int, len(obj.Members))
		for _, m := range obj.Members {
			name, _ := stringJSON(m.Name)
			if first, twice := seen[name]; twice {
				line, _ := position(data, first)
				return mistakeAt(data, m.Name.StartOffset, "the member %q is there twice, in line %d too, and clients differ in which one they take; take one out", name, line)
			}
			seen[name] = m.Name.StartOffset
		}
	}
	return nil
}

// stringJSON is the text of a string; false where it is none, or where it has a
// lone surrogate.
func stringJSON(v hujson.Value) (string, bool) {
	lit, ok := v.Value.(hujson.Literal)
	if !ok || lit.Kind() != '"' {
		return "", false
	}
	out, err := jsontext.AppendUnquote(nil, []byte(lit))
	if err != nil {
		return string(lit), false
	}
	return string(out), true
}

// kindJSON names the kind of a value.
func kindJSON(v hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "a boolean"
}

type jsonReader struct {
	data    []byte
	servers []server
}

// descend follows the names of a layout.
func (r *jsonReader) descend(v hujson.Value, path []string, scope, above string) error {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return mistakeAt(r.data, v.StartOffset, "%s is %s; want an object", above, kindJSON(v))
	}
	for _, m := range obj.Members {
		name, ok := stringJSON(m.Name)
		if !ok {
			continue // no name that a layout, or a program's argument, can have
		}
		switch {
		case len(path) == 0 && len(r.servers) == maxServers:
			return tooMany(r.data, m.Name.StartOffset)
		case len(path) == 0:
			r.servers = append(r.servers, r.entry(name, scope, m.Value))
			continue
		case path[0] == "*":
			scope = name
		case path[0] != name:
			continue
		}
		if err := r.descend(m.Value, path[1:], scope, strings.TrimPrefix(above+"."+name, ".")); err != nil {
			return err
		}
	}
	return nil
}

// entry reads the entry of a server.
func (r *jsonReader) entry(name, scope string, v hujson.Value) server {
	line, _ := position(r.data, v.StartOffset)
	s := server{Entry: Entry{Name: name, Scope: scope, Line: line}}
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		s.fault = "it is " + kindJSON(v) + "; want an object"
		return s
	}
	command, args := -1, -1
	for i, m := range obj.Members {
		switch name, _ := stringJSON(m.Name); name {
		case "command":
			command = i
		case "args":
			args = i
		case "url", "serverUrl", "httpUrl", "uri":
			s.url = true
		}
	}
	if command < 0 {
		return s
	}
	// Older versions of Zed have {"command": {"path": "npx", "args": []}}.
	if inner, ok := obj.Members[command].Value.Value.(*hujson.Object); ok && args < 0 {
		obj, command = inner, -1
		for i, m := range obj.Members {
			switch name, _ := stringJSON(m.Name); name {
			case "path":
				command = i
			case "args":
				args = i
			}
		}
		if command < 0 {
			s.fault = "its command has no path; name a program"
			return s
		}
	}
	r.place(&s, obj, command, args)
	return s
}

// place says where command and args are, and where args would be.
func (r *jsonReader) place(s *server, obj *hujson.Object, command, args int) {
	m := obj.Members[command]
	s.command = value{span: span{m.Value.StartOffset, m.Value.EndOffset}, kind: other}
	if name, ok := stringJSON(m.Value); ok {
		s.command.kind, s.command.text = text, name
	}
	colon := string(m.Name.AfterExtra) + ":" + string(m.Value.BeforeExtra)
	if !blank(strings.Replace(colon, ":", "", 1)) || strings.Contains(colon, "\n") {
		colon = ": "
	}
	gap := " "
	if colon == ":" {
		gap = ""
	}
	before := gap
	if line := lineStart(string(m.Name.BeforeExtra)); line != "" {
		before = line
	}
	s.comma, s.gap = ",", gap
	s.around = [2]string{"," + before + `"args"` + colon + "[", "]"}
	if args >= 0 {
		s.args = r.list(obj.Members[args].Value, gap)
		s.cut = r.cut(obj, args)
	}
}

// list reads the value of args.
func (r *jsonReader) list(v hujson.Value, gap string) value {
	out := value{span: span{v.StartOffset, v.EndOffset}, kind: other, comma: ",", gap: gap, at: v.StartOffset + 1}
	arr, ok := v.Value.(*hujson.Array)
	if !ok {
		return out
	}
	out.remarks = !blank(string(arr.AfterExtra))
	for _, e := range arr.Elements {
		word, ok := stringJSON(e)
		if !ok {
			return out
		}
		out.items = append(out.items, item{span{e.StartOffset, e.EndOffset}, word})
		out.remarks = out.remarks || !blank(string(e.BeforeExtra)) || !blank(string(e.AfterExtra))
	}
	out.kind = list
	if len(arr.Elements) > 0 {
		second := ""
		if len(arr.Elements) > 1 {
			if second = string(arr.Elements[1].BeforeExtra); second == "" {
				gap = ""
			}
		}
		out.at, out.gap = arr.Elements[0].StartOffset, gapOf(string(arr.Elements[0].BeforeExtra), second, gap)
	}
	return out
}

// cut takes a member out of an object, and leaves comments around it.
func (r *jsonReader) cut(obj *hujson.Object, i int) []span {
	m := obj.Members[i]
	whole := span{m.Name.StartOffset, m.Value.EndOffset}
	if i > 0 {
		before := obj.Members[i-1].Value
		comma := before.EndOffset + len(before.AfterExtra)
		if blank(string(before.AfterExtra)) && blank(string(m.Name.BeforeExtra)) {
			return []span{{before.EndOffset, whole.to}}
		}
		return []span{{comma, comma + 1}, whole}
	}
	if len(obj.Members) == 1 {
		return nil
	}
	comma := whole.to + len(m.Value.AfterExtra)
	next := obj.Members[1].Name
	if blank(string(m.Value.AfterExtra)) && blank(string(next.BeforeExtra)) {
		return []span{{whole.from, next.StartOffset}}
	}
	return []span{whole, {comma, comma + 1}}
}
