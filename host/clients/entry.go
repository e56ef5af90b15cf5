package clients

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// classify says what an entry is.
func (s *server) classify(d *document) {
	s.State, s.Why = s.judge()
	if s.State != Plain {
		return
	}
	words := make([]string, 0, len(s.args.items))
	for _, it := range s.args.items {
		words = append(words, it.text)
	}
	s.Command = append([]string{s.command.text}, words...)
	flags, argv, ok := parseRun(words)
	_, original := last(flags, flagOriginal)
	if !ours(s.command.text) && !(ok && original) {
		if err := abi.CheckServerName(s.Name); err != nil {
			s.State, s.Why = Broken, err.Error()+"; rename the server, as a policy can name it"
		}
		return
	}
	s.Callgate = s.command.text
	if !ok {
		s.State, s.Why = ByHand, "it runs callgate in a way that wrap does not write; it was left as it is"
		return
	}
	s.flags, s.Command, s.parsed = flags, argv, true
	s.Group, _ = last(flags, flagGroup)
	s.Floor, _ = last(flags, flagFloor)
	for _, f := range flags {
		if f.name == flagPolicy {
			s.Policies = append(s.Policies, f.value)
		}
	}
	if !original {
		s.State, s.Why = ByHand, "callgate was put in front of it by hand, or its --original was taken out; it was left as it is, and callgate unwrap --force makes an entry of what follows --"
		return
	}
	s.State, s.Why = s.agrees(d)
	if err := abi.CheckServerName(s.Name); err != nil && s.State == Wrapped {
		s.Why = err.Error() + "; unwrap the server and rename it: callgate run does not start it under this name"
	}
}

// judge says what an entry is, as far as its members tell.
func (s *server) judge() (State, string) {
	switch {
	case s.fault != "":
		return Broken, s.fault
	case s.command.kind == missing && s.url:
		return Remote, "remote server; callgate run --url can stand in front of it, see docs/clients.md"
	case s.command.kind == missing:
		return NoCommand, "it has no command: the client starts it by means of its own"
	case s.url:
		return Broken, "it has both a command and a URL, and clients differ in which one they take; take one out"
	case s.command.kind != text:
		return Broken, "its command is not a string; write the command as one, and what follows it into args"
	case s.command.text == "":
		return Broken, "its command is empty; name a program"
	case s.args.why != "":
		return Broken, s.args.why
	case s.args.kind == other || s.args.kind == text:
		return Broken, "its args are not a list of strings; write them as one"
	case hasNUL(s):
		return Broken, "its command or args hold a NUL character, which no program can be given; take it out"
	}
	return Plain, ""
}

func hasNUL(s *server) bool {
	return strings.Contains(s.command.text, "\x00") || slices.ContainsFunc(s.args.items, func(it item) bool { return strings.Contains(it.text, "\x00") })
}

// agrees says whether a wrapped entry can be unwrapped byte for byte.
func (s *server) agrees(d *document) (State, string) {
	text, _ := last(s.flags, flagOriginal)
	r, err := parseRecord(text)
	const mend = "; callgate unwrap --force makes an entry of what follows --"
	switch {
	case err != nil:
		return Edited, "its --original is damaged" + mend
	case r.format != d.format.name:
		return Edited, "its --original comes from a file in another format, " + r.format + mend
	case r.sum != digest(s.Command):
		return Edited, "its command was edited since it was wrapped" + mend
	case s.args.remarks && !s.untouched(d, r):
		return Edited, "comments were added to its args since it was wrapped" + mend
	case !r.hasArgs && s.cut == nil:
		return Edited, "its args were moved away from its command since it was wrapped; put them behind it again"
	}
	s.record = r
	return Wrapped, ""
}

// untouched says whether the args, without what wrap put before them, are still
// the bytes that were wrapped.
func (s *server) untouched(d *document, r *record) bool {
	items := s.args.items
	own := len(items) - len(s.Command) // run, the flags and --
	rest := span{items[len(items)-1].to, s.args.to}
	if len(s.Command) > 1 {
		rest.from = items[own+1].from
	}
	return r.hasArgs && span{s.args.from, items[0].from}.of(d.data)+rest.of(d.data) == r.args
}

// ours says whether a program is callgate, by its name. On Windows names have an
// ending, and no case.
func ours(program string) bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
	return base == "callgate" || base == "callgate.exe"
}
