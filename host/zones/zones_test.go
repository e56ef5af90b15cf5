package zones

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"
)

// TestTheArchiveIsTheOneThatIsNamed: whoever renews it changes Version and this.
func TestTheArchiveIsTheOneThatIsNamed(t *testing.T) {
	const want = "2025c 8f55634d05f8bca1f7bc7c69c5933428c69357e0bdf565e5ba224e3f88ff12e8"
	sum := sha256.Sum256(archive)
	if got := Version + " " + hex.EncodeToString(sum[:]); got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

func TestEveryZoneLoads(t *testing.T) {
	names := Names()
	if len(names) < 500 {
		t.Fatalf("%d zones; want the whole database", len(names))
	}
	for _, name := range names {
		loc, err := Load(name)
		if err != nil || loc.String() != name {
			t.Errorf("%s: %v, %v", name, loc, err)
		}
	}
}

func TestNoOtherNameLoads(t *testing.T) {
	for _, name := range []string{"", "Local", "europe/berlin", "Europe/", "Europe", "../UTC", "Mars/Olympus", "CEST", "+02:00"} {
		if loc, err := Load(name); err == nil {
			t.Errorf("%q is %v", name, loc)
		}
	}
	for _, name := range []string{"UTC", "Europe/Berlin", "Asia/Kolkata", "EST"} {
		if _, err := Load(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestDaysStartWhereTheirDateDoes(t *testing.T) {
	for _, c := range []struct{ zone, at, next string }{
		{"UTC", "2026-11-30T10:00:00Z", "2026-12-01T00:00:00Z"},
		{"Europe/Berlin", "2026-11-30T22:59:00Z", "2026-11-30T23:00:00Z"},
		{"Europe/Berlin", "2026-11-30T23:00:00Z", "2026-12-01T23:00:00Z"},
		{"Europe/Berlin", "2026-03-29T00:30:00Z", "2026-03-29T22:00:00Z"},     // a day of 23 hours
		{"Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T23:00:00Z"},     // and one of 25
		{"America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T03:00:00Z"}, // midnight is skipped
		{"America/Havana", "2024-11-02T12:00:00Z", "2024-11-03T04:00:00Z"},    // 01:00 goes back to midnight, which comes twice
		{"Pacific/Apia", "2011-12-29T20:00:00Z", "2011-12-30T10:00:00Z"},      // a date that never was
		{"Asia/Kathmandu", "2026-05-01T00:00:00Z", "2026-05-01T18:15:00Z"},
		{"America/New_York", "2026-12-31T12:00:00-05:00", "2027-01-01T05:00:00Z"},
	} {
		loc, err := Load(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		next := NextDay(at.In(loc))
		if got := next.UTC().Format(time.RFC3339); got != c.next {
			t.Errorf("%s %s: next day at %s, want %s", c.zone, c.at, got, c.next)
		}
		if Day(next) <= Day(at.In(loc)) || Day(next.Add(-time.Second)) > Day(at.In(loc)) {
			t.Errorf("%s %s: %s is not the edge of the day", c.zone, c.at, next)
		}
	}
}
