package transport

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// HeaderParam is an argument of a tool that its calls mirror in a header: an
// x-mcp-header annotation (MCP 2026-07-28 "custom headers from tool parameters").
type HeaderParam struct {
	// Name is the annotation; the header is Mcp-Param-Name.
	Name string
	// Path are the names of the members that lead from the arguments to the value.
	Path []string
}

// Header returns the name of the header as http.Header spells it.
func (p HeaderParam) Header() string { return http.CanonicalHeaderKey(headerParam + p.Name) }

// In returns the value that is mirrored, absent if the call has none.
func (p HeaderParam) In(arguments abi.Value) abi.Value {
	for _, name := range p.Path {
		arguments = arguments.Get(name)
	}
	return arguments
}

// Text returns what the header of a value has to say, before encoding: strings
// as they are, integers and booleans in their JSON form. It returns false for a
// value that has no header: absent, null, no primitive, or an integer that
// JavaScript can not hold.
func (p HeaderParam) Text(v abi.Value) (string, bool) {
	switch v.Kind() {
	case abi.String, abi.RawString:
		return v.Str(), true
	case abi.Bool:
		return v.Lexeme(), true
	case abi.Number:
		n, err := strconv.ParseFloat(v.Lexeme(), 64)
		if err != nil || n == math.Trunc(n) && math.Abs(n) > maxSafe {
			return "", false
		}
		return strconv.FormatFloat(n, 'f', -1, 64), true
	}
	return "", false
}

// maxSafe is the greatest integer that a double tells from its neighbours.
const maxSafe = 1<<53 - 1

// HeaderParams returns the annotated parameters of an inputSchema, in the order
// of their paths. An annotation that breaks a rule of the specification makes
// the tool invalid to clients: it returns an error, and no parameters.
func HeaderParams(schema abi.Value) ([]HeaderParam, error) {
	s := paramScan{seen: map[string]bool{}}
	if err := s.visit(schema, nil, true); err != nil {
		return nil, err
	}
	return s.found, nil
}

const annotation = "x-mcp-header"

type paramScan struct {
	found []HeaderParam
	seen  map[string]bool
}

// visit walks a schema. Only a chain of properties leads to an argument; below
// any other keyword an annotation is a mistake.
func (s *paramScan) visit(schema abi.Value, path []string, reachable bool) error {
	if schema.Kind() != abi.Object {
		return nil
	}
	if name := schema.Get(annotation); name.Exists() {
		if !reachable || len(path) == 0 {
			return fmt.Errorf("%s at %q: only properties of properties can be mirrored; move the annotation there", annotation, strings.Join(path, "."))
		}
		if err := s.add(name, schema.Get("type"), path); err != nil {
			return err
		}
	}
	for _, m := range schema.Members() {
		var err error
		switch m.Name {
		case "properties":
			err = s.members(m.Value, path, reachable)
		case "patternProperties", "dependentSchemas", "$defs", "definitions":
			err = s.members(m.Value, path, false)
		case "items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames",
			"oneOf", "anyOf", "allOf", "not", "if", "then", "else":
			err = s.visit(m.Value, path, false)
			for _, item := range m.Value.Items() {
				if err == nil {
					err = s.visit(item, path, false)
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *paramScan) members(schemas abi.Value, path []string, reachable bool) error {
	for _, m := range schemas.Members() {
		below := append(path[:len(path):len(path)], m.Name)
		if err := s.visit(m.Value, below, reachable); err != nil {
			return err
		}
	}
	return nil
}

func (s *paramScan) add(name, kind abi.Value, path []string) error {
	where := strings.Join(path, ".")
	switch folded := strings.ToLower(name.Str()); {
	case !isToken(name.Str()):
		return fmt.Errorf("%s at %q is no name of a header; want letters, digits and hyphens", annotation, where)
	case !primitive(kind):
		return fmt.Errorf("%s at %q: only strings, integers and booleans can be mirrored; want one of those types", annotation, where)
	case s.seen[folded]:
		return fmt.Errorf("%s at %q names a header twice: %q; want each name once, whatever its case", annotation, where, name.Str())
	default:
		s.seen[folded] = true
		s.found = append(s.found, HeaderParam{Name: name.Str(), Path: path})
		return nil
	}
}

// primitive says whether a type, or each of several, is one that a header can mirror.
func primitive(kind abi.Value) bool {
	if kind.Kind() == abi.Array {
		for _, item := range kind.Items() {
			if item.Kind() == abi.Array || !primitive(item) {
				return false
			}
		}
		return kind.Len() > 0
	}
	switch kind.Str() {
	case "string", "integer", "boolean":
		return true
	}
	return false
}

func checkParams(h http.Header, f wire.Frame, schema abi.Value) *Refusal {
	// To clients, a tool with a faulty annotation does not exist, and its headers mirror nothing.
	params, err := HeaderParams(schema)
	if err != nil || len(params) == 0 {
		return nil
	}
	var arguments abi.Value
	if raw := f.Call.Arguments.In(f.Raw); len(raw) > 0 {
		if arguments, err = abi.Parse(raw); err != nil {
			return Refuse(http.StatusBadRequest, CodeInvalidRequest, "the arguments can not be read; send strict JSON")
		}
	}
	for _, p := range params {
		if bad := checkParam(h, f, p, p.In(arguments)); bad != nil {
			return bad
		}
	}
	return nil
}

func checkParam(h http.Header, f wire.Frame, p HeaderParam, v abi.Value) *Refusal {
	value, present := one(h, p.Header())
	text, mirrored := p.Text(v)
	switch {
	case !present && mirrored && f.Modern:
		return mismatch("the call has the argument %q and no %s header; list the tools again and send it", short(strings.Join(p.Path, ".")), p.Header())
	case !present:
		return nil
	case !mirrored:
		return mismatch("%s is %q and the call has no argument %q that a header can carry; leave the header out", p.Header(), short(value), short(strings.Join(p.Path, ".")))
	}
	decoded, ok := DecodeHeaderValue(value)
	switch {
	case !ok:
		return mismatch("%s is %q, which is no valid =?base64?...?= value; encode UTF-8 with padding", p.Header(), short(value))
	case decoded != text && !(v.Kind() == abi.Number && sameNumber(decoded, v.Lexeme())):
		return mismatch("%s is %q and the argument %q is %q; send the same", p.Header(), short(decoded), short(strings.Join(p.Path, ".")), short(text))
	}
	return nil
}

// sameNumber compares by value, as servers should: 42 and 42.0 are equal. The
// lexeme is of a number that Text has an answer for, so it is exact.
func sameNumber(header, lexeme string) bool {
	digits := strings.TrimPrefix(header, "-")
	whole, fraction, hasFraction := strings.Cut(digits, ".")
	if !allDigits(whole) || hasFraction && !allDigits(fraction) {
		return false
	}
	a, errA := strconv.ParseFloat(header, 64)
	b, errB := strconv.ParseFloat(lexeme, 64)
	return errA == nil && errB == nil && a == b
}

func allDigits(text string) bool {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}
