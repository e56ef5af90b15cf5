// Package policy reads policies (YAML layers, packs, a floor), joins them, and
// answers what one tool is judged by.
//
// A loaded [Policy] is data: [Policy.Value] is one canonical JSON value that
// holds everything needed to judge, and [Decode] is its inverse, so a ledger
// that carries the value replays without the files.
//
// The way of a file: node.go turns the YAML tree into a value, typed by the
// Go types of shape.go and with the line of every member beside it; fill.go
// reads the value into those types; check.go looks at what a single leaf
// cannot show. Decode takes the same way without the YAML. level.go stacks what
// applies to one tool, rules.go and its neighbours fold the stack.
package policy
