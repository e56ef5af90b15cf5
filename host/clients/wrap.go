package clients

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/abi"
)

// Options say what wrap puts in front of servers.
type Options struct {
	Callgate string   // the program, absolute
	Group    string   // of all; "" keeps what an entry has, or else the file's other entries
	Fallback string   // the group where there is none yet
	Policies []string // absolute; nil keeps what an entry has
	Floor    string   // absolute; "" keeps what an entry has
	Config   string   // what --config names; "" for none
	Servers  []string // the servers that are meant; nil means all
}

// Wrap puts callgate in front of servers. What can not be wrapped is left, and
// its outcome says why. The same options a second time change nothing.
func (l Layout) Wrap(data []byte, o Options) ([]byte, []Outcome, error) {
	for _, s := range append([]string{o.Callgate, o.Group, o.Fallback, o.Floor, o.Config}, o.Policies...) {
		if !utf8.ValidString(s) || strings.Contains(s, "\x00") {
			return nil, nil, &Mistake{Text: fmt.Sprintf("%q can not be written into a configuration; use a name in UTF-8", s)}
		}
	}
	d, err := l.parse(data)
	if err != nil {
		return nil, nil, err
	}
	if err := d.named(o.Servers); err != nil {
		return nil, nil, err
	}
	if o.Group == "" {
		o.Fallback = d.group(o.Fallback)
	}
	plan := make([]Action, len(d.servers))
	var undo []edit
	for i := range d.servers {
		s := &d.servers[i]
		switch {
		case !meant(o.Servers, s.Name):
		case s.State == Plain:
			plan[i] = DidWrap
		case s.State != Wrapped:
			plan[i] = Left
		case abi.CheckServerName(s.Name) != nil:
			plan[i] = Left
		case s.is(o):
			plan[i] = Unchanged
		default:
			plan[i] = DidRewrap
			undo = append(undo, s.unwrap()...)
		}
	}
	bare := d
	if len(undo) > 0 {
		if bare, err = l.parse(d.apply(undo)); err != nil {
			return nil, nil, fmt.Errorf("an --original does not fit any more: %w; callgate unwrap --force makes an entry of what follows --", err)
		}
	}
	out, err := bare.wrapAll(d, plan, o)
	if err != nil {
		return nil, nil, err
	}
	after, err := l.checked(d, bare, out, plan)
	if err != nil {
		return nil, nil, err
	}
	return out, outcomes(after, plan), nil
}

// named says which wanted servers are not there.
func (d *document) named(names []string) error {
	for _, name := range names {
		if slices.ContainsFunc(d.servers, func(s server) bool { return s.Name == name }) {
			continue
		}
		var there []string
		for _, s := range d.servers {
			there = append(there, fmt.Sprintf("%q", s.Name))
		}
		return &Mistake{Text: fmt.Sprintf("no server %q; there are: %s", name, strings.Join(there, ", "))}
	}
	return nil
}

func meant(names []string, name string) bool { return names == nil || slices.Contains(names, name) }

// group is the group that the wrapped entries of a file have, if it is one.
func (d *document) group(otherwise string) string {
	found := ""
	for _, s := range d.servers {
		if s.State != Wrapped || s.Group == "" {
			continue
		}
		if found != "" && found != s.Group {
			return otherwise
		}
		found = s.Group
	}
	if found == "" {
		return otherwise
	}
	return found
}

// want is the flags that an entry should have, without --original.
func (s *server) want(o Options, had []flag) []flag {
	group, _ := last(had, flagGroup)
	if o.Group != "" {
		group = o.Group
	} else if group == "" {
		group = o.Fallback
	}
	flags := []flag{{flagServer, s.Name}, {flagGroup, group}}
	keep := func(name string) {
		for _, f := range had {
			if f.name == name {
				flags = append(flags, f)
			}
		}
	}
	if o.Policies == nil {
		keep(flagPolicy)
	}
	for _, p := range o.Policies {
		flags = append(flags, flag{flagPolicy, p})
	}
	if o.Floor == "" {
		keep(flagFloor)
	} else {
		flags = append(flags, flag{flagFloor, o.Floor})
	}
	keep(flagLedger)
	if o.Config != "" {
		flags = append(flags, flag{flagConfig, o.Config})
	}
	return flags
}

// is says whether a wrapped entry is what the options make of it.
func (s *server) is(o Options) bool {
	text, _ := last(s.flags, flagOriginal)
	return s.command.text == o.Callgate && slices.Equal(s.flags, append(s.want(o, s.flags), flag{flagOriginal, text}))
}

// wrapAll wraps the entries of a document that the plan says; had has the flags
// that they had.
func (d *document) wrapAll(had *document, plan []Action, o Options) ([]byte, error) {
	if len(d.servers) != len(plan) {
		return nil, &Mistake{Text: "an --original does not fit any more; callgate unwrap --force makes an entry of what follows --"}
	}
	var edits []edit
	for i := range d.servers {
		s := &d.servers[i]
		if plan[i] != DidWrap && plan[i] != DidRewrap {
			continue
		}
		r := record{format: d.format.name, command: s.command.of(d.data), sum: digest(s.Command)}
		if s.args.kind == list {
			r.args, r.hasArgs = s.args.of(d.data), true
		}
		text := r.encode()
		if len(text) > maxRecord {
			return nil, &Mistake{Line: s.Line, Text: fmt.Sprintf("server %q: its command and args are too long for a program to be started with them twice; name the other servers with --server", s.Name)}
		}
		flags := append(s.want(o, had.servers[i].flags), flag{flagOriginal, text})
		edits = append(edits, s.wrap(d.format, o.Callgate, runArgs(flags, s.command.text))...)
	}
	return d.apply(edits), nil
}

// wrap is the edits that put a program with words in front of an entry's args.
func (s *server) wrap(f format, program string, words []string) []edit {
	command := edit{s.command.span, f.quote(program)}
	if s.args.kind != list {
		var items []string
		for _, w := range words {
			items = append(items, f.quote(w))
		}
		command.text += s.around[0] + strings.Join(items, s.comma+s.gap) + s.around[1]
		return []edit{command}
	}
	a := s.args
	var b strings.Builder
	for i, w := range words {
		b.WriteString(a.dash + f.quote(w))
		if i < len(words)-1 || len(a.items) > 0 {
			b.WriteString(a.comma + a.gap)
		}
	}
	return []edit{command, {span{a.at, a.at}, b.String()}}
}

// checked parses what wrapping made of a file, and makes sure that every entry
// says what it should and that unwrapping gives back every byte.
func (l Layout) checked(before, bare *document, out []byte, plan []Action) (*document, error) {
	wrong := func(what string) error {
		return &Mistake{Text: what + "; the file is written in a way that can not be wrapped: write its servers in a simpler way, or wrap them by hand"}
	}
	after, err := l.parse(out)
	if err != nil {
		return nil, wrong("it would not be read afterwards (" + err.Error() + ")")
	}
	if len(after.servers) != len(before.servers) {
		return nil, wrong("it would have other servers afterwards")
	}
	var undo []edit
	for i := range after.servers {
		is, was := &after.servers[i], &before.servers[i]
		if is.id() != was.id() || !slices.Equal(is.Command, was.Command) {
			return nil, wrong(fmt.Sprintf("server %q would be another afterwards", was.Name))
		}
		if plan[i] == DidWrap || plan[i] == DidRewrap {
			if is.State != Wrapped {
				return nil, wrong(fmt.Sprintf("server %q would be %s afterwards", was.Name, is.State))
			}
			undo = append(undo, is.unwrap()...)
		} else if is.State != was.State {
			return nil, wrong(fmt.Sprintf("server %q would be %s afterwards", was.Name, is.State))
		}
	}
	if !bytes.Equal(after.apply(undo), bare.apply(nil)) {
		return nil, wrong("it would not be unwrapped byte for byte")
	}
	return after, nil
}

// outcomes describes what was done.
func outcomes(d *document, plan []Action) []Outcome {
	var out []Outcome
	for i, action := range plan {
		if action != "" {
			out = append(out, Outcome{d.servers[i].Entry, action})
		}
	}
	return out
}
