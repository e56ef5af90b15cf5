package callgate

import (
	"iter"
	"strconv"
	"strings"
	"unsafe"
)

// Value is a JSON value of the snapshot, or of JSON in a text of it. It is looked
// up when it is asked for something: a plugin that reads three arguments makes
// three calls of the host, whatever else the call has. The zero Value is absent.
type Value struct {
	at     string // pointer into the snapshot
	name   string // of the member that it is
	form   form
	kind   Kind   // of what was fetched
	text   string // a lexeme with more behind it, or what the host handed out
	frozen bool   // inside JSON in a text: nothing below has a pointer of its own
}

type form uint8

const (
	missing form = iota
	lazy         // at says what it is
	lexeme       // text starts with it
	fetched      // text is what the host handed out for kind
)

var scratch [4096]byte

// fetch asks the host for a value, twice if it is large.
func fetch(at string) (Kind, string) {
	kind, n := get(at, scratch[:])
	if n <= len(scratch) {
		return kind, string(scratch[:n])
	}
	large := make([]byte, n)
	kind, _ = get(at, large)
	return kind, unsafe.String(unsafe.SliceData(large), n)
}

// Fetch fetches the value whole, so that looking around in it costs no more calls
// of the host.
func (v Value) Fetch() Value {
	if v.form != lazy {
		return v
	}
	v.kind, v.text = fetch(v.at)
	switch v.form = fetched; v.kind {
	case Absent:
		return Value{at: v.at, name: v.name}
	case Array, Object, Null, Bool, Number, RawString:
		v.form = lexeme
	}
	return v
}

// Kind returns what kind of value it is.
func (v Value) Kind() Kind {
	switch v.form {
	case missing:
		return Absent
	case lazy:
		kind, _ := get(v.at, nil)
		return kind
	case fetched:
		return v.kind
	}
	switch i := space(v.text, 0); v.text[i] {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		if _, whole := unquote(v.text[i:quoted(v.text, i)]); !whole {
			return RawString
		}
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// Exists says whether there is a value, null included.
func (v Value) Exists() bool { return v.Kind() != Absent }

// IsString says whether it is a string, of whatever characters.
func (v Value) IsString() bool {
	k := v.Kind()
	return k == String || k == RawString
}

// Text is the text of a string, "" of anything else. A lone surrogate in it
// becomes U+FFFD.
func (v Value) Text() string {
	v = v.Fetch()
	if v.form == fetched {
		return v.text
	}
	if i := space(v.text, 0); i < len(v.text) && v.text[i] == '"' {
		text, _ := unquote(v.text[i:quoted(v.text, i)])
		return text
	}
	return ""
}

// JSON is the value as the host writes it, "" if it is absent. A number is its
// lexeme.
func (v Value) JSON() string {
	v = v.Fetch()
	switch v.form {
	case missing:
		return ""
	case fetched:
		var w writer
		w.text(v.text)
		return string(w.out)
	}
	return v.text[space(v.text, 0):skip(v.text, 0)]
}

// Bool says whether it is true.
func (v Value) Bool() bool {
	v = v.Fetch()
	return v.form == lexeme && v.text[space(v.text, 0)] == 't'
}

// Int returns a whole number that fits into 64 bits, and whether it is one; 0 if
// not.
func (v Value) Int() (int64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.JSON(), 10, 64)
	if err != nil {
		return 0, false
	}
	return n, true
}

// Pointer is where the value stands in the snapshot (RFC 6901); of JSON in a text,
// where the text stands.
func (v Value) Pointer() string { return v.at }

// Name is the name of the member that it is, "" of an item of an array.
func (v Value) Name() string { return v.name }

// Get returns the member of an object.
func (v Value) Get(name string) Value {
	if v.form == lazy {
		return Value{at: v.at + "/" + escaped(name), name: name, form: lazy}
	}
	for m := range v.Members() {
		if m.name == name {
			return m
		}
	}
	return Value{}
}

// Index returns the item of an array.
func (v Value) Index(i int) Value {
	switch {
	case i < 0:
		return Value{}
	case v.form == lazy:
		return Value{at: v.at + "/" + strconv.Itoa(i), form: lazy}
	}
	for item := range v.Items() {
		if i--; i < 0 {
			return item
		}
	}
	return Value{}
}

// At follows a JSON Pointer from the value on.
func (v Value) At(pointer string) Value {
	for pointer != "" && pointer[0] == '/' {
		token := pointer[1:]
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token = token[:i]
		}
		pointer = pointer[1+len(token):]
		if !isToken(token) {
			return Value{}
		}
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if v.form != lazy && v.Kind() == Array {
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || strconv.Itoa(i) != token {
				return Value{}
			}
			v = v.Index(i)
			continue
		}
		v = v.Get(token)
	}
	if pointer != "" {
		return Value{}
	}
	return v
}

// isToken says whether all of a token's escapes are some (RFC 6901, section 3).
func isToken(token string) bool {
	for i := strings.IndexByte(token, '~'); i >= 0; i = strings.IndexByte(token, '~') {
		if i+1 == len(token) || token[i+1] != '0' && token[i+1] != '1' {
			return false
		}
		token = token[i+2:]
	}
	return true
}

// Members visits the members of an object, each with its Name. What is no object
// has none.
func (v Value) Members() iter.Seq[Value] { return v.children(Object) }

// Items visits the items of an array. What is no array has none.
func (v Value) Items() iter.Seq[Value] { return v.children(Array) }

func (v Value) children(of Kind) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v := v.Fetch(); v.Kind() == of {
			v.below(false, yield)
		}
	}
}

// All visits the value and everything below it, each before what is in it.
func (v Value) All() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		v := v.Fetch()
		kind := v.Kind()
		if kind != Absent && yield(v) && (kind == Array || kind == Object) {
			v.below(true, yield)
		}
	}
}

// Parse reads JSON text: what is none is absent. Of two members with one name
// Get returns the first, and Members visits both.
func Parse(text string) Value {
	if !valid(text) {
		return Value{}
	}
	return Value{form: lexeme, text: text, frozen: true}
}

// Open reads a string that holds JSON. What it holds has the Pointer of the
// string.
func (v Value) Open() Value {
	inside := Parse(v.Text())
	inside.at, inside.name = v.at, v.name
	return inside
}

// escaped writes a name as a token of a JSON Pointer.
func escaped(name string) string {
	if strings.IndexByte(name, '~') >= 0 || strings.IndexByte(name, '/') >= 0 {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
	}
	return name
}
