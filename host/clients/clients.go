// Package clients puts `callgate run` in front of the servers that the
// configuration of an MCP client starts, takes it away again, and says which
// servers have it.
//
// What edits is pure: it turns the bytes of a file into other bytes, by splices
// into the value of an entry's command and its args. Everything else, comments,
// order, line ends and what does not look like a server, stays as it is. The
// bytes that a splice replaces travel inside the entry, in the flag --original
// of `callgate run`, which does nothing with it: clients refuse members that they
// do not know, and some drop them, but all of them keep their args. So what was
// wrapped can be unwrapped byte for byte, whatever happened to other entries.
//
// Files are found and replaced apart from that, in locate.go and store.go.
package clients

import (
	"bytes"
	"fmt"
)

// Kind is the format of a configuration.
type Kind int

// The formats. NoServers is that of a file which says how a client treats its
// servers and names none: it is protected, and not wrapped.
const (
	NoServers Kind = iota
	JSON           // with comments and trailing commas, as JSONC and JWCC have them
	TOML
	YAML
)

// Layout says where in a file the servers are.
type Layout struct {
	Kind Kind
	// Servers are the places of servers, each as the names of members from the
	// root. "*" stands for any name, which becomes the scope of the servers below.
	Servers [][]string
}

// State says what an entry is.
type State string

// The states of an entry. Only Plain ones can be wrapped, and only Wrapped ones
// unwrapped byte for byte.
const (
	Plain     State = "not wrapped"
	Wrapped   State = "wrapped"
	Edited    State = "edited"     // wrapped, and what follows -- is not what was wrapped
	ByHand    State = "by hand"    // runs callgate, and wrap did not write it
	Remote    State = "remote"     // reached by a URL
	NoCommand State = "no command" // started by the client itself
	Broken    State = "broken"     // no client could start it, or clients differ in what they start
)

// Entry is a server of a configuration.
type Entry struct {
	Name  string
	Scope string // of Claude Code, the directory of the project that has the server; "" for all
	Line  int    // from 1, where the entry's value starts
	State State
	Why   string // says what is wrong, or in the way; "" for Plain and Wrapped

	// What an entry in front of which callgate is says about it.
	Callgate string // the program
	Group    string
	Policies []string
	Floor    string

	// Command and arguments of the server itself.
	Command []string
}

// Action is what was done to an entry.
type Action string

// The actions. Left is that of an entry which could not be edited; its state
// says why.
const (
	DidWrap   Action = "wrapped"
	DidRewrap Action = "wrapped anew"
	DidUnwrap Action = "unwrapped"
	Unchanged Action = "unchanged"
	Left      Action = "left"
)

// Outcome is what was done to an entry, which is described as it is then.
type Outcome struct {
	Entry
	Action Action
}

// Mistake is what keeps a configuration from being read or edited.
type Mistake struct {
	Line, Column int // from 1, in bytes; 0 where it is not known
	Text         string
}

// Error starts with LINE:COLUMN:, where they are known.
func (m *Mistake) Error() string {
	switch {
	case m.Line == 0:
		return m.Text
	case m.Column == 0:
		return fmt.Sprintf("%d: %s", m.Line, m.Text)
	}
	return fmt.Sprintf("%d:%d: %s", m.Line, m.Column, m.Text)
}

// mistakeAt is a mistake at an offset of data.
func mistakeAt(data []byte, at int, format string, args ...any) error {
	line, column := position(data, at)
	return &Mistake{Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
}

// position is the line and column, from 1, of an offset.
func position(data []byte, at int) (line, column int) {
	before := data[:min(at, len(data))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// List lists the servers of a configuration in the order of the file.
func (l Layout) List(data []byte) ([]Entry, error) {
	d, err := l.parse(data)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, len(d.servers))
	for i := range d.servers {
		out[i] = d.servers[i].Entry
	}
	return out, nil
}
