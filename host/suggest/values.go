package suggest

import (
	"regexp"
	"slices"

	"github.com/callgate/callgate/abi"
)

// values is a list of the values of one argument that were used, of those that
// the tool's schema has.
type values struct {
	arg    string
	used   []abi.Value
	unused abi.Value // one that the schema has and no call used
}

// plainArgument is an argument's name that needs no second look.
var plainArgument = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// closedValues finds the arguments whose schema lists their values, or is a
// flag, and of which not all were used. Only there is a list of what was used no
// guess about what else there could be.
func closedValues(calls []*call) []values {
	var out []values
	properties := calls[len(calls)-1].schema.Get("properties")
	for _, m := range properties.Members() {
		all := closed(m.Value)
		if len(all) == 0 || !plainArgument.MatchString(m.Name) {
			continue
		}
		v := values{arg: m.Name}
		known := true
		for _, c := range calls {
			used := c.arguments.Get(m.Name)
			if !used.Exists() {
				continue
			}
			known = known && has(all, used)
			if !has(v.used, used) {
				v.used = append(v.used, used)
			}
		}
		for _, one := range all {
			if !has(v.used, one) {
				v.unused = one
				break
			}
		}
		if known && len(v.used) > 0 && v.unused.Exists() {
			out = append(out, v)
		}
	}
	return out
}

// closed lists the values of a schema that has a list of scalars.
func closed(schema abi.Value) []abi.Value {
	list := schema.Get("enum").Items()
	if len(list) == 0 && schema.Get("type").Str() == "boolean" {
		list = []abi.Value{abi.BoolValue(false), abi.BoolValue(true)}
	}
	if len(list) > 64 || slices.ContainsFunc(list, func(v abi.Value) bool {
		return v.Kind() != abi.String && v.Kind() != abi.Number && v.Kind() != abi.Bool
	}) {
		return nil
	}
	return list
}

func has(list []abi.Value, v abi.Value) bool {
	return slices.ContainsFunc(list, v.Equal)
}
