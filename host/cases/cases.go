// Package cases reads and runs cases files: tests that travel with a policy,
// as YAML sugar over a list of events with `want:` beside the calls.
package cases

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/callgate/callgate/abi"
)

// Limits of a cases file.
const (
	maxFile  = 4 << 20
	maxDepth = 64
)

// File is a cases file as read.
type File struct {
	Policies []string // paths, made absolute; none: the starter policy
	Floor    string
	// Real says that a call of an unlisted tool is judged as one, instead of
	// being pinned from the call itself.
	Real  bool
	Cases []Case

	unknown []unknownWord
}

// Case is one test: its steps run in order against a fresh session.
type Case struct {
	Name  string
	Line  int
	Steps []Step
}

// Step is one event, and what the gate should answer.
type Step struct {
	Line    int
	Event   abi.Value // a short form of an event
	Returns abi.Value // what the call's server answers, if it is let through
	Want    *Want
}

// Want is what a step expects of its verdict. Empty members expect nothing.
type Want struct {
	Outcome  string
	Contract string
	Code     string
	Rule     string // contained in the verdict's rule
	Witness  string // server/tool of some witness
	At       []string
	Reason   string     // contained in the reason
	Redact   []Redacted // nil: nothing is said of edits
	Hide     []string   // of a list, sorted; nil: nothing is said
	// Labels and Session are those that the step gives to data and to the session,
	// sorted; nil: nothing is said.
	Labels, Session []string
}

// Load reads a cases file. Every mistake is an error with file and line. A want may
// name plugins, by the names that the policy gives them, and codes that their
// manifests declare: see [Read].
func Load(path string, data []byte) (*File, error) {
	f, err := Read(path, data)
	if err == nil {
		err = f.Check(nil)
	}
	return f, err
}

// Plugin is a plugin of a policy: its name there, and the codes that its manifest
// declares.
type Plugin struct {
	Name  string
	Codes []string
}

// Read is Load for a file whose policy may have plugins, which [File.Check] then
// needs to know.
func Read(path string, data []byte) (*File, error) {
	l := loader{path: path}
	root, err := l.root(data)
	if err != nil {
		return nil, err
	}
	f := l.file(root)
	if len(l.errs) > 0 {
		return nil, errors.Join(l.errs...)
	}
	f.unknown = l.unknown
	return f, nil
}

// root reads the one document of a file.
func (l *loader) root(data []byte) (*yaml.Node, error) {
	if len(data) > maxFile {
		return nil, whole(l.path, "%d bytes; at most %d", len(data), maxFile)
	}
	dec := yaml.NewDecoder(strings.NewReader(strings.TrimPrefix(string(data), "\uFEFF")))
	doc, err := document(dec)
	if err != nil {
		return nil, whole(l.path, "%s; want a cases file", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if _, err := document(dec); err != io.EOF {
		return nil, whole(l.path, "a second document, or something after the first; put all cases into one")
	}
	if l.plain(doc.Content[0], 0); len(l.errs) > 0 {
		return nil, errors.Join(l.errs...)
	}
	return doc.Content[0], nil
}

// whole is a mistake of a file as a whole.
func whole(path, format string, args ...any) *Mistake {
	return &Mistake{File: path, Text: fmt.Sprintf(format, args...)}
}

// document reads one document. The YAML library reports some malformed input by
// panicking, which is a mistake in the file all the same.
func document(dec *yaml.Decoder) (doc yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser gives up: %v", r)
		}
	}()
	if err = dec.Decode(&doc); err == nil && len(doc.Content) == 0 {
		err = io.EOF
	}
	return doc, err
}

type loader struct {
	path    string
	errs    []error
	unknown []unknownWord
}

func (l *loader) fail(n *yaml.Node, format string, args ...any) {
	if len(l.errs) < 20 {
		l.errs = append(l.errs, &Mistake{l.path, n.Line, n.Column, fmt.Sprintf(format, args...)})
	}
}

// plain refuses what makes YAML mean something else than it shows.
func (l *loader) plain(n *yaml.Node, depth int) {
	switch {
	case depth > maxDepth:
		l.fail(n, "nesting deeper than %d", maxDepth)
		return
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		l.fail(n, "anchors and aliases are not accepted")
		return
	case n.Style&yaml.TaggedStyle != 0 || n.ShortTag() == "!!merge":
		l.fail(n, "tags are not accepted; leave out %q", n.Tag)
		return
	}
	for _, inner := range n.Content {
		l.plain(inner, depth+1)
	}
}

// members takes a mapping apart and refuses keys that are not known.
func (l *loader) members(n *yaml.Node, what string, known ...string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		l.fail(n, "%s: want a mapping with %s", what, strings.Join(known, ", "))
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case !slices.Contains(known, k.Value):
			l.fail(k, "%s: unknown key %q; want one of %s", what, k.Value, strings.Join(known, ", "))
		case out[k.Value] != nil:
			l.fail(k, "%s: duplicate key %q", what, k.Value)
		default:
			out[k.Value] = v
		}
	}
	return out
}

func (l *loader) text(n *yaml.Node, what string) string {
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		l.fail(n, "%s: want text", what)
		return ""
	}
	return n.Value
}

func (l *loader) texts(n *yaml.Node, what string) []string {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return []string{l.text(n, what)}
	}
	if n.Kind != yaml.SequenceNode {
		l.fail(n, "%s: want text or a list of it", what)
		return nil
	}
	var out []string
	for _, item := range n.Content {
		out = append(out, l.text(item, what))
	}
	return out
}

func (l *loader) file(n *yaml.Node) *File {
	f := &File{}
	m := l.members(n, "cases file", "policy", "floor", "unlisted", "cases")
	beside := func(p string) string {
		if p == "" || p == "starter" || filepath.IsAbs(p) {
			return p
		}
		return filepath.Join(filepath.Dir(l.path), p)
	}
	for _, p := range l.texts(m["policy"], "policy") {
		f.Policies = append(f.Policies, beside(p))
	}
	f.Floor = beside(l.text(m["floor"], "floor"))
	if u := m["unlisted"]; u != nil {
		f.Real = l.text(u, "unlisted") == "real"
		if !f.Real {
			l.fail(u, "unlisted: %q; want real, or leave it out", u.Value)
		}
	}
	list := m["cases"]
	if list == nil || list.Kind != yaml.SequenceNode {
		l.fail(n, "cases: want a list of cases")
		return f
	}
	for _, c := range list.Content {
		f.Cases = append(f.Cases, l.one(c))
	}
	return f
}

func (l *loader) one(n *yaml.Node) Case {
	m := l.members(n, "case", "name", "steps")
	c := Case{Name: l.text(m["name"], "name"), Line: n.Line}
	if c.Name == "" {
		l.fail(n, "case: want a name")
	}
	steps := m["steps"]
	if steps == nil || steps.Kind != yaml.SequenceNode || len(steps.Content) == 0 {
		l.fail(n, "case %q: want a list of steps", c.Name)
		return c
	}
	wants := 0
	for _, s := range steps.Content {
		step := l.step(s)
		if step.Want != nil {
			wants++
		}
		c.Steps = append(c.Steps, step)
	}
	if wants == 0 {
		l.fail(n, "case %q: no step has a want, so it can not fail", c.Name)
	}
	return c
}
