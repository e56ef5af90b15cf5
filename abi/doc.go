// Package abi holds the words that both sides of the sandbox share: events,
// snapshots, verdicts, the outcome lattice, findings and canonical JSON.
//
// It imports nothing of Callgate. Everything that can matter to a decision is
// an [Event]; a contract sees a [Snapshot] and answers a [Verdict]; verdicts
// combine by the lattice of [Outcome]. JSON is read strictly (RFC 8259 with
// unique member names) and written in one canonical form, see [Value].
package abi

// Version is the version of the plugin ABI, and so of the snapshot and verdict
// forms.
const Version = "1.0"

// Versions lists the versions of the plugin ABI that a host speaks, newest first:
// its own major and the one before. A plugin is spoken to in its own.
var Versions = []string{Version, "0.1"}

// EventVersion is the version of the JSON form of [Event].
const EventVersion = 1
