package builtin

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// schedulesFrom reads schedules of one window each; one without a zone has none.
func schedulesFrom(t *testing.T, v abi.Value) []contract.Schedule {
	t.Helper()
	var list []contract.Schedule
	for _, item := range v.Items() {
		s := contract.Schedule{Rule: "p.yaml:20: schedules", Name: item.Get("name").Str()}
		if o := item.Get("otherwise"); o.Exists() {
			s.Otherwise = outcome(t, o)
		}
		if zone := item.Get("zone").Str(); zone != "" {
			w := contract.Window{Zone: zone, From: minutes(item.Get("from").Str(), 0), To: minutes(item.Get("to").Str(), 24*60)}
			days := texts(item.Get("days"))
			for i, d := range []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} {
				w.Days[i] = days == nil || slices.Contains(days, d)
			}
			s.Allow = append(s.Allow, w)
		}
		list = append(list, s)
	}
	return list
}

// minutes reads hh:mm.
func minutes(s string, absent int) int {
	if s == "" {
		return absent
	}
	return (int(s[0]-'0')*10+int(s[1]-'0'))*60 + int(s[3]-'0')*10 + int(s[4]-'0')
}

func identitiesFrom(v abi.Value) []contract.Identity {
	var list []contract.Identity
	for _, item := range v.Items() {
		list = append(list, contract.Identity{
			Rule: "p.yaml:30: identities", Name: item.Get("name").Str(), Subject: item.Get("subject").Str(), Issuer: item.Get("issuer").Str(),
			All: !item.Get("tools").Exists(), Listed: item.Get("listed").True(),
		})
	}
	return list
}

func TestScheduleRefusesAZoneThatIsNone(t *testing.T) {
	r := contract.Rules{Schedules: []contract.Schedule{{Name: "x", Allow: []contract.Window{{Zone: "Local"}}}}}
	if c, err := NewSchedule(&r); err == nil {
		t.Fatalf("%v, with the machine's own zone", c)
	}
	r.Schedules[0].Allow[0].Zone = "UTC"
	if c, err := NewSchedule(&r); err != nil || c == nil {
		t.Fatalf("%v, %v", c, err)
	}
}
