package policy

import (
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// visorDays are the days as MCP Visor writes them; the first three letters are
// how they are written here.
var visorDays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

func (v *visor) schedules(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	out := listAt(n)
	for _, t := range v.items(n, "time_restrictions") {
		m := v.members(t, "time_restrictions", "name", "description", "servers", "tools", "allowed_hours", "denied_days", "outside_action")
		name, what := v.named(t, m, "time_restrictions")
		if len(v.items(m["servers"], what+": servers")) == 0 || len(v.items(m["tools"], what+": tools")) == 0 {
			v.fail(t, "%s: without servers and tools it is about nothing in MCP Visor; list both", what)
			continue
		}
		for _, s := range v.texts(m["servers"], what+": servers") {
			if strings.Contains(s.Value, "*") {
				v.fail(s, "%s: %q is the name of a server in MCP Visor, and no pattern; name the servers", what, s.Value)
			}
		}
		windows := v.windows(t, m, what)
		out.Content = append(out.Content, mapAt(t, "name", name, "tools", v.toolsOf(m["servers"], m["tools"], what),
			"allow", windows, "otherwise", v.action(m["outside_action"], t, what+": outside_action")))
	}
	return filled(out)
}

// windows makes the times that are left when the denied days are taken away.
func (v *visor) windows(t *yaml.Node, m map[string]*yaml.Node, what string) *yaml.Node {
	denied := v.days(m["denied_days"], what+": denied_days")
	hours := v.items(m["allowed_hours"], what+": allowed_hours")
	if len(denied) == 0 && len(hours) == 0 {
		v.fail(t, "%s: neither allowed_hours nor denied_days, so it restricts nothing; list some, or remove it", what)
		return nil
	}
	if len(hours) == 0 {
		at := m["denied_days"]
		return listAt(at, mapAt(at, "days", textsAt(at, short(without(visorDays, denied))...), "zone", v.zone(nil, at, what)))
	}
	out := listAt(m["allowed_hours"])
	for _, h := range hours {
		w := v.members(h, what+": allowed_hours", "start", "end", "timezone", "days")
		start, end := v.clock(w["start"], h, what+": start"), v.clock(w["end"], h, what+": end")
		if start != nil && end != nil && start.Value >= end.Value {
			v.fail(h, "%s: from %s to %s is no time in MCP Visor, which knows no window over midnight; write the two days out", what, start.Value, end.Value)
		}
		zone := v.zone(w["timezone"], h, what)
		if len(denied) > 0 && zone != nil && w["timezone"] != nil && zone.Value != v.o.Zone {
			v.fail(m["denied_days"], "%s: denied_days are days of the machine's zone, and the hours are of %s; leave them out, and list the days of each window", what, zone.Value)
		}
		days := v.days(w["days"], what+": days")
		if len(days) == 0 {
			days = visorDays
		}
		if days = without(days, denied); len(days) == 0 {
			continue
		}
		out.Content = append(out.Content, mapAt(h, "days", textsAt(h, short(days)...), "from", start, "to", end, "zone", zone))
	}
	return out
}

func (v *visor) days(n *yaml.Node, what string) []string {
	var list []string
	for _, d := range v.texts(n, what) {
		day := strings.ToLower(d.Value)
		if !slices.Contains(visorDays, day) {
			v.fail(d, "%s: unknown day %q%s", what, d.Value, accepted(day, visorDays))
		}
		list = append(list, day)
	}
	return list
}

// without lists the days that are not among others.
func without(days, others []string) []string {
	return slices.DeleteFunc(slices.Clone(days), func(d string) bool { return slices.Contains(others, d) })
}

func short(days []string) []string {
	out := make([]string, len(days))
	for i, d := range days {
		out[i] = d[:min(3, len(d))]
	}
	return out
}

func (v *visor) clock(n, at *yaml.Node, what string) *yaml.Node {
	if n == nil {
		v.fail(at, "%s: none, so the window is no time in MCP Visor; write one such as \"09:00\"", what)
		return nil
	}
	t, err := time.Parse("15:04", v.text(n, what))
	if err != nil {
		v.fail(n, "%s: %q is no time, so MCP Visor passes over the window; write one such as \"09:00\"", what, n.Value)
		return nil
	}
	return textAt(n, t.Format("15:04"))
}

// zone is the time zone of a window. MCP Visor takes that of the machine where
// none is stated.
func (v *visor) zone(n, at *yaml.Node, what string) *yaml.Node {
	switch {
	case n != nil:
		return textAt(n, v.text(n, what+": timezone"))
	case v.o.Zone != "":
		return textAt(at, v.o.Zone)
	}
	v.fail(at, "%s: no timezone, which is that of the machine in MCP Visor; name it with --zone, such as --zone Europe/Berlin", what)
	return nil
}
