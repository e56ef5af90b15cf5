package policy

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/callgate/callgate/abi"
)

// valueVersion is the version of the form of [Policy.Value].
const valueVersion = 1

// encode returns the policy as a value; without lines it is what the digest
// covers.
func (p *Policy) encode(lines bool) abi.Value {
	members := []abi.Member{
		{Name: "v", Value: abi.IntValue(valueVersion)},
		{Name: "layers", Value: encodeLayers(p.layers, lines)},
	}
	if len(p.packs) > 0 {
		members = append(members, abi.Member{Name: "packs", Value: encodeLayers(p.packs, lines)})
	}
	if p.floor != nil {
		members = append(members, abi.Member{Name: "floor", Value: p.floor.encode(lines)})
	}
	return abi.ObjectValue(members...)
}

func encodeLayers(layers []*layer, lines bool) abi.Value {
	items := make([]abi.Value, len(layers))
	for i, y := range layers {
		if lines && y.compiled.Exists() {
			items[i] = y.compiled
			continue
		}
		members := []abi.Member{{Name: "policy", Value: y.value}}
		if y.pack != "" {
			members = append(members, abi.Member{Name: "pack", Value: abi.StringValue(y.pack)})
		}
		if of := y.bundlesValue(); of.Exists() {
			members = append(members, abi.Member{Name: "bundles", Value: of})
		}
		if lines {
			members = append(members,
				abi.Member{Name: "label", Value: abi.StringValue(y.label)},
				abi.Member{Name: "lines", Value: y.lines})
		}
		items[i] = abi.ObjectValue(members...)
	}
	return abi.ArrayValue(items...)
}

// Decode is the strict inverse of [Policy.Value].
func Decode(v abi.Value) (*Policy, error) {
	p, err := decode(v, false)
	if err != nil {
		return nil, fmt.Errorf("policy value: %w", err)
	}
	p.finish()
	if !p.value.Equal(v) {
		return nil, errors.New("policy value: not in its canonical form; want what a policy's Value returns")
	}
	return p, nil
}

func decode(v abi.Value, floor bool) (*Policy, error) {
	for _, m := range v.Members() {
		if !slices.Contains([]string{"v", "layers", "packs", "floor"}, m.Name) || floor && (m.Name == "packs" || m.Name == "floor") {
			return nil, fmt.Errorf("unknown member %q", m.Name)
		}
	}
	if n := v.Get("v").Lexeme(); n != strconv.Itoa(valueVersion) {
		return nil, fmt.Errorf("version %q; this build reads version %d", n, valueVersion)
	}
	p := &Policy{isFloor: floor}
	as := userRole
	if floor {
		as = floorRole
	}
	var err error
	if p.layers, err = decodeLayers(v.Get("layers"), as); err != nil {
		return nil, err
	}
	if len(p.layers) == 0 {
		return nil, errors.New("no layers; want at least one")
	}
	if p.packs, err = decodeLayers(v.Get("packs"), packRole); err != nil {
		return nil, err
	}
	if f := v.Get("floor"); f.Exists() {
		if p.floor, err = decode(f, true); err != nil {
			return nil, fmt.Errorf("floor: %w", err)
		}
	}
	if !floor {
		if errs := p.join(false); len(errs) > 0 {
			return nil, join(errs)
		}
	}
	return p, nil
}

func decodeLayers(v abi.Value, as role) ([]*layer, error) {
	var list []*layer
	for i, item := range v.Items() {
		y, err := decodeLayer(item, as)
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", i, err)
		}
		list = append(list, y)
	}
	return list, nil
}

func decodeLayer(v abi.Value, as role) (*layer, error) {
	y := &layer{label: v.Get("label").Str(), pack: v.Get("pack").Str(), value: v.Get("policy"), lines: v.Get("lines")}
	if (y.pack != "") != (as == packRole) {
		return nil, errors.New("a pack has a name, and nothing else has")
	}
	if y.lines.Kind() != abi.Object {
		return nil, fmt.Errorf("lines: %s is not a map of lines", y.lines)
	}
	for _, m := range y.lines.Members() {
		if n, err := strconv.Atoi(m.Value.Lexeme()); err != nil || n < 0 || strconv.Itoa(n) != m.Value.Lexeme() {
			return nil, fmt.Errorf("lines: %q is not a line", m.Value.String())
		}
	}
	var c issues
	c.fill(y.value, reflect.ValueOf(&y.doc).Elem(), "", "")
	c.check(&y.doc, as)
	if y.doc.Include != nil {
		c.add("/include", "a joined policy includes nothing")
	}
	if len(c.list) > 0 {
		return nil, join(c.errorsOf(y.label, y.known()))
	}
	return y, y.readBundles(v.Get("bundles"))
}
