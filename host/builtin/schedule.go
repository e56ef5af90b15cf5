package builtin

import (
	"fmt"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/zones"
)

// Schedule refuses calls of a tool outside its hours.
//
// Policy:
//
//	schedules: [{name: office-hours, tools: [shell/*], allow: [{days: [mon-fri], from: "09:00", to: "17:00", zone: Europe/Berlin}], otherwise: ask}]
//
// It abstains while every schedule of the tool has an open window at the time of
// the call's event. Hours are those of the clock on the wall: where clocks skip
// an hour, a window that starts in it opens with the next one, and an hour that
// comes twice counts twice. Codes: SCHEDULE_CLOSED, SCHEDULE_NO_TIME.
type Schedule struct{ of []timetable }

// timetable is one compiled schedule.
type timetable struct {
	contract.Schedule
	zones []*time.Location // of each window
}

// NewSchedule compiles the zones. It returns nil for what no schedule names.
func NewSchedule(r *contract.Rules) (contract.Contract, error) {
	if len(r.Schedules) == 0 {
		return nil, nil
	}
	c := Schedule{}
	for _, s := range r.Schedules {
		t := timetable{Schedule: s}
		for _, w := range s.Allow {
			zone, err := zones.Load(w.Zone)
			if err != nil {
				return nil, err
			}
			t.zones = append(t.zones, zone)
		}
		c.of = append(c.of, t)
	}
	return c, nil
}

// Judge holds the time of the event against every schedule of the tool.
func (c Schedule) Judge(s *abi.Snapshot) abi.Verdict {
	var all []violation
	for i := range c.of {
		t := &c.of[i]
		switch {
		case s.Time.IsZero():
			all = append(all, violation{
				outcome: abi.Deny, code: "SCHEDULE_NO_TIME", rule: t.Rule, at: s.Call.Kind.Subject(),
				reason: fmt.Sprintf("the schedule %q needs the time of the call, which is not known", t.Name),
				mend:   "give the event its time",
			})
		case !t.open(s.Time):
			all = append(all, violation{
				outcome: t.outcome(), code: "SCHEDULE_CLOSED", rule: t.Rule, at: s.Call.Kind.Subject(),
				reason: fmt.Sprintf("the schedule %q has no window now; %s", t.Name, t.opens(s.Time)),
				mend:   "call it inside the hours, or change allow at the schedule",
			})
		}
	}
	return joined("schedule", all)
}

// outcome is what happens outside the hours: anything but ask denies.
func (t *timetable) outcome() abi.Outcome {
	if t.Otherwise == abi.Ask {
		return abi.Ask
	}
	return abi.Deny
}

func (t *timetable) open(at time.Time) bool {
	for i := range t.Allow {
		if inside(&t.Allow[i], at.In(t.zones[i])) {
			return true
		}
	}
	return false
}

// inside says whether a window is open at a local time. What lasts over midnight
// belongs to the day that it starts on.
func inside(w *contract.Window, local time.Time) bool {
	now, today := local.Hour()*60+local.Minute(), int(local.Weekday())
	if w.From < w.To {
		return w.Days[today] && w.From <= now && now < w.To
	}
	return w.Days[today] && w.From <= now || w.Days[(today+6)%7] && now < w.To
}

// opens says when the next window does.
func (t *timetable) opens(at time.Time) string {
	var next time.Time
	for i := range t.Allow {
		local := at.In(t.zones[i])
		y, m, d := local.Date()
		for day := range 9 {
			start := time.Date(y, m, d+day, 0, t.Allow[i].From, 0, 0, t.zones[i])
			if start.After(at) && inside(&t.Allow[i], start) && (next.IsZero() || start.Before(next)) {
				next = start
				break
			}
		}
	}
	if next.IsZero() {
		return "none opens within a week"
	}
	return "the next opens at " + next.UTC().Format(time.RFC3339)
}
