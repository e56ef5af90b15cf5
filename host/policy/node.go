package policy

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Bounds of one file, so that a policy cannot be a bomb.
const (
	maxFileBytes = 1 << 20
	maxLineBytes = 4096 // the YAML library needs time quadratic in the length of a line
	maxNodes     = 10_000
)

// parse reads the one YAML document of a file, or says what is wrong with it.
func parse(data []byte, c *issues) *yaml.Node {
	if len(data) > maxFileBytes {
		c.add("", "%d bytes; %s file has at most %d", len(data), c.noun(), maxFileBytes)
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if !checkBytes(data, c) {
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	root, err := decodeNode(dec)
	if err == io.EOF {
		c.addAt("", place{1, 1}, "empty file; want at least %s", c.head())
		return nil
	}
	if err != nil {
		addSyntax(err, c)
		return nil
	}
	if next, err := decodeNode(dec); err != io.EOF {
		pos := place{}
		if err == nil {
			pos = place{next.Line, next.Column}
		} else {
			pos, _ = syntaxPlace(err)
		}
		c.addAt("", pos, "a second document; %s is one document, so remove the line ---%s", c.noun(), c.orInclude(" or name the other file under include:"))
		return nil
	}
	doc := root.Content[0]
	count := 0
	if walk(doc, c, &count); len(c.list) > 0 {
		return nil
	}
	if doc.Kind != yaml.MappingNode {
		if isNull(doc) {
			c.addAt("", place{1, 1}, "empty file; want at least %s", c.head())
		} else {
			c.addAt("", position(doc), "%s; want a map of keys", describe(doc))
		}
		return nil
	}
	return doc
}

// decodeNode reads one document. The YAML library reports some malformed input
// by panicking, which is a mistake in the file all the same.
func decodeNode(dec *yaml.Decoder) (n *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: the parser gives up: %v", r)
		}
	}()
	n = new(yaml.Node)
	if err := dec.Decode(n); err != nil {
		return nil, err
	}
	if len(n.Content) == 0 {
		return nil, io.EOF
	}
	return n, nil
}

// addSyntax reports an error of the YAML library.
func addSyntax(err error, c *issues) {
	pos, text := syntaxPlace(err)
	c.addAt("", pos, "not YAML: %s; see the line above it too", strings.ReplaceAll(text, "\n", " "))
}

// syntaxPlace reads an error of the YAML library, which knows at most a line,
// and names none where it is the first.
func syntaxPlace(err error) (place, string) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if n, what, ok := strings.Cut(rest, ": "); ok {
			if line, err := strconv.Atoi(n); err == nil {
				return place{line, 0}, what
			}
		}
	}
	return place{1, 0}, text
}

// checkBytes refuses what people cannot see or what readers of YAML take for
// different things: tabs as indentation, and line breaks other than LF and
// CRLF (YAML 1.1 breaks lines at U+0085, U+2028 and U+2029 too, so that rules
// could hide in a comment, or a comment in the rules).
func checkBytes(data []byte, c *issues) bool {
	before := len(c.list)
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if !utf8.Valid(line) {
			c.addAt("", place{n, 0}, "not UTF-8; save the file as UTF-8")
			return false
		}
		if len(line) > maxLineBytes {
			c.addAt("", place{n, 0}, "a line of more than %d bytes; break it", maxLineBytes)
		} else {
			checkLine(line, n, c)
		}
		if len(c.list) > maxErrors {
			break
		}
	}
	return len(c.list) == before
}

func checkLine(line []byte, n int, c *issues) {
	col, indent := 0, true
	for i, r := range string(line) {
		col++
		pos := place{n, col}
		switch {
		case r == '\t' && indent:
			c.addAt("", pos, "a tab in the indentation; indent with spaces")
		case r == '\r' && (i+1 == len(line) || line[i+1] != '\n'):
			c.addAt("", pos, "a carriage return without a line feed; save the file with LF or CRLF line ends")
		case r == 0x85 || r == 0x2028 || r == 0x2029:
			c.addAt("", pos, "an invisible line break, U+%04X; save the file with LF or CRLF line ends", r)
		case r == 0xFEFF:
			c.addAt("", pos, "a byte-order mark inside the file; remove it")
		case unicode.IsControl(r) && r != '\t' && r != '\r' && r != '\n':
			c.addAt("", pos, "a control character, U+%04X; remove it", r)
		case r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069:
			c.addAt("", pos, "a character that reorders the text around it, U+%04X; remove it", r)
		}
		indent = indent && r == ' '
	}
}

// walk refuses what would make the text mean something other than it shows.
func walk(n *yaml.Node, c *issues, count *int) {
	*count++
	if *count == maxNodes+1 {
		c.addAt("", position(n), "more than %d values; %s", maxNodes, cmp.Or(c.orInclude("split the policy into files and include them"), "write fewer"))
	}
	if *count > maxNodes {
		return
	}
	switch {
	case n.Kind == yaml.AliasNode:
		c.addAt("", position(n), "an alias, *%s; write the value out, aliases are not accepted", n.Value)
		return
	case n.Anchor != "":
		c.addAt("", position(n), "an anchor, &%s; write the value out where it is used, anchors are not accepted", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		c.addAt("", position(n), "a tag, %q; remove it, a value's key decides its type", n.Tag)
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Kind == yaml.ScalarNode && child.Value == "<<" && isPlain(child) {
			c.addAt("", position(child), "a merge key, <<; write the members out%s", c.orInclude(", or put them into a file under include:"))
			continue
		}
		walk(child, c, count)
	}
}

func position(n *yaml.Node) place { return place{n.Line, n.Column} }

const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

func isPlain(n *yaml.Node) bool { return n.Style&quoted == 0 }

// isNull says whether a scalar is one of the spellings of nothing.
func isNull(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || !isPlain(n) {
		return false
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// describe names what a node is, for errors.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	}
	if isNull(n) {
		return "no value"
	}
	s := n.Value
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return fmt.Sprintf("the single value %q", s)
}
