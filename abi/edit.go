package abi

import (
	"fmt"
	"slices"
)

// Edit replaces the value at a pointer into what is edited, or cuts pieces out of
// the string there.
type Edit struct {
	At   string
	With Value // absent: see Cuts
	Cuts []Cut // in order, and apart from each other
}

// Cut replaces a piece of a string.
type Cut struct {
	From, To int64 // bytes of the string as [Value.Str] has it
	With     string
}

// CutText returns a text with pieces replaced. Cuts that overlap, or lie outside
// of it, are left out.
func CutText(text string, cuts []Cut) string {
	out := make([]byte, 0, len(text))
	at := int64(0)
	for _, c := range cuts {
		if c.From < at || c.To < c.From || c.To > int64(len(text)) {
			continue
		}
		out = append(append(out, text[at:c.From]...), c.With...)
		at = c.To
	}
	return string(append(out, text[at:]...))
}

// Fits says whether cuts can be made in a text.
func Fits(text string, cuts []Cut) bool {
	at := int64(0)
	return !slices.ContainsFunc(cuts, func(c Cut) bool {
		bad := c.From < at || c.To < c.From || c.To > int64(len(text))
		at = c.To
		return bad
	})
}

// Edited returns a value with edits made, in order.
func (v Value) Edited(edits []Edit) (Value, error) {
	for i, e := range edits {
		with := e.With
		if !with.Exists() {
			is := v.At(e.At)
			if !is.IsString() || !Fits(is.Str(), e.Cuts) {
				return Value{}, fmt.Errorf("edit %d: no such text at its pointer", i)
			}
			with = StringValue(CutText(is.Str(), e.Cuts))
		}
		next, ok := v.Set(e.At, with)
		if !ok {
			return Value{}, fmt.Errorf("edit %d: nothing at its pointer", i)
		}
		v = next
	}
	return v, nil
}

func writeEdit(o *writer, e Edit) {
	o.str("at", e.At)
	o.val("with", e.With)
	each(o, "cuts", e.Cuts, func(o *writer, c Cut) {
		o.num("from", c.From)
		o.num("to", c.To)
		o.str("with", c.With)
	})
}

func readEdit(o *reader) Edit {
	return Edit{At: o.str("at"), With: o.val("with"), Cuts: items(o, "cuts", func(c *reader) Cut {
		return Cut{From: c.num("from"), To: c.num("to"), With: c.str("with")}
	}, "from", "to", "with")}
}
