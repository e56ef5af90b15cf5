package policy

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
)

// fill reads a value into a Go type of shape.go, strictly: a member that the
// type does not have, the wrong kind, or a leaf that does not hold what its tag
// says is a mistake.
func (c *issues) fill(v abi.Value, dst reflect.Value, tag reflect.StructTag, at string) {
	if dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		dst = dst.Elem()
	}
	form, t := formOf(dst.Type())
	switch form {
	case wordForm:
		if words := strings.Split(tag.Get("word"), "|"); v.IsString() {
			if !slices.Contains(words, v.Str()) {
				c.add(at, "unknown word %q%s", v.Str(), accepted(v.Str(), append(words, "or "+describeForm(formOf(dst.Field(1).Type())))))
			}
			dst.Field(0).SetString(v.Str())
			return
		}
		c.fill(v, dst.Field(1), tag, at)
	case structForm:
		c.fillStruct(v, dst, at)
	case mapForm:
		c.fillMap(v, dst, tag, at)
	case listForm:
		if v.Kind() != abi.Array {
			c.add(at, "%s; want a list", v)
			return
		}
		dst.Set(reflect.MakeSlice(t, v.Len(), v.Len()))
		for i, item := range v.Items() {
			c.fill(item, dst.Index(i), tag, abi.JoinIndex(at, i))
		}
	default:
		c.fillLeaf(v, dst, tag, at)
	}
}

func (c *issues) fillStruct(v abi.Value, dst reflect.Value, at string) {
	if v.Kind() != abi.Object {
		c.add(at, "%s; want a map", v)
		return
	}
	fields := fieldsOf(dst.Type())
	for _, m := range v.Members() {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == m.Name })
		if i < 0 {
			c.add(at, "unknown key %q", m.Name)
			continue
		}
		tag := patternTag(fields[i], dst.Type(), v.Get("slot").Str())
		c.fill(m.Value, dst.Field(fields[i].index), tag, abi.Join(at, m.Name))
	}
}

func (c *issues) fillMap(v abi.Value, dst reflect.Value, tag reflect.StructTag, at string) {
	if v.Kind() != abi.Object {
		c.add(at, "%s; want a map", v)
		return
	}
	t := dst.Type()
	dst.Set(reflect.MakeMapWithSize(t, v.Len()))
	inner := tag
	if form, _ := formOf(t.Elem()); form != leafForm && form != listForm {
		inner = ""
	}
	for _, m := range v.Members() {
		below := abi.Join(at, m.Name)
		if err := checkText(tag.Get("keys"), m.Name); err != nil {
			c.add(below, "%v", err)
		}
		elem := reflect.New(t.Elem()).Elem()
		c.fill(m.Value, elem, inner, below)
		dst.SetMapIndex(reflect.ValueOf(m.Name), elem)
	}
}

func (c *issues) fillLeaf(v abi.Value, dst reflect.Value, tag reflect.StructTag, at string) {
	is := leafIs(dst.Type(), tag)
	if words := enumOf(tag); words != nil {
		if !v.IsString() || !slices.Contains(words, v.Str()) {
			got := v.Str()
			if !v.IsString() {
				got = v.String()
			}
			c.add(at, "unknown value %q%s", got, accepted(got, words))
			return
		}
	} else if err := checkLeaf(is, v); err != nil {
		c.add(at, "%v", err)
		return
	}
	switch {
	case dst.Type() == valueType:
		dst.Set(reflect.ValueOf(v))
	case dst.Kind() == reflect.Bool:
		dst.SetBool(v.True())
	case dst.Kind() == reflect.Int64:
		n, _ := strconv.ParseInt(v.Lexeme(), 10, 64)
		dst.SetInt(n)
	case is == "number":
		dst.SetString(v.Lexeme())
	default:
		dst.SetString(v.Str())
	}
}
