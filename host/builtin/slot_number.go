package builtin

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// rowNames are the names of arguments that say how many things come back.
var rowNames = []string{
	"=limit", "row limit", "result limit", "results limit", "record limit", "item limit", "max limit", "query limit", "page limit", "export limit",
	"rows", "row count", "max results", "num results", "result count", "results per page", "max records", "record count", "max items", "num items",
	"max entries", "max count", "=count", "=num", "=n", "=k", "top", "top k", "top n", "=first", "=last", "take", "page size", "per page", "fetch size", "batch size",
}

// numberMatcher is a compiled rule about sizes or numbers of rows.
type numberMatcher struct {
	class            string
	max, min         decimal
	hasMax, hasMin   bool
	maxText, minText string
}

func newNumberMatcher(rule *contract.Arg) (matcher, error) {
	m := &numberMatcher{class: rule.Slot, hasMax: rule.Max != "", hasMin: rule.Min != "", maxText: rule.Max, minText: rule.Min}
	var err error
	if m.hasMax {
		if m.max, err = parseDecimal(rule.Max); err != nil {
			return nil, fmt.Errorf("max of slot %s: %q is %w", rule.Slot, rule.Max, err)
		}
	}
	if m.hasMin {
		if m.min, err = parseDecimal(rule.Min); err != nil {
			return nil, fmt.Errorf("min of slot %s: %q is %w", rule.Slot, rule.Min, err)
		}
	}
	if m.hasMax && m.hasMin && m.max.compare(m.min) < 0 {
		return nil, fmt.Errorf("slot %s has max %s below min %s; no number is both", rule.Slot, rule.Max, rule.Min)
	}
	return m, nil
}

func (m *numberMatcher) wants() bool { return false }

// judge compares exactly, in decimals. Below zero, and at zero for rows, a number
// is no bound to many servers but "all there is", so that a policy with a maximum
// has to say min where it wants to let it pass.
func (m *numberMatcher) judge(v abi.Value, p *place) wrong {
	text := v.Lexeme()
	if v.IsString() {
		text = strings.Trim(v.Str(), " \t\r\n")
	}
	n, err := parseDecimal(text)
	if err != nil || v.Kind() == abi.Bool {
		return m.wrong("TYPE", "a value is no number, and the rule bounds one", "send a plain number")
	}
	switch {
	case m.hasMax && n.compare(m.max) > 0:
		return m.wrong("MAX", "a number is greater than "+m.maxText, "send less, or raise max at the rule")
	case m.hasMin && n.compare(m.min) < 0:
		return m.wrong("MIN", "a number is less than "+m.minText, "send more, or lower min at the rule")
	case !m.hasMin && (n.sign() < 0 || n.sign() == 0 && m.class == "rows"):
		return m.wrong("UNBOUNDED", "a number at or below zero can mean no bound at all", "send a number above zero, or state min at the rule")
	}
	return wrong{}
}

func (m *numberMatcher) wrong(what, reason, mend string) wrong {
	return wrong{codeOf(m.class, what), reason, mend}
}
