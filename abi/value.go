package abi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a JSON value, numbered as in the plugin ABI.
type Kind uint8

// The kinds of a [Value]. RawString is a string that UTF-8 cannot hold,
// because it contains a lone surrogate.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
	RawString
)

// MaxDepth is the deepest nesting of arrays and objects that [Parse] accepts.
const MaxDepth = 512

// Value is an immutable JSON value that keeps what JSON decoders usually lose:
// the lexeme of each number, and lone surrogates in strings. The zero Value is
// absent.
//
// Strings are held in WTF-8: a lone surrogate is the three bytes that UTF-8
// would give it. Members are held in canonical order.
type Value struct {
	kind   Kind
	text   string
	inside *inside // nil in everything that is empty or has no inside
}

// inside is what an array or an object holds. It is apart from Value, so that
// the many values without are small.
type inside struct {
	items   []Value
	members []Member
}

// arrayOf returns an array that keeps the slice.
func arrayOf(items []Value) Value {
	if len(items) == 0 {
		return Value{kind: Array}
	}
	return Value{kind: Array, inside: &inside{items: items}}
}

// objectOf returns an object that keeps the slice, which must be sorted.
func objectOf(members []Member) Value {
	if len(members) == 0 {
		return Value{kind: Object}
	}
	return Value{kind: Object, inside: &inside{members: members}}
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// StringValue returns the JSON string s.
func StringValue(s string) Value {
	if !utf8.ValidString(s) {
		return Value{kind: RawString, text: s}
	}
	return Value{kind: String, text: s}
}

// BoolValue returns the JSON literal for b.
func BoolValue(b bool) Value {
	if b {
		return Value{kind: Bool, text: "true"}
	}
	return Value{kind: Bool, text: "false"}
}

// IntValue returns the JSON number n.
func IntValue(n int64) Value { return Value{kind: Number, text: fmt.Sprint(n)} }

// ArrayValue returns the JSON array of items. It keeps the slice.
func ArrayValue(items ...Value) Value { return arrayOf(items) }

// ObjectValue returns the JSON object of members, which must have distinct
// names. It sorts and keeps the slice.
func ObjectValue(members ...Member) Value {
	sortMembers(members)
	return objectOf(members)
}

// Kind returns the value's kind.
func (v Value) Kind() Kind { return v.kind }

// Exists says whether there is a value at all; null exists.
func (v Value) Exists() bool { return v.kind != Absent }

// IsString says whether the value is a string, of either kind.
func (v Value) IsString() bool { return v.kind == String || v.kind == RawString }

// Str returns the text of a string (WTF-8), else "".
func (v Value) Str() string {
	if v.IsString() {
		return v.text
	}
	return ""
}

// Lexeme returns the text of a number or literal as it was received, else "".
func (v Value) Lexeme() string {
	switch v.kind {
	case Number, Bool:
		return v.text
	case Null:
		return "null"
	}
	return ""
}

// True says whether the value is the literal true.
func (v Value) True() bool { return v.kind == Bool && v.text == "true" }

// Len returns the number of items or members.
func (v Value) Len() int { return len(v.Items()) + len(v.Members()) }

// Items returns the items of an array. The caller must not change the slice.
func (v Value) Items() []Value {
	if v.inside == nil {
		return nil
	}
	return v.inside.items
}

// Members returns the members of an object in canonical order. The caller must
// not change the slice.
func (v Value) Members() []Member {
	if v.inside == nil {
		return nil
	}
	return v.inside.members
}

// Get returns the member called name, or an absent value.
func (v Value) Get(name string) Value {
	members := v.Members()
	const few = 24 // up to which looking at each is faster
	if len(members) <= few {
		for i := range members {
			if members[i].Name == name {
				return members[i].Value
			}
		}
		return Value{}
	}
	i := sort.Search(len(members), func(i int) bool { return compareNames(members[i].Name, name) >= 0 })
	if i < len(members) && members[i].Name == name {
		return members[i].Value
	}
	return Value{}
}

// With returns a copy of an object in which name has the given value; an absent
// value removes the member.
func (v Value) With(name string, to Value) Value {
	members := make([]Member, 0, len(v.Members())+1)
	for _, m := range v.Members() {
		if m.Name != name {
			members = append(members, m)
		}
	}
	if to.Exists() {
		members = append(members, Member{name, to})
	}
	return ObjectValue(members...)
}

// Equal says whether two values have the same canonical form.
func (v Value) Equal(w Value) bool {
	if v == w {
		return true // values do not change, so that what is inside is the same
	}
	return bytes.Equal(v.Append(nil), w.Append(nil))
}

// errEmpty is reported for input without a value.
var errEmpty = errors.New("empty input; want one JSON value")

// Parse reads exactly one JSON value, strictly: RFC 8259, valid UTF-8, no
// duplicate member names, nothing after it, nesting of at most [MaxDepth].
// Escapes of lone surrogates are kept.
func Parse(data []byte) (Value, error) { return parse(data, 0) }

// parse is Parse with room for so many levels more.
func parse(data []byte, room int) (Value, error) {
	if !utf8.Valid(data) {
		return Value{}, errors.New("invalid UTF-8 in JSON")
	}
	if v, ok := parsePlain(data, -room); ok {
		return v, nil
	}
	return parseStrict(data, room)
}

// parseStrict is parse for what may have something wrong with it.
func parseStrict(data []byte, room int) (Value, error) {
	// Duplicate names are found here, after decoding: the decoder would take all
	// lone surrogates for one.
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	v, err := parseValue(dec, -room)
	if err == io.EOF {
		return Value{}, errEmpty
	}
	if err != nil {
		return Value{}, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return Value{}, fmt.Errorf("offset %d: data after the JSON value", dec.InputOffset())
	}
	return v, nil
}

func parseValue(dec *jsontext.Decoder, depth int) (Value, error) {
	switch dec.PeekKind() {
	case '{', '[':
		if depth == MaxDepth {
			return Value{}, fmt.Errorf("offset %d: nesting deeper than %d", dec.InputOffset(), MaxDepth)
		}
		if _, err := dec.ReadToken(); err != nil {
			return Value{}, err
		}
		return parseInside(dec, depth+1)
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return Value{}, err
	}
	switch raw[0] {
	case 'n':
		return Value{kind: Null}, nil
	case 't', 'f':
		return BoolValue(raw[0] == 't'), nil
	case '"':
		return StringValue(unquote(raw)), nil
	}
	return Value{kind: Number, text: string(raw)}, nil
}

// parseInside reads the rest of an array or object whose start was just read.
func parseInside(dec *jsontext.Decoder, depth int) (Value, error) {
	kind, _ := dec.StackIndex(dec.StackDepth())
	var items []Value
	var members []Member
	for {
		switch dec.PeekKind() {
		case '}', ']':
			if _, err := dec.ReadToken(); err != nil {
				return Value{}, err
			}
			if kind == '[' {
				return arrayOf(items), nil
			}
			sortMembers(members)
			return objectOf(members), distinct(members, dec.InputOffset())
		}
		if kind == '[' {
			item, err := parseValue(dec, depth)
			if err != nil {
				return Value{}, err
			}
			items = append(items, item)
			continue
		}
		raw, err := dec.ReadValue()
		if err != nil {
			return Value{}, err
		}
		name := unquote(raw)
		member, err := parseValue(dec, depth)
		if err != nil {
			return Value{}, err
		}
		members = append(members, Member{name, member})
	}
}

// distinct refuses two equal names among sorted members.
func distinct(members []Member, end int64) error {
	for i := 1; i < len(members); i++ {
		if members[i].Name == members[i-1].Name {
			return fmt.Errorf("object that ends at offset %d: duplicate member %q", end, members[i].Name)
		}
	}
	return nil
}

func sortMembers(members []Member) {
	byName := func(a, b Member) int { return compareNames(a.Name, b.Name) }
	if !slices.IsSortedFunc(members, byName) {
		slices.SortFunc(members, byName)
	}
}

// compareNames orders member names by UTF-16 code units, as RFC 8785 does.
func compareNames(a, b string) int {
	if len(a) > 0 && len(b) > 0 && a[0] != b[0] && a[0] < utf8.RuneSelf && b[0] < utf8.RuneSelf {
		return int(a[0]) - int(b[0])
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && (i < len(a) && !utf8.RuneStart(a[i]) || i < len(b) && !utf8.RuneStart(b[i])) {
		i--
	}
	if i == len(a) || i == len(b) {
		return len(a) - len(b)
	}
	// A code point beyond the BMP starts with a surrogate (0xD800-0xDBFF), which
	// sorts before 0xE000-0xFFFF; in UTF-8 it starts with 0xF0 or more.
	hiA, hiB := a[i] >= 0xF0, b[i] >= 0xF0
	if hiA != hiB && a[i] >= 0xED && b[i] >= 0xED {
		unitA, unitB := firstUnit(a[i:]), firstUnit(b[i:])
		return int(unitA) - int(unitB)
	}
	return strings.Compare(a[i:], b[i:])
}

// firstUnit returns the first UTF-16 code unit of a WTF-8 string.
func firstUnit(s string) uint16 {
	r, n := decodeWTF8(s)
	if n == 4 {
		return uint16(0xD800 + (r-0x10000)>>10)
	}
	return uint16(r)
}
