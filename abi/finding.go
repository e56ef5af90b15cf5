package abi

import "strconv"

// Origin says who vouches for a value. The zero value is the strictest.
type Origin uint8

// The origins, strictest first.
const (
	OriginTainted  Origin = iota // it came from the output of an untrusted tool
	OriginUnproven               // nothing is known about it
	OriginClient                 // the user said it through the process's own channel
	OriginTrusted                // the operator or a remembered approval vouches for it
)

var originNames = [...]string{"tainted", "unproven", "client", "trusted"}

// String returns the origin's name in snapshots, policies and the ledger.
func (o Origin) String() string {
	if int(o) >= len(originNames) {
		o = OriginTainted
	}
	return originNames[o]
}

// Position grades a piece of evidence: how, or where in an output, a value was
// found. The names are those of `sink.on` in the policy.
type Position string

// The positions, in the order in which evidence is preferred.
const (
	Lookalike Position = "lookalike" // it imitates a trusted value
	Prose     Position = "prose"     // inside a longer text
	Encoded   Position = "encoded"   // in an encoded form
	Field     Position = "field"     // it is a whole field of structured data
	Part      Position = "part"      // only its host, domain or local part was found
	Glued     Position = "glued"     // inside a longer token
	Weak      Position = "weak"      // too short or too common to mean much
	Echo      Position = "echo"      // the client said it before any output did
	Saturated Position = "saturated" // the verification budget was used up
	Evicted   Position = "evicted"   // the text it might come from is gone
	Unproven  Position = "unproven"  // nothing was found
)

// Positions lists every position, strongest evidence first.
var Positions = []Position{Lookalike, Prose, Encoded, Field, Part, Glued, Weak, Echo, Saturated, Evicted, Unproven}

// Evidence is one place of an earlier event where a form of a value stands.
type Evidence struct {
	Seq      uint64   // of the event that brought the text, in the ledger of its process
	Call     string   // id of the call whose result it is, "" for other frames
	Server   string   // server that wrote the text
	Tool     string   // tool whose result it is, "" for other frames
	Pointer  string   // JSON Pointer into the result or frame
	Offset   int64    // first byte of the match inside that string
	Length   int64    // bytes of the match
	Position Position // how it was found
	Label    Origin   // what the text itself vouches for: trusted under `sources`, else tainted
	Kind     string   // a named kind of field under `sources` ("addressing"), else ""
	View     string   // how the text was read to find it: "raw", "json", "headers", "base64", "cut", …
	Snippet  string   // up to 96 bytes around the match, for people and the ledger only
	Labels   []string // of the call whose result it is
}

// String is the witness as host text: places only, never the value.
func (e Evidence) String() string {
	from := e.Server
	if e.Tool != "" {
		from += "/" + e.Tool
	}
	s := "came from " + from
	if e.Call != "" {
		s += ", call " + e.Call
	}
	if e.Pointer != "" {
		s += ", " + e.Pointer
	}
	if e.Length > 0 {
		s += ", bytes " + strconv.FormatInt(e.Offset, 10) + "-" + strconv.FormatInt(e.Offset+e.Length, 10)
	}
	if e.Position == "" {
		return s
	}
	return s + " (" + string(e.Position) + ")"
}

// Finding is what provenance knows of one scalar of a call.
type Finding struct {
	At       string     // JSON Pointer into the arguments
	Key      bool       // the scalar is the member name at that pointer
	Part     int        // number of the address inside the string, from 0
	Kind     string     // "mail", "url", "host", "ip", "iban", "phone", "handle", "path", "text"
	Identity string     // strict canonical identity, compared exactly for trust
	Value    string     // the scalar, or the part of it
	Origin   Origin     // the class
	Spoiled  string     // why it can never be trusted ("a control character", …), else ""
	Evidence []Evidence // best first, then by age; capped
	Labels   []string   // of the data it came from
}

// Wanted names a scalar of the arguments that a contract wants explained.
type Wanted struct {
	At  string // JSON Pointer into the arguments
	Key bool   // the member name instead of the value
	// Trusted holds the entries it will be compared with, so that look-alikes
	// of them can be found.
	Trusted []string
}
