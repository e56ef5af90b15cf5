package clients

import (
	"fmt"
	"slices"
)

// UnwrapOptions say what unwrap takes away.
type UnwrapOptions struct {
	Servers []string // the servers that are meant; nil means all
	// Force makes an entry of what follows -- where what was wrapped can not be
	// restored.
	Force bool
}

// Unwrap takes callgate away from servers, so that each has again the bytes that
// were wrapped. It is a mistake if one of them can not have them, and nothing is
// unwrapped then.
func (l Layout) Unwrap(data []byte, o UnwrapOptions) ([]byte, []Outcome, error) {
	d, err := l.parse(data)
	if err != nil {
		return nil, nil, err
	}
	if err := d.named(o.Servers); err != nil {
		return nil, nil, err
	}
	plan := make([]Action, len(d.servers))
	var edits []edit
	for i := range d.servers {
		s := &d.servers[i]
		rebuild := o.Force && l.lost(d, i)
		switch {
		case !meant(o.Servers, s.Name):
		case rebuild:
			plan[i] = DidUnwrap
			s.record = nil
			edits = append(edits, s.rebuild(d.format)...)
		case s.State == Wrapped:
			plan[i] = DidUnwrap
			edits = append(edits, s.unwrap()...)
		case s.State == Edited:
			return nil, nil, &Mistake{Line: s.Line, Text: fmt.Sprintf("server %q: %s", s.Name, s.Why)}
		case s.State == Plain:
			plan[i] = Unchanged
		default:
			plan[i] = Left
		}
	}
	out := d.apply(edits)
	after, err := l.unwrapped(d, out, plan)
	if err != nil {
		return nil, nil, err
	}
	return out, outcomes(after, plan), nil
}

// lost says whether an entry that callgate is in front of can not be restored.
func (l Layout) lost(d *document, i int) bool {
	s := &d.servers[i]
	if s.State != Wrapped {
		return s.parsed
	}
	plan := make([]Action, len(d.servers))
	plan[i] = DidUnwrap
	_, err := l.unwrapped(d, d.apply(s.unwrap()), plan)
	return err != nil
}

// unwrap is the edits that restore what a record holds.
func (s *server) unwrap() []edit {
	edits := []edit{{s.command.span, s.record.command}}
	if s.record.hasArgs {
		return append(edits, edit{s.args.span, s.record.args})
	}
	for _, c := range s.cut {
		edits = append(edits, edit{c, ""})
	}
	return edits
}

// rebuild is the edits that leave of an entry what follows --.
func (s *server) rebuild(f format) []edit {
	command := edit{s.command.span, f.quote(s.Command[0])}
	items := s.args.items
	if len(s.Command) == 1 {
		return []edit{command, {s.args.span, "[]"}}
	}
	return []edit{command, {span{items[0].from, items[len(items)-len(s.Command)+1].from}, ""}}
}

// unwrapped parses what unwrapping made of a file, and makes sure that every
// entry says what it should: what --original holds is written into the file, so
// it may be one value and nothing else.
func (l Layout) unwrapped(before *document, out []byte, plan []Action) (*document, error) {
	const mend = "; its --original was edited: callgate unwrap --force makes an entry of what follows --"
	after, err := l.parse(out)
	if err != nil {
		return nil, fmt.Errorf("it would not be read afterwards: %w%s", err, mend)
	}
	if len(after.servers) != len(before.servers) {
		return nil, &Mistake{Text: "it would have other servers afterwards" + mend}
	}
	for i := range after.servers {
		is, was := &after.servers[i], &before.servers[i]
		switch {
		case is.id() != was.id() || !slices.Equal(is.Command, was.Command):
			return nil, &Mistake{Line: was.Line, Text: fmt.Sprintf("server %q would be another afterwards", was.Name) + mend}
		case plan[i] != DidUnwrap || was.record == nil:
		case is.command.of(after.data) != was.record.command || is.args.of(after.data) != was.record.args || (is.args.kind == list) != was.record.hasArgs:
			return nil, &Mistake{Line: was.Line, Text: fmt.Sprintf("server %q would have more than it had", was.Name) + mend}
		}
	}
	return after, nil
}
