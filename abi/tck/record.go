package tck

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/abi"
)

// Record writes a suite's goldens.json anew, with what a host answers now to the
// snapshots in it.
func Record(s *Suite, h Host) ([]byte, error) {
	var guests, refused []abi.Value
	for i := range s.Guests {
		g := &s.Guests[i]
		p, err := h.Load(g.Module, g.Manifest, g.Settings)
		if err != nil {
			return nil, err
		}
		cases := make([]abi.Value, len(g.Cases))
		for i, c := range g.Cases {
			cases[i] = recorded(c, p.Evaluate(c.Snapshot))
		}
		p.Close()
		guests = append(guests, abi.ObjectValue(abi.Member{Name: "file", Value: abi.StringValue(g.File)}, abi.Member{Name: "settings", Value: g.Settings},
			abi.Member{Name: "cases", Value: abi.ArrayValue(cases...)}))
	}
	for _, r := range s.Refused {
		refused = append(refused, abi.ObjectValue(abi.Member{Name: "file", Value: abi.StringValue(r.File)}, abi.Member{Name: "why", Value: abi.StringValue(r.Why)}))
	}
	all := abi.ObjectValue(abi.Member{Name: "schedule", Value: abi.StringValue(s.Schedule)}, abi.Member{Name: "guests", Value: abi.ArrayValue(guests...)},
		abi.Member{Name: "refused", Value: abi.ArrayValue(refused...)})
	text := jsontext.Value(all.Append(nil))
	err := text.Indent(jsontext.WithIndent(" "))
	return append(text, '\n'), err
}

func recorded(c Case, a Answer) abi.Value {
	v := abi.ObjectValue(abi.Member{Name: "name", Value: abi.StringValue(c.Name)}, abi.Member{Name: "snapshot", Value: c.Snapshot},
		abi.Member{Name: "fuel", Value: abi.IntValue(int64(a.Fuel))}, abi.Member{Name: "delivered", Value: abi.IntValue(int64(a.Delivered))})
	if a.Class != "" {
		return v.With("class", abi.StringValue(string(a.Class)))
	}
	return v.With("output", abi.StringValue(string(a.Output)))
}
