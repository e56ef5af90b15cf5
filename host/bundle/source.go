package bundle

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/abi"
)

// source is a JSON file that is taken apart strictly, with the place of everything
// in it.
type source struct {
	name   string
	data   []byte
	root   abi.Value
	places map[string]int // by pointer: where in data it begins; of a member, its name
	issues []issue
}

type issue struct {
	offset int
	text   string
}

// readSource parses a file of at most so many bytes, an object of a schema.
func readSource(name string, data []byte, most int, schema string, known ...string) (*source, error) {
	s := &source{name: name, data: data, places: map[string]int{}}
	if len(data) > most {
		return nil, fmt.Errorf("%s: %d bytes; at most %d", name, len(data), most)
	}
	if err := s.locate(); err != nil {
		return nil, err
	}
	root, err := abi.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.root = root
	if root.Kind() != abi.Object {
		s.add("", "want an object {…}")
		return nil, s.err()
	}
	// A schema of another version has other keys, so that nothing else is said.
	if got := root.Get("schema"); got.Str() != schema {
		at := "/schema"
		if !got.Exists() {
			at = ""
		}
		s.add(at, "schema: %s; want %q", shown(got), schema)
		return nil, s.err()
	}
	s.members("", append([]string{"schema"}, known...)...)
	return s, nil
}

// shown is a value in a message.
func shown(v abi.Value) string {
	switch {
	case !v.Exists():
		return "none"
	case v.IsString():
		return fmt.Sprintf("%q", v.Str())
	}
	return "not a string"
}

// locate notes where every value is, or says what is wrong with the JSON.
func (s *source) locate() error {
	d := jsontext.NewDecoder(bytes.NewReader(s.data))
	for whole := 0; ; {
		at := s.skip(int(d.InputOffset()))
		token, err := d.ReadToken()
		switch {
		case err == io.EOF && whole > 0:
			return nil
		case err != nil:
			return s.syntax(err)
		case whole > 0:
			s.issues = append(s.issues, issue{at, "more than one value; want one object"})
			return s.err()
		}
		if d.StackDepth() == 0 {
			whole++
		}
		if kind := token.Kind(); kind == '}' || kind == ']' {
			continue
		}
		pointer := string(d.StackPointer())
		if _, ok := s.places[pointer]; !ok {
			s.places[pointer] = at
		}
	}
}

// skip is where the next token begins.
func (s *source) skip(at int) int {
	for at < len(s.data) && strings.IndexByte(" \t\r\n,:", s.data[at]) >= 0 {
		at++
	}
	return at
}

func (s *source) syntax(err error) error {
	what, at := err.Error(), len(s.data)
	if e := (*jsontext.SyntacticError)(nil); errors.As(err, &e) {
		what, at = e.Err.Error(), int(e.ByteOffset)
		if errors.Is(err, jsontext.ErrDuplicateName) {
			what = "a key that is there twice"
		}
	}
	if len(bytes.TrimSpace(s.data)) == 0 {
		what = "empty file"
	}
	s.issues = append(s.issues, issue{at, "not JSON: " + strings.TrimPrefix(what, "jsontext: ")})
	return s.err()
}

// add notes a mistake at a pointer.
func (s *source) add(pointer, format string, args ...any) {
	s.issues = append(s.issues, issue{s.places[pointer], fmt.Sprintf(format, args...)})
}

// err is all mistakes, in the order of the file, each with its line and column.
func (s *source) err() error {
	slices.SortStableFunc(s.issues, func(a, b issue) int { return cmp.Compare(a.offset, b.offset) })
	var errs []error
	for _, i := range s.issues {
		before := s.data[:min(max(i.offset, 0), len(s.data))]
		line := bytes.Count(before, []byte("\n")) + 1
		column := len(before) - bytes.LastIndexByte(before, '\n')
		errs = append(errs, fmt.Errorf("%s:%d:%d: %s", s.name, line, column, i.text))
	}
	return errors.Join(errs...)
}

// members refuses keys that nobody knows.
func (s *source) members(pointer string, known ...string) {
	for _, m := range s.root.At(pointer).Members() {
		if !slices.Contains(known, m.Name) {
			s.add(abi.Join(pointer, m.Name), "%sunknown key %q; want %s", label(pointer), m.Name, strings.Join(known, ", "))
		}
	}
}

// label is a pointer in front of a message: keys/acme: .
func label(pointer string) string {
	if pointer == "" {
		return ""
	}
	tokens, _ := abi.Tokens(pointer)
	return strings.Join(tokens, "/") + ": "
}

// str is the string at a member of an object; one that must be there is refused
// where it is not.
func (s *source) str(pointer, name string, must bool) string {
	v := s.root.At(pointer).Get(name)
	at := abi.Join(pointer, name)
	switch {
	case !v.Exists() && must:
		s.add(pointer, "%sno %s; state it", label(pointer), name)
	case v.Exists() && (!v.IsString() || v.Str() == "" && must):
		s.add(at, "%swant a string", label(at))
	case strings.ContainsFunc(v.Str(), isControl):
		s.add(at, "%s%q has control characters; take them out", label(at), v.Str())
	}
	return v.Str()
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// object is the members of an object at a pointer, none if it is not there.
func (s *source) object(pointer string) []abi.Member {
	v := s.root.At(pointer)
	if v.Exists() && v.Kind() != abi.Object {
		s.add(pointer, "%swant an object {…}", label(pointer))
	}
	return v.Members()
}

// strs is a list of different strings, at least one.
func (s *source) strs(pointer, name string) []string {
	at := abi.Join(pointer, name)
	v := s.root.At(at)
	if v.Kind() != abi.Array || v.Len() == 0 {
		if v.Exists() {
			s.add(at, "%swant a list of one or more strings", label(at))
		} else {
			s.add(pointer, "%sno %s; list one or more", label(pointer), name)
		}
		return nil
	}
	var list []string
	for i, item := range v.Items() {
		one := abi.JoinIndex(at, i)
		switch {
		case !item.IsString():
			s.add(one, "%swant a string", label(one))
		case slices.Contains(list, item.Str()):
			s.add(one, "%s%q is there twice; take one out", label(at), item.Str())
		default:
			list = append(list, item.Str())
		}
	}
	return list
}

// indented is the one text of a file, for [Trust.Text] and [Lock.Text].
func indented(v abi.Value) ([]byte, error) {
	text := jsontext.Value(v.Bytes(nil))
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}
