package policy

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/callgate/callgate/abi"
)

// A test of this package compiles the packs, and fails where what is in packs
// is not what it makes of their files.
//
//go:generate go test -count=1 -run=^TestPacksAreCompiledAsTheyAreWritten$ . -args compile

// packFile is the file of a pack, as rules name it.
func packFile(name string) string { return "packs/" + name + ".yaml" }

// compiledPack reads a pack in the form that it has in [Policy.Value]. Most
// packs never bind in a process, so an entry becomes a Go value when a tool of
// its name turns up.
func compiledPack(data []byte) (*layer, error) {
	v, err := abi.Parse(data)
	if err != nil {
		return nil, err
	}
	y := &layer{label: v.Get("label").Str(), pack: v.Get("pack").Str(), value: v.Get("policy"), lines: v.Get("lines"), compiled: v}
	y.late = sync.OnceValue(func() *file {
		f := &file{}
		c := issues{}
		if c.fill(y.value.With("tools", abi.Value{}), reflect.ValueOf(f).Elem(), "", ""); len(c.list) > 0 {
			return &file{} // vouches for nothing
		}
		return f
	})
	for _, m := range y.value.Get("tools").Members() {
		tool := sync.OnceValue(func() *tool { return compiledTool(m.Value) })
		y.keys = append(y.keys, keyed{parseKey(m.Name), abi.Join("/tools", m.Name), tool})
	}
	slices.SortFunc(y.keys, func(a, b keyed) int { return strings.Compare(a.key.tool, b.key.tool) })
	return y, nil
}

// compiledTool reads an entry of a compiled pack. One that cannot be read
// denies.
func compiledTool(v abi.Value) *tool {
	t := &tool{}
	c := issues{}
	if c.fill(v, reflect.ValueOf(t).Elem(), "", ""); len(c.list) > 0 {
		deny := abi.Deny.String()
		return &tool{Verdict: &deny}
	}
	return t
}
