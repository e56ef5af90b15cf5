package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// parseDays reads a day, or a range of days, which may run over Sunday.
func parseDays(s string) (days [7]bool, ok bool) {
	first, last, isRange := strings.Cut(s, "-")
	if !isRange {
		last = first
	}
	from, to := slices.Index(weekdays, first), slices.Index(weekdays, last)
	if from < 0 || to < 0 || isRange && from == to {
		return days, false
	}
	for d := from; ; d = (d + 1) % 7 {
		days[d] = true
		if d == to {
			return days, true
		}
	}
}

// parseClock reads a time of the day as minutes since midnight.
func parseClock(s string) (int, bool) {
	if len(s) != 5 || s[2] != ':' {
		return 0, false
	}
	h, err := strconv.ParseUint(s[:2], 10, 8)
	m, bad := strconv.ParseUint(s[3:], 10, 8)
	minutes := int(h)*60 + int(m)
	return minutes, err == nil && bad == nil && m < 60 && minutes <= 24*60
}

func checkDays(s string) error {
	if _, ok := parseDays(s); ok {
		return nil
	}
	return fmt.Errorf("%q is not a day; want mon, tue, wed, thu, fri, sat or sun, or a range such as mon-fri", s)
}

func checkClock(s string) error {
	if _, ok := parseClock(s); ok {
		return nil
	}
	if _, ok := parseClock("0" + s); ok {
		return fmt.Errorf("%q is not a time of the day; write %q", s, "0"+s)
	}
	return fmt.Errorf("%q is not a time of the day; want one from \"00:00\" to \"24:00\"", s)
}

func (c *issues) checkSchedule(s *schedule, at string) {
	if s.Name == "" && !c.spoiled(at+"/name") {
		c.add(at, "no name; give the schedule a name of its own")
	}
	if len(s.Tools) == 0 && !c.spoiled(at+"/tools") {
		c.add(at, "no tools; list the tools that it is about, such as [\"shell/*\"]")
	}
	if s.Allow == nil && !c.spoiled(at+"/allow") {
		c.add(at, "no allow; list the windows, or write allow: [] for never")
	}
	for i := range s.Allow {
		w, at := &s.Allow[i], abi.JoinIndex(at+"/allow", i)
		switch {
		case c.spoiled(at):
		case w.Zone == "":
			c.add(at, "no zone; say whose hours these are, such as zone: Europe/Berlin")
		case (w.From == nil) != (w.To == nil):
			c.add(at, "from and to go together; write both, or neither for whole days")
		case w.From != nil && *w.From == *w.To:
			c.add(at, "from and to are the same; leave both out for whole days")
		case w.From != nil && *w.From == "24:00":
			c.add(at+"/from", "\"24:00\" is where a window can end; write \"00:00\" and the next day")
		case w.Days != nil && len(w.Days) == 0:
			c.add(at+"/days", "no day; leave days out for every day")
		}
	}
}

func (c *issues) checkIdentity(i *identity, at string) {
	if i.Name == "" && !c.spoiled(at+"/name") {
		c.add(at, "no name; give the identity a name of its own")
	}
	if i.Match != nil && i.Match.Subject == nil && i.Match.Issuer == nil && !c.spoiled(at+"/match") {
		c.add(at+"/match", "says nothing; want subject, issuer or both, or leave match out where only --identity selects it")
	}
}

func compileSchedule(s *schedule, rule string) contract.Schedule {
	out := contract.Schedule{Rule: rule, Name: s.Name, Otherwise: abi.Deny}
	if text(s.Otherwise) == abi.Ask.String() {
		out.Otherwise = abi.Ask
	}
	for i := range s.Allow {
		w := contract.Window{To: 24 * 60, Zone: s.Allow[i].Zone}
		if s.Allow[i].From != nil && s.Allow[i].To != nil {
			w.From, _ = parseClock(*s.Allow[i].From)
			w.To, _ = parseClock(*s.Allow[i].To)
		}
		for _, name := range s.Allow[i].Days {
			days, _ := parseDays(name)
			for d := range days {
				w.Days[d] = w.Days[d] || days[d]
			}
		}
		if s.Allow[i].Days == nil {
			w.Days = [7]bool{true, true, true, true, true, true, true}
		}
		out.Allow = append(out.Allow, w)
	}
	return out
}

// schedules returns the entries that name a tool.
func (p *Policy) schedules(server, tool string) []contract.Schedule {
	var list []contract.Schedule
	for _, y := range p.layers {
		for i := range y.doc.Schedules {
			s := &y.doc.Schedules[i]
			if anyKey(s.Tools, server, tool) {
				list = append(list, compileSchedule(s, y.rule(abi.JoinIndex("/schedules", i))))
			}
		}
	}
	return list
}

// identities returns every identity, and what each says of a tool.
func (p *Policy) identities(server, tool string) []contract.Identity {
	var list []contract.Identity
	for _, y := range p.layers {
		for i := range y.doc.Identities {
			e := &y.doc.Identities[i]
			id := contract.Identity{
				Rule: y.rule(abi.JoinIndex("/identities", i)), Name: e.Name, All: e.Tools == nil, Listed: anyKey(e.Tools, server, tool),
			}
			if e.Match != nil {
				id.Subject, id.Issuer = text(e.Match.Subject), text(e.Match.Issuer)
			}
			list = append(list, id)
		}
	}
	return list
}

// Identities lists the names that --identity can have, sorted, and whether the
// policy or its floor names any.
func (p *Policy) Identities() []string {
	var names []string
	for _, e := range p.identities("", "") {
		names = append(names, e.Name)
	}
	if p.floor != nil {
		names = append(names, p.floor.Identities()...)
	}
	return set(names)
}

// anyKey says whether one of a list of tool keys matches a tool.
func anyKey(keys []string, server, tool string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return parseKey(k).matches(server, tool) })
}
