package clients

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// place says where command and args are, and where args would be. The parser
// gives only where nodes start.
func (r *yamlReader) place(s *server, n *yaml.Node, command, args int) {
	s.command = value{kind: other}
	if at, ok := r.scalar(n.Content[command+1]); ok {
		s.command = value{span: at, kind: text, text: n.Content[command+1].Value}
	} else if n.Content[command+1].Kind == yaml.ScalarNode {
		s.fault = "its command has an anchor, a tag or more than one line, or is no string; write it as a string in one line"
		return
	}
	flow := n.Style&yaml.FlowStyle != 0
	s.comma, s.gap = ",", " "
	s.around = [2]string{", args: [", "]"}
	if !flow {
		line, ok := r.newLine(n.Content[command])
		if !ok {
			s.fault = "its command does not start a line; put it into a line of its own"
			return
		}
		s.around[0] = line + "args: ["
	}
	if args < 0 {
		return
	}
	var whole span
	whole.from = r.offset(n.Content[args])
	s.args = r.list(n.Content[args+1])
	if s.args.kind != list || whole.from < 0 {
		s.args.kind = other
		return
	}
	whole.to = s.args.to
	s.cut = r.cut(s.command.to, whole, flow)
}

// newLine is a line end, and blanks up to the column of a key that has only
// blanks and dashes before it.
func (r *yamlReader) newLine(key *yaml.Node) (string, bool) {
	at := r.offset(key)
	if at < 0 {
		return "", false
	}
	start := r.lines[key.Line-1]
	before := string(r.data[start:at])
	if strings.Trim(before, " -") != "" {
		return "", false
	}
	end := "\n"
	if i := bytes.IndexByte(r.data, '\n'); i > 0 && r.data[i-1] == '\r' {
		end = "\r\n"
	}
	return end + strings.Repeat(" ", len(before)), true
}

// scalar is where a string is, if it is in one piece: plain in one line, or
// quoted, and with no anchor or tag.
func (r *yamlReader) scalar(n *yaml.Node) (span, bool) {
	at := r.offset(n)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" || n.Anchor != "" || at < 0 || n.Style&yaml.TaggedStyle != 0 {
		return span{}, false
	}
	rest := r.data[at:]
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || len(rest) == 0:
		return span{}, false
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return quoted(at, rest, '"', '\\')
	case n.Style&yaml.SingleQuotedStyle != 0:
		return quoted(at, rest, '\'', '\'')
	}
	if n.Value == "" || !bytes.HasPrefix(rest, []byte(n.Value)) {
		return span{}, false
	}
	return span{at, at + len(n.Value)}, true
}

// quoted finds the end of a quoted scalar; escape lets a character stand for
// itself.
func quoted(at int, rest []byte, quote, escape byte) (span, bool) {
	if rest[0] != quote {
		return span{}, false
	}
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == escape && (escape != quote || i+1 < len(rest) && rest[i+1] == quote):
			i++
		case rest[i] == quote:
			return span{at, at + i + 1}, true
		}
	}
	return span{}, false
}

// list reads the value of args.
func (r *yamlReader) list(n *yaml.Node) value {
	out := value{kind: other}
	at := r.offset(n)
	if n.Kind != yaml.SequenceNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 || at < 0 {
		return out
	}
	for _, c := range n.Content {
		here, ok := r.scalar(c)
		if !ok {
			out.why = "an item of its args has an anchor, a tag or more than one line, or is no string; write each as a string in one line"
			return out
		}
		out.items = append(out.items, item{here, c.Value})
	}
	if n.Style&yaml.FlowStyle != 0 {
		return r.flow(out, at)
	}
	return r.block(out)
}

// flow completes a list in brackets.
func (r *yamlReader) flow(out value, at int) value {
	end := at + 1
	var between []string
	for _, it := range out.items {
		if it.from < end {
			return out
		}
		before := string(r.data[end:it.from])
		between = append(between, strings.TrimPrefix(before, ","))
		out.remarks = out.remarks || strings.Contains(before, "#")
		end = it.to
	}
	tail, ok := r.bracket(end)
	if r.data[at] != '[' || !ok {
		return out
	}
	out.span, out.kind, out.comma = span{at, tail}, list, ","
	out.remarks = out.remarks || bytes.Contains(r.data[end:tail], []byte("#"))
	out.at, out.gap = at+1, " "
	if len(out.items) > 0 {
		second := ""
		if len(between) > 1 {
			second = between[1]
		}
		out.at, out.gap = out.items[0].from, gapOf(between[0], second, " ")
	}
	return out
}

// bracket finds the end of a list behind its last item: blanks, comments and a
// comma may stand before it.
func (r *yamlReader) bracket(at int) (int, bool) {
	for ; at < len(r.data); at++ {
		switch r.data[at] {
		case ' ', '\t', '\r', '\n', ',':
		case '#':
			i := bytes.IndexByte(r.data[at:], '\n')
			if i < 0 {
				return 0, false
			}
			at += i
		case ']':
			return at + 1, true
		default:
			return 0, false
		}
	}
	return 0, false
}

// block completes a list with dashes: its items start there.
func (r *yamlReader) block(out value) value {
	if len(out.items) == 0 {
		return out
	}
	for i := range out.items {
		it := &out.items[i]
		dash := len(bytes.TrimRight(r.data[:it.from], " ")) - 1
		if dash < 0 || r.data[dash] != '-' || dash == it.from-1 {
			return out
		}
		if i > 0 && bytes.Contains(r.data[out.items[i-1].to:dash], []byte("#")) {
			out.remarks = true
		}
		it.from = dash
	}
	first := out.items[0].from
	line := lineStart(string(r.data[:first]))
	if line == "" && first > 0 || !bytes.HasSuffix(r.data[:first], []byte(line)) {
		return out // something stands before the dash
	}
	out.span, out.kind = span{first, out.items[len(out.items)-1].to}, list
	out.at, out.dash, out.gap = first, "- ", line
	return out
}

// cut takes args out that stand behind their command, or in lines of their own.
func (r *yamlReader) cut(command int, whole span, flow bool) []span {
	if command <= whole.from {
		between := string(r.data[command:whole.from])
		if !flow && blank(between) || flow && strings.Trim(between, " \t") == "," {
			return []span{{command, whole.to}}
		}
	}
	if flow {
		return nil
	}
	return ownLines(r.data, whole)
}
