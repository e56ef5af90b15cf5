package policy

import (
	"reflect"
	"strings"

	"github.com/callgate/callgate/abi"
)

// Schema returns the JSON Schema (draft 2020-12) of a policy file, for editors.
// It is generated from the types that read the file, so it names exactly the
// keys that are accepted.
func Schema() []byte {
	s := describeType(reflect.TypeFor[file](), "")
	s = s.With("$schema", abi.StringValue("https://json-schema.org/draft/2020-12/schema"))
	s = s.With("title", abi.StringValue("Callgate policy"))
	s = s.With("required", abi.ArrayValue(abi.StringValue("callgate")))
	return append(indent(nil, s, ""), '\n')
}

// describeType returns the schema of a type of shape.go.
func describeType(t reflect.Type, tag reflect.StructTag) abi.Value {
	form, t := formOf(t)
	switch form {
	case wordForm:
		words := object("enum", texts(strings.Split(tag.Get("word"), "|")))
		return object("anyOf", abi.ArrayValue(words, describeType(t.Field(1).Type, tag)))
	case structForm:
		var members []abi.Member
		for _, f := range fieldsOf(t) {
			members = append(members, abi.Member{Name: f.name, Value: describeType(f.typ, f.tag).With("description", abi.StringValue(f.tag.Get("doc")))})
		}
		return object("type", abi.StringValue("object"), "properties", abi.ObjectValue(members...), "additionalProperties", abi.BoolValue(false))
	case mapForm:
		inner := tag
		if f, _ := formOf(t.Elem()); f != leafForm && f != listForm {
			inner = ""
		}
		s := object("type", abi.StringValue("object"), "additionalProperties", describeType(t.Elem(), inner))
		if tag.Get("keys") == "position" {
			s = s.With("propertyNames", object("enum", texts(positionNames())))
		}
		return s
	case listForm:
		list := object("type", abi.StringValue("array"), "items", describeType(t.Elem(), tag))
		if tag.Get("one") != "" {
			return object("anyOf", abi.ArrayValue(describeType(t.Elem(), tag), list))
		}
		return list
	}
	if words := enumOf(tag); words != nil {
		return object("enum", texts(words))
	}
	return describeScalar(leafIs(t, tag))
}

func describeScalar(is string) abi.Value {
	kind := func(names ...string) abi.Value {
		if len(names) == 1 {
			return object("type", abi.StringValue(names[0]))
		}
		return object("type", texts(names))
	}
	switch is {
	case "bool":
		return kind("boolean")
	case "version":
		return object("const", abi.IntValue(formatVersion))
	case "count":
		return kind("integer").With("minimum", abi.IntValue(0)).With("maximum", abi.IntValue(maxCount))
	case "number":
		return kind("number")
	case "size":
		// A pattern is about text only, and the bounds are about numbers only.
		return kind("integer", "string").With("pattern", abi.StringValue(sizeForm)).With("minimum", abi.IntValue(0)).With("maximum", abi.IntValue(maxCount-1))
	case "duration":
		return describePeriod(durationForm)
	case "wait":
		return kind("string").With("pattern", abi.StringValue(durationForm))
	case "per":
		return describePeriod(`^session$|^day@[A-Z]|` + durationForm)
	case "scalar":
		return kind("string", "number", "boolean")
	case "settings":
		return kind("object")
	case "digest":
		return kind("string").With("pattern", abi.StringValue("^sha256:[0-9a-f]{64}$"))
	case "name":
		return kind("string").With("pattern", abi.StringValue(namePattern))
	}
	// Plain scalars in text members stay text, whatever an editor takes them for.
	return kind("string", "number", "boolean")
}

// The forms of sizes and durations as text. Bounds that depend on the unit are
// not part of them. Go's durations are no other standard's: package time,
// ParseDuration.
const (
	sizeForm     = `^([0-9]{1,16}B?|[0-9]{1,13}KiB|[0-9]{1,10}MiB|[0-9]{1,7}GiB)$`
	durationForm = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`
)

// describePeriod is text of a form that a duration of zero has too: one more pattern asks
// for another digit, or for the word that has none.
func describePeriod(pattern string) abi.Value {
	return object("type", abi.StringValue("string"), "pattern", abi.StringValue(pattern),
		"allOf", abi.ArrayValue(object("pattern", abi.StringValue("[1-9]|session|day@"))))
}

// object makes an object of names and values in turn.
func object(pairs ...any) abi.Value {
	var members []abi.Member
	for i := 0; i+1 < len(pairs); i += 2 {
		members = append(members, abi.Member{Name: pairs[i].(string), Value: pairs[i+1].(abi.Value)})
	}
	return abi.ObjectValue(members...)
}

func texts(words []string) abi.Value {
	items := make([]abi.Value, len(words))
	for i, w := range words {
		items[i] = abi.StringValue(w)
	}
	return abi.ArrayValue(items...)
}

// indent appends a value for people: one member in a line, members sorted.
func indent(dst []byte, v abi.Value, in string) []byte {
	if v.Kind() != abi.Object || v.Len() == 0 {
		return v.Append(dst)
	}
	dst = append(dst, "{\n"...)
	for i, m := range v.Members() {
		if i > 0 {
			dst = append(dst, ",\n"...)
		}
		dst = append(dst, in+"  "...)
		dst = append(abi.AppendString(dst, m.Name), ": "...)
		dst = indent(dst, m.Value, in+"  ")
	}
	return append(append(append(dst, '\n'), in...), '}')
}
