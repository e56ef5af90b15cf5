package policy

import (
	"bytes"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// ImportOptions says what to translate, and to where.
type ImportOptions struct {
	From string // the format: a word of [ImportFormats]
	Name string // of the file, for mistakes
	Dir  string // absolute, with slashes: where the policy will stand; relative paths start there
	Zone string // IANA zone that times without one are of; "" for none: such a time is a mistake
	// Specs are the contracts that will judge, as in [Options].
	Specs []contract.Spec
}

// importers are the formats that are read, by name.
var importers = []struct {
	name, title string
	read        func(*importer, *yaml.Node) *yaml.Node
}{
	{"bouncer", "Bouncer", importBouncer},
	{"visor", "MCP Visor", importVisor},
}

// ImportFormats lists the words for [ImportOptions].From.
func ImportFormats() []string {
	var names []string
	for _, f := range importers {
		names = append(names, f.name)
	}
	return names
}

// Import translates the policy of another product. What has no exact
// translation is a mistake with its line in the file that is read, and then
// there is no policy.
func Import(data []byte, o ImportOptions) ([]byte, error) {
	i := slices.Index(ImportFormats(), o.From)
	if i < 0 {
		return nil, fmt.Errorf("unknown format %q%s", o.From, accepted(o.From, ImportFormats()))
	}
	im := &importer{o: o}
	root := parse(data, &im.issues)
	if root == nil {
		return nil, join(im.errorsOf(o.Name, nil))
	}
	out := importers[i].read(im, root)
	if len(im.list) > 0 {
		return nil, join(im.errorsOf(o.Name, nil))
	}
	if errs := im.judge(out); len(errs) > 0 {
		return nil, join(errs)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Translated from %s's %s by callgate policy import.\n", importers[i].title, printable(path.Base(o.Name)))
	for _, note := range im.comments {
		b.WriteString("# " + strings.Map(visible, note) + "\n")
	}
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("%s: the translation can not be written: %w", o.Name, err)
	}
	return b.Bytes(), nil
}

// visible keeps a comment in its line.
func visible(r rune) rune {
	if invisible(r) {
		return ' '
	}
	return r
}

// importer reads a file of another format, strictly, and makes nodes of a policy
// that stand where what they mean stands in that file.
type importer struct {
	issues
	o        ImportOptions
	comments []string // what stands in the file and decides nothing
}

// judge reads the nodes as a policy, so that what this build cannot say is a
// mistake in the line that wants it.
func (im *importer) judge(root *yaml.Node) []error {
	y, errs := layerOf(root, converter{places: map[string]place{}, dir: im.o.Dir}, im.o.Name, userRole)
	if len(errs) > 0 {
		return errs
	}
	y.path, y.label = im.o.Name, im.o.Name
	p := &Policy{layers: []*layer{y}}
	if errs := p.join(false); len(errs) > 0 {
		return errs
	}
	return p.try(im.o.Specs)
}

func (im *importer) fail(n *yaml.Node, format string, args ...any) {
	im.addAt("", position(n), format, args...)
}

// comment keeps what decides nothing.
func (im *importer) comment(format string, args ...any) {
	im.comments = append(im.comments, fmt.Sprintf(format, args...))
}

// members takes a map apart. A key that is not known, or stands twice, is a
// mistake.
func (im *importer) members(n *yaml.Node, what string, known ...string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	for _, m := range im.pairs(n, what) {
		if !slices.Contains(known, m.key.Value) {
			im.fail(m.key, "%s: unknown key %q%s", what, m.key.Value, accepted(m.key.Value, known))
			continue
		}
		out[m.key.Value] = m.value
	}
	return out
}

type pair struct{ key, value *yaml.Node }

// pairs lists the members of a map in their order.
func (im *importer) pairs(n *yaml.Node, what string) []pair {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		im.fail(n, "%s: %s; want a map", what, describe(n))
		return nil
	}
	var list []pair
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		switch first, again := seen[k.Value]; {
		case k.Kind != yaml.ScalarNode:
			im.fail(k, "%s: %s for a key; want a name", what, describe(k))
		case again:
			im.fail(k, "%s: duplicate key %q, first in line %d; join the two", what, k.Value, first)
		default:
			seen[k.Value] = k.Line
			list = append(list, pair{k, n.Content[i+1]})
		}
	}
	return list
}

// items lists a list's items. An absent list has none.
func (im *importer) items(n *yaml.Node, what string) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		im.fail(n, "%s: %s; want a list", what, describe(n))
		return nil
	}
	return n.Content
}

// texts lists a list's items, each of which has to be text.
func (im *importer) texts(n *yaml.Node, what string) []*yaml.Node {
	var list []*yaml.Node
	for _, item := range im.items(n, what) {
		if im.text(item, what) != "" {
			list = append(list, item)
		}
	}
	return list
}

// text returns the text of a scalar, "" for none and after a mistake.
func (im *importer) text(n *yaml.Node, what string) string {
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || isNull(n) || strings.TrimSpace(n.Value) == "" {
		im.fail(n, "%s: %s; want text", what, describe(n))
		return ""
	}
	return n.Value
}

// flag returns a boolean, false for none.
func (im *importer) flag(n *yaml.Node, what string) bool {
	if n == nil {
		return false
	}
	v, err := scalar("bool", n.Value, n.Kind == yaml.ScalarNode && isPlain(n))
	if err != nil || n.Kind != yaml.ScalarNode {
		im.fail(n, "%s: %s; want true or false", what, describe(n))
		return false
	}
	return v.True()
}

// count returns a whole number above zero, or 0 after a mistake.
func (im *importer) count(n *yaml.Node, what, zero string) int64 {
	if n == nil {
		return 0
	}
	v, err := scalar("count", n.Value, n.Kind == yaml.ScalarNode && isPlain(n))
	if err == nil {
		err = checkLeaf("count", v)
	}
	count, convErr := strconv.ParseInt(v.Lexeme(), 10, 64)
	switch {
	case err != nil || n.Kind != yaml.ScalarNode || convErr != nil:
		im.fail(n, "%s: %s; want a whole number", what, describe(n))
		return 0
	case count == 0 && zero != "":
		im.fail(n, "%s: 0 %s; remove it, or write a number above it", what, zero)
	}
	return count
}

// textAt makes a scalar that stands where another node does.
func textAt(n *yaml.Node, text string) *yaml.Node {
	out := &yaml.Node{Kind: yaml.ScalarNode, Value: text, Line: n.Line, Column: n.Column}
	if !plainText(text) {
		out.Style = yaml.DoubleQuotedStyle
	}
	return out
}

// bareAt makes a number or boolean where another node stands.
func bareAt(n *yaml.Node, text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: text, Line: n.Line, Column: n.Column}
}

// plainText says whether every reader of YAML takes text without quotes for the
// text that it is.
func plainText(s string) bool {
	if s == "" || strings.IndexFunc(s, func(r rune) bool {
		return !(r < 0x80 && alphanumeric(byte(r)) || strings.ContainsRune("_./@-", r))
	}) >= 0 {
		return false
	}
	letter := s[0] == '_' || s[0] == '/' || s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z'
	return letter && !slices.Contains([]string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}, strings.ToLower(s))
}

// listAt makes a list of nodes, in one line.
func listAt(n *yaml.Node, items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: items, Line: n.Line, Column: n.Column}
}

// textsAt makes a list of texts that stand where a node does.
func textsAt(n *yaml.Node, texts ...string) *yaml.Node {
	out := listAt(n)
	for _, s := range texts {
		out.Content = append(out.Content, textAt(n, s))
	}
	return out
}

// mapAt makes a map in one line: names and nodes in turn. An absent node is
// left out.
func mapAt(n *yaml.Node, pairs ...any) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Line: n.Line, Column: n.Column}
	for i := 0; i+1 < len(pairs); i += 2 {
		if v, ok := pairs[i+1].(*yaml.Node); ok && v != nil {
			out.Content = append(out.Content, textAt(v, pairs[i].(string)), v)
		}
	}
	return out
}

// block writes a map or list over several lines.
func block(n *yaml.Node) *yaml.Node {
	if n != nil {
		n.Style = 0
	}
	return n
}

// filled returns a map or list that has something in it, in lines of its own.
func filled(n *yaml.Node) *yaml.Node {
	if n == nil || len(n.Content) == 0 {
		return nil
	}
	return block(n)
}

// putIn adds a member to a map.
func putIn(n *yaml.Node, key, value *yaml.Node) { n.Content = append(n.Content, key, value) }

// layerOf reads a document as a layer, or into mistakes.
func layerOf(root *yaml.Node, c converter, name string, as role) (*layer, []error) {
	c.places[""] = position(root)
	y := &layer{places: c.places}
	y.value = c.convert(root, reflect.TypeFor[file](), "", "")
	c.fill(y.value, reflect.ValueOf(&y.doc).Elem(), "", "")
	c.check(&y.doc, as)
	if len(c.list) > 0 {
		return nil, c.errorsOf(name, c.places)
	}
	y.includes, y.doc.Include = y.doc.Include, nil
	y.value = y.value.With("include", abi.Value{})
	y.lines, y.beside, y.written = linesOf(y.value, c.places), c.beside, c.written
	return y, nil
}
