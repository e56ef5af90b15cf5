package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// parseYAML reads YAML. Servers are a list of maps with a name, or a map.
func parseYAML(data []byte, l Layout) ([]server, error) {
	if len(data) > maxTree {
		return nil, &Mistake{Text: fmt.Sprintf("the file has %d bytes; want at most %d", len(data), maxTree)}
	}
	r := yamlReader{data: data}
	if err := r.index(); err != nil {
		return nil, err
	}
	root, err := oneDocument(data)
	if err != nil || root == nil {
		return nil, err
	}
	if err := r.distinct(root, 0); err != nil {
		return nil, err
	}
	if root.Kind != yaml.MappingNode {
		return nil, r.mistake(root, "the file holds %s; want a map", kindYAML(root))
	}
	for _, path := range l.Servers {
		if err := r.descend(root, path, "", ""); err != nil {
			return nil, err
		}
	}
	return r.servers, nil
}

// oneDocument parses the only document of a file; nil where it is empty. The
// library reports some malformed input by panicking.
func oneDocument(data []byte) (root *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, notYAML(fmt.Errorf("the parser gives up: %v", p))
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, notYAML(err)
	}
	if err := dec.Decode(&more); err == nil {
		return nil, &Mistake{Line: more.Line, Text: "a second document; want one in a file"}
	} else if !errors.Is(err, io.EOF) {
		return nil, notYAML(err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return nil, nil
	}
	return doc.Content[0], nil
}

// notYAML is an error of the parser, with its line.
func notYAML(err error) error {
	m := &Mistake{}
	rest := strings.TrimPrefix(err.Error(), "yaml: ")
	if after, ok := strings.CutPrefix(rest, "line "); ok {
		if n, what, ok := strings.Cut(after, ": "); ok {
			if line, err := strconv.Atoi(n); err == nil {
				m.Line, rest = line, what
			}
		}
	}
	m.Text = "not YAML: " + strings.ReplaceAll(rest, "\n", " ") + "; mend it first, a file that can not be read is not edited"
	return m
}

type yamlReader struct {
	data    []byte
	lines   []int // where each line starts
	servers []server
	last    struct{ line, column, at int } // where offset found a node last
}

// index finds the lines. Breaks that only some readers of YAML see (a lone
// carriage return, U+0085, U+2028, U+2029) are refused.
func (r *yamlReader) index() error {
	for at, c := range string(r.data) {
		switch {
		case c == '\r' && !bytes.HasPrefix(r.data[at:], []byte("\r\n")), c == 0x85, c == 0x2028, c == 0x2029:
			return mistakeAt(r.data, at, "a line break %U that only some readers of YAML see; write a line feed", c)
		}
	}
	r.lines = []int{0}
	for at, c := range r.data {
		if c == '\n' {
			r.lines = append(r.lines, at+1)
		}
	}
	return nil
}

// offset is where a node starts, or -1. Columns count characters. Nodes are mostly
// asked for in order, and a whole file may be one line, so it goes on from the
// last one.
func (r *yamlReader) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(r.lines) {
		return -1
	}
	if r.last.line != n.Line || r.last.column > n.Column {
		r.last.line, r.last.column, r.last.at = n.Line, 1, r.lines[n.Line-1]
	}
	for r.last.column < n.Column && r.last.at < len(r.data) {
		_, size := utf8.DecodeRune(r.data[r.last.at:])
		r.last.at += size
		r.last.column++
	}
	if r.last.column != n.Column {
		return -1
	}
	return r.last.at
}

func (r *yamlReader) mistake(n *yaml.Node, format string, args ...any) error {
	return &Mistake{Line: n.Line, Column: n.Column, Text: fmt.Sprintf(format, args...)}
}

// distinct refuses keys that a map has twice, and what is nested too deep.
func (r *yamlReader) distinct(n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return r.mistake(n, "nested deeper than %d levels; no client's configuration is", maxDepth)
	}
	seen := map[string]*yaml.Node{}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Kind == yaml.ScalarNode {
			if first := seen[c.Value]; first != nil {
				return r.mistake(c, "the key %q is there twice, in line %d too, and clients differ in which one they take; take one out", c.Value, first.Line)
			}
			seen[c.Value] = c
		}
		if err := r.distinct(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// kindYAML names the kind of a node.
func kindYAML(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	case n.Tag == "!!null":
		return "null"
	}
	return "a scalar"
}

// descend follows the names of a layout.
func (r *yamlReader) descend(n *yaml.Node, path []string, scope, above string) error {
	switch {
	case len(path) == 0 && n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			if len(r.servers) == maxServers {
				return tooMany(r.data, r.lines[c.Line-1])
			}
			r.servers = append(r.servers, r.entry(nameOf(c), scope, c))
		}
		return nil
	case n.Kind != yaml.MappingNode:
		return r.mistake(n, "%s is %s; want a list of servers, or a map of them", above, kindYAML(n))
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, below := n.Content[i].Value, n.Content[i+1]
		switch {
		case len(path) == 0 && len(r.servers) == maxServers:
			return tooMany(r.data, r.lines[below.Line-1])
		case n.Content[i].Tag == "!!merge":
			return r.mistake(n.Content[i], "it merges another map, which may name servers; write its members out")
		case len(path) == 0:
			r.servers = append(r.servers, r.entry(name, scope, below))
			continue
		case path[0] == "*":
			scope = name
		case path[0] != name:
			continue
		}
		if err := r.descend(below, path[1:], scope, strings.TrimPrefix(above+"."+name, ".")); err != nil {
			return err
		}
	}
	return nil
}

// nameOf is the name of a server of a list.
func nameOf(n *yaml.Node) string {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "name" {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// entry reads the entry of a server.
func (r *yamlReader) entry(name, scope string, n *yaml.Node) server {
	s := server{Entry: Entry{Name: name, Scope: scope, Line: n.Line}}
	if n.Kind != yaml.MappingNode {
		s.fault = "it is " + kindYAML(n) + "; want a map"
		return s
	}
	if n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		s.fault = "it has an anchor or a tag, so that another place may depend on it; write it out"
		return s
	}
	command, args := -1, -1
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch n.Content[i].Value {
		case "command":
			command = i
		case "args":
			args = i
		case "url":
			s.url = true
		case "<<":
			s.fault = "it merges another map; write its members out"
		}
	}
	if command < 0 {
		return s
	}
	r.place(&s, n, command, args)
	return s
}
