package main

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/ledger"
)

// pinned is what a group knows of a server: its pins, and what it listed and
// said of itself last, as the ledger has it.
type pinned struct {
	dir, server string
	stored      bool    // pins were kept, if only that there are none
	identity    abi.Pin // without anything: none
	tools       map[string]abi.Pin

	said     abi.Value // its result of initialize or server/discover; absent: not seen
	listed   map[string]abi.Value
	twice    map[string]bool
	complete bool // a list was seen to its end
	others   []string
}

func newPinned(dir, server string) *pinned {
	return &pinned{dir: dir, server: server, tools: map[string]abi.Pin{}, listed: map[string]abi.Value{}, twice: map[string]bool{}}
}

// readPins reads the pins that are kept.
func (k *pinned) readPins() error {
	lines, err := ledger.ReadPins(k.dir, k.server)
	if err != nil {
		return err
	}
	k.stored = lines != nil
	for _, line := range lines {
		v, err := abi.Parse(line)
		if err != nil {
			return err
		}
		if p := abi.PinFrom(v); p.Identity.Exists() {
			k.identity = p
		} else {
			k.tools[p.Definition.Get("name").Str()] = p
		}
	}
	return nil
}

// readPinned reads the pins of a server and the newest list in its ledger files.
func readPinned(dir, server string) (*pinned, error) {
	k := newPinned(dir, server)
	if err := k.readPins(); err != nil {
		return nil, err
	}
	files, err := ledger.Group(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range slices.Backward(files) {
		switch {
		case f.Server != server:
			k.others = append(k.others, f.Server)
		case len(k.listed) == 0 && !k.complete || !k.said.Exists():
			if err := k.read(f.Path); err != nil {
				return nil, err
			}
		}
	}
	return k, nil
}

// read takes what one ledger file has of lists and of what the server said. An
// older file only adds what a newer one does not have.
func (k *pinned) read(path string) error {
	wantsList, wantsSaid := len(k.listed) == 0 && !k.complete, !k.said.Exists()
	current := map[string]abi.Value{}
	return eachLine(path, func(_ int, line []byte) error {
		if !bytes.Contains(line, []byte(`"tools":{"server":`)) && !bytes.Contains(line, []byte(`"server":{"server":`)) {
			return nil
		}
		e, err := abi.ParseEvent(line)
		switch {
		case err != nil: // no event of ours; callgate ledger verify says why
		case wantsSaid && e.Server != nil && e.Server.Server == k.server:
			k.said = e.Server.Result
		case wantsList && e.Tools != nil && e.Tools.Server == k.server && (e.Tools.Source == "" || e.Tools.Source == abi.ToolsListed):
			current = k.page(e.Tools, current)
		}
		return nil
	})
}

// page takes in one page, as the gate does.
func (k *pinned) page(t *abi.ToolsEvent, current map[string]abi.Value) map[string]abi.Value {
	if !t.Paged {
		current = map[string]abi.Value{}
		clear(k.twice)
	}
	for _, d := range t.List {
		name := d.Get("name").Str()
		if was, again := current[name]; again && abi.PinDigest(was) != abi.PinDigest(d) {
			k.twice[name] = true
		}
		current[name], k.listed[name] = d, d
	}
	if t.More {
		return current
	}
	k.complete, k.listed = true, current
	return map[string]abi.Value{}
}

// standing is how one pin stands to what was listed or said last.
type standing struct {
	tool    string // "" for the server itself
	pin     abi.Pin
	now     abi.Pin // what could be pinned instead
	state   string
	why     string
	grade   abi.Drift
	changes []abi.DriftChange
}

// The states of a pin beside the names of the grades.
const (
	stateSame     = "pinned"
	stateNew      = "new"      // listed and not pinned
	stateGone     = "gone"     // pinned and not listed any more
	stateTwice    = "twice"    // listed twice, differently
	stateUnfit    = "unfit"    // its name can not be pinned
	stateUnpinned = "unpinned" // what a server says of itself, without a pin yet
)

func (s standing) isPinned() bool { return s.pin.Definition.Exists() || s.pin.Identity.Exists() }

// moved says whether there is something to accept.
func (s standing) moved() bool { return s.now.Definition.Exists() || s.now.Identity.Exists() }

func (s standing) title() string {
	if s.tool == "" {
		return "(the server itself)"
	}
	return oneLine(s.tool)
}

func (s standing) says() string {
	if s.why == "" {
		return s.state
	}
	return s.state + ": " + s.why
}

// standings lists the server itself, and its tools by name.
func (k *pinned) standings() []standing {
	var out []standing
	if k.identity.Identity.Exists() || k.said.Exists() {
		out = append(out, k.ofServer())
	}
	names := slices.Concat(slices.Collect(maps.Keys(k.tools)), slices.Collect(maps.Keys(k.listed)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		out = append(out, k.ofTool(name))
	}
	return out
}

func (k *pinned) ofServer() standing {
	s := standing{pin: k.identity, state: stateSame, grade: abi.DriftNone}
	switch {
	case !k.said.Exists():
	case !k.identity.Identity.Exists():
		s.state, s.now = stateUnpinned, abi.Pin{Identity: abi.Identity(k.said)}
	default:
		said, known := abi.IdentityBeside(k.identity.Identity, k.said)
		s.graded(abi.GradeIdentity(known, said, k.names("")))
		if s.grade != abi.DriftNone {
			s.now = abi.Pin{Identity: said}
		}
	}
	return s
}

func (k *pinned) ofTool(name string) standing {
	s := standing{tool: name, state: stateSame, grade: abi.DriftNone}
	p, isPinned := k.tools[name]
	d, isListed := k.listed[name]
	s.pin = p
	switch {
	case !gate.Pinnable(name):
		s.state = stateUnfit
	case k.twice[name]:
		s.state = stateTwice
	case isPinned && !isListed && k.complete:
		s.state = stateGone
	case isPinned && isListed:
		s.graded(abi.GradeDefinition(p.Definition, d, k.names(name)))
		if s.grade != abi.DriftNone {
			s.now = abi.Pin{Definition: d}
		}
	case isListed:
		s.state, s.now = stateNew, abi.Pin{Definition: d}
	}
	return s
}

func (s *standing) graded(grade abi.Drift, changes []abi.DriftChange) {
	if s.grade, s.changes = grade, changes; grade == abi.DriftNone {
		return
	}
	s.state = grade.String()
	for _, c := range changes {
		if c.Grade == grade {
			s.why = c.Why
			return
		}
	}
}

// names lists the tools and servers that a text of one has no business with.
func (k *pinned) names(tool string) []string {
	out := slices.Clone(k.others)
	for _, name := range slices.Concat(slices.Collect(maps.Keys(k.tools)), slices.Collect(maps.Keys(k.listed))) {
		if name != tool {
			out = append(out, name)
		}
	}
	return out
}

// groupName is the name of the group's directory.
func (k *pinned) groupName() string { return filepath.Base(k.dir) }
