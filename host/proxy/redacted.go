package proxy

import (
	"errors"
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/wire"
)

// editsOf are the gate's edits among its answers: of a call, or of what a server
// said.
func editsOf(answers []abi.Event) []abi.Edit {
	var out []abi.Edit
	for _, a := range answers {
		if a.Edit != nil {
			out = append(out, a.Edit.Edits...)
		}
	}
	return out
}

// body is where the value stands in a frame that edits of it point into.
func body(f wire.Frame) wire.Span {
	switch {
	case f.Kind == wire.Response:
		return f.Result
	case f.Kind == wire.ErrorResponse:
		return f.Error
	case f.Call != nil:
		return f.Call.Arguments
	}
	return f.Params
}

// spliced makes edits of a value in the bytes of its frame. Of a string only the
// pieces that are cut out are written anew.
func spliced(raw []byte, within wire.Span, edits []abi.Edit) ([]byte, error) {
	if len(edits) == 0 {
		return raw, nil
	}
	if within.IsZero() {
		return nil, errors.New("the frame has no value to edit")
	}
	var splices []wire.Edit
	for _, e := range edits {
		at, err := wire.Find(raw, within, e.At)
		if err != nil {
			return nil, err
		}
		if e.With.Exists() {
			splices = append(splices, wire.Edit{Span: at, With: wire.AppendString(nil, e.With.Str())})
			if !e.With.IsString() {
				splices[len(splices)-1].With = e.With.Append(nil)
			}
			continue
		}
		cuts, err := wire.CutString(raw, at, pieces(e.Cuts))
		if err != nil {
			return nil, fmt.Errorf("a text: %w", err)
		}
		splices = append(splices, cuts...)
	}
	return wire.Splice(raw, splices)
}

func pieces(cuts []abi.Cut) []wire.Cut {
	out := make([]wire.Cut, len(cuts))
	for i, c := range cuts {
		out[i] = wire.Cut{From: int(c.From), To: int(c.To), With: c.With}
	}
	return out
}
