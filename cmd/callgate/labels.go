package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
)

// labelText is a label event in one line.
func labelText(l *abi.LabelEvent) string {
	given := givenText(abi.Obligations{CallLabels: l.Data, SessionLabels: l.Session, Files: l.Files})
	return fmt.Sprintf("label     %s %s", l.Call, given)
}

// givenText says which labels a call gives to what, "" if it gives none.
func givenText(o abi.Obligations) string {
	var parts []string
	add := func(labels []string, to string) {
		if len(labels) > 0 {
			parts = append(parts, labelNames(labels)+" to "+to)
		}
	}
	add(o.SessionLabels, "the session")
	add(o.CallLabels, "what the call returns")
	for _, f := range o.Files {
		add(f.Data, "the file at "+f.At)
		add(f.Session, "whoever reads the file at "+f.At)
	}
	return strings.Join(parts, "; ")
}

// labelNames lists labels. Behind those that are kept there may be any.
func labelNames(labels []string) string {
	known := slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == abi.AnyLabel })
	switch {
	case len(known) == len(labels):
		return quoted(labels)
	case len(known) == 0:
		return "any"
	}
	return quoted(known) + " and any other"
}

func quoted(names []string) string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = strconv.Quote(n)
	}
	return strings.Join(list, " ")
}

// withLabels says which labels what evidence is of has. Without a position the call
// itself is meant, which gave them to the session or began a chain.
func withLabels(e abi.Evidence) string {
	switch {
	case len(e.Labels) == 0:
		return ""
	case e.Position == "":
		return ", which gave the session the label " + labelNames(e.Labels)
	}
	return ", with the label " + labelNames(e.Labels)
}
