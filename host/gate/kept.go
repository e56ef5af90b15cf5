package gate

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/redact"
)

// Kept returns an event as the ledger may have it, and whether that is less than
// what the gate is to see.
func (s *State) Kept(e abi.Event) (abi.Event, bool) {
	if !s.hides(redact.Ledger) {
		return e, false
	}
	set := s.policy.Redact()
	less := false
	keep := func(v abi.Value, body bool) abi.Value {
		kept, other := set.Kept(redact.Ledger, v, body)
		less = less || other
		return kept
	}
	switch {
	case e.Call != nil:
		c := *e.Call
		v, _ := c.Values()
		if v = keep(v, c.Kind.FromServer()); less {
			c.SetValues(v)
		}
		c.Task = keep(c.Task, false)
		e.Call = &c
	case e.Result != nil:
		r := *e.Result
		r.Value, r.Error = keep(r.Value, true), keep(r.Error, false)
		e.Result = &r
	case e.Frame != nil:
		f := *e.Frame
		f.Frame = keep(f.Frame, true)
		e.Frame = &f
	case e.User != nil:
		e.User = &abi.UserEvent{Text: keep(abi.StringValue(e.User.Text), false).Str()}
	case e.Refused != nil:
		r := *e.Refused
		r.Bytes, less = keptBytes(set, r.Bytes)
		e.Refused = &r
	default:
		return e, false
	}
	e.Redacted = less
	return e, less
}

// keptBytes redacts the bytes of a frame: as they are, and what they say.
func keptBytes(set *redact.Set, data []byte) ([]byte, bool) {
	less := false
	if v, err := abi.Parse(data); err == nil {
		if kept, other := set.Kept(redact.Ledger, v, false); other {
			data, less = kept.Append(nil), true
		}
	}
	text := set.Text(redact.Ledger, string(data))
	return []byte(text), less || text != string(data)
}

// markers lists what the policy puts in place of redacted text.
func (s *State) markers() []string {
	if s.policy == nil {
		return nil
	}
	return s.policy.Redact().Markers()
}

// hides says whether the policy keeps text out of a place.
func (s *State) hides(w redact.Where) bool { return s.policy != nil && s.policy.Redact().Covers(w) }

// veiled is a verdict as it may be kept. A snippet may hold the half of what has
// to be redacted, which no pattern finds.
func (s *State) veiled(v abi.Verdict) abi.Verdict {
	v.At = s.veiledTexts(redact.Ledger, v.At)
	v.Witness = s.veiledEvidence(redact.Ledger, v.Witness)
	v.Plugin = s.veiledReceipt(v.Plugin)
	also := make([]abi.Verdict, len(v.Also))
	for i := range v.Also {
		also[i] = s.veiled(v.Also[i])
	}
	if len(also) > 0 {
		v.Also = also
	}
	return v
}

func (s *State) veiledTexts(w redact.Where, list []string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = s.policy.Redact().Text(w, out[i])
	}
	return out
}

func (s *State) veiledEvidence(w redact.Where, evidence []abi.Evidence) []abi.Evidence {
	out := withoutSnippets(evidence)
	for i := range out {
		out[i].Pointer = s.policy.Redact().Text(w, out[i].Pointer)
	}
	return out
}

// veiledItems are the items of a question as they may be shown. values are those
// of the call. Of an address that redaction takes away, nothing is left.
func (s *State) veiledItems(w redact.Where, items []abi.AskItem, values, shown abi.Value) []abi.AskItem {
	set := s.policy.Redact()
	out := make([]abi.AskItem, len(items))
	for i, item := range items {
		if item.Finding != nil {
			f := *item.Finding
			was, is := values.At(f.At), shown.At(f.At)
			switch {
			case f.Key:
				f.Value, f.Identity = set.Text(w, f.Value), set.Text(w, f.Identity)
			case was.IsString() && !was.Equal(is):
				if f.Value = set.Text(w, f.Value); !strings.Contains(is.Str(), f.Value) {
					f.Value = is.Str()
				}
				f.Identity = f.Value
			}
			f.At = set.Text(w, f.At)
			f.Evidence = s.veiledEvidence(w, f.Evidence)
			item.Finding = &f
		}
		out[i] = item
	}
	return out
}

// veiledAsk is a question as it may be shown in a place, with the values of its
// call.
func (s *State) veiledAsk(w redact.Where, q abi.AskEvent, values abi.Value) (abi.AskEvent, abi.Value) {
	if !s.hides(w) {
		return q, values
	}
	shown, _ := s.policy.Redact().Kept(w, values, false)
	q.Items = s.veiledItems(w, q.Items, values, shown)
	return q, shown
}
