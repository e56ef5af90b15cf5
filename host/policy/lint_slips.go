package policy

import (
	"slices"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// wheres finds arguments under where: that are one slip away from a class. The
// plural of a class is a common argument.
func (l *linter) wheres() {
	var classes []string
	for _, s := range contract.Slots() {
		if contract.WhereSlot(s.Name) {
			classes = append(classes, s.Name)
		}
	}
	for _, y := range l.files() {
		for _, list := range []string{"labels", "flows"} {
			for i, entry := range y.value.Get(list).Items() {
				for _, m := range entry.Get("where").Members() {
					near := slices.IndexFunc(classes, func(class string) bool { return OneSlip(m.Name, class) && m.Name != class+"s" })
					if near >= 0 && !slices.Contains(classes, m.Name) {
						l.add(codeWhereNear, y.rule(abi.Join(abi.JoinIndex("/"+list, i)+"/where", m.Name)),
							"only calls with an argument %q match; did you mean the class %q?", m.Name, classes[near])
					}
				}
			}
		}
	}
}

// floorDefault finds a floor that overrides every grant of the policy: where it
// says what happens to a tool that nothing grants, only its own grants count.
func (l *linter) floorDefault() {
	f := l.p.floor
	if f == nil || f.settings.Default != abi.Deny && f.settings.Default != abi.Ask || f.grantsAny() {
		return
	}
	l.add(codeFloorDefault, f.settings.DefaultAt, "default: %s in a floor holds for every tool, whatever the policy grants, since the floor grants none; remove it, or grant in the floor what the policy may", f.settings.Default)
}

// grantsAny says whether a file grants a tool, or lets it ask where the default
// denies.
func (p *Policy) grantsAny() bool {
	grants := func(verdict *string) bool {
		o := outcomeOf(verdict)
		return o != nil && (*o == abi.Allow || *o == abi.Ask && p.settings.Default == abi.Deny)
	}
	for _, y := range p.layers {
		for _, s := range y.doc.Servers {
			if grants(s.Verdict) {
				return true
			}
		}
		for i := range y.keys {
			if grants(y.keys[i].tool().Verdict) {
				return true
			}
		}
	}
	return false
}
