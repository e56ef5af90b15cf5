// Package zones knows the time zones of the IANA database from a copy inside
// the binary, so that a decision does not depend on the machine's own.
//
// zoneinfo.zip is the archive of Go 1.26, lib/time/zoneinfo.zip, which is
// compiled from the public-domain tz data of release [Version]. To renew it, copy
// the archive of a newer Go and change Version.
package zones

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"time"
)

// Version is the release of the tz data (https://www.iana.org/time-zones).
const Version = "2025c"

//go:embed zoneinfo.zip
var archive []byte

// Load returns the zone of a name such as Europe/Berlin or UTC. Names are exact.
// The machine's own zone has no name here.
func Load(name string) (*time.Location, error) {
	if name == "UTC" {
		return time.UTC, nil
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("the zones inside the binary: %w", err)
	}
	for _, f := range r.File {
		if f.Name == name && !strings.HasSuffix(name, "/") {
			return load(name, f)
		}
	}
	return nil, fmt.Errorf("unknown time zone %q", name)
}

func load(name string, f *zip.File) (*time.Location, error) {
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("time zone %q: %w", name, err)
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("time zone %q: %w", name, err)
	}
	return time.LoadLocationFromTZData(name, data)
}

// Names lists every zone, in the order of the archive.
func Names() []string {
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil
	}
	var names []string
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, "/") {
			names = append(names, f.Name)
		}
	}
	return names
}

// Day is the calendar day of t in its zone, as a number that grows with the
// date.
func Day(t time.Time) int {
	y, m, d := t.Date()
	return y<<9 | int(m)<<5 | d
}

// step is how far apart two starts of a day can be told: no zone has ever moved
// its clock to anything but a whole minute since budgets exist.
const step = time.Minute

// NextDay returns the first moment of the calendar day after that of t, in t's
// zone. Where clocks skip midnight the day starts later than 00:00, and where
// they repeat it, at the first of the two.
func NextDay(t time.Time) time.Time {
	y, m, d := t.Date()
	next := time.Date(y, m, d+1, 0, 0, 0, 0, t.Location())
	day := Day(time.Date(y, m, d+1, 12, 0, 0, 0, t.Location()))
	for n := 0; n < 26*60 && Day(next) < day; n++ {
		next = next.Add(step)
	}
	for n := 0; n < 26*60 && Day(next.Add(-step)) >= day; n++ {
		next = next.Add(-step)
	}
	return next
}
