package contract

import "slices"

// Slot is what rules of one class of arguments can say, as data: the reader of
// policies, the schema and the contract that judges them all go by it.
type Slot struct {
	Name  string
	Takes []string // members of an entry, besides arg, also, json and verdict
	Needs []string // of these one must be there; nil: the slot alone says enough
}

// Slots lists the classes, in the order in which documents name them.
func Slots() []Slot {
	exact := []string{"allow", "deny"}
	return []Slot{
		{Name: "path", Takes: []string{"allow", "deny", "literal", "fold", "symlinks"}},
		{Name: "cwd", Takes: []string{"allow", "deny", "literal", "fold", "symlinks"}},
		{Name: "command", Takes: []string{"allow", "deny", "options", "env", "writes", "reads", "deny_pattern", "deny_keyword"},
			Needs: []string{"allow", "deny", "options", "writes", "reads", "deny_pattern", "deny_keyword"}},
		{Name: "sql", Takes: []string{"deny_pattern", "allow_pattern"}, Needs: []string{"deny_pattern", "allow_pattern"}},
		{Name: "url", Takes: []string{"allow", "deny", "schemes", "ports", "private", "except"},
			Needs: []string{"allow", "deny", "schemes", "ports", "private"}},
		{Name: "host", Takes: []string{"allow", "deny", "ports", "private", "except"}, Needs: []string{"allow", "deny", "ports", "private"}},
		{Name: "recipient", Takes: exact, Needs: exact},
		{Name: "repo", Takes: exact, Needs: exact},
		{Name: "owner", Takes: exact, Needs: exact},
		{Name: "principal", Takes: exact, Needs: exact},
		{Name: "application", Takes: exact, Needs: exact},
		{Name: "skill", Takes: exact, Needs: exact},
		{Name: "activation", Takes: exact, Needs: exact},
		{Name: "secret", Takes: []string{"forbid"}, Needs: []string{"forbid"}},
		{Name: "bypass", Takes: []string{"forbid"}, Needs: []string{"forbid"}},
		{Name: "size", Takes: []string{"max", "min"}, Needs: []string{"max", "min"}},
		{Name: "rows", Takes: []string{"max", "min"}, Needs: []string{"max", "min"}},
	}
}

// SlotNamed returns the class of this name.
func SlotNamed(name string) (Slot, bool) {
	all := Slots()
	if i := slices.IndexFunc(all, func(s Slot) bool { return s.Name == name }); i >= 0 {
		return all[i], true
	}
	return Slot{}, false
}

// PathSlot says whether the patterns of a class are paths: they start from the
// directory of the policy, and are compared component by component.
func PathSlot(name string) bool { return name == "path" || name == "cwd" }

// Narrows says whether a rule of a class says anything that [Arg.Allow],
// [Arg.Deny] and the members of paths do not.
func (a *Arg) Narrows() bool {
	return a.Resolve || a.HasPatterns || len(a.AllowPattern)+len(a.DenyPattern)+len(a.DenyKeyword)+len(a.Options)+len(a.Env)+len(a.Writes)+len(a.Reads) > 0 ||
		a.Schemes != nil || a.Ports != nil || a.Private || a.Max != "" || a.Min != "" || a.Forbid || a.JSON
}
