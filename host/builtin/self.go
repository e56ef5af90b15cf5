package builtin

import (
	"path"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Self keeps a call away from Callgate itself: its policy files, its state, its
// trust, the wrapped client's configuration, and its own command.
//
// Policy: none. It is always on, and no `replace` removes it.
//
// Every string of the arguments is looked at, or of what another kind of call has
// in their place: a URI, the params. Keys too, at any depth. A string
// that names a protected path or something below it is refused; for tools that
// move, delete, overwrite or link, a directory above one is refused as well. Command
// lines are split into words, and refused also where they run callgate. Text
// that merely mentions a path in prose passes. It abstains otherwise. Codes:
// SELF_PATH, SELF_COMMAND.
//
// The comparison is lexical and always ignores letter case. What a shell would
// compute, and links, are out of its reach.
type Self struct {
	destructive bool // the tool's name says that it moves, deletes or overwrites
	shell       bool // the tool's name says that it runs commands
}

// NewSelf makes the contract; it judges every tool.
func NewSelf(r *contract.Rules) (contract.Contract, error) {
	return &Self{
		destructive: hasWord(r.Tool, "move", "mv", "rename", "delete", "remove", "rm", "rmdir", "drop", "purge", "trash", "unlink", "write", "chmod", "symlink", "ln"),
		shell: hasWord(r.Tool, "shell", "bash", "sh", "zsh", "terminal", "exec", "execute", "command", "cmd", "powershell", "pwsh",
			"process", "repl", "ssh", "console", "subprocess"),
	}, nil
}

// longText is the size from which a string is content, unless its argument's
// name says otherwise.
const longText = 4 << 10

// Judge looks at every string that the call carries.
func (c *Self) Judge(s *abi.Snapshot) abi.Verdict {
	l := look{Self: c, place: &s.Session.Place, trail: newTrail()}
	for _, p := range s.Session.Protected {
		if p = protectedForm(p, l.place); p != "" {
			l.protected = append(l.protected, p)
		}
	}
	l.remote.keepAway(&l)
	v, base := s.Call.Values()
	l.base = base
	l.value(v, use{})
	l.elsewhere("/call/task", s.Call.Task)
	return joined("self", l.found)
}

// protectedForm is a protected path as values are compared with it.
func protectedForm(p string, place *abi.Place) string {
	if place.Platform == "windows" {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	if p == "" {
		return ""
	}
	return foldPath(path.Clean(p))
}

// use is what the names on the way to a value say of it.
type use struct {
	path, command, content bool
	label                  bool // it says which thing, not what to run
	vector                 bool // an array of it is the words of one command
}

// under is what the name of a member says of what stands in it.
func (u use) under(name string) use {
	bare := unnumbered(name)
	s := squash(bare)
	whole := &s
	if len(bare) < len(name) {
		numbered := squash(name)
		whole = &numbered
	}
	inner := use{path: u.path || s.path(true) || s.uri(), command: u.command || s.command(), content: whole.content(), label: whole.label()}
	inner.vector = inner.command && !s.commands()
	return inner
}

// look is one call being looked at.
type look struct {
	*Self
	place     *abi.Place
	protected []string // canonical, folded
	remote    remoteness
	found     []violation
	base      string // pointer of the arguments into the snapshot
	trail     trail
}

func (l *look) report(code, at string) {
	v := violation{code: code, at: at, reason: "an argument reaches a file that belongs to callgate or to the client's configuration",
		mend: "do it by hand if it is wanted; no rule allows it to a tool"}
	if code == "SELF_COMMAND" {
		v.reason = "an argument runs callgate itself"
	}
	l.found = append(l.found, v)
}

// elsewhere looks at what a call carries beside its arguments.
func (l *look) elsewhere(at string, v abi.Value) {
	v.Walk(at, func(at string, v abi.Value, _ bool) {
		if v.IsString() && l.touches(v.Str(), true) {
			l.report("SELF_PATH", at)
		}
	})
}

func (l *look) value(v abi.Value, u use) {
	switch v.Kind() {
	case abi.String, abi.RawString:
		l.text(v.Str(), u)
	case abi.Array:
		if u.vector {
			l.vector(v.Items(), nil)
		}
		for i, item := range v.Items() {
			if u.vector && item.IsString() {
				continue
			}
			l.trail.item(i)
			l.value(item, u)
			l.trail.up()
		}
	case abi.Object:
		l.object(v, u)
	}
}

func (l *look) object(v abi.Value, u use) {
	program, sought := "", false
	members := v.Members()
	for i := range members {
		m := &members[i]
		l.trail.member(m.Name)
		l.key(m.Name)
		inner := u.under(m.Name)
		if inner.vector && m.Value.Kind() == abi.Array && !sought {
			program, sought = programIn(v), true
		}
		if inner.vector && m.Value.Kind() == abi.Array && program != "" {
			l.vector(m.Value.Items(), words(program))
		} else {
			l.value(m.Value, inner)
		}
		l.trail.up()
	}
}

// programIn returns the program that an argument vector belongs to: a
// command-like string beside it.
func programIn(object abi.Value) string {
	for _, m := range object.Members() {
		if m.Value.IsString() && commandName(m.Name) {
			return m.Value.Str()
		}
	}
	return ""
}

func (l *look) key(name string) {
	if strings.ContainsAny(name, `/\~`) && l.touches(name, false) {
		l.report("SELF_PATH", l.trail.pointer(l.base))
	}
}

// text looks at one string.
func (l *look) text(s string, u use) {
	if s == "" {
		return
	}
	command := u.command || l.shell && !u.path && !u.content && !(u.label && !blank(s))
	long := len(s) > longText || strings.IndexByte(s, '\n') >= 0
	if command {
		l.command(s)
	}
	if long && !u.path && !command {
		return
	}
	near := len(l.protected) > 0 && !l.remote.from(s)
	switch {
	case near && l.below(s, l.place), l.holds(s, u.path), command && l.commandTouches(s), near && !u.content && l.wordTouches(s):
		l.report("SELF_PATH", l.trail.pointer(l.base))
	case near && (u.path || command) && l.mentions(s):
		l.report("SELF_PATH", l.trail.pointer(l.base))
	}
}

// wordTouches says whether a word of a string that starts as absolute paths do
// reaches a protected path.
func (l *look) wordTouches(s string) bool {
	if !strings.ContainsAny(s, " \t\n,;=") {
		return false
	}
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == ',' || r == ';' || r == '=' }) {
		w = strings.Trim(w, `"'()<>[]{}`)
		if startsLikePath(w) && l.below(w, l.place) {
			return true
		}
	}
	return false
}

// touches says whether a string, read as a path, is a protected path or lies
// below one; named says that its argument's name calls it a path, in which case
// a directory above one counts too for tools that would take it away.
func (l *look) touches(s string, named bool) bool {
	return len(l.protected) > 0 && !l.remote.from(s) && l.below(s, l.place) || l.holds(s, named)
}

// holds says whether a string, read as a path, is a directory above a protected
// path, for tools that would take it away.
func (l *look) holds(s string, named bool) bool {
	return len(l.protected) > 0 && l.destructive && s != "" && (named || s[0] == '/' && len(s) > 1) && l.above(s, l.place)
}

// mentions says whether a text holds a protected path that starts and ends at a
// boundary of names.
func (l *look) mentions(s string) bool {
	s = foldPath(s)
	for _, p := range l.protected {
		for from := 0; ; {
			i := strings.Index(s[from:], p)
			if i < 0 {
				break
			}
			start, end := from+i, from+i+len(p)
			if (start == 0 || !nameByte(s[start-1])) && (end == len(s) || !nameByte(s[end])) {
				return true
			}
			from = start + 1
		}
	}
	return false
}

// nameByte says whether a byte can go on in a file name that prose or a command
// line mentions.
func nameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80
}
