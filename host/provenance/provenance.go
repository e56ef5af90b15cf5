// Package provenance answers where the values of a call came from. It records
// every text that a server or the user wrote in a session, and explains the
// scalars of a call by the places where a form of them stood before.
//
// Two comparisons are kept apart. Trust is exact: an identity is compared
// byte for byte, and a value with anything odd about it is spoiled. Taint is
// loose: case, width, marks, look-alikes, separators and common encodings do
// not hide a value.
//
// Nothing here decides. A finding grades its evidence by position; which
// position denies is the policy's business. Running out of text or of work
// leaves evidence that asks, never evidence that allows.
package provenance

import "github.com/callgate/callgate/abi"

// Index answers where values came from. It is not safe for concurrent use, and
// its answers are a function of the recorded events alone.
type Index interface {
	// Record takes in whatever text an event carries. Events without text of a
	// server or of the user change nothing.
	Record(e abi.Event)
	// Explain returns one or more findings per wanted scalar, in the order of
	// wanted: one for each destination inside the scalar. A wanted scalar that
	// the arguments lack has one finding without a value.
	Explain(arguments abi.Value, wanted []abi.Wanted) []abi.Finding
	// Carried returns which of the wanted scalars hold data of outputs that have
	// labels: the value itself in any form, or a part of it. What cannot be told is
	// unsure, for the call as a whole.
	Carried(arguments abi.Value, wanted []abi.Wanted) []abi.Carried
}

// Options says where text comes from and what the policy thinks of it.
type Options struct {
	// Text holds the text that events carry by reference. Without it, or
	// where it fails, the record counts as evicted.
	Text abi.TextReader
	// Source returns what the policy says of a tool's outputs; nil: nothing.
	// The tool is "" for frames that answer no call; of another kind of call it is
	// the method, see [abi.Call.Target].
	Source func(server, tool string) Source
	// Writer names who wrote the event that is being recorded; nil: "". Events of
	// one writer are recorded in the order in which they happened. Those of two
	// are not, unless one of them is "".
	Writer func() string
	// Labels returns the labels of what an event brought, sorted: by the call that it
	// answers, or, where that is "", by server and position in its ledger. nil: none
	// has any.
	Labels func(call, server string, seq uint64) []string
	// Markers returns what stands in place of redacted text. Nil: nothing does.
	Markers func() []string
}

// Source is what the policy says of one tool's outputs. The zero value is an
// untrusted output.
type Source struct {
	// Trusted outputs do not taint. With WholeField or Fields they still do,
	// outside of the fields that vouch.
	Trusted bool
	// WholeField lets whole fields vouch: of structured content, or of a text
	// block that is one JSON document.
	WholeField bool
	// Fields names single fields by a pointer below structured content, or into
	// the document of a text block, with * for one segment: "addressing",
	// "trusted" or "untrusted".
	Fields map[string]string
	// Text is how a text block is read into fields: "json", "yaml", "headers",
	// "prose", or "" to find out.
	Text string
}

// The kinds of fields that Source.Fields knows.
const (
	FieldAddressing = "addressing"
	FieldTrusted    = "trusted"
	FieldUntrusted  = "untrusted"
)

// New returns an empty index.
func New(o Options) Index { return newIndex(o, tuning{}) }

// Generic returns a pointer with every array index replaced by *, the form in
// which destination approvals are remembered.
func Generic(pointer string) string {
	tokens, _ := abi.Tokens(pointer)
	out := ""
	for _, t := range tokens {
		if t == "" || isIndex(t) {
			t = "*"
		}
		out = abi.Join(out, t)
	}
	return out
}

// isIndex says whether a reference token reads as an array index.
func isIndex(t string) bool {
	for i := 0; i < len(t); i++ {
		if t[i] < '0' || t[i] > '9' {
			return false
		}
	}
	return t != ""
}
