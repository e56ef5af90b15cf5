// Package codes is the table of what verdicts say in one word: the code, the
// contract that says it, what it means, and what helps. docs/codes.md shows it,
// and cases files are held against it.
package codes

import (
	"slices"
	"strings"
)

// Code is one row of the table.
type Code struct {
	Contract string // that says it, as a verdict names it
	Code     string // ^[A-Z][A-Z0-9_]*$; stable
	Means    string // with the subject "the call" or what it names
	Mend     string // what a person, or whoever makes the call, can do
}

// All lists the codes in the order of the contracts. Those of the results
// contract are those of args about what came back: RESULTS_IN is ARGS_IN.
func All() []Code {
	return slices.Concat(first, args, slots(), last, wire)
}

// slots are the codes that have the name of a slot in them.
func slots() []Code {
	var out []Code
	for _, family := range families {
		for _, slot := range strings.Fields(family.slots) {
			out = append(out, Code{"args", "ARGS_" + strings.ToUpper(slot) + "_" + family.what, family.means, family.mend})
		}
	}
	return out
}

// Known says whether a verdict can have the code.
func Known(code string) bool {
	rest, ok := strings.CutPrefix(code, "RESULTS_")
	return slices.ContainsFunc(All(), func(c Code) bool { return c.Code == code || ok && c.Code == "ARGS_"+rest })
}

// Contracts lists what can say a verdict, in the order of the table.
func Contracts() []string {
	names := slices.Clone(silent)
	for _, c := range All() {
		if !slices.Contains(names, c.Contract) {
			names = append(names, c.Contract)
		}
	}
	return names
}

// silent are the contracts that say nothing of their own code.
var silent = []string{"label"}
