package main

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/abi"
)

// editedText shows what stands in the place of text that was not sent on. The
// arguments above it are what the ledger keeps, which can be the whole text.
func editedText(b *strings.Builder, edits []abi.Edit) {
	if len(edits) == 0 {
		return
	}
	b.WriteString("\nreplaced in what goes on to the server\n")
	for _, e := range edits {
		var with []string
		for _, c := range e.Cuts {
			with = append(with, c.With)
		}
		if e.With.Exists() {
			with = append(with, safeText(e.With))
		}
		fmt.Fprintf(b, "  %s %s\n", oneLine(e.At), quotedList(with))
	}
}

// safeText is a value that stands in the place of another one.
func safeText(v abi.Value) string {
	if v.IsString() {
		return v.Str()
	}
	return v.String()
}
