package scan

import (
	"fmt"
	"strconv"
	"strings"
)

// A Code is the kind of a problem. Codes do not change.
type Code string

// The kinds of problems.
const (
	CodeNotWasm   Code = "not-wasm"  // no WebAssembly module
	CodeComponent Code = "component" // a component, not a core module
	CodeCommand   Code = "command"   // exports _start
	CodeMalformed Code = "malformed" // the bytes can not be read
	CodeInvalid   Code = "invalid"   // the parts do not fit together
	CodeFeature   Code = "feature"   // a proposal that is off
	CodeLimit     Code = "limit"     // more than the limits allow
	CodeImport    Code = "import"    // nobody provides it, or not with this type
	CodeExport    Code = "export"    // missing, or not with this type
	CodeReserved  Code = "reserved"  // a name that belongs to the host
	CodeABI       Code = "abi"       // no marker, or of another version
	CodeState     Code = "state"     // state that a restore can not reach
	CodeStart     Code = "start"     // a start function that is imported
	CodeManifest  Code = "manifest"  // more than one manifest, or too large
)

// A Problem is one reason why a module does not load.
type Problem struct {
	Code   Code
	Offset int    // from the start of the module, bytes
	Text   string // what, where, the mend
}

// maxProblems is how many problems are listed: what a person reads.
const maxProblems = 50

// Problems is the error of a module that does not load. List has at least one.
type Problems struct {
	List []Problem
	More int // that are not listed
}

// Error is the problems, with a semicolon between.
func (p *Problems) Error() string {
	texts := make([]string, 0, len(p.List)+1)
	for _, one := range p.List {
		texts = append(texts, one.Text)
	}
	if p.More > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", p.More))
	}
	return strings.Join(texts, "; ")
}

// full says that one more would not be listed, and counts it. Callers whose
// texts take work ask first.
func (p *Problems) full() bool {
	if len(p.List) < maxProblems {
		return false
	}
	p.More++
	return true
}

func (p *Problems) add(code Code, offset int, format string, args ...any) {
	if p.full() {
		return
	}
	p.List = append(p.List, Problem{code, offset, fmt.Sprintf(format, args...)})
}

// maxShown bounds what a message repeats of a name: bytes.
const maxShown = 64

// show is a name for a message: as it is if that is harmless, else quoted.
func show(name []byte) string {
	plain := len(name) > 0 && len(name) <= maxShown
	for _, c := range name {
		plain = plain && c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '(' && c != ')' && c != ';'
	}
	if plain {
		return string(name)
	}
	if len(name) > maxShown {
		return strconv.Quote(string(name[:maxShown])) + "…"
	}
	return strconv.Quote(string(name))
}
