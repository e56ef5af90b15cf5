package wire

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"unicode/utf8"
)

// Entry is one member of an object.
type Entry struct {
	// Name is unescaped; lone surrogates in it are U+FFFD.
	Name string
	// Key is the span of the name as a JSON string, Value that of the value.
	Key, Value Span
}

// Members walks the members of the object at object in raw, in order. Text that is not one strict JSON object ends the walk with an error:
// a decision may be made on the members only when none came.
func Members(raw []byte, object Span) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		var c Classifier
		err := c.open(raw, object, '{')
		for err == nil && c.dec.PeekKind() != '}' {
			var e Entry
			if e, err = c.entry(object.Start); err == nil && !yield(e, nil) {
				return
			}
		}
		if err = c.close(err); err != nil {
			yield(Entry{}, fmt.Errorf("read the object at byte %d: %w", object.Start, err))
		}
	}
}

// Items walks the spans of the items of the array at array in raw, in order. It ends with an error as Members does.
func Items(raw []byte, array Span) iter.Seq2[Span, error] {
	return func(yield func(Span, error) bool) {
		var c Classifier
		err := c.open(raw, array, '[')
		for err == nil && c.dec.PeekKind() != ']' {
			var s Span
			if s, err = c.item(array.Start); err == nil && !yield(s, nil) {
				return
			}
		}
		if err = c.close(err); err != nil {
			yield(Span{}, fmt.Errorf("read the array at byte %d: %w", array.Start, err))
		}
	}
}

// open reads the bracket that opens the value at within.
func (c *Classifier) open(raw []byte, within Span, bracket byte) error {
	text := within.In(raw)
	switch {
	case text == nil:
		return fmt.Errorf("span %d to %d lies outside the frame's %d bytes; take spans of this very frame", within.Start, within.End, len(raw))
	case len(text) == 0 || text[0] != bracket:
		return fmt.Errorf("the value does not start with %q; pass the span of one that does", bracket)
	case !utf8.Valid(text):
		return errors.New("the value is not valid UTF-8; refuse the frame")
	}
	c.start(text)
	_, err := c.dec.ReadToken()
	return err
}

// close reads the bracket that closes the value, and its end, unless reading failed before.
func (c *Classifier) close(err error) error {
	if err == nil {
		_, err = c.dec.ReadToken()
	}
	if err == nil {
		err = c.strictEnd()
	}
	return err
}

// item reads one value of a text that starts at base of its frame.
func (c *Classifier) item(base int) (Span, error) {
	v, err := c.dec.ReadValue()
	end := base + c.offset()
	return Span{end - len(v), end}, err
}

func (c *Classifier) entry(base int) (e Entry, err error) {
	lexeme, err := c.dec.ReadValue()
	if err != nil {
		return e, err
	}
	end := base + c.offset()
	e.Key = Span{end - len(lexeme), end}
	e.Name = string(c.unquote(lexeme))
	e.Value, err = c.item(base)
	return e, err
}

// Member is a change to one member of an object: Value is the JSON value to write, nil to take the member out.
type Member struct {
	Name  string
	Value []byte
}

// EditMembers returns the edits that make all the changes to the members of one object, for one Splice with any others that lie outside them (or inside
// members that stay). A member that is there keeps its place and the spelling of its name, and gets the value; one that is not is added behind the last.
// To take out what is not there is no change. A value keeps its bytes, but for white space if it has line ends.
// It is an error to name a member twice, and to write a value that is not strict JSON.
func EditMembers(raw []byte, object Span, changes ...Member) ([]Edit, error) {
	changes = slices.Clone(changes)
	for i := range changes {
		m := &changes[i]
		twin := slices.ContainsFunc(changes[:i], func(o Member) bool { return o.Name == m.Name })
		if twin || !utf8.ValidString(m.Name) {
			return nil, fmt.Errorf("change of member %q: the name is there twice or not valid UTF-8; name each member once", m.Name)
		}
		if m.Value == nil {
			continue
		}
		var err error
		if m.Value, err = inline(m.Value); err != nil {
			return nil, fmt.Errorf("change of member %q: %w", m.Name, err)
		}
	}
	var edits []Edit
	var members []listed
	for e, err := range Members(raw, object) {
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(changes, func(m Member) bool { return m.Name == e.Name })
		m := listed{Span: Span{e.Key.Start, e.Value.End}}
		if i >= 0 {
			if m.drop = changes[i].Value == nil; !m.drop {
				edits = append(edits, Edit{e.Value, changes[i].Value})
			}
			changes = slices.Delete(changes, i, i+1)
		}
		members = append(members, m)
	}
	var added []byte
	for _, m := range changes {
		if m.Value == nil {
			continue
		}
		if len(added) > 0 {
			added = append(added, ',')
		}
		added = append(append(AppendString(added, m.Name), ':'), m.Value...)
	}
	return append(edits, relist(raw, object, members, added)...), nil
}

// RemoveItems returns the edits that take the items for which drop is true out of an array, each with one comma, and their number. drop sees each item's bytes.
// The edits go into one Splice together with any that lie outside the array or inside items that stay.
func RemoveItems(raw []byte, array Span, drop func(item []byte) bool) ([]Edit, int, error) {
	var items []listed
	n := 0
	for s, err := range Items(raw, array) {
		if err != nil {
			return nil, 0, err
		}
		item := listed{Span: s, drop: drop(s.In(raw))}
		if item.drop {
			n++
		}
		items = append(items, item)
	}
	return relist(raw, array, items, nil), n, nil
}

// listed is a member of an object, from its name to its value's end, or an item of an array.
type listed struct {
	Span
	drop bool
}

// relist returns the edits that take members or items out, each with the comma behind it and those at the end together with the comma before them,
// and that put added, which may hold several, behind what stays. around is the object or array.
func relist(raw []byte, around Span, list []listed, added []byte) []Edit {
	var edits []Edit
	kept := len(list)
	for kept > 0 && list[kept-1].drop {
		kept--
	}
	for _, m := range list[:kept] {
		if m.drop {
			edits = append(edits, Edit{Span: Span{m.Start, comma(raw, m.End) + 1}})
		}
	}
	// The last edit replaces the dropped end of the list, empty if nothing is dropped there.
	last := Span{around.Start + 1, around.Start + 1}
	switch {
	case kept < len(list) && kept > 0:
		last = Span{comma(raw, list[kept-1].End), list[len(list)-1].End}
	case kept < len(list):
		last = Span{list[0].Start, list[len(list)-1].End}
	case kept > 0:
		last = Span{list[kept-1].End, list[kept-1].End}
	}
	if kept > 0 && len(added) > 0 {
		added = append([]byte{','}, added...)
	}
	if last.Start == last.End && len(added) == 0 {
		return edits
	}
	return append(edits, Edit{Span: last, With: added})
}

// comma returns the offset of the comma that follows a member or item which is not the last.
func comma(raw []byte, at int) int {
	for at < len(raw) && raw[at] != ',' {
		at++
	}
	return at
}

// inline returns one strict JSON value as received if it has no line ends, else without white space.
func inline(value []byte) ([]byte, error) {
	compact, err := Compact(value)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(value, '\n') >= 0 || bytes.IndexByte(value, '\r') >= 0 {
		return compact, nil
	}
	return value, nil
}

// LineOf returns a frame as the one line that a line transport carries. A frame that is one already keeps its bytes, with its terminator if it has one;
// one that came as the body of an HTTP message may have line feeds between its tokens, at which a reader of lines would split it: then its white space goes.
// A frame that may not be forwarded is an error.
func LineOf(f Frame) ([]byte, error) {
	switch f.Kind {
	case Request, Notification, Response, ErrorResponse, Batch:
	default:
		return nil, fmt.Errorf("frame of kind %v cannot be sent; answer or record it", f.Kind)
	}
	if f.Problem != nil {
		return nil, fmt.Errorf("%v with the problem %q cannot be sent; answer or record it", f.Kind, f.Problem.Code)
	}
	body, ended := bytes.CutSuffix(f.Raw, []byte{'\n'})
	if ended {
		body = bytes.TrimSuffix(body, []byte{'\r'})
	}
	switch {
	case bytes.IndexByte(body, '\n') >= 0 || bytes.IndexByte(body, '\r') >= 0:
		compact, err := Compact(f.Raw)
		if err != nil {
			return nil, err
		}
		return append(compact, '\n'), nil
	case ended:
		return f.Raw, nil
	}
	return append(body[:len(body):len(body)], '\n'), nil
}
