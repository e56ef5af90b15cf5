package clients

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// maxTree is the largest TOML or YAML that is read, in bytes; people write these
// files, and their parsers are slower.
const maxTree = 4 << 20

// maxKeys is the most keys and tables that TOML is read with, or rather of the
// characters that make some: the parser compares each with its siblings.
const maxKeys = 20_000

// parseTOML reads TOML. Servers are tables, inline tables or dotted keys.
func parseTOML(data []byte, l Layout) ([]server, error) {
	if len(data) > maxTree {
		return nil, mistakeAt(data, maxTree, "the file has %d bytes; want at most %d", len(data), maxTree)
	}
	if bytes.Count(data, []byte("="))+bytes.Count(data, []byte("[")) > maxKeys {
		return nil, &Mistake{Text: fmt.Sprintf("the file has more than %d keys and tables; no client's configuration has", maxKeys)}
	}
	// The parser below takes keys twice and what is a table and a value.
	var whole map[string]any
	if err := toml.Unmarshal(data, &whole); err != nil {
		return nil, notTOML(err)
	}
	r := tomlReader{data: data, layout: l, byID: map[[2]string]int{}}
	r.parser.KeepComments = true
	r.parser.Reset(data)
	var table []string
	for r.parser.NextExpression() {
		n := r.parser.Expression()
		var err error
		switch n.Kind {
		case unstable.Table, unstable.ArrayTable:
			var keys []unstable.Node
			table, keys = r.names(n)
			err = r.header(table, n.Kind == unstable.ArrayTable, int(keys[0].Raw.Offset))
		case unstable.KeyValue:
			err = r.keyValue(table, n, false)
		}
		if err != nil {
			return nil, err
		}
		if len(r.servers) > maxServers {
			return nil, tooMany(data, int(n.Raw.Offset))
		}
	}
	if err := r.parser.Error(); err != nil {
		return nil, notTOML(err)
	}
	return r.servers, nil
}

// notTOML is an error of the parser, with its position.
func notTOML(err error) error {
	m := &Mistake{Text: "not TOML: " + strings.TrimPrefix(err.Error(), "toml: ") + "; mend it first, a file that can not be read is not edited"}
	var d *toml.DecodeError
	if errors.As(err, &d) {
		m.Line, m.Column = d.Position()
	}
	return m
}

type tomlReader struct {
	data    []byte
	layout  Layout
	parser  unstable.Parser
	servers []server
	byID    map[[2]string]int
}

// names is the key of an expression, and its nodes.
func (r *tomlReader) names(n *unstable.Node) (names []string, keys []unstable.Node) {
	for it := n.Key(); it.Next(); {
		names = append(names, string(it.Node().Data))
		keys = append(keys, *it.Node())
	}
	return names, keys
}

// match says where a key is in the layout: the server's name and scope with the
// rest of the key, or that it is above all servers.
func (r *tomlReader) match(key []string) (id [2]string, rest []string, below, above bool) {
	for _, path := range r.layout.Servers {
		n := min(len(path), len(key))
		scope := ""
		fits := true
		for i := range n {
			fits = fits && (path[i] == "*" || path[i] == key[i])
			if path[i] == "*" {
				scope = key[i]
			}
		}
		switch {
		case fits && len(key) > len(path):
			return [2]string{scope, key[len(path)]}, key[len(path)+1:], true, false
		case fits:
			above = true
		}
	}
	return id, nil, false, above
}

// at is the server of an id, made where it is first seen.
func (r *tomlReader) at(id [2]string, offset int) *server {
	i, ok := r.byID[id]
	if !ok {
		i = len(r.servers)
		line, _ := position(r.data, offset)
		r.byID[id] = i
		r.servers = append(r.servers, server{Entry: Entry{Scope: id[0], Name: id[1], Line: line}})
	}
	return &r.servers[i]
}

// header reads the header of a table.
func (r *tomlReader) header(key []string, list bool, at int) error {
	id, rest, below, above := r.match(key)
	switch {
	case above && list:
		return mistakeAt(r.data, at, "%s is a list of tables; want a table for each server", strings.Join(key, "."))
	case !below:
		return nil
	}
	s := r.at(id, at)
	switch {
	case list && len(rest) == 0:
		s.fault = "it is a list of tables; want one table"
	case len(rest) > 0 && rest[0] == "command":
		s.command.kind = other
	case len(rest) > 0 && rest[0] == "args":
		s.args.kind = other
	}
	return nil
}

// keyValue reads a member, and the members of an inline table.
func (r *tomlReader) keyValue(table []string, n *unstable.Node, inline bool) error {
	names, keys := r.names(n)
	key := append(slices.Clone(table), names...)
	id, rest, below, above := r.match(key)
	from := int(keys[0].Raw.Offset)
	v := n.Value()
	switch {
	case above || below && len(rest) == 0:
		if v.Kind == unstable.InlineTable {
			if below {
				r.at(id, from)
			}
			for it := v.Children(); it.Next(); {
				if it.Node().Kind != unstable.KeyValue {
					continue
				}
				if err := r.keyValue(key, it.Node(), true); err != nil {
					return err
				}
				if len(r.servers) > maxServers {
					return tooMany(r.data, from)
				}
			}
			return nil
		}
		if above {
			return mistakeAt(r.data, from, "%s is no table; want one", strings.Join(key, "."))
		}
		r.at(id, from).fault = "it is no table; want one"
	case below:
		r.member(r.at(id, from), rest, n, keys, inline)
	}
	return nil
}

// member reads a member of a server.
func (r *tomlReader) member(s *server, rest []string, n *unstable.Node, keys []unstable.Node, inline bool) {
	own := keys[len(keys)-1].Raw
	first := int(keys[0].Raw.Offset)
	end := int(n.Raw.Offset + n.Raw.Length)
	at := int(own.Offset + own.Length)
	at += bytes.IndexByte(r.data[at:], '=') + 1
	at = end - len(bytes.TrimLeft(r.data[at:end], " \t"))
	whole := span{first, end}
	switch {
	case rest[0] == "command" && len(rest) == 1:
		s.command = value{span: span{at, end}, kind: other}
		if n.Value().Kind == unstable.String {
			s.command.kind, s.command.text = text, string(n.Value().Data)
		}
		prefix := string(r.data[first:own.Offset])
		s.comma, s.gap = ",", " "
		s.around = [2]string{", " + prefix + "args = [", "]"}
		if !inline {
			s.around[0] = r.newLine(first) + prefix + "args = ["
		}
	case rest[0] == "args" && len(rest) == 1:
		s.args = r.list(span{at, end}, n.Value())
		s.cut = r.cut(s.command.to, whole, inline)
	case rest[0] == "command":
		s.command.kind = other
	case rest[0] == "args":
		s.args.kind = other
	case rest[0] == "url" && len(rest) == 1:
		s.url = true
	}
}

// newLine is a line end with the indentation of the line that an offset is in.
func (r *tomlReader) newLine(at int) string {
	if i := bytes.LastIndexByte(r.data[:at], '\n'); i >= 0 {
		return lineStart(string(r.data[max(i-1, 0):at]))
	}
	if i := bytes.IndexByte(r.data, '\n'); i > 0 && r.data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// list reads the value of args.
func (r *tomlReader) list(at span, v *unstable.Node) value {
	out := value{span: at, kind: other, comma: ",", gap: " ", at: at.from + 1}
	if v.Kind != unstable.Array {
		return out
	}
	var between []string // what stands before the first items
	end := at.from + 1
	for it := v.Children(); it.Next(); {
		n := it.Node()
		if n.Kind == unstable.Comment {
			out.remarks = true
			continue
		}
		if n.Kind != unstable.String {
			return out
		}
		here := span{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)}
		between = append(between, strings.TrimPrefix(string(r.data[end:here.from]), ","))
		out.items = append(out.items, item{here, string(n.Data)})
		end = here.to
	}
	out.kind = list
	if len(out.items) > 0 {
		second := ""
		if len(between) > 1 {
			second = between[1]
		}
		out.at, out.gap = out.items[0].from, gapOf(between[0], second, " ")
	}
	return out
}

// cut takes args out that stand behind their command, or in lines of their own.
func (r *tomlReader) cut(command int, whole span, inline bool) []span {
	if command > 0 && command <= whole.from {
		between := string(r.data[command:whole.from])
		if !inline && blank(between) || inline && strings.Trim(between, " \t") == "," {
			return []span{{command, whole.to}}
		}
	}
	if inline {
		return nil
	}
	return ownLines(r.data, whole)
}

// ownLines is a span with the rest of its lines, or nil if something else is in
// them.
func ownLines(data []byte, whole span) []span {
	from := bytes.LastIndexByte(data[:whole.from], '\n') + 1
	to := len(data)
	if i := bytes.IndexByte(data[whole.to:], '\n'); i >= 0 {
		to = whole.to + i + 1
	}
	if !blank(string(data[from:whole.from])) || !blank(string(data[whole.to:to])) {
		return nil
	}
	return []span{{from, to}}
}
